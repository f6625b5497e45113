"""The parts of a rank of BINGO!, computed from the present store (SPEC X8)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from motherlode.learning.links.model import LinkModel
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.kernels import NEARBY_LINKS
from motherlode.policies.bingo.prospects import Prospects, RankParts
from motherlode.policies.bingo.steering import FRONT_BONUS, topic_probability, use_models
from motherlode.policies.explanation import PresentRank, RankedUrl, RankPart
from motherlode.records import LINK_MODEL, Judgement, Link, PageId
from motherlode.store.queries.url_traces import Neighbour, judged_near, neighbours_of
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judgements_of
from motherlode.store.tables.pages import KeptLink, KeptPage, judgement_of, links_to, page_numbered
from motherlode.training.models import latest_model
from motherlode.training.portal_view import PortalView
from motherlode.urls import host_of, url_key

_MIN_HUB_RANK = (
    FRONT_BONUS  # expected values are lower: only links of the best hubs have such ranks
)
_MAX_LINKS = 1_000  # to one URL
_MAX_HOST_PAGES = 10_000
_MAX_ANCHORS = 3  # quoted
_PROSPECTS_SIZE = 1 << 12


def explain_limit(view: PortalView, _url: str, page: KeptPage) -> str:
    """Return which limit keeps the crawl from following a page's link; empty if none does."""
    crawl, depth = view.config.crawl, page.depth + 1
    judgement = judgement_of(view.session, page.id)
    is_accepted = judgement is not None and judgement.is_accepted
    distance = 0 if is_accepted else int(page.distance) + 1
    if crawl.depth and depth > crawl.depth:
        return f"it is {depth} links from an example, and {crawl.depth} are allowed (crawl.depth)"
    if distance > view.config.bingo.reach(crawl.policy):
        return f"it is beyond the tunnel: {distance} pages off all topics in a row (bingo.tunnel)"
    return ""


# --- bingo-2003 ---


def explain_paper_rank(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return the margin of the page that led to a URL, the tunnel, and the depth."""
    if url.via is None:
        return None
    judgement, page = judgement_of(view.session, url.via), page_numbered(view.session, url.via)
    if judgement is None or page is None:
        return None
    confidence = max(judgement.confidence, 0.0)
    parts = [RankPart("parent", confidence, f"the margin of {page.page.url}")]
    if url.distance and not url.is_held:
        parts.append(_tunnel_part(url.distance, view.config.bingo.decay))
    if url.rank >= 1.0:
        parts.append(RankPart("depth", float(url.depth), "the learning phase is depth-first"))
    return PresentRank(tuple(parts), _total(parts))


def _total(parts: Sequence[RankPart]) -> float:
    """Return the sum of the parts; the tunnel is a factor, but not of the depth."""
    values = {part.name: part.value for part in parts}
    depth, factor = values.pop("depth", 0.0), values.pop("tunnel", 1.0)
    return sum(values.values()) * factor + depth


def _tunnel_part(distance: float, decay: float) -> RankPart:
    pages = f"{distance:g} page{'s' if distance != 1 else ''}"
    words = f"{pages} off all topics led to it, each multiplies the rank by {decay:g}"
    return RankPart("tunnel", decay**distance, words)


# --- bingo ---


class _Evidence(Struct, frozen=True):
    """The stored evidence about a URL.

    `links` come from judged pages, one a page; `judgements` are those of these pages. `near` are
    the judgements of pages behind nearby links. A few `host_pages` may be of other hosts.
    """

    links: tuple[KeptLink, ...]
    judgements: Mapping[PageId, Judgement]
    near: tuple[Judgement, ...]
    host_pages: tuple[Neighbour, ...]


def explain_rank(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return the evidence for a URL: of linking pages, anchors, links near by, and its host."""
    if view.classifier is None:
        return None
    evidence = _evidence_about(view.session, url)
    values = _rank_parts(view, url, view.classifier, evidence)
    if values is None:
        return None
    judgements = list(evidence.judgements.values())
    parents = f"on a topic: {_accepted_share(judgements)} that link to it"
    anchors = _quote_anchors([link.anchor for link in evidence.links])
    parts = [
        RankPart("parents", values.parents, parents),
        RankPart("anchors", values.words, anchors),
    ]
    if evidence.near:
        near = f"on a topic: {_accepted_share(evidence.near)} behind nearby links"
        parts.append(RankPart("near", values.near, near))
    parts.append(RankPart("host", values.host, _host_words(url, evidence.host_pages)))
    if url.rank >= _MIN_HUB_RANK:
        parts.append(RankPart("hub", 1.0, "one of the best hubs of a topic links to it"))
    return PresentRank(tuple(parts), sum(part.value for part in parts))


def _evidence_about(session: Session, url: RankedUrl) -> _Evidence:
    links = [link for url_id in url.url_ids for link in links_to(session, url_id, _MAX_LINKS)]
    link_of = {link.page: link for link in links}
    judgements = judgements_of(session, set(link_of))
    positions = [(link.page, link.position) for link in links]
    return _Evidence(
        links=tuple(link_of[page] for page in judgements),
        judgements=judgements,
        near=tuple(judged_near(session, positions, NEARBY_LINKS, url.url_ids)),
        host_pages=tuple(neighbours_of(session, url.key, _MAX_HOST_PAGES)),
    )


def _rank_parts(
    view: PortalView, url: RankedUrl, classifier: TreeClassifier, evidence: _Evidence
) -> RankParts | None:
    """Return the rank and its parts, by the crawl's own link prospects with this URL alone."""
    prospects = Prospects(_PROSPECTS_SIZE)
    links = latest_model(view.session, view.tree, LINK_MODEL) or LinkModel()
    use_models(prospects, classifier, links)
    judgements = evidence.judgements
    for link in evidence.links:
        page = page_numbered(view.session, link.page)
        if page is not None:
            words = prospects.score_links([Link(url.url, url.key, link.anchor)])
            probability = topic_probability(judgements[link.page])
            prospects.add_page(probability, page.page.key, words)
    for host_page in evidence.host_pages:
        if host_page.judgement is not None and host_page.page not in judgements:
            key = url_key(host_page.url, host_of(host_page.url))
            prospects.count_page(key, topic_probability(host_page.judgement))
    if evidence.near:
        prospects.set_nearby(
            url.key, sum(map(topic_probability, evidence.near)), len(evidence.near)
        )
    return prospects.rank_parts(url.key)


def _host_words(url: RankedUrl, host_pages: Sequence[Neighbour]) -> str:
    host = host_of(url.url)
    judgements = [page.judgement for page in host_pages if host_of(page.url) == host]
    judged = [judgement for judgement in judgements if judgement is not None]
    return f"on a topic: {_accepted_share(judged)} of {host}"


def _accepted_share(judgements: Sequence[Judgement]) -> str:
    accepted = sum(judgement.is_accepted for judgement in judgements)
    return f"{accepted:,} of {len(judgements):,} page{'s' if len(judgements) != 1 else ''}"


def _quote_anchors(anchors: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(anchor for anchor in anchors if anchor))
    if not distinct:
        return "no anchor texts"
    quoted = ", ".join(f"“{anchor[:60]}”" for anchor in distinct[:_MAX_ANCHORS])
    more = f" and {len(distinct) - _MAX_ANCHORS} more" if len(distinct) > _MAX_ANCHORS else ""
    return f"anchor texts: {quoted}{more}"
