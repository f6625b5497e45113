"""Explain how a URL was found, ranked, fetched and judged, or why it was not (SPEC X8).

Everything comes from the store: nothing is fetched, and nothing is changed.
"""

from collections.abc import Collection, Iterator, Sequence

from motherlode.crawl.progress import NO_NAME
from motherlode.explain.explanations import (
    EXPLAINED_LINKS,
    DiscoveryPath,
    ExplainedJudgement,
    Explanation,
    FetchDetails,
    HostSummary,
    OutgoingLink,
    PathStep,
    QueuePlace,
    RedirectHop,
    RobotsVerdict,
    UrlFate,
)
from motherlode.explain.link_ranks import RankExplanation, explain_rank
from motherlode.explain.reasons import describe_fate
from motherlode.fetch.robots.cache import is_ignored, origin_of
from motherlode.fetch.robots.rules import ALLOW_ALL, parse_robots
from motherlode.policies.explanation import RankedUrl
from motherlode.policies.kind import load_policy
from motherlode.portal.config import Config
from motherlode.records import (
    NO_QUEUE,
    Document,
    Entry,
    Judgement,
    Lane,
    Model,
    PageId,
    TopicId,
    UrlId,
    UrlState,
)
from motherlode.store.queries.url_traces import (
    KeptHop,
    hops_from,
    hops_to,
    policy_behind,
    ranks_of,
    states_of,
)
from motherlode.store.session import Session
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.near_duplicates import near
from motherlode.store.tables.pages import (
    KeptLink,
    KeptPage,
    KnownUrl,
    judgement_of,
    known_url,
    links_from,
    links_to,
    page_at,
    page_numbered,
    text_of,
)
from motherlode.topics import TopicTree, show_path
from motherlode.training.feedback.marks import PortalMarks, mark_labels
from motherlode.training.judgement_reasons import JudgementReasons
from motherlode.training.portal_view import PortalView, quoted_topics
from motherlode.training.samples import stored_sample
from motherlode.urls import Address, host_of, url_key

_MAX_STEPS = 1_000  # of a path
_MAX_REDIRECTS = 20  # to a URL
_MAX_SIMILAR = 20  # pages
_MAX_LINKS = 1_000  # to a URL


def explain(
    session: Session,
    config: Config,
    address: Address,
    max_links: int = EXPLAINED_LINKS,
) -> Explanation | None:
    """Return all that is known about a URL, with its best links; None if it was never seen."""
    view = PortalView(session, config, TopicTree(topic_rows.all_topics(session)))
    url_row = known_url(session, address.key)
    if url_row is not None:
        return _Explainer(view, address, url_row).explain(max_links)
    topics = view.topics_of({address.url})
    if not topics:
        return None
    return Explanation(
        url=address.url,
        became=UrlFate.EXAMPLE,
        why=f"It is an example of {quoted_topics(topics)} that was not fetched yet.",
        examples=tuple(topics),
        host=_host_summary(session, address.host),
        robots=_robots_verdict(view, address.url),
    )


