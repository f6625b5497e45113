"""The fate of a URL in one sentence; above all, why it was not fetched (SPEC X8)."""

from collections import Counter
from collections.abc import Sequence

from motherlode.explain.explanations import RobotsVerdict, UrlFate
from motherlode.policies.bounds import is_within
from motherlode.policies.kind import load_policy
from motherlode.records import LinkFlag
from motherlode.store.queries.url_traces import KeptHop
from motherlode.store.tables.pages import (
    KeptLink,
    KeptPage,
    KnownUrl,
    links_to,
    page_numbered,
)
from motherlode.training.portal_view import PortalView
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of

_MAX_LINKS = 1_000  # links to a URL that are examined
_MAX_REASONS = 3
_COPY_REASON = "copy of "  # followed by the URL of the page that is stored
_UNKNOWN = "the reason is not stored; the page may forbid following its links"


def describe_fate(
    view: PortalView,
    url_row: KnownUrl,
    fate: UrlFate,
    robots: RobotsVerdict,
    hops: Sequence[KeptHop],
) -> str:
    """Return a sentence about the fate of a URL; `hops` are the redirects from it, in order."""
    reason = url_row.reason
    match fate:
        case UrlFate.LINKED:
            return _why_not_followed(view, url_row)
        case UrlFate.MOVED:
            return _describe_move(view, reason, hops)
        case UrlFate.SKIPPED:
            return _describe_skip(reason, robots)
    last_failure = f"; the last attempt failed: {reason}" if reason else ""
    attempts = f" after {url_row.attempts} attempts" if url_row.attempts > 1 else ""
    detail = f": {reason}" if reason else ""
    sentences = {
        UrlFate.FETCHED: f"It was fetched; {reason}." if reason else "It was fetched.",
        UrlFate.GONE: f"It was fetched, but its host no longer has it{detail}.",
        UrlFate.WAITING: f"It waits to be fetched{last_failure}.",
        UrlFate.EXAMPLE: f"It is an example that the next crawl will fetch{last_failure}.",
        UrlFate.FAILED: f"It could not be fetched{attempts}: {reason}.",
    }
    return sentences[fate]


def _describe_skip(reason: str, robots: RobotsVerdict) -> str:
    is_robots = reason == "robots.txt" and robots.rule
    rule = f", whose rule is '{robots.rule}'" if is_robots else ""
    return f"It was skipped, by a rule of the crawl or of its host: {reason}{rule}."


def _describe_move(view: PortalView, reason: str, hops: Sequence[KeptHop]) -> str:
    target = hops[-1].target if hops else reason.removeprefix(_COPY_REASON)
    is_copy = hops[-1].status == 0 if hops else reason.startswith(_COPY_REASON)
    if is_copy:
        return f"It has the same content as {target}, so only that page is stored."
    is_stored = page_at_url(view.session, target) is not None
    return f"It redirects to {target}{'' if is_stored else ', which is not in the portal'}."


def _why_not_followed(view: PortalView, url_row: KnownUrl) -> str:
    links = links_to(view.session, url_row.id, _MAX_LINKS)
    if not links:
        return "It is known, but no page of the portal links to it."
    counts = Counter(_obstacle(view, url_row.url, link) for link in links)
    reasons = [
        f"{reason} ({count} links)" if count > 1 else reason
        for reason, count in counts.most_common(_MAX_REASONS)
    ]
    page_count = len({link.page for link in links})
    pages = "1 page links" if page_count == 1 else f"{page_count:,} pages link"
    followed = "the link was" if len(links) == 1 else "the links were"
    return f"{pages} to it, but {followed} not followed: {'; '.join(reasons)}."


def _obstacle(view: PortalView, url: str, link: KeptLink) -> str:
    """Return why a link was not followed."""
    if link.flags & LinkFlag.NOFOLLOW and view.config.robots.page_rules:
        return "the link is marked nofollow"
    page = page_numbered(view.session, link.page)
    if page is None:
        return _UNKNOWN
    if view.is_counterexample(page.page.url):
        return "the page is a counterexample, whose links are not followed"
    return _exceeded_limit(view, url, page)


def _exceeded_limit(view: PortalView, url: str, page: KeptPage) -> str:
    """Return the limit of the crawl that the link of a page exceeds."""
    options, host = view.config.crawl, host_of(url)
    if is_within(host, options.locked):
        return "its domain is locked (crawl.locked)"
    if options.domains and not is_within(host, options.domains):
        return "the crawl stays within other domains (crawl.domains)"
    explain_limit = load_policy(options.policy).explain_limit
    reason = "" if explain_limit is None else explain_limit(view, url, page)
    return reason or _UNKNOWN
