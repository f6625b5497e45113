"""The sites of a portal as they are stored: verdicts, pages read, and links between sites.

A policy is made from them, so that a crawl that was killed goes on where it was; and they are what
users see. A site's verdict is a note, written in one transaction with the page that brought it.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.portal.config import Config
from motherlode.records import ChoiceKind, Note, Origin, PageId, TopicId, UrlKey
from motherlode.store.queries.site_rows import SitePageRow, leaving_links, site_page_rows
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.collection_choices import standing_choices
from motherlode.store.tables.notes import keep_notes, notes_of
from motherlode.store.tables.pages import page_url_behind
from motherlode.topics import TopicTree
from motherlode.urls import host_of, url_key
from motherlode.urls.site_rules import SiteRules

SITE_NOTE = "site"  # the kind of the notes that hold verdicts
MAX_NAMES = 8  # anchor texts of a site that are kept
MAX_ENTRIES = 3  # pages of a site that links lead to, to begin at if its home page is not there
EVEN = 0.5  # the probability of a page that was not judged


class SiteState(StrEnum):
    """How far the examination of a site is."""

    OPEN = "open"
    EXAMINED = "examined"
    UNREACHABLE = "unreachable"
    MIRROR = "mirror"  # it leads to another site


class EndReason(StrEnum):
    """Why the examination of a site ended."""

    DECIDED = "decided"
    PAGE_LIMIT = "page limit"
    NO_MORE_PAGES = "no more pages"
    UNREACHABLE = "unreachable"
    MIRROR = "mirror"


class SiteVerdict(Struct, frozen=True):
    """What the crawl has found out about a site.

    `probability` is that of being relevant. `page_at_end` counts the pages of all sites when the
    examination ended. `mirror_of` is the site that this one leads to.
    """

    home: str
    state: SiteState
    probability: float
    pages: int
    reason: EndReason | None = None
    page_at_end: int = 0
    mirror_of: str = ""

    @property
    def is_relevant(self) -> bool:
        return self.state is SiteState.EXAMINED and self.probability > EVEN


class SitePage(Struct, frozen=True):
    """A page of a site, with its probability of appearing in a relevant site."""

    page: PageId
    url: str
    key: UrlKey
    title: str
    depth: int
    probability: float


class SiteEdge(Struct):
    """The links from one site to another: the pages that have them, and their probabilities."""

    pages: list[PageId]
    probabilities: list[float]


class LinkedSite(Struct):
    """A site that others link to: by whom, under which names, and at which pages."""

    edges: dict[str, SiteEdge]
    names: list[str]
    entries: list[str]
    depth: int
    found_on: UrlKey


class PortalSites(Struct, frozen=True):
    """All sites of a portal.

    `given` says which sites the user has named: True is relevant. `mirrors` lead to the site that
    counts. `linked` are the sites that pages link to, whether or not they were examined.
    """

    rules: SiteRules
    given: Mapping[str, bool]
    verdicts: Mapping[str, SiteVerdict]
    pages: Mapping[str, list[SitePage]]
    linked: Mapping[str, LinkedSite]
    mirrors: Mapping[str, str]

    def site_of(self, url: str) -> str:
        """Return the site of a URL that counts, mirrors resolved."""
        return resolve_mirror(self.rules.site_of(url), self.mirrors)

    def probability_of(self, site: str) -> float | None:
        """Return the probability that a site is relevant; None if none of its pages was read."""
        if site in self.given:
            return float(self.given[site])
        verdict = self.verdicts.get(site)
        return None if verdict is None or not verdict.pages else verdict.probability


def site_note(site: str, verdict: SiteVerdict) -> Note:
    """Return the note that stores a verdict."""
    return Note(SITE_NOTE, site, msgspec.to_builtins(verdict))


def portal_sites(session: Session, config: Config) -> PortalSites:
    """Read the sites of a portal. Choices of the user come before the examples of topics."""
    rules = SiteRules(config.websites.sites)
    stored = stored_verdicts(session)
    pages: dict[str, list[SitePage]] = {}
    for row in site_page_rows(session):
        pages.setdefault(rules.site_of(row.url), []).append(_site_page(row))
    mirrors = _mirrors(session, rules, stored, pages.keys())
    for mirror in pages.keys() & mirrors.keys():
        moved = pages.pop(mirror)
        kept = pages.setdefault(resolve_mirror(mirror, mirrors), [])
        kept[:] = sorted([*kept, *moved], key=lambda page: page.page)
    owners = {page.page: (site, page) for site, of_site in pages.items() for page in of_site}
    given = given_sites(session, rules, mirrors)
    return PortalSites(
        rules=rules,
        given=given,
        verdicts=_regrouped(stored, rules, pages, given),
        pages=pages,
        linked=_linked_sites(session, rules, mirrors, owners),
        mirrors=mirrors,
    )


def stored_verdicts(session: Session) -> dict[str, SiteVerdict]:
    """Return the verdicts of all sites, by site."""
    stored: dict[str, Any] = notes_of(session, SITE_NOTE)
    return {site: msgspec.convert(value, SiteVerdict) for site, value in stored.items()}


def _mirrors(
    session: Session,
    rules: SiteRules,
    stored: Mapping[str, SiteVerdict],
    read: Collection[str],
) -> dict[str, str]:
    """Return the sites that lead to others, each with the site that it leads to.

    The crawl has noted most. Named sites were fetched before the crawl: if all that came of one was
    a redirect to another site, it leads there. `read` are the sites that have pages.
    """
    mirrors = {
        rules.site_of(verdict.home): rules.site_of(f"http://{verdict.mirror_of}/")
        for verdict in stored.values()
        if verdict.state is SiteState.MIRROR
    }
    mirrors = {site: target for site, target in mirrors.items() if site != target}
    for url, _ in _named_urls(session):
        site = rules.site_of(url)
        if site in mirrors or site in read:
            continue
        behind = page_url_behind(session, url_key(url, host_of(url)))
        target = rules.site_of(behind) if behind else site
        if resolve_mirror(target, mirrors) != site:
            mirrors[site] = target
    return mirrors


def revise_probabilities(
    session: Session, config: Config, probabilities: Mapping[str, float]
) -> None:
    """Write new probabilities of examined sites; all else in their verdicts stays.

    Of sites that the user has joined, each has a note; all of them get the new probability.
    """
    rules = SiteRules(config.websites.sites)
    revised = [
        site_note(name, replace(verdict, probability=probabilities[site]))
        for name, verdict in stored_verdicts(session).items()
        if (site := rules.site_of(verdict.home)) in probabilities
        and verdict.state in (SiteState.EXAMINED, SiteState.OPEN)
    ]
    keep_notes(session, revised)


def given_sites(session: Session, rules: SiteRules, mirrors: Mapping[str, str]) -> dict[str, bool]:
    """Return the sites that the user has named, and whether they are relevant."""
    tree = TopicTree(topic_rows.all_topics(session))
    given = {
        resolve_mirror(rules.site_of(url), mirrors): not tree[topic].is_others
        for url, topic in _named_urls(session)
    }
    for choice in standing_choices(session):
        if choice.kind in (ChoiceKind.ACCEPT, ChoiceKind.REJECT):
            site = resolve_mirror(rules.site_of(choice.url), mirrors)
            given[site] = choice.kind is ChoiceKind.ACCEPT
    return given


def _named_urls(session: Session) -> list[tuple[str, TopicId]]:
    """Return the URLs with which the user has named sites, and the topic of each."""
    return [
        (example.url, example.topic)
        for example in topic_rows.examples_of(session)
        if example.url and example.origin is Origin.PERSON
    ]


def resolve_mirror(site: str, mirrors: Mapping[str, str]) -> str:
    """Return the site that counts for a site: the end of its chain of mirrors."""
    seen = {site}
    while (target := mirrors.get(site)) is not None and target not in seen:
        seen.add(target)
        site = target
    return site


def _site_page(row: SitePageRow) -> SitePage:
    probability = EVEN if row.margin is None else row.margin + EVEN
    return SitePage(row.page, row.url, row.key, row.title, row.depth, probability)


def _regrouped(
    stored: Mapping[str, SiteVerdict],
    rules: SiteRules,
    pages: Mapping[str, list[SitePage]],
    given: Mapping[str, bool],
) -> dict[str, SiteVerdict]:
    """Return the verdicts by the sites of today: the user may have joined or divided sites."""
    verdicts: dict[str, SiteVerdict] = {}
    for verdict in stored.values():
        site = rules.site_of(verdict.home)
        known = verdicts.get(site)
        verdicts[site] = verdict if known is None else _joined(known, verdict)
    for site, verdict in list(verdicts.items()):
        if verdict.pages and rules.is_grouped(verdict.home):
            counted = len(pages.get(site, ()))
            verdicts[site] = replace(verdict, pages=counted)
            if not counted:  # its pages are those of other sites now
                del verdicts[site]
    for site in pages.keys() - verdicts.keys() - given.keys():
        if rules.is_grouped(pages[site][0].url):
            verdicts[site] = _unexamined(pages[site], rules)
    return verdicts


def _joined(first: SiteVerdict, second: SiteVerdict) -> SiteVerdict:
    """Return the verdict on two sites that are one; it is examined if one of them is."""
    further = max(first, second, key=_how_far)
    pages = first.pages + second.pages
    if not pages:
        return further
    total = first.probability * first.pages + second.probability * second.pages
    return replace(further, probability=total / pages, pages=pages)


def _how_far(verdict: SiteVerdict) -> tuple[bool, int, bool, bool]:
    """Return a key that orders the verdicts on sites that are one, the decisive one last."""
    state = verdict.state
    is_closed = state is SiteState.UNREACHABLE
    return state is SiteState.EXAMINED, verdict.pages, is_closed, state is not SiteState.MIRROR


def _unexamined(pages: list[SitePage], rules: SiteRules) -> SiteVerdict:
    """Return the verdict on a new site of read pages: it is open, so a crawl goes on with it."""
    mean = sum(page.probability for page in pages) / len(pages)
    home = rules.home_of(pages[0].url).url
    return SiteVerdict(home, SiteState.OPEN, mean, len(pages))


def _linked_sites(
    session: Session,
    rules: SiteRules,
    mirrors: Mapping[str, str],
    owners: Mapping[PageId, tuple[str, SitePage]],
) -> dict[str, LinkedSite]:
    linked: dict[str, LinkedSite] = {}
    for link in leaving_links(session, within_hosts=rules.divides_hosts):
        source, page = owners[link.page]
        target = resolve_mirror(rules.site_of(link.url), mirrors)
        if target == source:
            continue
        known = linked.get(target)
        if known is None:
            known = linked[target] = LinkedSite({}, [], [], page.depth + 1, page.key)
        edge = known.edges.setdefault(source, SiteEdge([], []))
        if page.page not in edge.pages[-1:]:
            edge.pages.append(page.page)
            edge.probabilities.append(page.probability)
        add_distinct(known.names, [link.anchor], MAX_NAMES)
        add_distinct(known.entries, [link.url], MAX_ENTRIES)
    return linked


def add_distinct(known: list[str], new: Iterable[str], limit: int) -> None:
    """Add texts that a list does not have yet, up to a number of them."""
    for text in new:
        if text and len(known) < limit and text not in known:
            known.append(text)
