"""The parts of a rank in a crawl by levels, and why a link was not followed (SPEC F3, X8)."""

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.policies.explanation import PresentRank, RankedUrl, RankPart
from motherlode.policies.ordinal.model import OrdinalModel
from motherlode.policies.ordinal.steering import LEVEL_STEP
from motherlode.policies.registry import ORDINAL
from motherlode.records import ORDINAL_MODEL, PageId
from motherlode.store.tables.pages import KeptPage, page_numbered, vectors_of
from motherlode.training.models import latest_model
from motherlode.training.portal_view import PortalView


def explain_rank(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return the parts of a URL's rank: the level of the page that led to it, and its own part."""
    page = None if url.via is None else page_numbered(view.session, url.via)
    value = _value(view, page.id) if page is not None else None
    if page is None or value is None:
        return None
    model, x = value
    level = model.level_of(x)
    words = f"{page.page.url} is of level {level}: {_place(model, x)}"
    is_ours = view.config.crawl.policy == ORDINAL
    parts = [RankPart("level", -(LEVEL_STEP if is_ours else 1.0) * level, words)]
    if is_ours:
        own = url.rank + LEVEL_STEP * url.distance
        parts.append(RankPart("link", own, "the page, the anchor text, the URL and the host"))
    return PresentRank(tuple(parts), sum(part.value for part in parts))


def explain_limit(view: PortalView, url: str, page: KeptPage) -> str:  # noqa: ARG001
    """Return which limit keeps the crawl from following a page's link; empty if none does."""
    depth, allowed = page.depth + 1, view.config.crawl.depth
    if allowed and depth > allowed:
        return f"it is {depth} links from an example, and {allowed} are allowed (crawl.depth)"
    value = _value(view, page.id)
    if value is None:
        return ""
    model, x = value
    level, followed = model.level_of(x), view.config.ordinal.followed
    if level <= followed or view.config.crawl.policy == ORDINAL:
        return ""
    return (
        f"the page with the link is of level {level}, and links are followed up to level "
        f"{followed} (ordinal.followed): {_place(model, x)}"
    )


def _value(view: PortalView, page: PageId) -> tuple[OrdinalModel, float] | None:
    """Return the latest model, and w.x of a page."""
    model: OrdinalModel | None = latest_model(view.session, view.tree, ORDINAL_MODEL)
    if model is None:
        return None
    bag = unpack(vectors_of(view.session, page).get(TERMS, b""))
    return model, float(model.values([{TERMS: bag}])[0])


def _place(model: OrdinalModel, value: float) -> str:
    """Return w.x with the thresholds around it, in words."""
    thresholds = ", ".join(f"{threshold:.3f}" for threshold in model.packed.thresholds)
    return f"w.x is {value:.3f}, and the thresholds are {thresholds}"