class _Explainer:
    """Explains a URL that the store knows, by the rows about it, which are read once."""

    def __init__(self, view: PortalView, address: Address, url_row: KnownUrl) -> None:
        self._view, self._session = view, view.session
        self._address, self._url_row = address, url_row
        self._page = page_at(self._session, address.key)
        self._entry = frontier.places_of(self._session, [url_row.id]).get(url_row.id)
        self._hops_here = hops_to(self._session, url_row.id, _MAX_REDIRECTS)
        self._hops_on = hops_from(self._session, url_row.id)
        self._url_ids = {url_row.id, *(hop.url_id for hop in self._hops_here)}

    def explain(self, max_links: int) -> Explanation:
        session, view, page = self._session, self._view, self._page
        urls = {self._url_row.url, *(hop.url for hop in self._hops_here)}
        topics = tuple(view.topics_of(urls))
        fate = self._fate(is_example=bool(topics))
        hops_on = self._hops_on if fate is UrlFate.MOVED else []
        robots = _robots_verdict(view, self._address.url)
        links = [] if page is None else links_from(session, page.id)
        return Explanation(
            url=self._url_row.url,
            became=fate,
            why=describe_fate(view, self._url_row, fate, robots, hops_on),
            examples=topics,
            archetypes=tuple(view.archetype_of(urls)),
            marked=() if page is None else mark_labels(PortalMarks.of(session), view.tree, page.id),
            way=self._path(),
            redirects_here=tuple(map(_redirect_hop, self._hops_here)),
            redirects_on=tuple(map(_redirect_hop, hops_on)),
            rank=self._rank(),
            wait=self._queue_place() if fate is UrlFate.WAITING else None,
            fetch=self._fetch_details(),
            host=_host_summary(session, self._address.host),
            robots=robots,
            judgement=None if page is None else _explain_judgement(view, page),
            link_count=len({link.url_id for link in links}),
            links=tuple(_best_links(session, links, max_links)),
            similar=tuple(_similar_urls(session, page)),
        )

    def _fate(self, *, is_example: bool) -> UrlFate:
        fate = _fate_of(self._url_row, self._entry, is_page=self._page is not None)
        if fate is not UrlFate.LINKED:
            return fate
        if self._hops_on:  # it was passed on the way to another URL
            return UrlFate.MOVED
        return UrlFate.EXAMPLE if is_example else fate

    def _path(self) -> DiscoveryPath | None:
        """Return the path from an example, or by the first linking page if none is stored."""
        source = self._page or self._entry
        if source is not None:
            steps = self._steps(source.via)
            return DiscoveryPath(
                self._describe_start(steps[0].url),
                steps,
                source.depth,
                source.distance,
            )
        steps = self._steps(min(self._linking_pages(), default=None))
        if len(steps) == 1:  # an example, where paths begin, or no page links to it
            return None
        return DiscoveryPath(self._describe_start(steps[0].url), steps, sure=False)

    def _linking_pages(self) -> Iterator[PageId]:
        for url_id in self._url_ids:
            for link in links_to(self._session, url_id, _MAX_LINKS):
                yield link.page

    def _steps(self, via: PageId | None) -> tuple[PathStep, ...]:
        """Return the steps to the URL, the first step first."""
        steps: list[PathStep] = []
        url, url_ids, seen = self._url_row.url, self._url_ids, set[PageId]()
        while via is not None and via not in seen and len(steps) < _MAX_STEPS:
            page = page_numbered(self._session, via)
            if page is None:
                break
            seen.add(via)
            steps.append(PathStep(url, _anchor_text(self._session, page.id, url_ids)))
            url, via = page.page.url, page.via
            url_ids = _ids_with_redirects(self._session, known_url(self._session, page.page.key))
        steps.append(PathStep(url))
        return tuple(reversed(steps))

    def _describe_start(self, url: str) -> str:
        url_row = known_url(self._session, url_key(url, host_of(url)))
        hops = [] if url_row is None else hops_to(self._session, url_row.id, _MAX_REDIRECTS)
        topics = self._view.topics_of({url, *(hop.url for hop in hops)})
        if topics:
            return f"an example of {quoted_topics(topics)}"
        if url in self._view.config.crawl.seeds:
            return "a seed of the crawl (crawl.seeds)"
        return "found by a sitemap or another source"

    def _rank(self) -> RankExplanation | None:
        page, entry = self._page, self._entry
        source = page or entry
        if source is None:
            return None
        url = RankedUrl(
            url_ids=self._url_ids,
            key=self._address.key,
            url=self._address.url,
            rank=source.rank,
            depth=source.depth,
            distance=source.distance,
            via=source.via,
            is_held=page is None and entry is not None and entry.lane == Lane.HELD,
        )
        ranked_by = page.id if page is not None else source.via
        policy = "" if ranked_by is None else policy_behind(self._session, ranked_by)
        return explain_rank(self._view, url, policy)

    def _queue_place(self) -> QueuePlace | None:
        entry = self._entry
        if entry is None:
            return None
        kind = load_policy(self._view.config.crawl.policy)
        names = {NO_QUEUE: "the examples", **kind.queue_names(self._view.tree)}
        return QueuePlace(
            queue=names.get(entry.queue, NO_NAME),
            rank=entry.rank,
            place=frontier.ahead_of(self._session, entry) + 1,
            later=entry.lane == Lane.HELD,
            not_before=entry.not_before or None,
            attempts=entry.attempts,
        )

    def _fetch_details(self) -> FetchDetails | None:
        if self._page is None:
            return None
        response = self._page.page
        return FetchDetails(
            at=response.fetched_at,
            status=response.status,
            mime=response.mime,
            size=response.size,
            title=self._page.title,
            address=response.address,
            etag=response.etag,
            last_modified=response.last_modified,
            refresh_waits=self._entry is not None and self._entry.lane == Lane.REFRESH,
        )


def _fate_of(url_row: KnownUrl, entry: Entry | None, *, is_page: bool) -> UrlFate:
    match url_row.state:
        case UrlState.OPEN:
            return UrlFate.LINKED if entry is None else UrlFate.WAITING
        case UrlState.FETCHED:
            return UrlFate.FETCHED
        case UrlState.MOVED:
            return UrlFate.MOVED
        case UrlState.FAILED:
            return UrlFate.GONE if is_page else UrlFate.FAILED
    return UrlFate.GONE if is_page else UrlFate.SKIPPED


def _anchor_text(session: Session, page: PageId, url_ids: Collection[UrlId]) -> str:
    """Return the anchor text of the first link from a page to one of these URLs that has one."""
    anchors = (link.anchor for link in links_from(session, page) if link.url_id in url_ids)
    return next(filter(None, anchors), "")


