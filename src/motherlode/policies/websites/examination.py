"""The internal level of a crawl for websites: one site, page by page (SPEC W3 to W5).

The pages that wait are in memory, as they are few and needed for a short time. What differs between
the paper's crawler and ours is a `SiteJudge`: the order of pages, the probability, and the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from msgspec import Struct

from motherlode.documents.text.terms import Bag
from motherlode.learning.sites.contrast import PROFILE_PAGES
from motherlode.policies.websites.options import WebsitesOptions
from motherlode.policies.websites.stored_sites import EndReason, SiteState, SiteVerdict
from motherlode.records import UrlKey
from motherlode.urls import Address

MAX_WAITING_PAGES = 5_000  # of one site
MAX_KEPT_PAGES = 200  # of them, when the site is decided


class ReadPage(Struct, frozen=True):
    """A page of a site that was read. `leaving` is the number of its links to other sites."""

    key: UrlKey
    probability: float
    leaving: int
    depth: int


@dataclass(slots=True)
class WaitingPage:
    """A page of a site that is linked to, and the pages read so far that link to it."""

    address: Address
    depth: int
    found_on: UrlKey
    order: int
    sources: list[ReadPage] = field(default_factory=list)


class SiteJudge(Protocol):
    """How sites are examined."""

    def page_rank(self, page: WaitingPage) -> float:
        """Return the rank of a page that waits; the highest is read first."""
        ...

    def probability(self, site: "Examination") -> float:
        """Return how likely a site is relevant, by what was read of it."""
        ...

    def is_decided(self, site: "Examination") -> bool:
        """Return whether enough pages were read for now."""
        ...


@dataclass(slots=True)
class Examination:
    """The examination of one site.

    `entries` are pages to begin at if its home page is not there. `profile` has the terms of its
    first pages. `is_named`: the user has named the site, so it is relevant
    whatever its pages say, and only read on for its links.
    """

    site: str
    home: Address
    is_named: bool = False
    entries: list[Address] = field(default_factory=list)
    read: list[ReadPage] = field(default_factory=list)
    profile: list[Bag] = field(default_factory=list)
    waiting: dict[UrlKey, WaitingPage] = field(default_factory=dict)
    met: set[UrlKey] = field(default_factory=set)  # pages that are read, under way or given up
    probability: float = 0.5
    last_seen: int = 0  # pages of the whole crawl when it last had news
    ended_at: int = 0  # pages of the whole crawl when it was decided; 0: it is not

    @property
    def was_decided(self) -> bool:
        """Whether the site has a verdict, and is read on."""
        return self.ended_at > 0

    def add_page(
        self, page: ReadPage, terms: Bag, links: Sequence[Address], judge: SiteJudge
    ) -> None:
        """Add a page that was read, with its links to pages of the same site."""
        self.read.append(page)
        if len(self.profile) < PROFILE_PAGES:
            self.profile.append(terms)
        self.meet(page.key)
        for link in dict.fromkeys(links):
            if link.key in self.met:
                continue
            known = self.waiting.get(link.key)
            if known is None:
                if len(self.waiting) >= MAX_WAITING_PAGES:
                    continue
                known = WaitingPage(link, page.depth + 1, page.key, len(self.waiting))
                self.waiting[link.key] = known
            known.sources.append(page)
        self.rejudge(judge)

    def meet(self, key: UrlKey) -> None:
        """Note that a page is read, under way or given up, so that it is not chosen any more."""
        self.met.add(key)
        self.waiting.pop(key, None)

    def rejudge(self, judge: SiteJudge) -> None:
        """Work out the probability anew, by a new page or a new model."""
        if self.is_named:
            self.probability = 1.0
        elif self.read:
            self.probability = judge.probability(self)

    def decide(self, pages_of_crawl: int) -> None:
        """Note when the site was first decided, and keep some of the pages that wait."""
        self.ended_at = self.ended_at or pages_of_crawl
        while len(self.waiting) > MAX_KEPT_PAGES:
            self.waiting.popitem()

    def take_page(self, judge: SiteJudge) -> WaitingPage | None:
        """Take the page that is read next; None if none waits. Of equals the first discovered."""
        if not self.waiting:
            return None
        best = max(self.waiting.values(), key=lambda page: (judge.page_rank(page), -page.order))
        del self.waiting[best.address.key]
        self.met.add(best.address.key)
        return best

    def take_entry(self) -> Address | None:
        """Take another page to begin at; None if there is none."""
        while self.entries:
            entry = self.entries.pop(0)
            if entry.key not in self.met:
                self.met.add(entry.key)
                return entry
        return None

    def end_reason(self, options: WebsitesOptions, judge: SiteJudge) -> EndReason | None:
        """Return why no more pages of the site are read; None if there is no reason yet."""
        if len(self.read) >= options.max_pages:
            return EndReason.PAGE_LIMIT
        if judge.is_decided(self):
            return EndReason.DECIDED
        return None if self.waiting else EndReason.NO_MORE_PAGES

    def verdict(self, reason: EndReason | None) -> SiteVerdict:
        """Return what is known of the site; without a reason it is still open."""
        is_open = reason is None and not self.was_decided
        state = SiteState.OPEN if is_open else SiteState.EXAMINED
        if reason is EndReason.UNREACHABLE:
            state = SiteState.UNREACHABLE
        return SiteVerdict(
            home=self.home.url,
            state=state,
            probability=self.probability,
            pages=len(self.read),
            reason=reason,
            page_at_end=self.ended_at,
        )
