"""A policy of another package: the shortest URL first, until there are ten pages of one site."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from motherlode.policies.baseline_kinds import seeds_of
from motherlode.policies.follows import QUEUE, follow_seeds
from motherlode.policies.kind import PolicyKind, PolicySetup, nothing_wanted
from motherlode.policies.policy import Moves, PolicyDefaults, Visit
from motherlode.records import Follow, Judgement, Note
from motherlode.store.tables.notes import notes_of
from motherlode.urls import Address, host_of, registrable_domain

NAME = "shortest-url"
MAX_SITE_PAGES = 10
SITE_PAGES = "site pages"  # the kind of the notes that it goes on from


class ShortestUrl(PolicyDefaults):
    """Follows every link; `site_pages` are the pages of each site so far."""

    name = NAME

    def __init__(self, seeds: Sequence[Address], site_pages: Mapping[str, int]) -> None:
        self.seeds = seeds
        self.site_pages = Counter(site_pages)

    def seed(self) -> Iterable[Follow]:
        return follow_seeds(self.seeds)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        site, depth = registrable_domain(host_of(visit.url)), visit.entry.depth + 1
        self.site_pages[site] += 1
        follows = [
            Follow(link.url, link.key, QUEUE, -float(len(link.url)), depth)
            for link in visit.document.links
        ]
        return Moves(follows, [Note(SITE_PAGES, site, self.site_pages[site])])

    def enough(self) -> bool:
        return max(self.site_pages.values(), default=0) >= MAX_SITE_PAGES


def _make(setup: PolicySetup) -> ShortestUrl:
    with setup.portal.store.reading() as session:
        return ShortestUrl(seeds_of(setup.portal), notes_of(session, SITE_PAGES))


KIND = PolicyKind(
    name=NAME,
    rank_meaning="minus the length of its URL",
    make=_make,
    wanted=nothing_wanted,
)
