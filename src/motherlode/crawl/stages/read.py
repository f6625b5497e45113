"""The read stage: detect duplicates, and have all other pages read by worker processes."""

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from motherlode.crawl.decisions import FetchedEntry
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.stages.duplicates import DuplicateDetector, has_document
from motherlode.crawl.stages.queues import take_batch
from motherlode.documents.extracts import Raw
from motherlode.fetch.fetcher import Fetched
from motherlode.store import Store

BATCH_PAGES = 32


class ReadStage:
    """Reads pages, in as many batches at once as `run` is started."""

    def __init__(
        self,
        workers: ResilientWorkerPool,
        duplicates: DuplicateDetector,
        store: Store,
    ) -> None:
        self._workers, self._duplicates, self._store = workers, duplicates, store

    async def run(
        self,
        source: asyncio.Queue[FetchedEntry | None],
        output: asyncio.Queue[FetchedEntry | None],
    ) -> None:
        """Read batch after batch until no more comes."""
        while pages := await take_batch(source, BATCH_PAGES):
            while pages:
                pages = await self._read(pages, output)

    async def _read(
        self, pages: Sequence[FetchedEntry], output: asyncio.Queue[FetchedEntry | None]
    ) -> list[FetchedEntry]:
        """Have pages read and hand them on; return copies of pages that were not stored."""
        checked = await self._workers.run_inline(
            partial(self._duplicates.check, pages, self._store),
        )
        new = [page for page, original in checked if original is None]
        readable = [place for place, page in enumerate(new) if has_document(page.fetched)]
        documents = await self._workers.read_documents(
            [_raw(new[place].fetched) for place in readable],
        )
        for place, document in zip(readable, documents, strict=True):
            new[place] = replace(new[place], documents=document)
        for page in new:
            await output.put(page)
        again: list[FetchedEntry] = []
        # New pages are handed on before this waits, so no two batches wait for each other.
        for page, original in checked:
            if original is None:
                continue
            await original.committed.wait()
            if original.is_stored:
                copy = replace(page.fetched, copy_of=original.fetched.final.url)
                await output.put(replace(page, fetched=copy))
            else:
                again.append(page)
        return again


def _raw(fetched: Fetched) -> Raw:
    response = fetched.response
    assert response is not None  # noqa: S101 - it has a document
    return Raw(response.url, response.body, response.mime, response.header("content-type"))
