"""The steps of a tunnelling crawl: how far a page is from a nugget, and whose links to follow.

A step is a page whose links are followed. Usually that is the page that was just fetched. The hits
of the subjects were fetched before the crawl, and only to make centroids; when the crawl finds a
link to one, it is not fetched again, and its links are followed as if it had been (T1, T4).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.learning.matrix import Floats
from motherlode.learning.tunnel.distance import adaptive_distance, plain_distance
from motherlode.policies.follows import links_within
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import Visit
from motherlode.policies.tunnel.options import TunnelOptions
from motherlode.records import Judgement, Link, Note, PageId, UrlKey

REACHED_HIT = "reached hit"  # the kind of the note that says where a crawl found a hit
_TOKEN = re.compile(r"[^\W_]+")


class HitPage(Struct, frozen=True):
    """A hit as a page of the crawl: its links, and its correlations as the model has them."""

    page: PageId
    url: str
    links: tuple[Link, ...]
    language: str
    judgement: Judgement
    correlations: Floats


class Step(Struct, frozen=True):
    """A page whose links are followed; `via` is None for the page that was just fetched."""

    url: str
    links: Sequence[Link]
    language: str
    depth: int
    distance: float
    judgement: Judgement
    correlations: Floats
    via: PageId | None = None


class Reached(Struct, frozen=True):
    """Where a crawl found a hit: the URL of the page with the link, and the hit's place."""

    parent: str
    depth: int
    parent_distance: float


@dataclass(slots=True)
class Steps:
    """Finds the steps that follow from a page. `cutoff` may change during a crawl."""

    options: CrawlOptions
    tunnel: TunnelOptions
    hits: Mapping[UrlKey, HitPage]
    reached: set[str]  # the URLs of hits that the crawl has found
    cutoff: float = field(init=False)
    _skipped: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.cutoff = self.tunnel.cutoff
        self._skipped = frozenset(token.casefold() for token in self.tunnel.skip_tokens)

    def distance(self, correlation: float, parent: float) -> float:
        """Return the distance of a page from its nearest nugget ancestor (SPEC T4)."""
        tunnel = self.tunnel
        if tunnel.adaptive:
            return adaptive_distance(correlation, parent, tunnel.threshold, tunnel.cutoff)
        return plain_distance(correlation, parent, tunnel.threshold)

    def after(
        self, visit: Visit, judgement: Judgement, correlations: Floats
    ) -> tuple[list[Step], list[Note]]:
        """Return the pages whose links are followed now, and notes about hits that were reached."""
        entry, document = visit.entry, visit.document
        distance = self.distance(judgement.own_score, entry.distance) if entry.depth else 0.0
        here = Step(
            url=visit.url,
            links=document.links,
            language=document.language or "en",
            depth=entry.depth + 1,
            distance=distance,
            judgement=judgement,
            correlations=correlations,
        )
        return self._followed([here])

    def from_hit(self, hit: HitPage) -> tuple[list[Step], list[Note]]:
        """Return the steps from a hit that is also a seed."""
        self.reached.add(hit.url)
        return self._followed([self._step(hit, depth=1, distance=0.0)])

    def _followed(self, ahead: list[Step]) -> tuple[list[Step], list[Note]]:
        """Return those of these steps that are followed, and those at hits that they lead to."""
        steps, notes = [], []
        while ahead:
            step = ahead.pop(0)
            if not self._is_followed(step):
                continue
            step = self._with_allowed_links(step)
            steps.append(step)
            for hit in self._hits_behind(step):
                reached = Reached(step.url, step.depth, step.distance)
                notes.append(Note(REACHED_HIT, hit.url, reached_value(reached)))
                distance = self.distance(hit.judgement.own_score, step.distance)
                ahead.append(self._step(hit, step.depth + 1, distance))
        return steps, notes

    def skips(self, url: str) -> str:
        """Return the token that keeps a URL from being followed; empty if there is none."""
        if not self._skipped:
            return ""
        tokens = (token.casefold() for token in _TOKEN.findall(url.partition("://")[2]))
        return next((token for token in tokens if token in self._skipped), "")

    def _is_followed(self, step: Step) -> bool:
        is_too_deep = bool(self.options.depth) and step.depth > self.options.depth
        return step.distance <= self.cutoff and not is_too_deep

    def _with_allowed_links(self, step: Step) -> Step:
        links = links_within(step.links, self.options)
        if self._skipped:
            links = [link for link in links if not self.skips(link.url)]
        return replace(step, links=links)

    def _hits_behind(self, step: Step) -> Iterator[HitPage]:
        """Yield the hits that a step links to and that no step has reached before."""
        for link in step.links:
            hit = self.hits.get(link.key)
            if hit is not None and hit.url not in self.reached:
                self.reached.add(hit.url)
                yield hit

    def _step(self, hit: HitPage, depth: int, distance: float) -> Step:
        return Step(
            url=hit.url,
            links=hit.links,
            language=hit.language,
            depth=depth,
            distance=distance,
            judgement=hit.judgement,
            correlations=hit.correlations,
            via=hit.page,
        )


def reached_value(reached: Reached) -> dict[str, Any]:
    """Return where a hit was found, as a note has it."""
    return {
        "parent": reached.parent,
        "depth": reached.depth,
        "distance": reached.parent_distance,
    }


def reached_from(value: Mapping[str, Any]) -> Reached:
    """Return where a hit was found, from the value of a note."""
    return Reached(str(value["parent"]), int(value["depth"]), float(value["distance"]))
