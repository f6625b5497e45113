"""The crawler for websites of Ester, Kriegel and Schubert (VLDB 2004), and ours (SPEC W1).

The external level ranks sites and opens the best, a number of them at a time. The internal level
examines an open site: one page of it is under way at a time, and the next is chosen when that came.
So the stored frontier has one entry for each open site; all else is in memory, and is made from the
stored pages, links and verdicts when a crawl is resumed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.learning.sites.measures import ExaminedSite, RisingCost
from motherlode.learning.sites.page_value import sure_value
from motherlode.policies.bounds import allows_host
from motherlode.policies.follows import links_within
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import NO_MOVES, Miss, MissKind, Moves, PolicyDefaults, Visit
from motherlode.policies.websites.decided_sites import DecidedSites
from motherlode.policies.websites.examination import (
    Examination,
    ReadPage,
    SiteJudge,
    WaitingPage,
)
from motherlode.policies.websites.options import WebsitesOptions
from motherlode.policies.websites.site_follows import entry_follow, home_follow, page_follow
from motherlode.policies.websites.site_graph import SiteGraph, TransversalLink, WaitingSite
from motherlode.policies.websites.stored_sites import (
    EVEN,
    EndReason,
    SiteState,
    SiteVerdict,
    site_note,
)
from motherlode.records import Follow, Judgement, Link, Note, UrlKey
from motherlode.urls import Address, UrlError, address, host_of

MIN_RANK = 0.1  # of a site that is examined before relevant sites are read on for links
STALLED_SHARE = 8  # a site without news for so many pages for each open site is not waited for


class PageJudge(Protocol):
    """Judges pages by themselves."""

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]: ...


@dataclass(slots=True, kw_only=True)
class WebsitePolicy(PolicyDefaults):
    """Both crawlers: `judge_site` examines a site, and `graph` ranks the sites.

    `pages` counts those of sites that are not `named`, and `arrivals` all pages of this run.
    `examined` are the sites that were decided, and `relevant` the relevant ones. `open` are the
    sites under examination; `under_way` says for which of them a page was offered. `decided` are
    sites that may be read on (`reads_on`). `early` are sites of which redirects brought pages
    before they were opened. `resumed` are the pages that open sites read next when a crawl goes on.
    `unwritten` are notes that go with the next page.
    """

    name: str
    options: WebsitesOptions
    crawl_options: CrawlOptions
    model: PageJudge
    judge_site: SiteJudge
    graph: SiteGraph
    named: Collection[str] = ()
    reads_on: bool = False
    pages: int = 0
    arrivals: int = 0
    examined: set[str] = field(default_factory=set)
    relevant: set[str] = field(default_factory=set)
    open: dict[str, Examination] = field(default_factory=dict)
    decided: DecidedSites = field(init=False)
    early: dict[str, Examination] = field(default_factory=dict)
    under_way: dict[UrlKey, str] = field(default_factory=dict)
    resumed: list[Follow] = field(default_factory=list)
    unwritten: list[Note] = field(default_factory=list)
    rising_cost: RisingCost | None = None
    has_risen: bool = False

    def __post_init__(self) -> None:
        self.decided = DecidedSites(self.graph.known)

    @property
    def spaces(self) -> Sequence[str]:
        return (TERMS,)

    def seed(self) -> Iterable[Follow]:
        """Return the next page of every open site, and the home pages of the best sites."""
        for follow, note in self._open_sites():
            self.resumed.append(follow)
            self.unwritten.append(note)
        return list(self.resumed)

    def resume(self, waiting_sites: Collection[str]) -> None:
        """Choose the next page of each open site of which none waits in the stored frontier."""
        for examination in list(self.open.values()):
            if examination.site not in waiting_sites:
                moves = self._next(examination, [])
                self.resumed += moves.follows
                self.unwritten += moves.notes

    def adopt(self, model: PageJudge, probabilities: Mapping[str, float]) -> None:
        """Go on with a new model, which has judged the examined sites anew."""
        self.model = model
        for examination in self.open.values():
            examination.rejudge(self.judge_site)
        known = {site: p for site, p in probabilities.items() if site in self.graph.known}
        self.graph.set_probabilities(known)
        self.relevant = {site for site in self.examined if self.graph.known.get(site, 0.0) > EVEN}

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        return self.model.judge([visit.sample for visit in visits])

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        if not visit.entry.url_id:  # a file inside an archive
            return NO_MOVES
        asked = self.under_way.pop(visit.entry.key, None) or self.graph.site_of(visit.entry.url)
        waiting_for_it = self.under_way.pop(visit.key, None)  # a redirect led to a chosen page
        site = self.graph.site_of(visit.url)
        self.arrivals += 1
        self.pages += site not in self.named
        examination = self.open.get(asked)
        if examination is not None and site == asked:
            examination.meet(visit.entry.key)
            return self._read(examination, visit, judgement)
        if examination is not None and not examination.read and site not in self.graph.known:
            return self._moved(examination, site, visit, judgement)
        self._add_elsewhere(site, visit, judgement)
        moves = NO_MOVES if examination is None else self._led_away(examination, site, visit)
        other = None if waiting_for_it is None else self.open.get(waiting_for_it)
        more = self._moves([], []) if other is None else self._next(other, [])
        return Moves([*moves.follows, *more.follows], [*moves.notes, *more.notes])

    def missed(self, miss: Miss) -> Moves:
        site = self.under_way.pop(miss.entry.key, None)
        examination = self.open.get(site or self.graph.site_of(miss.entry.url))
        if examination is None:
            return self._moves([], [])
        examination.meet(miss.entry.key)
        if site is None:  # the site has not chosen it, or has gone on since
            return self._moves([], [])
        original = self.graph.site_of(miss.duplicate_of) if miss.duplicate_of else ""
        is_mirror = miss.kind is MissKind.DUPLICATE and original not in ("", examination.site)
        if is_mirror and not examination.read:
            return self._moves([], self._merged(examination, original))
        return self._next(examination, [])

    def not_queued(self, follow: Follow) -> Moves:
        """Go on with the site of a page that was fetched before, or that may not be followed."""
        site = self.under_way.pop(follow.key, None)
        examination = None if site is None else self.open.get(site)
        if examination is None:
            return NO_MOVES
        examination.meet(follow.key)
        return self._next(examination, [])

    def unwritten_notes(self) -> Sequence[Note]:
        notes, self.unwritten = self.unwritten, []
        return notes

    def enough(self) -> bool:
        wanted = self.options.enough_sites
        return self.has_risen or 0 < wanted <= len(self.relevant)

    def summary(self) -> str:
        relevant = len(self.relevant)
        each = f", {self.pages / relevant:.1f} pages each" if relevant else ""
        return f"{len(self.examined):,} sites examined, {relevant:,} relevant{each}"

    # --- one site ---

    def _read(self, examination: Examination, visit: Visit, judgement: Judgement) -> Moves:
        """Add a page to the examination of its site, and say what is read next."""
        self._add_page(examination, visit, judgement)
        return self._next(examination, [])

    def _add_page(self, examination: Examination, visit: Visit, judgement: Judgement) -> None:
        leaving = self._add_links(examination.site, visit, judgement)
        if any(page.key == visit.key for page in examination.read):
            return
        page = ReadPage(
            key=visit.key,
            probability=judgement.confidence + EVEN,
            leaving=leaving,
            depth=visit.entry.depth,
        )
        links = self._internal_links(examination.site, visit)
        examination.add_page(page, visit.sample[TERMS], links, self.judge_site)

    def _next(self, examination: Examination, notes: list[Note]) -> Moves:
        """Return the next page of a site, or its verdict and the next site."""
        examination.last_seen = self.arrivals
        if not examination.read:
            entry = examination.take_entry()
            if entry is not None:
                return self._moves([self._follow_entry(examination, entry)], notes)
            return self._close(examination, EndReason.UNREACHABLE, notes)
        reason = EndReason.DECIDED if examination.was_decided else None
        reason = reason or examination.end_reason(self.options, self.judge_site)
        page = None if reason is not None else examination.take_page(self.judge_site)
        if page is None:
            return self._close(examination, reason or EndReason.NO_MORE_PAGES, notes)
        self.graph.set_probability(examination.site, examination.probability)
        notes.append(site_note(examination.site, examination.verdict(None)))
        return self._moves([self._follow_page(examination, page)], notes)

    def _close(self, examination: Examination, reason: EndReason, notes: list[Note]) -> Moves:
        del self.open[examination.site]
        was_decided = examination.was_decided
        examination.decide(max(1, self.pages))
        verdict = examination.verdict(reason)
        self.graph.set_probability(examination.site, verdict.probability)
        if verdict.state is SiteState.EXAMINED and not examination.is_named:
            self._count(examination.site, verdict)
            if not was_decided:
                self._watch_cost(verdict)
        if self.reads_on and examination.waiting:
            self.decided.add(examination)
        notes.append(site_note(examination.site, verdict))
        return self._moves([], notes)

    def _led_away(self, examination: Examination, site: str, visit: Visit) -> Moves:
        """Go on after a page that led to a known site: a home page makes its site a mirror."""
        examination.meet(visit.entry.key)
        if examination.read:
            return self._next(examination, [])
        return self._moves([], self._merged(examination, site))

    def _moved(
        self, examination: Examination, site: str, visit: Visit, judgement: Judgement
    ) -> Moves:
        """Examine the unknown site that a home page led to in place of its own."""
        examination.meet(visit.entry.key)
        moved = self._early(site, visit)
        self.early[site] = moved
        notes = self._merged(examination, site)
        self.open[site] = self.early.pop(site)
        self.graph.set_probability(site, moved.probability)
        moves = self._read(moved, visit, judgement)
        return Moves(moves.follows, [*notes, *moves.notes])

    def _early(self, site: str, visit: Visit) -> Examination:
        """Return the examination of a site that was not opened."""
        early = self.early.get(site)
        return early or Examination(site, self.graph.rules.home_of(visit.url))

    def _add_elsewhere(self, site: str, visit: Visit, judgement: Judgement) -> None:
        """Add a page to the examination of its site, which did not choose it."""
        examination = self.open.get(site) or self.decided.get(site)
        if examination is None and site not in self.graph.known:
            examination = self.early[site] = self._early(site, visit)
        if examination is None:
            self._add_links(site, visit, judgement)
        else:
            self._add_page(examination, visit, judgement)

    def _merged(self, examination: Examination, site: str) -> list[Note]:
        """Note that a site is a mirror of another one, and end its examination."""
        del self.open[examination.site]
        self.graph.merge(examination.site, site)
        kept = self.open.get(site) or self.decided.get(site) or self.early.get(site)
        if kept is not None:  # pages of the mirror are among its own from now on
            for key in examination.met:
                kept.meet(key)
        verdict = SiteVerdict(
            home=examination.home.url,
            state=SiteState.MIRROR,
            probability=self.graph.known.get(site, EVEN),
            pages=0,
            reason=EndReason.MIRROR,
            page_at_end=self.pages,
            mirror_of=site,
        )
        return [site_note(examination.site, verdict)]

    def _count(self, site: str, verdict: SiteVerdict) -> None:
        self.examined.add(site)
        self.relevant.discard(site)
        if verdict.is_relevant:
            self.relevant.add(site)

    def _watch_cost(self, verdict: SiteVerdict) -> None:
        if self.rising_cost is not None:
            site = ExaminedSite(self.pages, verdict.is_relevant)
            self.has_risen = self.rising_cost.add(site) or self.has_risen

    # --- all sites ---

    def _moves(self, follows: list[Follow], notes: list[Note]) -> Moves:
        """Return the moves, with home pages of sites for which there is room now."""
        for follow, note in self._open_sites():
            follows.append(follow)
            notes.append(note)
        notes, self.unwritten = [*self.unwritten, *notes], []
        return Moves(follows, notes)

    def _open_sites(self) -> Iterator[tuple[Follow, Note]]:
        while self._has_room():
            read_on = self._read_on()
            if read_on is not None:
                yield read_on
                continue
            taken = self.graph.take()
            if taken is None:
                return
            waiting, rank = taken
            examination = self._examination(waiting)
            if examination is None:
                self.graph.known[waiting.site] = 0.0
                continue
            self.early.pop(waiting.site, None)
            self.open[waiting.site] = examination
            self.graph.known[waiting.site] = rank
            follow = home_follow(examination.home, waiting, rank)
            self.under_way[follow.key] = waiting.site
            yield follow, site_note(waiting.site, examination.verdict(None))

    def _read_on(self) -> tuple[Follow, Note] | None:
        """Read one more page of a decided site, if that is better than to examine another site.

        It is if its verdict is doubtful, or if no site is left that may well be relevant.
        """
        rank = self.graph.best_rank() or 0.0
        examination = self.decided.take_doubtful(max(rank, sure_value(self.options.threshold)))
        if examination is None and rank < MIN_RANK:
            examination = self.decided.take_for_links()
        page = None if examination is None else examination.take_page(self.judge_site)
        if examination is None or page is None:
            return None
        examination.last_seen = self.arrivals
        self.open[examination.site] = examination
        note = site_note(examination.site, examination.verdict(EndReason.DECIDED))
        return self._follow_page(examination, page), note

    def _has_room(self) -> bool:
        """Return whether another site may be opened; stalled ones do not keep others waiting."""
        patience = STALLED_SHARE * self.options.open_sites
        seen = self.arrivals
        active = sum(seen - each.last_seen <= patience for each in self.open.values())
        return active < self.options.open_sites

    def _examination(self, waiting: WaitingSite) -> Examination | None:
        """Return the examination of a site; None if the crawl may not enter it."""
        entries = [entry for url in waiting.entries if (entry := _address_or_none(url))]
        if not entries or not allows_host(entries[0].host, self.crawl_options):
            return None
        home = self.graph.rules.home_of(entries[0].url)
        examination = self.early.get(waiting.site) or Examination(waiting.site, home)
        examination = replace(examination, entries=entries, last_seen=self.arrivals)
        examination.meet(home.key)
        examination.rejudge(self.judge_site)
        return examination

    def _follow_page(self, examination: Examination, page: WaitingPage) -> Follow:
        self.under_way[page.address.key] = examination.site
        return page_follow(page)

    def _follow_entry(self, examination: Examination, entry: Address) -> Follow:
        self.under_way[entry.key] = examination.site
        return entry_follow(entry, self.graph.waiting_site(examination.site))

    # --- links ---

    def _add_links(self, site: str, visit: Visit, judgement: Judgement) -> int:
        """Add the links of a page to other sites; return the number of these sites."""
        leaving = [
            TransversalLink(target, link.url, link.anchor)
            for link in self._links(visit)
            if (target := self.graph.site_of(link.url)) != site
        ]
        probability = judgement.confidence + EVEN
        self.graph.add_links(site, visit.key, visit.entry.depth, probability, leaving)
        return len({link.target for link in leaving})

    def _internal_links(self, site: str, visit: Visit) -> list[Address]:
        return [
            Address(link.url, link.key, host_of(link.url))
            for link in self._links(visit)
            if self.graph.site_of(link.url) == site
        ]

    def _links(self, visit: Visit) -> Sequence[Link]:
        """Return the links that the crawl may follow."""
        deepest = self.crawl_options.depth
        if deepest and visit.entry.depth >= deepest:
            return ()
        return links_within(visit.document.links, self.crawl_options)


def _address_or_none(url: str) -> Address | None:
    try:
        return address(url)
    except UrlError:
        return None
