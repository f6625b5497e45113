"""What a static site says of a portal, out of the store (SPEC X9); `export.site` makes the site of
it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from msgspec.structs import replace

from motherlode import __version__
from motherlode.documents.features.spaces import TERMS
from motherlode.export.record_reader import ExportSource
from motherlode.export.site.records import (
    Bunch,
    Content,
    Detail,
    Head,
    Imprint,
    Outing,
    Shown,
    Website,
)
from motherlode.export.site_picture import can_draw, site_svg
from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.site_table import (
    ListedSite,
    SiteFilter,
    SiteTable,
    site_table,
)
from motherlode.records import Example, TopicId
from motherlode.records.example_counts import count_examples
from motherlode.store.queries import overview
from motherlode.store.queries.index_rows import Material, materials_of
from motherlode.store.tables import ledger
from motherlode.store.tables.judgements import judged_for, on_topic, surest_on
from motherlode.training.clusters import Cluster, ClusterOptions, clusters_of
from motherlode.training.collections.portal_collections import PortalCollections
from motherlode.training.collections.selection import CollectionMember, in_order
from motherlode.training.link_analysis import link_scores_of
from motherlode.training.portal_view import PortalView
from motherlode.training.topic_profile import (
    BEST_PAGES,
    CANDIDATE_PAGES,
    ORIGINS,
    PageCard,
    authorities_among,
    best_cards,
    card_of,
    hubs_among,
    precision_estimates,
    terms_of,
)

_MEMBERS_READ = 200
_CLUSTERED = (
    1_000  # pages of a topic, the surest: enough to see what there is, at a tenth of the time
)
_CLUSTERABLE = 20  # pages; of fewer, one sees oneself what they fall into
_CENTRAL = 3  # pages of a cluster
_EXAMPLES = 100


def content_of(source: ExportSource) -> Content:
    """The content of a site: of a portal, or of one of its topics and those below."""
    content = _Content(source)
    websites = content.websites()
    return Content(
        imprint=content.imprint(),
        heads=content.heads(),
        cards=content.cards,
        detail=content.detail,
        websites=tuple(map(_website, websites)),
        picture=content.picture(websites),
    )


@dataclass(frozen=True)
class _Content:
    source: ExportSource

    @cached_property
    def _view(self) -> PortalView:
        return PortalView(self.source.session, self.source.portal.config, self.source.tree)

    def heads(self) -> list[Head]:
        tree, topics = self.source.tree, self.source.topics
        estimates = precision_estimates(self._view)
        within = None if topics is None else set(topics)
        return [
            Head(topic.id, tree.path(topic.id), estimates.get(topic.id))
            for topic in tree
            if not topic.is_others and (within is None or topic.id in within)
        ]

    def imprint(self) -> Imprint:
        session = self.source.session
        totals = overview.totals(session)
        runs = ledger.all_runs(session)
        return Imprint(
            title=self.source.portal.title,
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
                if run.is_crawl
            ),
        )

    def websites(self) -> list[ListedSite]:
        """Return the relevant websites; none for a portal of another policy."""
        is_wanted = self.source.portal.config.crawl.policy in (WEBSITES, WEBSITES_2004)
        return self._sites.filtered(SiteFilter.RELEVANT) if is_wanted else []

    def picture(self, websites: Sequence[ListedSite]) -> str:
        """Return the picture of websites; empty without them or the library that draws it."""
        if not websites or not can_draw():
            return ""
        return site_svg(self._sites, websites, self.source.portal.title)

    @cached_property
    def _sites(self) -> SiteTable:
        return site_table(self.source.session, self.source.portal.config)

    def cards(self, head: Head) -> Iterator[PageCard]:
        """The pages of a topic that are there, the surest first; or the members of a collection."""
        session = self.source.session
        if self.source.collections is not None:
            yield from member_cards(self.source.collections, [TopicId(head.topic)])
            return
        for part in surest_on(session, TopicId(head.topic)):
            there = {
                one.page: one for one in materials_of(session, [page for page, _ in part], TERMS)
            }
            for page, judgement in part:
                if page in there:
                    yield card_of(there[page], judgement.confidence, judgement.probability)

    def detail(self, head: Head) -> Detail:
        session, topic = self.source.session, TopicId(head.topic)
        if self.source.collections is not None:  # its members, and nothing that is not among them
            cards = member_cards(self.source.collections, self.source.tree.descendants(topic))
            return Detail(best=tuple(islice(cards, BEST_PAGES)))
        surest = judged_for(session, self.source.tree.descendants(topic), CANDIDATE_PAGES)
        scores = link_scores_of(session, self.source.tree, topic) if surest else []
        clusters, clustered = self._clusters(topic)
        examples = [example for example in self._view.examples if example.topic == topic]
        return Detail(
            best=tuple(best_cards(session, surest)),
            authorities=authorities_among(session, scores),
            hubs=hubs_among(session, scores),
            clusters=clusters,
            clustered=clustered,
            examples=tuple(map(_shown, examples[:_EXAMPLES])),
            examples_from=count_examples(examples),
            terms=tuple(terms_of(session, self._view.classifier, topic, surest)),
        )

    def _clusters(self, topic: TopicId) -> tuple[tuple[Bunch, ...], int]:
        """What a topic's pages fall into, where nobody has divided it and there are
        enough of them.
        """
        tree, session = self.source.tree, self.source.session
        divided = any(not one.is_others for one in tree.children(topic))
        if divided or len(judged_for(session, [topic], _CLUSTERABLE)) < _CLUSTERABLE:
            return (), 0
        found = clusters_of(
            session, tree, topic, ClusterOptions(pages=_CLUSTERED, central=_CENTRAL)
        )
        several = found.clusters if len(found.clusters) > 1 else ()
        return tuple(map(_bunch, several)), found.pages


def member_cards(collections: PortalCollections, topics: Collection[TopicId]) -> Iterator[PageCard]:
    """Yield what a site shows of the members of these collections, pinned ones first."""
    session, of_topic = collections.session, collections.topic_of_member
    listed = (collections.all[topic] for topic in topics if topic in collections.all)
    members = in_order(member for collection in listed for member in collection.members)
    for start in range(0, len(members), _MEMBERS_READ):
        part = members[start : start + _MEMBERS_READ]
        read = [member.page for member in part if member.page is not None]
        material_of = {one.page: one for one in materials_of(session, read, TERMS)}
        for member in part:
            material = None if member.page is None else material_of.get(member.page)
            yield member_card(member, of_topic[member.url], material)


def member_card(member: CollectionMember, topic: TopicId, material: Material | None) -> PageCard:
    """Return what a site shows of a member; `material` is None for one that was not read."""
    if material is None:
        card = PageCard(
            url=member.url,
            title=member.title,
            text="",
            language=member.language,
            fetched_at=member.seen_at,
            topic=topic,
            margin=None,
            probability=None,
        )
    else:
        card = replace(card_of(material, 0.0, None), url=member.url, topic=topic, margin=None)
    return replace(card, merit=member.merit)


def _counted(kinds: dict[str, int]) -> dict[str, int]:
    """The most frequent first; the database tells those that are equally frequent in any order."""
    return dict(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])))


def _bunch(cluster: Cluster) -> Bunch:
    pages = tuple((page.url, page.title) for page in cluster.pages)
    return Bunch(cluster.name, cluster.words, cluster.size, pages)


def _shown(example: Example) -> Shown:
    said = example.title or (example.text or "" if example.url is None else "")
    return Shown(example.url, said, ORIGINS[example.origin])


def _website(row: ListedSite) -> Website:
    return Website(
        site=row.site,
        home=row.home,
        title=row.title,
        probability=row.probability,
        pages=row.pages,
        referrers=row.referrers,
    )
