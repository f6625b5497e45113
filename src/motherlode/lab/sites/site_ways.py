"""The links of a whole web between its sites: the hub, and the shortest way to relevant sites."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from motherlode.lab.linkgraph import LinkGraph, itinerary, link_graph
from motherlode.lab.web import LabWeb
from motherlode.urls import host_of


class SiteWays:
    """The pages and links of a web. A link to any page of a site also leads to its home page."""

    def __init__(self, web: LabWeb) -> None:
        graph = link_graph(web)
        self._urls = graph.urls
        self._sites = [host_of(url) for url in graph.urls]
        homes = {
            site: number
            for number, (url, site) in enumerate(zip(graph.urls, self._sites, strict=True))
            if url.partition("://")[2].partition("/")[2] == ""
        }
        targets: list[list[int]] = []
        linking: dict[str, set[str]] = {}
        for site, linked in zip(self._sites, graph.targets, strict=True):
            others = dict.fromkeys(self._sites[target] for target in linked)
            targets.append([*linked, *(homes[other] for other in others if other in homes)])
            for other in others:
                if other != site:
                    linking.setdefault(other, set()).add(site)
        self._graph = LinkGraph(graph.urls, targets, graph.moved)
        counted = Counter({site: len(sources) for site, sources in linking.items()})
        self.linking_sites = counted

    @property
    def hub(self) -> str:
        """The site that most other sites link to."""
        return self.linking_sites.most_common(1)[0][0] if self.linking_sites else ""

    def pages_of(self, sites: Collection[str]) -> frozenset[str]:
        """Return all pages of these sites."""
        pairs = zip(self._urls, self._sites, strict=True)
        return frozenset(url for url, site in pairs if site in sites)

    def way_to_sites(self, begin: Iterable[str], sites: Collection[str]) -> Mapping[str, int]:
        """Return the places of the pages that lead from read pages to one page of each site.

        It goes on to the nearest site each time.
        """
        read = list(begin)
        pages = self.pages_of(sites)
        way = itinerary(self._graph, read, pages, {page: host_of(page) for page in pages})
        new = [url for url in way if url not in set(read)]
        return {url: place for place, url in enumerate(new)}
