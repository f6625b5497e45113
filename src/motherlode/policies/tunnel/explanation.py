"""The parts of a tunnelling crawl's ranks, and why a link was not followed (SPEC T7, X8)."""

from collections.abc import Iterator

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.policies.explanation import PresentRank, RankedUrl, RankPart
from motherlode.policies.tunnel.link_scores import (
    ANCHOR_WEIGHT,
    CONSTANT,
    HOST_WEIGHT,
    PAGE_WEIGHT,
    SINK,
    URL_WEIGHT,
    LinkEstimates,
)
from motherlode.policies.tunnel.model import CentroidModel
from motherlode.policies.tunnel.steps import Steps
from motherlode.policies.tunnel.stored_pages import newest_pages
from motherlode.records import CENTROID_MODEL, Link, PageId
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import (
    KeptPage,
    judgement_of,
    links_from,
    page_numbered,
    vectors_of,
)
from motherlode.topics import show_path
from motherlode.training.models import load_model
from motherlode.training.portal_view import PortalView
from motherlode.urls import host_of

_HISTORY_PAGES = 5_000  # whose hosts count


def explain_rank(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return the parts of a URL's rank by the page that led to it; None if that is unknown."""
    stored = ledger.latest_model(view.session, CENTROID_MODEL)
    model: CentroidModel | None = None if stored is None else load_model(stored, view.tree)
    page = None if url.via is None else page_numbered(view.session, url.via)
    if model is None or page is None:
        return None
    scores = _scores(view, model)
    link = _link(view.session, page.id, url)
    vectors = vectors_of(view.session, page.id)
    correlations = model.centroids.correlations([unpack(vectors.get(TERMS, b""))])[0]
    language = page.language or "en"
    place = int(np.argmax(scores.expected([link], correlations, language)[0]))
    subject = show_path(view.tree.path(int(model.centroids.subjects[place])))  # type: ignore[arg-type]
    parts = scores.parts_of(link, language)
    values = (
        (
            "page",
            PAGE_WEIGHT * correlations[place],
            f"{page.page.url} has a correlation of {correlations[place]:.2f} with '{subject}'",
        ),
        ("anchor", ANCHOR_WEIGHT * parts.anchor[place], f"the anchor text is {link.anchor!r}"),
        ("URL", URL_WEIGHT * parts.url[place], "the words in the URL"),
        ("host", HOST_WEIGHT * parts.host[place], f"the pages of {host_of(url.url)} so far"),
        ("constant", CONSTANT, "the same for all links"),
    )
    ranked = [RankPart(name, float(value), words) for name, value, words in values]
    if view.config.tunnel.sinking and scores.sinks(host_of(url.url)):
        words = f"{host_of(url.url)} gave many pages and hardly any for a collection"
        ranked.append(RankPart("sinking", -SINK, words))
    return PresentRank(tuple(ranked), sum(part.value for part in ranked))


def explain_limit(view: PortalView, url: str, page: KeptPage) -> str:
    """Return which limit keeps the crawl from following a page's link; empty if none does."""
    return next(_limits(view, url, page), "")


def _limits(view: PortalView, url: str, page: KeptPage) -> Iterator[str]:
    config, depth = view.config, page.depth + 1
    steps = Steps(config.crawl, config.tunnel, {}, set())
    token = steps.skips(url)
    if token:
        yield f"its URL has the word '{token}' (tunnel.skip_tokens)"
    if config.crawl.depth and depth > config.crawl.depth:
        allowed = config.crawl.depth
        yield f"it is {depth} links from a seed, and {allowed} are allowed (crawl.depth)"
    judgement = judgement_of(view.session, page.id)
    if judgement is not None and page.depth:
        distance = steps.distance(judgement.own_score, page.distance)
        if distance > config.tunnel.cutoff:
            yield (
                f"the page with the link has a distance of {distance:.1f} from the last nugget, "
                f"beyond the cutoff of {config.tunnel.cutoff:g} (tunnel.cutoff)"
            )
        elif config.tunnel.learn_cutoff:
            yield (
                f"the page with the link has a distance of {distance:.1f} from the last nugget; "
                "by what the crawl had found, pages so far away are not worth it "
                "(tunnel.learn_cutoff)"
            )


def _scores(view: PortalView, model: CentroidModel) -> LinkEstimates:
    scores = LinkEstimates(model.centroids, view.config.tunnel.min_merit)
    for page in newest_pages(view.session, model, _HISTORY_PAGES):
        scores.add_page(page.url, page.correlations)
    return scores


def _link(session: Session, page: PageId, url: RankedUrl) -> Link:
    """Return the link of a page to a URL, with its anchor text."""
    anchors = (link.anchor for link in links_from(session, page) if link.url_id in url.url_ids)
    return Link(url.url, url.key, next(filter(None, anchors), ""))
