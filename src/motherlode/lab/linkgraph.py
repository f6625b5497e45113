"""Who links to whom in a whole web, and the best way through it for whoever knows its labels."""

from collections import deque
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from motherlode.documents.analysis import read
from motherlode.documents.extracts import Raw
from motherlode.fetch.content_codings import decoded
from motherlode.lab.web import Answer, LabWeb
from motherlode.lexicon.cache import cached
from motherlode.records import BadInputError
from motherlode.urls import UrlError, canonical

_FORM = 3
_MAX_PAGES = 1_000_000
_MAX_BODY = 100_000_000
_FAR = 1 << 30


class LinkGraph(Struct, frozen=True):
    """Pages and redirects by number, for each the numbers that it leads to, and which are
    redirects.
    """

    urls: list[str]
    targets: list[list[int]]
    moved: list[int] = []


def link_graph(web: LabWeb) -> LinkGraph:
    """The link graph of a web; read out of its pages once, then out of the cache."""
    if web.about.pages > _MAX_PAGES:
        raise BadInputError(
            f"Its links are all read first, and {web.about.pages:,} pages are too many."
        )
    name = f"{web.fingerprint}-{_FORM}.links"
    packed = cached("webs", name, lambda: msgspec.msgpack.encode(_read(web)))
    return msgspec.msgpack.decode(packed, type=LinkGraph)


def itinerary(
    graph: LinkGraph, seeds: Iterable[str], relevant: Iterable[str], copies: Mapping[str, str]
) -> list[str]:
    """The order in which an oracle fetches: always the shortest way on to a relevant page not yet
    fetched, nor a copy of it.

    The best order of all would be a Steiner tree, which nobody can compute; this is the usual
    greedy one.
    """
    number_of = {url: number for number, url in enumerate(graph.urls)}
    journey = _Journey(graph.targets)
    for seed in seeds:
        if seed in number_of:
            journey.visit(number_of[seed])
    alike: dict[str, list[int]] = {}
    for url in relevant:
        if url in number_of:
            alike.setdefault(copies.get(url, url), []).append(number_of[url])
    wanted = {number for numbers in alike.values() for number in numbers}

    def have(page: int) -> None:
        url = graph.urls[page]
        wanted.difference_update(alike.get(copies.get(url, url), ()))

    for page in journey.visited:
        have(page)
    while wanted:
        nearest = min(wanted, key=lambda page: (journey.distance[page], page))
        if journey.distance[nearest] == _FAR:
            break
        for page in journey.way_to(nearest):
            journey.visit(page)
            have(page)
    return [graph.urls[number] for number in journey.visited]


def back_links(
    graph: LinkGraph, seeds: Iterable[str], levels: int, most: int
) -> list[tuple[str, str]]:
    """Return links as a search engine would list them: pages with the URLs that they link to.

    Of each URL the first `most` pages are listed, and then those that link to these, level by
    level; of a level, the first `most` pages are asked for.
    """
    linking: list[list[int]] = [[] for _ in graph.urls]
    for page, targets in enumerate(graph.targets):
        for target in targets:
            if target != page and len(linking[target]) < most:
                linking[target].append(page)
    number_of = {url: number for number, url in enumerate(graph.urls)}
    latest = [number_of[url] for url in seeds if url in number_of]
    known, links = set(latest), dict[tuple[int, int], None]()
    for _ in range(levels):
        pairs = [(page, target) for target in latest[:most] for page in linking[target]]
        links |= dict.fromkeys(pairs)
        latest = [page for page in dict.fromkeys(page for page, _ in pairs) if page not in known]
        known.update(latest)
    return [(graph.urls[page], graph.urls[target]) for page, target in links]


class _Journey:
    """Pages fetched so far, and how far every other page is from the nearest of them."""

    def __init__(self, targets: list[list[int]]) -> None:
        self._targets = targets
        self._before = [-1] * len(targets)  # the page before, on the shortest way
        self.distance = [_FAR] * len(targets)
        self.visited: dict[int, None] = {}

    def visit(self, page: int) -> None:
        """Fetch a page; what it leads to comes nearer. No distance ever grows, so that visits are
        cheap.
        """
        self.visited[page] = None
        self.distance[page] = 0
        waiting = deque([page])
        while waiting:
            here = waiting.popleft()
            step = self.distance[here] + 1
            for target in self._targets[here]:
                if step < self.distance[target]:
                    self.distance[target] = step
                    self._before[target] = here
                    waiting.append(target)

    def way_to(self, page: int) -> list[int]:
        """The pages from the last one fetched to this one."""
        way = []
        while self.distance[page]:
            way.append(page)
            page = self._before[page]
        return way[::-1]


def _read(web: LabWeb) -> LinkGraph:
    urls = list(web.urls())
    number_of = {url: number for number, url in enumerate(urls)}
    targets: list[list[int]] = []
    moved: list[int] = []
    for number, url in enumerate(urls):  # it grows by redirects that are no pages
        said = web.answer(url)
        found = sorted(_targets(said, url))
        if said is not None and said.header("location"):
            moved.append(number)
        for target in found:
            if target not in number_of and _redirects(web, target):
                number_of[target] = len(urls)
                urls.append(target)
        targets.append([number_of[target] for target in found if target in number_of])
    return LinkGraph(urls, targets, moved)


def _redirects(web: LabWeb, url: str) -> bool:
    said = web.answer(url)
    return said is not None and bool(said.header("location"))


def _targets(said: Answer | None, url: str) -> set[str]:
    """Where a page leads to."""
    if said is None:
        return set()
    if location := said.header("location"):
        try:
            return {canonical(location, url)}
        except UrlError:
            return set()
    try:
        body = decoded(said.body, said.header("content-encoding"), _MAX_BODY)
    except ValueError:
        return set()
    return {
        link.url for link in read(Raw(url, body, content_type=said.header("content-type")))[0].links
    }
