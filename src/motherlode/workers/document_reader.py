"""Documents read by worker processes."""

from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Self

from msgspec import MsgspecError, Struct, msgpack
from msgspec.structs import replace

from motherlode.documents.analysing import Analysed, Manner, analyse
from motherlode.documents.options import ReadingOptions
from motherlode.documents.raw import Raw
from motherlode.records import Document, Link, UrlKey
from motherlode.records.texts import pack_text
from motherlode.workers.process_pool import Lost, Workers


class _Kept(Struct, frozen=True, array_like=True):
    """A document as a store keeps it, on its way between processes.

    Its links go in columns: one by one, they take longer to be packed and unpacked, and more room.
    """

    url: str
    mime: str
    document: Document
    urls: list[str]
    keys: list[UrlKey]
    anchors: list[str]
    flags: list[int]


# What a document says on its way between processes, packed in a third of the time that pickle takes.
_Packed = bytes | list[Analysed]
_ENCODER = msgpack.Encoder()
_DECODER = msgpack.Decoder(list[Analysed])
_KEPT_DECODER = msgpack.Decoder(list[_Kept])
# Pages that all parts of reading have something to do with; the language of the second is anybody's guess.
REHEARSAL = tuple(
    Raw("http://rehearsal.test/", f"<!DOCTYPE html><title>Rehearsal</title>{said}".encode(), "text/html")
    for said in (
        "<h1>What is said here</h1><p>This is read as <a href='/'>any page</a> is, and for nobody.</p>",
        "<p>Rehearsal</p>",
    )
)


class Readers:
    """Processes that read. An async context manager, whose `read` may be called side by side.

    With `as_kept` documents come back as a store keeps them: texts are packed, and what is not kept is not
    looked for.
    """

    def __init__(self, manner: Manner, options: ReadingOptions, *, as_kept: bool = False) -> None:
        task = partial(_analyse, manner=replace(manner, in_full=not as_kept), as_kept=as_kept)
        self._as_kept = as_kept
        self._workers: Workers[Raw, _Packed] = Workers(task, options, REHEARSAL)

    @property
    def count(self) -> int:
        """How many there are."""
        return self._workers.count

    async def __aenter__(self) -> Self:
        await self._workers.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._workers.__aexit__(kind, error, trace)

    async def read(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        """What each document says; of one that was too much for its reader, why it says nothing."""
        results = await self._workers.run(raws)
        pairs = zip(raws, results, strict=True)
        return [_unpacked(raw, result, as_kept=self._as_kept) for raw, result in pairs]


def _analyse(raw: Raw, manner: Manner, *, as_kept: bool = False) -> _Packed:
    """What a document says, in a worker."""
    found = analyse(raw, manner)
    if as_kept:
        found = [replace(one, document=_as_kept(one.document)) for one in found]
    try:
        return _ENCODER.encode([*map(_in_columns, found)] if as_kept else found)
    except UnicodeEncodeError:  # half a character, which pickle lets through
        return found


def _as_kept(document: Document) -> Document:
    """A document with its text packed here, where nobody waits, and without what no crawl asks for."""
    packed = pack_text(document.text, document.main, document.headings)
    return replace(document, text="", main="", headings=(), description="", images=(), packed=packed)


def _in_columns(one: Analysed) -> _Kept:
    links = one.document.links
    return _Kept(
        one.url,
        one.mime,
        replace(one.document, links=()),
        [link.url for link in links],
        [link.key for link in links],
        [link.anchor for link in links],
        [link.flags for link in links],
    )


def _in_rows(kept: _Kept) -> Analysed:
    links = tuple(map(Link, kept.urls, kept.keys, kept.anchors, kept.flags))
    return Analysed(kept.url, kept.mime, replace(kept.document, links=links))


def _unpacked(raw: Raw, result: _Packed | Lost, *, as_kept: bool) -> list[Analysed]:
    """What a document says, as it came back."""
    if isinstance(result, bytes):
        try:
            return [*map(_in_rows, _KEPT_DECODER.decode(result))] if as_kept else _DECODER.decode(result)
        except (MsgspecError, UnicodeDecodeError):
            result = Lost("confused its reader")
    if isinstance(result, Lost):
        return [Analysed(raw.url, raw.mime, Document(unreadable=result.reason))]
    return result
