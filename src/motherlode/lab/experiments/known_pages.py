"""The best-known pages of a topic: what stands in for the authors with most publications (BINGO!, 5.2)."""

from collections import Counter
from collections.abc import Collection

from motherlode.lab.linkgraph import LinkGraph
from motherlode.urls import host_of

_MAX_HOPS = 25


def best_known(graph: LinkGraph, topic: Collection[str], most: int) -> frozenset[str]:
    """The pages of a topic that most pages of other hosts link to, at most so many; of equals, the first by
    address. What nobody links to from elsewhere is not known at all."""
    counts = _links_from_elsewhere(graph, frozenset(topic))
    best = sorted(counts, key=lambda url: (-counts[url], url))[:most]
    return frozenset(best)


def _links_from_elsewhere(graph: LinkGraph, topic: frozenset[str]) -> Counter[str]:
    """For each page of the topic, how many pages of other hosts link to it, by redirects or directly."""
    hosts = [host_of(url) for url in graph.urls]
    moved = _redirects(graph)
    counts: Counter[str] = Counter()
    for page, targets in enumerate(graph.targets):
        if page in moved:
            continue  # whoever links to it is counted instead
        for target in {_end(moved, target) for target in targets}:
            if graph.urls[target] in topic and hosts[target] != hosts[page]:
                counts[graph.urls[target]] += 1
    return counts


def _redirects(graph: LinkGraph) -> dict[int, int]:
    """Where each redirect leads to, as far as that is in the web."""
    return {page: graph.targets[page][0] for page in graph.moved if graph.targets[page]}


def _end(moved: dict[int, int], page: int) -> int:
    for _ in range(_MAX_HOPS):
        if page not in moved:
            break
        page = moved[page]
    return page
