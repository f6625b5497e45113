"""What a static site says of a portal, out of the store (SPEC X9); `export.site` makes the site of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from motherlode import __version__
from motherlode.documents.similarity import NEAR, distance
from motherlode.documents.spaces import TERMS
from motherlode.engine.clustering import Cluster, Wanted, clusters_of, spelled_in
from motherlode.engine.linking import Standing, best, standings
from motherlode.engine.viewing import View
from motherlode.export.gathering import Gathering
from motherlode.export.site.records import Bunch, Card, Content, Detail, Head, Imprint, Outing, Shown, Weighed
from motherlode.records import Example, Origin, PageId, TopicId
from motherlode.store import ledger, overview
from motherlode.store.indexed import Material, materials_of
from motherlode.store.judged import Judged, judged_for, on_topic, surest_on
from motherlode.store.pages import page_numbered, pages_at

BEST = 20  # pages on a topic's own page
_LINKED = 10  # hubs, and authorities
_CLUSTERED = 1_000  # pages of a topic, the surest: enough to see what there is, at a tenth of the time
_CLUSTERABLE = 20  # pages; of fewer, one sees oneself what they fall into
_CENTRAL = 3  # pages of a cluster
_TERMS = 15  # words that speak for a topic
_EXAMPLES = 100
_HEADINGS = 2_000  # characters of headings
_SAID = 10_000  # characters of a text that a site looks at
_PRINTS = 1 << 64  # the store has them with a sign
_ORIGINS = {
    Origin.PERSON: "chosen by hand",
    Origin.QUERY: "a query",
    Origin.ARCHETYPE: "an archetype: chosen by the crawl",
    Origin.FEEDBACK: "an archetype that a person accepted",
}


def content_of(what: Gathering) -> Content:
    """The content of a site: of a portal, or of one of its topics and those below."""
    source = _Source(what)
    return Content(source.imprint(), source.heads(), source.cards, source.detail)


@dataclass(frozen=True)
class _Source:
    what: Gathering

    @cached_property
    def _view(self) -> View:
        return View(self.what.session, self.what.portal.config, self.what.tree)

    def heads(self) -> list[Head]:
        tree, topics = self.what.tree, self.what.topics
        within = None if topics is None else set(topics)
        return [
            Head(topic.id, tree.path(topic.id), self._precision(topic.id))
            for topic in tree
            if not topic.is_others and (within is None or topic.id in within)
        ]

    def imprint(self) -> Imprint:
        session = self.what.session
        totals = overview.totals(session)
        runs = ledger.all_runs(session)
        return Imprint(
            title=self.what.portal.title,
            software=f"Motherlode {__version__}",
            as_of=overview.last_fetched(session),
            fetched=totals.pages,
            size=totals.size,
            links=totals.links,
            hosts=totals.hosts,
            relevance=len(on_topic(session)) / totals.pages if totals.pages else None,
            types=_counted(overview.pages_by(session, "mime")),
            languages=_counted(overview.pages_by(session, "language")),
            outings=tuple(
                Outing(run.started_at, run.ended_at, run.policy, run.pages)
                for run in runs
                if not run.policy.startswith("_")  # fetching examples is no crawl
            ),
        )

    def cards(self, head: Head) -> Iterator[Card]:
        """The pages of a topic that are there, the surest first."""
        session = self.what.session
        for part in surest_on(session, TopicId(head.topic)):
            there = {one.page: one for one in materials_of(session, [page for page, _ in part], TERMS)}
            for page, sure in part:
                if page in there:
                    yield _card(there[page], sure)

    def detail(self, head: Head) -> Detail:
        session, topic = self.what.session, TopicId(head.topic)
        surest = judged_for(session, self.what.tree.descendants(topic), 3 * BEST)
        found = standings(session, self.what.tree, topic) if surest else []
        clusters, clustered = self._clusters(topic)
        return Detail(
            best=tuple(self._best(surest)),
            authorities=self._weighed([one for one in found if not one.elsewhere], "authority"),
            hubs=self._weighed(found, "hub"),
            clusters=clusters,
            clustered=clustered,
            examples=tuple(_shown(one) for one in self._view.examples if one.topic == topic)[:_EXAMPLES],
            terms=tuple(self._terms(topic, surest)),
        )

    def _precision(self, topic: TopicId) -> float | None:
        """What is expected of a topic in the space that knows it best, as `lode train` tells it."""
        classifier = self._view.classifier
        nodes = {} if classifier is None else classifier.nodes(topic)
        found = max((node.precision for node in nodes.values()), default=0.0)
        return found or None  # of few examples xi-alpha may say nothing at all, which is 0

    def _best(self, surest: list[Judged]) -> Iterator[Card]:
        """The surest pages, of those that are nearly the same the first."""
        wanted = [one.page for one in surest]
        there = {one.page: one for one in materials_of(self.what.session, wanted, TERMS)}
        prints: list[int] = []
        for one in surest:
            material = there.get(one.page)
            if material is None or any(_alike(material.fingerprint, known) for known in prints):
                continue
            if len(prints) == BEST:
                return
            prints.append(material.fingerprint)
            yield _card(material, one.confidence)

    def _weighed(self, found: list[Standing], by: str) -> tuple[Weighed, ...]:
        chosen = best(found, by, _LINKED)
        at = pages_at(self.what.session, {one.url_id for one in chosen})
        return tuple(
            Weighed(one.url, self._title(at.get(one.url_id)), getattr(one, by), one.confidence)
            for one in chosen
        )

    def _title(self, page: PageId | None) -> str:
        kept = None if page is None else page_numbered(self.what.session, page)
        return "" if kept is None else kept.title

    def _clusters(self, topic: TopicId) -> tuple[tuple[Bunch, ...], int]:
        """What a topic's pages fall into, where nobody has divided it and there are enough of them."""
        tree, session = self.what.tree, self.what.session
        divided = any(not one.is_others for one in tree.children(topic))
        if divided or len(judged_for(session, [topic], _CLUSTERABLE)) < _CLUSTERABLE:
            return (), 0
        found = clusters_of(session, tree, topic, Wanted(pages=_CLUSTERED, central=_CENTRAL))
        several = found.clusters if len(found.clusters) > 1 else ()
        return tuple(map(_bunch, several)), found.pages

    def _terms(self, topic: TopicId, surest: list[Judged]) -> list[str]:
        classifier = self._view.classifier
        if classifier is None or not classifier.nodes(topic):
            return []
        terms = [term for term, _ in classifier.characteristic(topic, TERMS, 2 * _TERMS)]
        return spelled_in(self.what.session, terms, surest[:BEST])[:_TERMS]


def _counted(kinds: dict[str, int]) -> dict[str, int]:
    """The most frequent first; the database tells those that are equally frequent in any order."""
    return dict(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])))


def _card(material: Material, confidence: float) -> Card:
    return Card(
        url=material.url,
        title=material.title,
        text=(material.text.main or material.text.rest)[:_SAID],
        language=material.language,
        fetched_at=material.fetched_at,
        confidence=confidence,
        topic=material.topic,
        headings=material.text.headings[:_HEADINGS],
    )


def _alike(one: int, other: int) -> bool:
    return bool(one and other) and distance(one % _PRINTS, other % _PRINTS) <= NEAR


def _bunch(cluster: Cluster) -> Bunch:
    pages = tuple((page.url, page.title) for page in cluster.pages)
    return Bunch(cluster.name, cluster.words, cluster.size, pages)


def _shown(example: Example) -> Shown:
    said = example.title or (example.text or "" if example.url is None else "")
    return Shown(example.url, said, _ORIGINS[example.origin])
