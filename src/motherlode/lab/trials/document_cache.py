"""Documents of a web that is tried again and again: none of them is analysed twice."""

from collections.abc import Sequence

from motherlode.documents.analysis import Analysed, Manner, analyse_one
from motherlode.documents.extracts import Raw
from motherlode.fetch import FetchError, Request, Response
from motherlode.lab.clock import run_virtually
from motherlode.lab.replay import Replay
from motherlode.lab.web import LabWeb
from motherlode.records import Document
from motherlode.urls import UrlError, address
from motherlode.workers.worker_pool import InlineWorkerPool

_MAX_REDIRECTS = 25


class Readings:
    """Documents by URL: the pages of a web do not change, so none is analysed twice.

    `whole`: with their texts, to show them. Else only what a crawl needs is kept: a web of long
    texts would not fit into memory.
    """

    def __init__(self, web: LabWeb, *, whole: bool = False) -> None:
        self._web = web
        self._whole = whole
        self._read: dict[str, Document] = {}

    def of(self, response: Response) -> Document:
        return self.read(
            Raw(response.url, response.body, response.mime, response.header("content-type"))
        )

    def read(self, raw: Raw) -> Document:
        found = self._read.get(raw.url)
        if found is None:
            found = analyse_one(raw)
            if not self._whole:
                found = Document(
                    title=found.title,
                    language=found.language,
                    vectors=found.vectors,
                    links=found.links,
                )
            self._read[raw.url] = found
        return found

    def examples(self, urls: Sequence[str]) -> list[Document]:
        """What a person would hand over: the documents at these URLs, redirects followed."""
        return [document for _, document in run_virtually(self._found(urls))]

    def documents(self, urls: Sequence[str]) -> dict[str, Document]:
        """What a person would see at these URLs, each page once, by the address that it has in the
        end.
        """
        return dict(run_virtually(self._found(urls)))

    async def _found(self, urls: Sequence[str]) -> list[tuple[str, Document]]:
        web = Replay(self._web)
        documents = []
        for url in urls:
            response = await _through_redirects(web, url)
            if response is not None and response.ok:
                documents.append((response.url, self.of(response)))
        return documents


class CachingWorkerPool(InlineWorkerPool):
    """A worker pool that reads no page of a web twice, however many trials there are."""

    def __init__(self, readings: Readings) -> None:
        super().__init__(Manner())
        self._readings = readings

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return [[Analysed(raw.url, raw.mime, self._readings.read(raw))] for raw in raws]


async def _through_redirects(web: Replay, url: str) -> Response | None:
    for _ in range(_MAX_REDIRECTS):
        try:
            response = await web.fetch(Request(url))
            if not response.header("location"):
                return response
            url = address(response.header("location"), url).url
        except (FetchError, UrlError):
            return None
    return None
