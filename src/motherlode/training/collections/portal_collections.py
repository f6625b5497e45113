"""The collections of a portal, read from its store in one transaction."""

from collections.abc import Collection as Some
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.learning.matrix import Floats
from motherlode.portal.config import Config
from motherlode.records import (
    CENTROID_MODEL,
    TOPIC_MODEL,
    ChoiceKind,
    CollectionChoice,
    Document,
    PageId,
    TopicId,
)
from motherlode.store.queries.collection_rows import (
    CandidateRow,
    candidate_row,
    candidate_rows,
    document_link_rows,
)
from motherlode.store.queries.overview import latest_model_note
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.collection_choices import standing_choices
from motherlode.store.tables.pages import known_url, links_to, page_numbered, text_of
from motherlode.topics import TopicTree
from motherlode.training.collections.selection import (
    DOCUMENT_SUFFIXES,
    CollectionMember,
    DocumentLink,
    MemberSource,
    in_order,
    is_document_url,
    linked_document,
    select_documents,
    select_pages,
)
from motherlode.training.judgement_reasons import TermContribution
from motherlode.training.models import latest_model
from motherlode.training.samples import stored_sample
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of, url_key

_MAX_PARENTS = 100  # of a chosen file that was not read


class CorrelatingModel(Protocol):
    """A model that knows the correlation of a page with each subject, and explains it."""

    @property
    def subjects(self) -> Sequence[int]: ...

    def correlations(self, samples: Sequence[Sample]) -> Floats: ...

    def terms_for(
        self, sample: Sample, topic: TopicId, document: Document
    ) -> list[TermContribution]: ...


class SubjectCollection(Struct, frozen=True):
    """The collection of a subject: its members, pinned ones first, then the best."""

    topic: TopicId
    members: tuple[CollectionMember, ...]


def has_collections(session: Session) -> bool:
    """Return whether the pages of a portal were judged last by centroids of subjects."""
    centroids = latest_model_note(session, CENTROID_MODEL)
    tree = latest_model_note(session, TOPIC_MODEL)
    return centroids is not None and (tree is None or tree.id < centroids.id)


