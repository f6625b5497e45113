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
from motherlode.workers.process_pool import JobFailure, ProcessPool


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
WARM_UP_PAGES = tuple(
    Raw("http://rehearsal.test/", f"<!DOCTYPE html><title>Rehearsal</title>{said}".encode(), "text/html")
    for said in (
        "<h1>What is said here</h1><p>This is read as <a href='/'>any page</a> is, and for nobody.</p>",
        "<p>Rehearsal</p>",
    )
)


class DocumentReaders:
    """Processes that read. An async context manager, whose `read` may be called side by side.

    With `for_store` documents come back as a store keeps them: texts are packed, and what is not kept is not
    looked for.
    """

    def __init__(self, manner: Manner, options: ReadingOptions, *, for_store: bool = False) -> None:
        task = partial(_analyse, manner=replace(manner, in_full=not for_store), for_store=for_store)
        self._for_store = for_store
        self._pool: ProcessPool[Raw, _Packed] = ProcessPool(task, options, WARM_UP_PAGES)

    @property
    def worker_count(self) -> int:
        """How many there are."""
        return self._pool.worker_count

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pool.__aexit__(kind, error, trace)

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        """What each document says; of one that was too much for its reader, why it says nothing."""
        results = await self._pool.run(raws)
        pairs = zip(raws, results, strict=True)
        return [_unpacked(raw, result, for_store=self._for_store) for raw, result in pairs]


def _analyse(raw: Raw, manner: Manner, *, for_store: bool = False) -> _Packed:
    """What a document says, in a worker."""
    found = analyse(raw, manner)
    if for_store:
        found = [replace(one, document=_as_kept(one.document)) for one in found]
    try:
        return _ENCODER.encode([*map(_in_columns, found)] if for_store else found)
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


def _unpacked(raw: Raw, result: _Packed | JobFailure, *, for_store: bool) -> list[Analysed]:
    """What a document says, as it came back."""
    if isinstance(result, bytes):
        try:
            return [*map(_in_rows, _KEPT_DECODER.decode(result))] if for_store else _DECODER.decode(result)
        except (MsgspecError, UnicodeDecodeError):
            result = JobFailure("confused its reader")
    if isinstance(result, JobFailure):
        return [Analysed(raw.url, raw.mime, Document(unreadable=result.reason))]
    return result
