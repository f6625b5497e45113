"""Pages and papers that a user adds to a library by their addresses (SPEC D1)."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.library import AddPagesRequest
from motherlode.app.services.addresses import web_address
from motherlode.app.services.library import edit_library, ensure_portal
from motherlode.app.services.pages import content_type_in
from motherlode.crawl.fetcher_setup import courtesy_of, fetcher_for, user_agent
from motherlode.documents.extracts import Raw
from motherlode.fetch.duplicates import Duplicates
from motherlode.fetch.event_loop import run
from motherlode.fetch.fetcher import Fetcher
from motherlode.fetch.http import HttpWeb
from motherlode.library.additions import ImportedObject, add_objects
from motherlode.library.library import Library, parse_folder
from motherlode.library.metadata.reader import read_metadata
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.portal.config_reader import default_config
from motherlode.portal.directory import CONFIG, config_of
from motherlode.records import StoreError, UsageError
from motherlode.records.library import LibraryObject
from motherlode.training.training_document import page_at_url
from motherlode.urls import Address
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure


class AddedPage(Struct, frozen=True, kw_only=True):
    """A page that was added: `is_new`, or merged into an object that was there.

    `is_from_archive` says that a crawl had fetched it before.
    """

    url: str
    number: int
    title: str
    kind: str
    is_new: bool
    is_from_archive: bool


class AdditionReport(Struct, frozen=True):
    """The pages that were added, and one sentence for each address that was not."""

    added: tuple[AddedPage, ...]
    problems: tuple[str, ...]
    folder: str


class _PageBody(Struct, frozen=True):
    """The body of a page, or why there is none."""

    url: str
    raw: Raw | None = None
    problem: str = ""
    is_from_archive: bool = False


def add_pages(
    path: Path, request: AddPagesRequest, overrides: Sequence[str] = ()
) -> AdditionReport:
    """Add the pages at some URLs to a folder, with the metadata that they state.

    Pages of the archive are not fetched again. A page that cannot be had is reported, and the
    others are added.
    """
    folder = parse_folder(request.folder)
    config = config_of(path, overrides) if (path / CONFIG).exists() else default_config(overrides)
    targets = [_target(url, config) for url in dict.fromkeys(request.urls)]
    agent = user_agent(config)
    ensure_portal(path)
    with Portal.reading(path, overrides) as portal:
        sources = run(_sources(portal, targets, agent))
    entries, problems = run(_entries(sources, config))
    added: list[ImportedObject] = []

    def change(library: Library) -> Library:
        library, results = add_objects(library, [entry for _, entry in entries], folder)
        added.extend(results)
        return library

    if entries:
        edit_library(path, change, overrides)
    pages = [
        _page(source, entry, result) for (source, entry), result in zip(entries, added, strict=True)
    ]
    return AdditionReport(tuple(pages), tuple(problems), request.folder)


def _target(url: str, config: Config) -> Address | _PageBody:
    """Return the address of a URL, or a source without a body if it is none."""
    try:
        return web_address(url, config.urls)
    except UsageError:
        return _PageBody(url, problem="it is no address on the Web")


def _page(source: _PageBody, entry: LibraryObject, result: ImportedObject) -> AddedPage:
    return AddedPage(
        url=source.url,
        number=result.number,
        title=entry.title,
        kind=entry.kind,
        is_new=result.is_new,
        is_from_archive=source.is_from_archive,
    )


async def _sources(
    portal: Portal, targets: Sequence[Address | _PageBody], agent: str
) -> list[_PageBody]:
    config = portal.config
    async with HttpWeb(config.network, agent, config.dns) as web:
        fetcher = dataclasses.replace(
            fetcher_for(portal, web, courtesy_of(config)), allows=lambda _host: True
        )
        return [
            target
            if isinstance(target, _PageBody)
            else _archived(portal, target.url, target.url)
            or await _fetched(portal, fetcher, target)
            for target in targets
        ]


def _archived(portal: Portal, url: str, named: str) -> _PageBody | None:
    """Return a page as a crawl has fetched it; None if it did not, or the archive has lost it."""
    with portal.store.reading() as session:
        stored = page_at_url(session, url)
    if stored is None or stored.page.archived is None:
        return None
    try:
        exchange = portal.archive.read(stored.page.archived)
    except StoreError:
        return None
    content_type = content_type_in(exchange.head)
    raw = Raw(stored.page.url, exchange.body, stored.page.mime, content_type)
    return _PageBody(named, raw, is_from_archive=True)


async def _fetched(portal: Portal, fetcher: Fetcher, target: Address) -> _PageBody:
    """Return a page as it is now; a redirect may lead to one that the archive has."""
    await fetcher.courtesy.turn(target.host)
    alone = dataclasses.replace(fetcher, duplicates=Duplicates())
    fetched = await alone.fetch(target)
    response, failure = fetched.response, fetched.failure
    if fetched.copy_of and (known := _archived(portal, fetched.copy_of, target.url)) is not None:
        return known
    if failure is not None or response is None or not response.ok:
        detail = f" ({fetched.detail})" if fetched.detail else ""
        return _PageBody(target.url, problem=f"{failure or 'no answer'}{detail}")
    content_type = response.header("content-type")
    return _PageBody(target.url, Raw(response.url, response.body, response.mime, content_type))


async def _entries(
    sources: Sequence[_PageBody], config: Config
) -> tuple[list[tuple[_PageBody, LibraryObject]], list[str]]:
    """Return what each page states, read in a worker process, and a sentence for each without."""
    raws = [source.raw for source in sources if source.raw is not None]
    results: list[LibraryObject | JobFailure] = []
    if raws:
        options = replace(config.reading, workers=1)
        async with ProcessPool[Raw, LibraryObject](read_metadata, options) as pool:
            results = await pool.run(raws)
    left = iter(results)
    entries: list[tuple[_PageBody, LibraryObject]] = []
    problems: list[str] = []
    for source in sources:
        result = next(left) if source.raw is not None else JobFailure(source.problem)
        if isinstance(result, JobFailure):
            problems.append(f"{source.url[:200]} was not added: {result.reason}.")
        else:
            entries.append((source, result))
    return entries, problems