def _ids_with_redirects(session: Session, url_row: KnownUrl | None) -> set[UrlId]:
    """Return the ids of a URL and of the URLs that redirect to it."""
    if url_row is None:
        return set()
    return {url_row.id, *(hop.url_id for hop in hops_to(session, url_row.id, _MAX_REDIRECTS))}


def _redirect_hop(hop: KeptHop) -> RedirectHop:
    return RedirectHop(hop.url, hop.target, hop.status)


def _similar_urls(session: Session, page: KeptPage | None) -> list[str]:
    """Return the URLs of near duplicates."""
    if page is None:
        return []
    similar = [other for other in near(session, page.fingerprint) if other != page.id]
    stored = (page_numbered(session, other) for other in similar[:_MAX_SIMILAR])
    return [other.page.url for other in stored if other is not None]


# --- the host -------------------------------------------------------------------------------------


def _host_summary(session: Session, name: str) -> HostSummary:
    host = ledger.host_named(session, name)
    if host is None:
        return HostSummary(name, met=False)
    return HostSummary(
        name,
        met=True,
        state=host.state.name.lower(),
        reason=host.reason,
        address=host.address,
        pages=host.pages,
        failures=host.failures,
        delay=host.delay,
        next_at=host.next_at or None,
        aliases=tuple(host.aliases.split()),
    )


def _robots_verdict(view: PortalView, url: str) -> RobotsVerdict:
    config = view.config
    file = ledger.robots_of(view.session, origin_of(url))
    if is_ignored(host_of(url), config.robots):
        return RobotsVerdict(allowed=True, ignored=True)
    if file is None:
        return RobotsVerdict(allowed=None)
    if file.body is None:
        return RobotsVerdict(allowed=None, status=file.status, fetched_at=file.fetched_at)
    rules = parse_robots(file.body, config.crawler.name) if file.body else ALLOW_ALL
    rule = rules.rule_for(url)
    return RobotsVerdict(
        allowed=rule is None or rule.allow,
        rule="" if rule is None else str(rule),
        delay=rules.delay,
        status=file.status,
        fetched_at=file.fetched_at,
    )


# --- the judgement --------------------------------------------------------------------------------


def _explain_judgement(view: PortalView, page: KeptPage) -> ExplainedJudgement | None:
    judgement = judgement_of(view.session, page.id)
    if judgement is None:
        return None
    topic, is_accepted = _topic_path(view.tree, judgement.topic), judgement.is_accepted
    number = judgement.model
    model = None if number is None else ledger.model_numbered(view.session, number)
    if model is None:
        return ExplainedJudgement(
            topic,
            is_accepted,
            number,
            margin=judgement.confidence,
            probability=judgement.probability,
        )
    return ExplainedJudgement(
        topic=topic,
        margin=judgement.confidence,
        probability=judgement.probability,
        on_topic=is_accepted,
        model=model.id,
        version=model.version,
        learned_at=model.created_at,
        opinion=_reasons(view, page, judgement, model),
    )


def _reasons(
    view: PortalView,
    page: KeptPage,
    judgement: Judgement,
    model: Model,
) -> JudgementReasons | None:
    """Return the steps and terms of a judgement; None if its model cannot be used any more."""
    is_latest = view.model is not None and view.model.id == judgement.model
    judge = view.judge if is_latest else view.judge_of(model)
    if judge is None:
        return None
    text = text_of(view.session, page.id)
    document = Document(title=page.title, language=page.language, text=text)
    return judge.explain(stored_sample(view.session, page, judge.spaces), document)


def _topic_path(tree: TopicTree, topic: TopicId) -> str:
    try:
        return show_path(tree.path(topic))
    except KeyError:
        return "a topic that was removed"


# --- the links ------------------------------------------------------------------------------------


def _best_links(session: Session, links: Sequence[KeptLink], limit: int) -> list[OutgoingLink]:
    """Return each target once, by descending rank; targets without a rank come last."""
    link_of = {link.url_id: link for link in reversed(links)}
    url_rows = states_of(session, link_of)
    entries = frontier.places_of(session, link_of)
    page_ranks = ranks_of(session, link_of)
    outgoing = []
    for url_id, link in link_of.items():
        entry = entries.get(url_id)
        fate = _fate_of(url_rows[url_id], entry, is_page=url_id in page_ranks)
        rank = entry.rank if entry is not None else page_ranks.get(url_id)
        reason = url_rows[url_id].reason
        outgoing.append(OutgoingLink(link.url, link.anchor, str(fate), rank, reason))
    outgoing.sort(key=lambda link: (link.rank is None, -(link.rank or 0.0), link.url))
    return outgoing[:limit]
