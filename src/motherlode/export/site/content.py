"""What a static site says of a portal, out of the store (SPEC X9); `export.site` makes the site of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from motherlode import __version__
from motherlode.documents.spaces import TERMS
from motherlode.export.gathering import Gathering
from motherlode.export.site.records import Bunch, Card, Content, Detail, Head, Imprint, Outing, Shown
from motherlode.records import Example, TopicId
from motherlode.store import ledger, overview
from motherlode.store.indexed import materials_of
from motherlode.store.judged import judged_for, on_topic, surest_on
from motherlode.training.clusters import Cluster, Wanted, clusters_of
from motherlode.training.link_analysis import standings
from motherlode.training.topic_profile import (
    LOOKED_AT,
    ORIGINS,
    best_of,
    card_of,
    precision_of,
    terms_of,
    weighed,
)
from motherlode.training.view import View

_CLUSTERED = 1_000  # pages of a topic, the surest: enough to see what there is, at a tenth of the time
_CLUSTERABLE = 20  # pages; of fewer, one sees oneself what they fall into
_CENTRAL = 3  # pages of a cluster
_EXAMPLES = 100


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
            Head(topic.id, tree.path(topic.id), precision_of(self._view.classifier, topic.id))
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
                    yield card_of(there[page], sure)

    def detail(self, head: Head) -> Detail:
        session, topic = self.what.session, TopicId(head.topic)
        surest = judged_for(session, self.what.tree.descendants(topic), LOOKED_AT)
        found = standings(session, self.what.tree, topic) if surest else []
        clusters, clustered = self._clusters(topic)
        return Detail(
            best=tuple(best_of(session, surest)),
            authorities=weighed(session, [one for one in found if not one.elsewhere], "authority"),
            hubs=weighed(session, found, "hub"),
            clusters=clusters,
            clustered=clustered,
            examples=tuple(_shown(one) for one in self._view.examples if one.topic == topic)[:_EXAMPLES],
            terms=tuple(terms_of(session, self._view.classifier, topic, surest)),
        )

    def _clusters(self, topic: TopicId) -> tuple[tuple[Bunch, ...], int]:
        """What a topic's pages fall into, where nobody has divided it and there are enough of them."""
        tree, session = self.what.tree, self.what.session
        divided = any(not one.is_others for one in tree.children(topic))
        if divided or len(judged_for(session, [topic], _CLUSTERABLE)) < _CLUSTERABLE:
            return (), 0
        found = clusters_of(session, tree, topic, Wanted(pages=_CLUSTERED, central=_CENTRAL))
        several = found.clusters if len(found.clusters) > 1 else ()
        return tuple(map(_bunch, several)), found.pages


def _counted(kinds: dict[str, int]) -> dict[str, int]:
    """The most frequent first; the database tells those that are equally frequent in any order."""
    return dict(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])))


def _bunch(cluster: Cluster) -> Bunch:
    pages = tuple((page.url, page.title) for page in cluster.pages)
    return Bunch(cluster.name, cluster.words, cluster.size, pages)


def _shown(example: Example) -> Shown:
    said = example.title or (example.text or "" if example.url is None else "")
    return Shown(example.url, said, ORIGINS[example.origin])
