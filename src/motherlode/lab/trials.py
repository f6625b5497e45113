"""A trial: one policy on one web with one budget, in process and on virtual time.

The life of a page, in small: take the best entry, fetch it, analyse it, judge it, steer. Nothing is stored.
"""

import asyncio
from collections.abc import Sequence
from time import perf_counter

from msgspec import Struct

from motherlode.documents.analysing import analyse_one
from motherlode.documents.raw import Raw
from motherlode.documents.spaces import Surroundings
from motherlode.fetch import FetchError, Request, Response
from motherlode.frontier import MemoryFrontier
from motherlode.lab.clock import run_virtually
from motherlode.lab.measures import Fetched
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.web import LabWeb
from motherlode.policies import Policy, Visit
from motherlode.records import Document, Entry, Follow
from motherlode.training.samples import sample_of
from motherlode.urls import UrlError, address, host_of

_MAX_HOPS = 25
_TOP = 1e12  # a redirect's target comes next, before anything else


class Budget(Struct, frozen=True):
    """When a trial ends: so many documents, and so many failed fetches for each."""

    pages: int
    connections: int = 1
    failures_a_page: int = 20


class Trial(Struct, frozen=True):
    """What happened: the page log, and how long it took, really and virtually."""

    log: list[Fetched]
    seconds: float
    virtual_seconds: float


class Readings:
    """Documents by URL: the pages of a web do not change, so none is analysed twice.

    `whole`: with their texts, for whoever shows them. Else only what a crawl goes by is kept: a web of long
    texts would not fit into memory.
    """

    def __init__(self, web: LabWeb, *, whole: bool = False) -> None:
        self._web = web
        self._whole = whole
        self._read: dict[str, Document] = {}

    def of(self, response: Response) -> Document:
        return self.read(Raw(response.url, response.body, response.mime, response.header("content-type")))

    def read(self, raw: Raw) -> Document:
        found = self._read.get(raw.url)
        if found is None:
            found = analyse_one(raw)
            if not self._whole:
                found = Document(
                    title=found.title, language=found.language, vectors=found.vectors, links=found.links
                )
            self._read[raw.url] = found
        return found

    def examples(self, urls: Sequence[str]) -> list[Document]:
        """What a person would hand over: the documents at these URLs, redirects followed."""
        return [document for _, document in run_virtually(self._found(urls))]

    def documents(self, urls: Sequence[str]) -> dict[str, Document]:
        """What a person would see at these URLs, each page once, by the address that it has in the end."""
        return dict(run_virtually(self._found(urls)))

    async def _found(self, urls: Sequence[str]) -> list[tuple[str, Document]]:
        web = Replay(self._web)
        documents = []
        for url in urls:
            response = await _through_redirects(web, url)
            if response is not None and response.ok:
                documents.append((response.url, self.of(response)))
        return documents


def run_trial(web: LabWeb, policy: Policy, budget: Budget, timing: Timing, readings: Readings) -> Trial:
    """Let a policy crawl until its budget is used up or nothing waits any more."""
    crawl = _Crawl(web, policy, budget, timing, readings)
    began = perf_counter()
    virtual = run_virtually(crawl.run())
    return Trial(crawl.log, perf_counter() - began, virtual)


class _Crawl:
    """The state of one trial."""

    def __init__(
        self, web: LabWeb, policy: Policy, budget: Budget, timing: Timing, readings: Readings
    ) -> None:
        self.log: list[Fetched] = []
        self._web = Replay(web, timing)
        self._policy = policy
        self._budget = budget
        self._readings = readings
        self._frontier = MemoryFrontier()
        self._hops: dict[str, int] = {}  # redirects on the way to a URL
        self._seeds: set[str] = set()
        self._pages = self._under_way = 0

    async def run(self) -> float:
        """Returns the virtual seconds it took."""
        seeds = list(self._policy.seed())
        self._seeds = {seed.url for seed in seeds}
        self._frontier.offer(seeds)
        self._changed = asyncio.Condition()
        async with asyncio.TaskGroup() as group:
            for _ in range(self._budget.connections):
                group.create_task(self._work())
        return asyncio.get_running_loop().time()

    async def _work(self) -> None:
        while entry := await self._take():
            response = await self._fetch(entry)
            async with self._changed:
                self._under_way -= 1
                if response is not None:
                    self._settle(entry, response)
                self._changed.notify_all()

    async def _take(self) -> Entry | None:
        """The next entry; waits while others may still bring links. None: the trial is over."""
        async with self._changed:
            while True:
                if self._pages >= self._budget.pages or self._too_many_failures():
                    return None
                if self._pages + self._under_way < self._budget.pages and (entry := self._frontier.take()):
                    self._under_way += 1
                    return entry
                if not self._under_way:
                    return None
                await self._changed.wait()

    def _too_many_failures(self) -> bool:
        return len(self.log) - self._pages > self._budget.failures_a_page * self._budget.pages

    async def _fetch(self, entry: Entry) -> Response | None:
        try:
            return await self._web.fetch(Request(entry.url))
        except FetchError:
            self._note(entry, document=False)
            return None

    def _settle(self, entry: Entry, response: Response) -> None:
        if 300 <= response.status < 400:  # noqa: PLR2004 - redirects
            self._redirect(entry, response)
        elif not response.ok:
            self._note(entry, document=False)
        else:
            self._pages += 1
            document = self._readings.of(response)
            visit = Visit(entry, document, sample_of(document, self._policy.spaces, Surroundings(entry.url)))
            (judgement,) = self._policy.judge([visit])
            self._note(entry, score=judgement.confidence if judgement else None)
            self._frontier.offer(self._policy.steer(visit, judgement))

    def _redirect(self, entry: Entry, response: Response) -> None:
        hops = self._hops.get(entry.url, 0) + 1
        try:
            target = address(response.header("location"), entry.url)
        except UrlError:
            hops = _MAX_HOPS + 1
        if hops > _MAX_HOPS:
            self._note(entry, document=False)
            return
        self._hops[target.url] = hops
        if entry.url in self._seeds:
            self._seeds.add(target.url)
        self._frontier.offer([Follow(target.url, target.key, entry.queue, _TOP, entry.depth)])

    def _note(self, entry: Entry, *, document: bool = True, score: float | None = None) -> None:
        seed = entry.url in self._seeds
        self.log.append(Fetched(entry.url, host_of(entry.url), document, seed, score))


async def _through_redirects(web: Replay, url: str) -> Response | None:
    for _ in range(_MAX_HOPS):
        try:
            response = await web.fetch(Request(url))
            if not response.header("location"):
                return response
            url = address(response.header("location"), url).url
        except (FetchError, UrlError):
            return None
    return None
