"""Why a URL was found, ranked, fetched and judged as it was, or why it was not (SPEC X8).

From the store alone: nothing is fetched, and nothing is changed.
"""

from collections.abc import Sequence

from motherlode.explain.explanations import (
    Became,
    Explanation,
    Fetch,
    Hop,
    HostSaid,
    JudgedAs,
    Lead,
    RobotsSaid,
    Step,
    Wait,
    Way,
)
from motherlode.explain.link_ranks import Place, Ranked, ranked
from motherlode.explain.reasons import why
from motherlode.fetch.robots import ALLOW_ALL, parse_robots
from motherlode.fetch.rulebook import is_ignored, origin_of
from motherlode.policies.bingo.steering import is_on_topic
from motherlode.policies.options import PolicyName
from motherlode.portal.config import Config
from motherlode.records import (
    Document,
    Entry,
    Host,
    Judgement,
    Model,
    PageId,
    TopicId,
    UrlId,
    UrlState,
)
from motherlode.store import frontier, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import (
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
from motherlode.store.session import Session
from motherlode.store.similar import near
from motherlode.store.tracing import KeptHop, hops_from, hops_to, policy_behind, ranks_of, states_of
from motherlode.topics import TopicTree, show_path
from motherlode.training.marks import Marks, said_on
from motherlode.training.opinion import Opinion, opinion_on
from motherlode.training.samples import stored_sample
from motherlode.training.view import View, listed
from motherlode.urls import Address, host_of, url_key

_STEPS = 1_000  # of a way, at most
_NAMES = 20  # redirects to a URL, and pages like it, that are told
_LINKING = 1_000
_LEARNING = frozenset({PolicyName.BINGO, PolicyName.BINGO_2003})


def explain(session: Session, config: Config, asked: Address, most: int = 10) -> Explanation | None:
    """Everything about a URL, with at most so many of its links; None: it was never seen."""
    view = View(session, config, TopicTree(topic_rows.all_topics(session)))
    known = known_url(session, asked.key)
    if known is not None:
        return _explained(view, asked, known, most)
    topics = view.topics_of({asked.url})
    if not topics:
        return None
    said = f"It is an example of {listed(topics)} that nobody has tried to fetch yet."
    return Explanation(
        asked.url,
        Became.EXAMPLE,
        said,
        tuple(topics),
        host=_host(session, asked.host),
        robots=_robots(view, asked.url),
    )


def _explained(view: View, asked: Address, known: KnownUrl, most: int) -> Explanation:
    session = view.session
    page = page_at(session, asked.key)
    entry = frontier.places_of(session, [known.id]).get(known.id)
    arriving = hops_to(session, known.id, _NAMES)
    names = {known.id, *(hop.url_id for hop in arriving)}
    spelled = {known.url, *(hop.url for hop in arriving)}
    topics = tuple(view.topics_of(spelled))
    on = hops_from(session, known.id)
    became = _became(known, page, entry)
    if became is Became.LINKED and on:  # it was met on the way to another
        became = Became.MOVED
    if became is Became.LINKED and topics:
        became = Became.EXAMPLE
    way = _way(view, known, page, entry, names)
    robots = _robots(view, asked.url)
    leaving = [] if page is None else links_from(session, page.id)
    on = on if became is Became.MOVED else []
    return Explanation(
        known.url,
        became,
        why(view, known, became, robots, on),
        topics,
        tuple(view.archetype_of(spelled)),
        () if page is None else said_on(Marks.of(session), view.tree, page.id),
        way,
        tuple(map(_hop, arriving)),
        tuple(map(_hop, on)),
        _rank(view, asked, page, entry, names),
        _wait(view, entry) if became is Became.WAITING else None,
        None if page is None else _fetch(page, entry),
        _host(session, asked.host),
        robots,
        None if page is None else _judgement(view, page),
        len({link.url_id for link in leaving}),
        tuple(_leads(session, leaving, most)),
        tuple(_alike(session, page)),
    )


def _became(known: KnownUrl, page: KeptPage | None, entry: Entry | None) -> Became:
    match known.state:
        case UrlState.OPEN:
            return Became.LINKED if entry is None else Became.WAITING
        case UrlState.FETCHED:
            return Became.FETCHED
        case UrlState.MOVED:
            return Became.MOVED
        case UrlState.FAILED:
            return Became.FAILED if page is None else Became.GONE
    return Became.SKIPPED if page is None else Became.GONE


# --- how it was found -----------------------------------------------------------------------------------


def _way(
    view: View, known: KnownUrl, page: KeptPage | None, entry: Entry | None, names: set[UrlId]
) -> Way | None:
    """From the example on; where the store does not say how, by the first page that links to it."""
    if page is not None:
        steps = _steps(view.session, known, page.via, names)
        return Way(_beginning(view, steps[0].url), tuple(steps), page.depth, page.distance)
    if entry is not None:
        steps = _steps(view.session, known, entry.via, names)
        return Way(_beginning(view, steps[0].url), tuple(steps), entry.depth, entry.distance)
    linking = [link.page for name in names for link in links_to(view.session, name, _LINKING)]
    steps = _steps(view.session, known, min(linking, default=None), names)
    if len(steps) == 1:  # an example, where ways begin, or nobody knows
        return None
    return Way(_beginning(view, steps[0].url), tuple(steps), sure=False)


def _steps(session: Session, known: KnownUrl, via: PageId | None, names: set[UrlId]) -> list[Step]:
    steps: list[Step] = []
    url, seen = known.url, set[PageId]()
    while via is not None and via not in seen and len(steps) < _STEPS:
        page = page_numbered(session, via)
        if page is None:
            break
        seen.add(via)
        steps.append(Step(url, _anchor(session, page.id, names)))
        here = known_url(session, page.page.key)
        names = set() if here is None else {here.id, *(h.url_id for h in hops_to(session, here.id, _NAMES))}
        url, via = page.page.url, page.via
    steps.append(Step(url))
    return steps[::-1]


def _anchor(session: Session, page: PageId, names: set[UrlId]) -> str:
    """The words of the link that leads from a page to a URL, by whichever of its names."""
    told = [link.anchor for link in links_from(session, page) if link.url_id in names]
    return next((anchor for anchor in told if anchor), "")


def _beginning(view: View, url: str) -> str:
    known = known_url(view.session, url_key(url, host_of(url)))
    hops = [] if known is None else hops_to(view.session, known.id, _NAMES)
    topics = view.topics_of({url, *(hop.url for hop in hops)})
    return f"an example of {listed(topics)}" if topics else "found by a sitemap or another source"


# --- how it was ranked, fetched and judged --------------------------------------------------------------


def _rank(
    view: View, asked: Address, page: KeptPage | None, entry: Entry | None, names: set[UrlId]
) -> Ranked | None:
    of = page or entry
    if of is None:
        return None
    later = page is None and entry is not None and entry.queue < 0
    place = Place(names, asked.key, asked.url, of.rank, of.depth, of.distance, of.via, later)
    run = "" if page is None else policy_behind(view.session, page.id)
    return ranked(view.session, view.config.crawl, place, run, view.classifier)


def _wait(view: View, entry: Entry | None) -> Wait | None:
    if entry is None:
        return None
    return Wait(
        _topic(view.tree, TopicId(abs(entry.queue))) if entry.queue else "the examples",
        entry.rank,
        frontier.ahead_of(view.session, entry) + 1,
        entry.queue < 0,
        entry.not_before or None,
        entry.attempts,
    )


def _fetch(page: KeptPage, entry: Entry | None) -> Fetch:
    of = page.page
    waits = entry is not None and entry.queue == frontier.AGAIN
    tags = (of.address, of.etag, of.last_modified)
    return Fetch(of.fetched_at, of.status, of.mime, of.size, page.title, *tags, waits)


def _host(session: Session, name: str) -> HostSaid:
    known: Host | None = ledger.host_named(session, name)
    if known is None:
        return HostSaid(name, met=False)
    return HostSaid(
        name,
        met=True,
        state=known.state.name.lower(),
        reason=known.reason,
        address=known.address,
        pages=known.pages,
        failures=known.failures,
        delay=known.delay,
        next_at=known.next_at or None,
        aliases=tuple(known.aliases.split()),
    )


def _robots(view: View, url: str) -> RobotsSaid:
    config = view.config
    file = ledger.robots_of(view.session, origin_of(url))
    if is_ignored(host_of(url), config.robots):
        return RobotsSaid(allowed=True, ignored=True)
    if file is None:
        return RobotsSaid(allowed=None)
    if file.body is None:
        return RobotsSaid(allowed=None, status=file.status, fetched_at=file.fetched_at)
    rules = parse_robots(file.body, config.crawler.name) if file.body else ALLOW_ALL
    rule = rules.rule_for(url)
    allowed = rule is None or rule.allow
    return RobotsSaid(allowed, "" if rule is None else str(rule), rules.delay, file.status, file.fetched_at)


def _judgement(view: View, page: KeptPage) -> JudgedAs | None:
    said = judgement_of(view.session, page.id)
    if said is None:
        return None
    topic = _topic(view.tree, said.topic)
    model = None if said.model is None else ledger.model_numbered(view.session, said.model)
    if model is None:
        return JudgedAs(topic, said.confidence, is_on_topic(said), said.model)
    opinion = _opinion(view, page, said, model)
    return JudgedAs(
        topic, said.confidence, is_on_topic(said), model.id, model.version, model.created_at, opinion
    )


def _opinion(view: View, page: KeptPage, said: Judgement, model: Model) -> Opinion | None:
    """What the model that judged a page has to say for it."""
    latest = view.model is not None and view.model.id == said.model
    classifier = view.classifier if latest else view.classifier_of(model)
    if classifier is None:
        return None
    document = Document(title=page.title, language=page.language, text=text_of(view.session, page.id))
    sample = stored_sample(view.session, page, tuple(classifier.groups_))
    return opinion_on(classifier, view.tree, sample, document)


def _topic(tree: TopicTree, topic: TopicId) -> str:
    try:
        return show_path(tree.path(topic))
    except KeyError:
        return "a topic that was removed"


# --- where it leads -------------------------------------------------------------------------------------


def _leads(session: Session, links: Sequence[KeptLink], most: int) -> list[Lead]:
    """The best links, each URL once: those with the highest ranks, then those that have none."""
    once = {link.url_id: link for link in reversed(links)}
    states, waiting = states_of(session, once), frontier.places_of(session, once)
    taken = ranks_of(session, once)
    found = [
        Lead(
            link.url,
            link.anchor,
            str(_became_of(states[number], waiting.get(number), fetched=number in taken)),
            waiting[number].rank if number in waiting else taken.get(number),
            states[number].reason,
        )
        for number, link in once.items()
    ]
    found.sort(key=lambda lead: (lead.rank is None, -(lead.rank or 0.0), lead.url))
    return found[:most]


def _became_of(known: KnownUrl, entry: Entry | None, *, fetched: bool) -> Became:
    if known.state in (UrlState.FAILED, UrlState.SKIPPED) and fetched:
        return Became.GONE
    return _became(known, None, entry)


def _alike(session: Session, page: KeptPage | None) -> list[str]:
    """Other pages that say nearly the same."""
    if page is None:
        return []
    close = [one for one in near(session, page.fingerprint) if one != page.id][:_NAMES]
    return [found.page.url for one in close if (found := page_numbered(session, one)) is not None]


def _hop(hop: KeptHop) -> Hop:
    return Hop(hop.url, hop.target, hop.status)
