"""Import from a running Zotero on this machine, and export to it (SPEC D1)."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from motherlode.app.services.library import (
    ImportReport,
    ensure_portal,
    import_result,
    objects_for_export,
)
from motherlode.fetch import NetworkOptions
from motherlode.fetch.event_loop import run
from motherlode.fetch.http import HttpWeb
from motherlode.library.identity import work_keys
from motherlode.library.zotero import APP_NAME, Zotero, local_url
from motherlode.records import LodeError
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.pace import RequestPace

ANSWER_S = 300.0  # the user of Zotero has a dialog to answer
MAX_BYTES = 100 * 2**20
T = TypeVar("T")


class ZoteroExport(Struct, frozen=True, kw_only=True):
    """The result of an export to Zotero: new items and collections, and those it had before."""

    items: int
    collections: int
    known: int
    problems: tuple[str, ...]


def import_from_zotero(path: Path, url: str, collection: str, folder: str) -> ImportReport:
    """Import Zotero's library, or one collection, into a folder; collections become folders.

    Raises `LodeError` if Zotero cannot be asked: then nothing is imported.
    """
    result = _ask(url, lambda zotero: zotero.read(collection))
    ensure_portal(path)
    return import_result(path, "zotero", result, folder)


def export_to_zotero(path: Path, url: str, folder: str) -> ZoteroExport:
    """Add the objects of a folder to Zotero, without those that it has.

    Raises `LodeError` if Zotero cannot be written to, or its user does not allow it.
    """
    objects = objects_for_export(path, folder)

    async def write(zotero: Zotero) -> ZoteroExport:
        known = {key for entry in (await zotero.read()).objects for key in work_keys(entry)}
        new = [entry for entry in objects if known.isdisjoint(work_keys(entry))]
        if not new:
            return ZoteroExport(items=0, collections=0, known=len(objects), problems=())
        written = await zotero.write(new)
        return ZoteroExport(
            items=written.items,
            collections=written.collections,
            known=len(objects) - len(new),
            problems=written.problems,
        )

    return _ask(url, write)


def _ask(url: str, question: Callable[[Zotero], Coroutine[Any, Any, T]]) -> T:
    """Return what Zotero answers. Its address is on this machine, whatever is configured."""
    place = local_url(url)
    network = NetworkOptions(
        private=True,
        proxy="none",
        overrides=("localhost=127.0.0.1",),
        first_byte_timeout=ANSWER_S,
        timeout=ANSWER_S,
        max_bytes=MAX_BYTES,
    )

    async def ask() -> T:
        async with HttpWeb(network, APP_NAME) as web:
            return await question(
                Zotero(SearchClient(name="Zotero", web=web, pace=RequestPace()), place)
            )

    try:
        return run(ask())
    except SourceError as error:
        sentence = str(error).removeprefix("The search source ")
        advice = "" if error.status else " It must run on this machine."
        raise LodeError(f"{sentence}{advice}") from error
