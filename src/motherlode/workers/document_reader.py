"""Read documents in worker processes."""

from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Self

from msgspec import MsgspecError, Struct, msgpack
from msgspec.structs import replace

from motherlode.documents.analysis import Analysed, Manner, analyse
from motherlode.documents.extracts import Raw
from motherlode.documents.options import ReadingOptions
from motherlode.records import Document, Link, UrlKey
from motherlode.records.texts import pack_text
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure


class _StoredDocument(Struct, frozen=True, array_like=True):
    """A document as the store keeps it, in the form in which it travels between processes.

    Links are columns: as records they take more room, and longer to encode and decode.
    """

    url: str
    mime: str
    document: Document
    link_urls: list[str]
    link_keys: list[UrlKey]
    link_anchors: list[str]
    link_flags: list[int]


# Documents travel as MessagePack, which takes a third of the time of pickle.
_Encoded = bytes | list[Analysed]
_ENCODER = msgpack.Encoder()
_DECODER = msgpack.Decoder(list[Analysed])
_STORED_DECODER = msgpack.Decoder(list[_StoredDocument])
# Pages that use every part of the reader. The language of the second cannot be detected.
WARM_UP_PAGES = tuple(
    Raw(
        "http://warm-up.test/",
        f"<!DOCTYPE html><title>Warm-up</title>{content}".encode(),
        "text/html",
    )
    for content in (
        "<h1>A page to warm up</h1><p>It is read as <a href='/'>any page</a>, then dropped.</p>",
        "<p>Warm-up</p>",
    )
)


class DocumentReaders:
    """Worker processes that read documents. An async context manager; calls may run concurrently.

    With `for_store`, documents come back as the store keeps them: texts are packed, and parts that
    the store does not keep are not extracted.
    """

    def __init__(self, manner: Manner, options: ReadingOptions, *, for_store: bool = False) -> None:
        manner = replace(manner, in_full=not for_store)
        task = partial(_read_document, manner=manner, for_store=for_store)
        self._for_store = for_store
        self._pool: ProcessPool[Raw, _Encoded] = ProcessPool(task, options, WARM_UP_PAGES)

    @property
    def worker_count(self) -> int:
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
        """Return each document as read; a document that could not be read has the reason."""
        results = await self._pool.run(raws)
        pairs = zip(raws, results, strict=True)
        return [_decode(raw, result, for_store=self._for_store) for raw, result in pairs]


def _read_document(raw: Raw, manner: Manner, *, for_store: bool = False) -> _Encoded:
    """Read and encode a document, in a worker process."""
    documents = analyse(raw, manner)
    if for_store:
        documents = [replace(read, document=_to_stored_form(read.document)) for read in documents]
    try:
        return _ENCODER.encode([*map(_to_columns, documents)] if for_store else documents)
    except UnicodeEncodeError:  # a lone surrogate, which pickle accepts
        return documents


def _to_stored_form(document: Document) -> Document:
    """Pack the text in the worker, to save the event loop time; drop fields that no crawl uses."""
    packed = pack_text(document.text, document.main, document.headings)
    return replace(
        document,
        text="",
        main="",
        headings=(),
        description="",
        images=(),
        packed=packed,
    )


def _to_columns(read: Analysed) -> _StoredDocument:
    links = read.document.links
    return _StoredDocument(
        url=read.url,
        mime=read.mime,
        document=replace(read.document, links=()),
        link_urls=[link.url for link in links],
        link_keys=[link.key for link in links],
        link_anchors=[link.anchor for link in links],
        link_flags=[link.flags for link in links],
    )


def _from_columns(stored: _StoredDocument) -> Analysed:
    columns = (stored.link_urls, stored.link_keys, stored.link_anchors, stored.link_flags)
    links = tuple(map(Link, *columns))
    return Analysed(stored.url, stored.mime, replace(stored.document, links=links))


def _decode(raw: Raw, result: _Encoded | JobFailure, *, for_store: bool) -> list[Analysed]:
    """Return the documents in a worker's result; a failed job gives an unreadable document."""
    if isinstance(result, bytes):
        try:
            if for_store:
                return [*map(_from_columns, _STORED_DECODER.decode(result))]
            return _DECODER.decode(result)
        except (MsgspecError, UnicodeDecodeError):
            result = JobFailure("gave an invalid result")
    if isinstance(result, JobFailure):
        return [Analysed(raw.url, raw.mime, Document(unreadable=result.reason))]
    return result
