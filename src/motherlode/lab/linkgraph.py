"""Who links to whom in a whole web; and how far each page is from the nearest relevant one."""

from collections import deque
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from motherlode.documents import read
from motherlode.fetch.decoding import decoded
from motherlode.lab.cache import cached
from motherlode.lab.web import LabWeb
from motherlode.records import BadInputError
from motherlode.urls import UrlError, canonical

_FORM = 1
_MAX_PAGES = 1_000_000
_MAX_BODY = 100_000_000


class LinkGraph(Struct, frozen=True):
    """Pages by number, and for each the numbers of the pages that link to it or redirect to it."""

    urls: list[str]
    sources: list[list[int]]


def link_graph(web: LabWeb) -> LinkGraph:
    """The link graph of a web; read out of its pages once, then out of the cache."""
    if web.about.pages > _MAX_PAGES:
        raise BadInputError(f"The oracle reads every page first, and {web.about.pages:,} are too many.")
    name = f"{web.about.name}-{web.fingerprint}-{_FORM}.links"
    packed = cached("webs", name, lambda: msgspec.msgpack.encode(_read(web)))
    return msgspec.msgpack.decode(packed, type=LinkGraph)


def distances(graph: LinkGraph, relevant: Iterable[str]) -> Mapping[str, int]:
    """Links from each page to the nearest relevant one; those that lead to none are left out."""
    number_of = {url: number for number, url in enumerate(graph.urls)}
    reached = {number_of[url]: 0 for url in relevant if url in number_of}
    waiting = deque(reached)
    while waiting:
        page = waiting.popleft()
        for source in graph.sources[page]:
            if source not in reached:
                reached[source] = reached[page] + 1
                waiting.append(source)
    return {graph.urls[number]: distance for number, distance in reached.items()}


def _read(web: LabWeb) -> LinkGraph:
    urls = list(web.urls())
    number_of = {url: number for number, url in enumerate(urls)}
    sources: list[list[int]] = [[] for _ in urls]
    for number, url in enumerate(urls):
        for target in _targets(web, url):
            if target in number_of:
                sources[number_of[target]].append(number)
    return LinkGraph(urls, sources)


def _targets(web: LabWeb, url: str) -> set[str]:
    """Where a page leads to."""
    said = web.answer(url)
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
    return {link.url for link in read(url, said.header("content-type"), body).links}
