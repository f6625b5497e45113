"""What became of a URL, in a sentence; above all, why it was not fetched (SPEC X8)."""

from collections import Counter
from collections.abc import Sequence

from motherlode.explain.explanations import Became, RobotsSaid
from motherlode.policies.bingo.steering import is_on_topic
from motherlode.policies.bounds import within
from motherlode.policies.options import PolicyName
from motherlode.records import LinkFlag
from motherlode.store.pages import KeptLink, KeptPage, KnownUrl, judgement_of, links_to, page_numbered
from motherlode.store.tracing import KeptHop
from motherlode.training.training_set import page_behind
from motherlode.training.view import View
from motherlode.urls import host_of

_LINKING = 1_000  # links to a URL that are looked at
_TOLD = 3  # reasons
_LEARNING = frozenset({PolicyName.BINGO, PolicyName.BINGO_2003})
_COPY = "copy of "
_UNKNOWN = "the store does not say why; the page may have asked that its links not be followed"


def why(view: View, known: KnownUrl, became: Became, robots: RobotsSaid, on: Sequence[KeptHop]) -> str:
    """What became of it; `on` are the redirects that lead on from there."""
    reason = known.reason
    match became:
        case Became.LINKED:
            return _why_not_offered(view, known)
        case Became.EXAMPLE:
            failed = f"; the last attempt failed: {reason}" if reason else ""
            return f"It is an example that waits to be fetched by the next crawl{failed}."
        case Became.MOVED:
            return _why_moved(view, reason, on)
        case Became.SKIPPED:
            rule = f", whose rule is '{robots.rule}'" if reason == "robots.txt" and robots.rule else ""
            return f"It was not fetched, by our own rules or its host's: {reason}{rule}."
        case Became.FAILED:
            tried = f" after {known.attempts} attempts" if known.attempts > 1 else ""
            return f"It could not be fetched{tried}: {reason}."
    told = {
        Became.FETCHED: ("It was fetched", "; "),
        Became.GONE: ("It was fetched, and is not there any more", ": "),
        Became.WAITING: ("It waits to be fetched", "; the last attempt failed: "),
    }
    words, then = told[became]
    return f"{words}{then}{reason}." if reason else f"{words}."


def _why_moved(view: View, reason: str, on: Sequence[KeptHop]) -> str:
    target = on[-1].target if on else reason.removeprefix(_COPY)
    if on[-1].status == 0 if on else reason.startswith(_COPY):
        return f"It has the same content as {target}, which stands for both."
    kept = "" if page_behind(view.session, target) is not None else ", which is not here"
    return f"It is redirected to {target}{kept}."


def _why_not_offered(view: View, known: KnownUrl) -> str:
    links = links_to(view.session, known.id, _LINKING)
    if not links:
        return "It is known by name alone: no page that is here links to it."
    reasons = Counter(_obstacle(view, known.url, link) for link in links).most_common(_TOLD)
    told = "; ".join(f"{reason}{f' ({n} links)' if n > 1 else ''}" for reason, n in reasons)
    pages = len({link.page for link in links})
    linking = "1 page here links" if pages == 1 else f"{pages:,} pages here link"
    return f"{linking} to it, but it was never offered: {told}."


def _obstacle(view: View, url: str, link: KeptLink) -> str:
    """Why a link was not followed."""
    if link.flags & LinkFlag.NOFOLLOW and view.config.robots.page_rules:
        return "the link asks not to be followed (nofollow)"
    page = page_numbered(view.session, link.page)
    if page is None:
        return _UNKNOWN
    if view.is_against(page.page.url):
        return "the page is a counterexample, and these lead nowhere"
    return _limit(view, url, page) if view.config.crawl.policy in _LEARNING else _UNKNOWN


def _limit(view: View, url: str, page: KeptPage) -> str:
    """Which limit of the crawl keeps it from following a page's link."""
    options, host, depth = view.config.crawl, host_of(url), page.depth + 1
    on_topic = is_on_topic(judgement_of(view.session, page.id))
    distance = 0 if on_topic else int(page.distance) + 1
    if within(host, options.locked):
        return "its domain is locked (crawl.locked)"
    if options.domains and not within(host, options.domains):
        return "the crawl stays within other domains (crawl.domains)"
    if options.depth and depth > options.depth:
        return f"it is {depth} links from an example, and {options.depth} are allowed (crawl.depth)"
    if distance > options.reach:
        return f"it lies beyond the tunnel: {distance} pages off all topics in a row (crawl.tunnel)"
    return _UNKNOWN
