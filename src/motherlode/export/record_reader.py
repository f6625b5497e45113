"""Records to export, out of the store; each call reads it once more, a part at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from motherlode.export.records import (
    JudgementRecord,
    LinkRecord,
    MemberRecord,
    PackedResponse,
    PageRecord,
    Shelf,
)
from motherlode.portal import Portal
from motherlode.records import Judgement, TopicId, UrlState
from motherlode.store.queries.export_rows import (
    Gathered,
    gathered,
    gathered_edges,
    gathered_links,
    text_or_nothing,
)
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judged_for
from motherlode.store.tables.pages import KeptPage, judgement_of, known_url, page_at, page_numbered
from motherlode.topics import OTHERS, TopicTree
from motherlode.training.collections.portal_collections import PortalCollections, has_collections
from motherlode.training.collections.selection import CollectionMember, MemberSource
from motherlode.urls import host_of, url_key


@dataclass(frozen=True)
class ExportSource:
    """What is exported: all pages of a portal, or those of a topic and its subtopics."""

    portal: Portal
    session: Session
    tree: TopicTree
    topic: TopicId | None = None
    texts: bool = False

    @property
    def topics(self) -> list[TopicId] | None:
        return None if self.topic is None else self.tree.descendants(self.topic)

    @cached_property
    def collections(self) -> PortalCollections | None:
        """The collections of the portal, of which lists of pages are made; None if it has none."""
        if not has_collections(self.session):
            return None
        return PortalCollections(self.session, self.portal.config, self.tree)

    def members(self) -> Iterator[MemberRecord]:
        """Yield the members of the collections, by subject; nothing for a portal without any."""
        for shelf in self._collection_shelves(None):
            yield from shelf

    def pages(self) -> Iterator[PageRecord]:
        return (self._page(one) for one in gathered(self.session, self.topics))

    def links(self) -> Iterator[LinkRecord]:
        for link in gathered_links(self.session, self.topics):
            yield LinkRecord(link.page, link.position, link.url, link.anchor, link.flags)

    def judgements(self) -> Iterator[JudgementRecord]:
        for one in gathered(self.session, self.topics):
            if one.judgement is not None:
                said = one.judgement
                yield JudgementRecord(
                    one.id,
                    self._path(said),
                    said.model,
                    margin=said.confidence,
                    probability=said.probability,
                )

    def edges(self) -> Iterator[tuple[int, int]]:
        return iter(gathered_edges(self.session, self.topics))

    def shelves(self, most: int) -> Iterator[Shelf]:
        """Topics in the order of the tree, with so many pages at most, the surest first."""
        within = None if self.topics is None else set(self.topics)
        if self.collections is not None:
            for members in self._collection_shelves(most):
                yield Shelf(tuple(members[0].subject.split("/")), tuple(members))
            return
        for topic in self.tree:
            if not topic.is_others and (within is None or topic.id in within):
                yield Shelf(self.tree.path(topic.id), tuple(self._best(topic.id, most)))

    def responses(self) -> Iterator[PackedResponse]:
        """The pages whose raw response is in the archive. A file inside an archive comes with all
        of it, which is not repeated for the files beside it.
        """
        last = ""
        for one in gathered(self.session, self.topics):
            if one.archived is not None:
                yield PackedResponse(self._page(one), self.portal.archive.packed(one.archived))
            elif "#" in one.url and (url := one.url.partition("#")[0]) != last:
                last = url
                yield from self._around(url)

    def _around(self, url: str) -> Iterator[PackedResponse]:
        """The response that a file was in, unless it is exported for its own sake."""
        kept = page_at(self.session, url_key(url, host_of(url)))
        if kept is None or kept.page.archived is None:
            return
        judgement = judgement_of(self.session, kept.id)
        if self._is_chosen(judgement):
            return
        page = self._page(_gathered(kept, judgement))
        yield PackedResponse(page, self.portal.archive.packed(kept.page.archived))

    def _is_chosen(self, judgement: Judgement | None) -> bool:
        topics = self.topics
        return topics is None or (
            judgement is not None and judgement.topic in topics and judgement.is_accepted
        )

    def _best(self, topic: TopicId, most: int) -> Iterator[PageRecord]:
        """The surest pages of a topic that can be bookmarked: they are there, and pages of their
        own.
        """
        number = 0
        for one in judged_for(self.session, [topic], 2 * most):
            kept = page_numbered(self.session, one.page)
            if kept is None or "#" in one.url or number >= most or self._is_gone(kept):
                continue
            number += 1
            judgement = Judgement(one.topic, one.confidence, probability=one.probability)
            yield self._page(_gathered(kept, judgement))

    def _collection_shelves(self, most: int | None) -> Iterator[list[MemberRecord]]:
        """Yield the members of each collection that has any, at most so many of each."""
        within = None if self.topics is None else set(self.topics)
        listed = () if self.collections is None else self.collections.listed(within)
        for collection in listed:
            if collection.members:
                subject = "/".join(self.tree.path(collection.topic))
                yield [self._member(member, subject) for member in collection.members[:most]]

    def _member(self, member: CollectionMember, subject: str) -> MemberRecord:
        text = None
        if self.texts and member.page is not None:
            text = text_or_nothing(self.session, member.page)
        return MemberRecord(
            url=member.url,
            title=member.title,
            subject=subject,
            merit=member.merit,
            choice="" if member.choice is None else member.choice.value,
            source=member.source.value,
            found_on=member.parent_url if member.source is MemberSource.LINK else "",
            fetched_at=None if member.page is None else member.seen_at,
            language=member.language,
            mime=member.mime,
            text=text,
        )

    def _is_gone(self, kept: KeptPage) -> bool:
        known = known_url(self.session, kept.page.key)
        return known is None or known.state is not UrlState.FETCHED

    def _page(self, one: Gathered) -> PageRecord:
        said = one.judgement
        return PageRecord(
            id=one.id,
            url=one.url,
            title=one.title,
            topic=None if said is None else self._path(said),
            margin=None if said is None else said.confidence,
            probability=None if said is None else said.probability,
            fetched_at=one.fetched_at,
            language=one.language,
            mime=one.mime,
            status=one.status,
            size=one.size,
            digest=one.digest,
            gone=one.gone,
            text=text_or_nothing(self.session, one.id) if self.texts else None,
        )

    def _path(self, said: Judgement) -> str:
        """Return the path of a page's topic; a page that is not accepted is in OTHERS."""
        if not said.is_accepted:
            return OTHERS
        return "/".join(self.tree.path(said.topic))


def _gathered(kept: KeptPage, judgement: Judgement | None) -> Gathered:
    page = kept.page
    return Gathered(
        id=kept.id,
        url=page.url,
        title=kept.title,
        fetched_at=page.fetched_at,
        status=page.status,
        mime=page.mime,
        size=page.size,
        digest=page.digest,
        language=kept.language,
        gone=False,
        judgement=judgement,
        archived=page.archived,
    )
