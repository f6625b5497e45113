"""A running Zotero over its local API: plain HTTP on this machine.

Reading: https://www.zotero.org/support/dev/web_api/v3/local_api. Writing needs Zotero 10: its user
grants a key in a dialog, and each write names the server
(https://github.com/urschrei/pyzotero/issues/344, by a developer of Zotero).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import msgspec

from motherlode.fetch.web import Headers, Request, Response
from motherlode.library.formats.fields import text_of
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.zotero_json import read_zotero_json
from motherlode.library.formats.zotero_json_writer import zotero_item
from motherlode.records import BadInputError, LodeError, UsageError
from motherlode.records.library import LibraryObject
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.errors import SourceError

DEFAULT_URL = "http://localhost:23119"
LIBRARY = "/api/users/0"
APP_NAME = "Motherlode"
PAGE_ITEMS = 100
MAX_ITEMS = 200_000
WRITE_BATCH = 50  # objects of one request, by the API
DENIED = 403
_HEADERS: Headers = (("Zotero-API-Version", "3"),)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

FolderPath = tuple[str, ...]


class WrittenItems(msgspec.Struct, frozen=True):
    """What Zotero has taken: new collections, new items, and a sentence for each refused item."""

    collections: int
    items: int
    problems: tuple[str, ...]


def local_url(text: str) -> str:
    """Return the address of a Zotero on this machine. Raises `UsageError` for any other.

    >>> local_url("http://127.0.0.1:23119/api/users/0/")
    'http://127.0.0.1:23119'
    """
    try:
        parts = urlsplit(text)
        is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK and parts.port != 0
    except ValueError:
        is_local = False
    if not is_local:
        raise UsageError(
            f"{text[:100]!r} is no Zotero on this machine; its address is {DEFAULT_URL}."
        )
    return f"http://{parts.netloc.rpartition('@')[2]}"


class Zotero:
    """The user's own library in a running Zotero."""

    def __init__(self, client: SearchClient, url: str = DEFAULT_URL) -> None:
        self._client = client
        self._url = url

    async def read(self, collection: str = "") -> ReadResult:
        """Return the items of the library, or those of a collection and the ones in it.

        Raises `LodeError` if Zotero cannot be asked, and `UsageError` for an unknown collection.
        """
        collections = {
            text_of(entry.get("key")): _data(entry) for entry in await self._all("collections")
        }
        items = await self._all("items")
        tree = {
            key: {"name": data.get("name"), "parent": data.get("parentCollection") or ""}
            for key, data in collections.items()
        }
        text = msgspec.json.encode({"collections": tree, "items": items}).decode()
        result = read_zotero_json(text)
        return _only_in(result, collection) if collection else result

    async def _all(self, kind: str) -> list[dict[str, Any]]:
        """Return all objects of a kind, page by page."""
        entries: list[dict[str, Any]] = []
        while len(entries) < MAX_ITEMS:
            place = {"format": "json", "limit": PAGE_ITEMS, "start": len(entries)}
            response = await self._get(f"{LIBRARY}/{kind}", place)
            page = _json_of(response)
            if not isinstance(page, list):
                raise self._client.unexpected()
            entries += [entry if isinstance(entry, dict) else {} for entry in page]
            total = response.header("total-results")
            if not page or (total.isdecimal() and len(entries) >= int(total[:9])):
                break
        return entries

    async def _get(self, place: str, parameters: Mapping[str, object] = {}) -> Response:
        try:
            return await self._client.get(f"{self._url}{place}", parameters, _HEADERS)
        except SourceError as error:
            if error.status == DENIED:
                raise LodeError(
                    "Zotero keeps other programs out; in its settings, under Advanced, allow "
                    "other applications on this computer to communicate with it."
                ) from error
            raise

    async def write(self, objects: Sequence[LibraryObject]) -> WrittenItems:
        """Add objects to Zotero, in collections like their folders.

        Its user is asked first. Raises `LodeError` if that is refused, or not possible.
        """
        server = (await self._get("/api/")).header("zotero-server-id")
        if not server:
            raise BadInputError(
                "This Zotero can only be read; Zotero 10 or newer can be written to."
            )
        keys = {path: key for key, path in self._paths(await self._all("collections")).items()}
        missing = _missing_folders(objects, keys)
        batches = list(_batches_by_depth(missing))
        writes = len(batches) + len(range(0, len(objects), WRITE_BATCH))
        headers = await self._authorized(server, writes)
        for paths in batches:
            collections = [
                {"name": path[-1], "parentCollection": keys.get(path[:-1], False)} for path in paths
            ]
            accepted, problems = await self._post("collections", collections, headers)
            if problems:
                raise LodeError(f"Zotero has refused a collection: {problems[0]}")
            keys |= {path: accepted[number] for number, path in enumerate(paths)}
        return await self._write_items(objects, keys, len(missing), headers)

    @staticmethod
    def _paths(entries: Sequence[Mapping[str, Any]]) -> dict[str, FolderPath]:
        """Return the path of each collection by its key."""
        known = {text_of(entry.get("key")): _data(entry) for entry in entries}
        paths: dict[str, FolderPath] = {}
        for key in known:
            names: list[str] = []
            here = key
            while here in known and len(names) < len(known):
                names.append(text_of(known[here].get("name")))
                here = text_of(known[here].get("parentCollection"))
            paths[key] = tuple(reversed(names))
        return paths

    async def _authorized(self, server: str, writes: int) -> Headers:
        """Return the headers of writes, after the user of Zotero has allowed them."""
        headers: Headers = (*_HEADERS, ("Zotero-Server-ID", server))
        body = msgspec.json.encode({"appName": APP_NAME})
        try:
            granted = _json_of(await self._send("/api/local/authorize", body, headers))
        except SourceError as error:
            if error.status == DENIED:
                raise LodeError(
                    "The user of Zotero has not allowed this program to write."
                ) from error
            raise
        key = text_of(granted.get("key")) if isinstance(granted, dict) else ""
        if not key:
            raise self._client.unexpected()
        if writes > 1 and granted.get("remember") is False:
            raise LodeError(
                f"Zotero has allowed a single write, and this takes {writes}; repeat the command, "
                "and choose 'Always Allow'."
            )
        return (*headers, ("Zotero-API-Key", key))

    async def _send(self, place: str, body: bytes, headers: Headers) -> Response:
        request = Request(
            f"{self._url}{place}",
            headers,
            method="POST",
            body=body,
            content_type="application/json",
        )
        return await self._client.send(request)

    async def _post(
        self, kind: str, values: Sequence[Mapping[str, Any]], headers: Headers
    ) -> tuple[dict[int, str], list[str]]:
        """Return the keys of the objects that were taken, by their places, and why others were not.

        Raises `LodeError` for an answer that does not account for each object.
        """
        body = msgspec.json.encode(values)
        answer = _json_of(await self._send(f"{LIBRARY}/{kind}", body, headers))
        if not isinstance(answer, dict):
            raise self._client.unexpected()
        taken, refused = (answer.get(name) for name in ("successful", "failed"))
        if not isinstance(taken, dict) or not isinstance(refused, dict):
            raise self._client.unexpected()
        keys = {
            int(place): text_of(_mapping(entry).get("key"))
            for place, entry in taken.items()
            if place.isdecimal() and len(place) < 4  # noqa: PLR2004 - places in a batch
        }
        problems = [
            f"{_name_of(values, place)}: {text_of(_mapping(reason).get('message'))[:200]}"
            for place, reason in refused.items()
        ]
        if len(keys) + len(problems) != len(values) or not set(keys) <= set(range(len(values))):
            raise self._client.unexpected()
        return keys, problems

    async def _write_items(
        self,
        objects: Sequence[LibraryObject],
        keys: Mapping[FolderPath, str],
        collections: int,
        headers: Headers,
    ) -> WrittenItems:
        items = [
            zotero_item(entry) | {"collections": [keys[path] for path in entry.folders]}
            for entry in objects
        ]
        count, problems = 0, list[str]()
        for begin in range(0, len(items), WRITE_BATCH):
            accepted, refused = await self._post(
                "items", items[begin : begin + WRITE_BATCH], headers
            )
            count += len(accepted)
            problems += refused
        return WrittenItems(collections, count, tuple(problems))


