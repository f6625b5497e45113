"""The parts of a rank in a crawl by levels, and why a link was not followed (SPEC F3, X8)."""

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.policies.explanation import PresentRank, RankedUrl, RankPart
from motherlode.policies.ordinal.model import OrdinalModel
from motherlode.records import ORDINAL_MODEL, PageId
from motherlode.store.tables.pages import KeptPage, page_numbered, vectors_of
from motherlode.training.models import latest_model
from motherlode.training.portal_view import PortalView


def explain_rank(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return what `ordinal` made a URL's rank of: all that is known of links to it."""
    level = _level_part(view, url, 1.0)
    if level is None:
        return None
    words = (
        "the probability that it is of level 0, by the pages that link to it, its host, the words "
        f"of its links, and the links near by; {level.words}"
    )
    return PresentRank((RankPart("link", url.rank, words),), None)


def explain_rank_2007(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return what `ordinal-2007` made a URL's rank of when it was given: a level."""
    level = _level_part(view, url, 1.0)
    return None if level is None else PresentRank((level,), None)


def _level_part(view: PortalView, url: RankedUrl, step: float) -> RankPart | None:
    """Return the part of the level that the page with the link had then, which is stored."""
    page = None if url.via is None else page_numbered(view.session, url.via)
    if page is None:
        return None
    level = int(url.distance)
    words = f"{page.page.url} was of level {level} when the link was ranked"
    known = _value(view, page.id)
    if known is not None and known[0].level_of(known[1]) != level:
        words += f"; by the newest model it is of level {known[0].level_of(known[1])}"
    return RankPart("level", -step * level, words)


def explain_limit(view: PortalView, url: str, page: KeptPage) -> str:  # noqa: ARG001
    """Return which limit keeps `ordinal` from following a page's link; empty if none does."""
    depth, allowed = page.depth + 1, view.config.crawl.depth
    if allowed and depth > allowed:
        return f"it is {depth} links from an example, and {allowed} are allowed (crawl.depth)"
    return ""


def explain_limit_2007(view: PortalView, url: str, page: KeptPage) -> str:
    """Return which limit keeps `ordinal-2007` from following a page's link; empty if none does."""
    limit = explain_limit(view, url, page)
    known = _value(view, page.id)
    if limit or known is None:
        return limit
    model, x = known
    level, followed = model.level_of(x), view.config.ordinal.followed
    if level <= followed:
        return ""
    return (
        f"the page with the link is of level {level}, and links are followed up to level "
        f"{followed} (ordinal.followed): {_place(model, x)}"
    )


def _value(view: PortalView, page: PageId) -> tuple[OrdinalModel, float] | None:
    """Return the latest model, and w.x of a page, by which it has its level."""
    model: OrdinalModel | None = latest_model(view.session, view.tree, ORDINAL_MODEL)
    if model is None:
        return None
    bag = unpack(vectors_of(view.session, page).get(TERMS, b""))
    return model, float(model.placed_values([{TERMS: bag}])[0])


def _place(model: OrdinalModel, value: float) -> str:
    """Return w.x with the thresholds around it, in words."""
    thresholds = ", ".join(f"{threshold:.3f}" for threshold in model.packed.thresholds)
    return f"w.x is {value:.3f}, and the thresholds are {thresholds}"