@dataclass(frozen=True)
class PortalCollections:
    """The collections of a portal. What was read once is kept."""

    session: Session
    config: Config
    tree: TopicTree

    @cached_property
    def model(self) -> CorrelatingModel | None:
        """The stored centroids; None if there are none, or they cannot be used any more."""
        model: CorrelatingModel | None = latest_model(self.session, self.tree, CENTROID_MODEL)
        return model

    @cached_property
    def subjects(self) -> list[TopicId]:
        """The topics that may have a collection, in the order of the tree."""
        return [topic.id for topic in self.tree if not topic.is_others]

    @cached_property
    def choices(self) -> dict[str, CollectionChoice]:
        """The standing choice about each URL; those about removed topics rest meanwhile."""
        return {
            choice.url: choice
            for choice in standing_choices(self.session)
            if choice.kind is ChoiceKind.REJECT or choice.topic in self._is_subject
        }

    @cached_property
    def all(self) -> dict[TopicId, SubjectCollection]:
        """The collection of each subject, also where it is empty."""
        options = self.config.tunnel
        pages = {topic: self._pages(topic) for topic in self.subjects}
        links = self._document_links([member for of in pages.values() for member in of])
        documents = select_documents(pages, links, options.min_merit, options.max_members)
        return {
            topic: SubjectCollection(topic, tuple(in_order([*pages[topic], *documents[topic]])))
            for topic in self.subjects
        }

    @cached_property
    def topic_of_member(self) -> dict[str, TopicId]:
        """The subject of each member, by its URL."""
        return {
            member.url: topic
            for topic, collection in self.all.items()
            for member in collection.members
        }

    @cached_property
    def with_examples(self) -> set[TopicId]:
        """The topics that have examples, which a collection could be made for."""
        return {example.topic for example in topic_rows.examples_of(self.session)}

    def listed(self, within: Some[TopicId] | None = None) -> Iterator[SubjectCollection]:
        """Yield the collections of subjects, and of all topics that have members."""
        for topic, collection in self.all.items():
            if (within is None or topic in within) and (
                collection.members or topic in self.with_examples
            ):
                yield collection

    def nearest_subject(self, page: PageId) -> TopicId | None:
        """Return the subject that a page was judged to be nearest to; None if there is none."""
        row = candidate_row(self.session, page)
        return row.topic if row is not None and row.topic in self._is_subject else None

    def explain(self, member: CollectionMember, topic: TopicId) -> list[TermContribution]:
        """Return the terms that make up the correlation of a read member, the largest first."""
        page = None if member.page is None else page_numbered(self.session, member.page)
        if page is None or self.model is None:
            return []
        document = Document(
            title=page.title, language=page.language, text=text_of(self.session, page.id)
        )
        sample = stored_sample(self.session, page, (TERMS,))
        return self.model.terms_for(sample, topic, document)

    @cached_property
    def _is_subject(self) -> frozenset[TopicId]:
        return frozenset(self.subjects)

    @cached_property
    def _rejected(self) -> list[CollectionMember]:
        rejected = (url for url, choice in self.choices.items() if choice.topic is None)
        return [self._chosen_member(url) for url in rejected]

    def _pages(self, topic: TopicId) -> list[CollectionMember]:
        options = self.config.tunnel
        chosen = [
            self._chosen_member(url)
            for url, choice in self.choices.items()
            if choice.topic == topic
        ]
        rows = candidate_rows(self.session, topic, options.min_merit)
        candidates = (
            _read_member(row)
            for row in rows
            if row.url not in self.choices and "#" not in row.url  # a file in an archive
        )
        return select_pages(chosen, candidates, options.max_members, self._rejected)

    def _chosen_member(self, url: str) -> CollectionMember:
        """Return the member that a choice makes of a URL, also of one that was not read."""
        choice = self.choices[url]
        kept = page_at_url(self.session, url)
        row = None if kept is None else candidate_row(self.session, kept.id)
        if row is None:
            return self._unread_member(choice)
        merit = row.score if row.topic == choice.topic else self._merit(row, choice.topic)
        return _read_member(row, url=url, merit=merit, choice=choice.kind)

    def _unread_member(self, choice: CollectionChoice) -> CollectionMember:
        """Return the member that a choice makes of a URL that was not read, such as of a PDF file.

        It has the merit of the best member that links to it, if there is one.
        """
        known = known_url(self.session, url_key(choice.url, host_of(choice.url)))
        links = [] if known is None else links_to(self.session, known.id, _MAX_PARENTS)
        parents = {link.page: candidate_row(self.session, link.page) for link in links}
        near = [
            (row.score or 0.0, -page, row)
            for page, row in parents.items()
            if row is not None and row.topic == choice.topic
        ]
        title = next((link.anchor for link in links if link.anchor), "")
        if not near:
            return CollectionMember(
                url=choice.url,
                title=title,
                merit=None,
                source=MemberSource.USER,
                seen_at=choice.given_at,
                choice=choice.kind,
            )
        parent = max(near)[2]
        link = DocumentLink(parent.page, choice.url, title)
        return replace(linked_document(link, _read_member(parent)), choice=choice.kind)

    def _merit(self, row: CandidateRow, topic: TopicId | None) -> float | None:
        """Return the correlation of a page with a subject that is not its nearest."""
        page = page_numbered(self.session, row.page)
        if topic is None or page is None or self.model is None:
            return None
        subjects = list(self.model.subjects)
        if topic not in subjects:
            return None
        sample = stored_sample(self.session, page, (TERMS,))
        return float(self.model.correlations([sample])[0][subjects.index(topic)])

    def _document_links(
        self, members: Sequence[CollectionMember]
    ) -> dict[PageId, list[DocumentLink]]:
        """Return the links of members to files that were not read, without choices about them."""
        read = [member.page for member in members if member.page is not None]
        links: dict[PageId, list[DocumentLink]] = {}
        for row in document_link_rows(self.session, read, DOCUMENT_SUFFIXES):
            is_open = not (row.is_read or row.is_broken or row.url in self.choices)
            if is_open and is_document_url(row.url):
                links.setdefault(row.page, []).append(DocumentLink(row.page, row.url, row.anchor))
        return links


def _read_member(
    row: CandidateRow,
    *,
    url: str = "",
    merit: float | None = None,
    choice: ChoiceKind | None = None,
) -> CollectionMember:
    return CollectionMember(
        url=url or row.url,
        title=row.title,
        merit=row.score if choice is None else merit,
        source=MemberSource.READ,
        seen_at=row.fetched_at,
        choice=choice,
        page=row.page,
        language=row.language,
        mime=row.mime,
        fingerprint=row.fingerprint,
        digest=row.digest,
    )