def _only_in(result: ReadResult, collection: str) -> ReadResult:
    """Return the objects of a collection, named by its path or its own name."""
    wanted = tuple(filter(None, (part.strip() for part in collection.split("/"))))
    objects: list[LibraryObject] = []
    for entry in result.objects:
        inside = [path for path in entry.folders if _is_in(path, wanted)]
        if inside:
            objects.append(msgspec.structs.replace(entry, folders=tuple(inside)))
    if not objects:
        raise UsageError(f"Zotero has nothing in a collection {collection[:100]!r}.")
    return ReadResult(tuple(objects), result.problems)


def _is_in(path: FolderPath, wanted: FolderPath) -> bool:
    starts = range(len(path) - len(wanted) + 1) if len(wanted) == 1 else range(1)
    return bool(wanted) and any(path[start : start + len(wanted)] == wanted for start in starts)


def _missing_folders(
    objects: Sequence[LibraryObject], known: Mapping[FolderPath, str]
) -> list[FolderPath]:
    """Return the folders that Zotero has no collection for, parents first."""
    needed = {
        path[:depth]
        for entry in objects
        for path in entry.folders
        for depth in range(1, len(path) + 1)
    }
    return sorted(
        (path for path in needed if path not in known), key=lambda path: (len(path), path)
    )


def _batches_by_depth(paths: Sequence[FolderPath]) -> Iterator[list[FolderPath]]:
    """Yield paths in batches of one depth each, so that parents are there before their children."""
    for _, level in groupby(paths, key=len):
        same = list(level)
        yield from (same[begin : begin + WRITE_BATCH] for begin in range(0, len(same), WRITE_BATCH))


def _data(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(entry.get("data"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _name_of(values: Sequence[Mapping[str, Any]], place: str) -> str:
    number = int(place) if place.isdecimal() and len(place) < 4 else len(values)  # noqa: PLR2004
    entry = values[number] if number < len(values) else {}
    return text_of(entry.get("title") or entry.get("name"))[:100] or f"entry {place[:10]}"


def _json_of(response: Response) -> Any:
    try:
        return msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LodeError("Zotero has sent something that is no JSON; is it Zotero?") from error
