"""The collections of a portal as a repository of OAI-PMH: a set each, and a record each member.

The datestamp of a record is the latest of these moments, so that a harvest since the last one finds
all that has joined or changed: its page was fetched; the centroids were made; a choice of the user
about the page, or one that changed its collection, was given or taken back; the portal was
refreshed. Pages that the user rejected are deleted records while the choice stands. A page that a
better one has displaced is gone without a record, so deletions are declared as `transient`.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b

from msgspec import Struct

from motherlode.app.services.oai.protocol import shown_moment
from motherlode.documents.features.spaces import TERMS
from motherlode.export.site.content import member_card
from motherlode.export.site.rows import row_of
from motherlode.export.text_cleaner import whole
from motherlode.portal import Portal
from motherlode.records import CENTROID_MODEL, TopicId
from motherlode.records.pages import REFRESH
from motherlode.store import Session
from motherlode.store.queries.index_rows import materials_of
from motherlode.store.queries.overview import latest_model_note
from motherlode.store.tables import ledger
from motherlode.store.tables.collection_choices import choice_changes
from motherlode.topics import TopicTree, show_path
from motherlode.training.collections.portal_collections import PortalCollections
from motherlode.training.collections.selection import CollectionMember

NAMESPACE = "oai:motherlode.local:"
_SET_PREFIX = "topic-"
_DIGEST_BYTES = 16
_DAY_CHARS = 10  # of a moment


class OaiSet(Struct, frozen=True):
    """A collection as a set."""

    spec: str
    name: str


class OaiRecord(Struct, frozen=True):
    """A member of a collection, or a page that was rejected, without its metadata."""

    identifier: str
    url: str
    datestamp: int
    set_spec: str
    member: CollectionMember | None = None
    topic: TopicId | None = None

    @property
    def is_deleted(self) -> bool:
        return self.member is None


class DublinCore(Struct, frozen=True):
    """The metadata of a record: elements of Dublin Core with their values, in order."""

    elements: tuple[tuple[str, str], ...]


class OaiRepository:
    """The records of a portal's collections in one transaction."""

    def __init__(self, portal: Portal, session: Session, tree: TopicTree) -> None:
        self.portal, self._session, self._tree = portal, session, tree
        self._collections = PortalCollections(session, portal.config, tree)

    @cached_property
    def sets(self) -> list[OaiSet]:
        """All collections, in the order of the topics."""
        return [
            OaiSet(set_spec(collection.topic), show_path(self._tree.path(collection.topic)))
            for collection in self._collections.listed()
        ]

    @cached_property
    def records(self) -> list[OaiRecord]:
        """All records, by identifier."""
        records = [*self._member_records(), *self._deleted_records()]
        return sorted(records, key=lambda record: record.identifier)

    @cached_property
    def earliest(self) -> int:
        """A moment that no record is older than, now and later."""
        given = [choice.given_at for choice in self._collections.choices.values()]
        return int(min([self._base, *given]))

    def record(self, identifier: str) -> OaiRecord | None:
        """Return the record with an identifier; None if there is none."""
        return next((one for one in self.records if one.identifier == identifier), None)

    def metadata_of(self, records: Iterable[OaiRecord]) -> dict[str, DublinCore]:
        """Return the metadata of the records that are not deleted, by identifier."""
        kept = [record for record in records if not record.is_deleted]
        pages = [one.member.page for one in kept if one.member and one.member.page is not None]
        material_of = {one.page: one for one in materials_of(self._session, pages, TERMS)}
        metadata = {}
        for record in kept:
            assert record.member is not None  # noqa: S101 - deleted ones are left out
            assert record.topic is not None  # noqa: S101 - as above
            page = record.member.page
            material = None if page is None else material_of.get(page)
            description = row_of(member_card(record.member, record.topic, material), 0).excerpt
            metadata[record.identifier] = self._dublin_core(
                record.member, record.topic, description
            )
        return metadata

    def _dublin_core(
        self, member: CollectionMember, topic: TopicId, description: str
    ) -> DublinCore:
        subject = show_path(self._tree.path(topic))
        merit = ""
        if member.merit is not None:
            merit = f"Figure of merit in the collection '{subject}': {member.merit:.3f}"
        elements = (
            ("title", member.title or member.url),
            ("subject", subject),
            ("description", description),
            ("description", merit),
            ("date", shown_moment(member.seen_at)[:_DAY_CHARS] if member.page is not None else ""),
            ("format", member.mime),
            ("identifier", member.url),
            ("language", member.language),
            ("relation", member.parent_url),
        )
        return DublinCore(tuple((name, value) for name, value in elements if value.strip()))

    def _member_records(self) -> Iterable[OaiRecord]:
        for collection in self._collections.listed():
            changed_at = max(self._base, self._changes_of_topic.get(collection.topic, 0.0))
            for member in collection.members:
                own = max(member.seen_at, self._changes_of_url.get(member.url, 0.0))
                yield OaiRecord(
                    identifier=identifier_of(member.url),
                    url=member.url,
                    datestamp=int(max(changed_at, own)),
                    set_spec=set_spec(collection.topic),
                    member=member,
                    topic=collection.topic,
                )

    def _deleted_records(self) -> Iterable[OaiRecord]:
        existing = {topic.id for topic in self._tree}
        for url, choice in self._collections.choices.items():
            if choice.topic is None and choice.former_topic in existing:
                yield OaiRecord(
                    identifier=identifier_of(url),
                    url=url,
                    datestamp=int(choice.given_at),
                    set_spec=set_spec(choice.former_topic),
                )

    @cached_property
    def _base(self) -> float:
        """The moment since which no collection has changed as a whole."""
        model = latest_model_note(self._session, CENTROID_MODEL)
        refreshed = [
            run.ended_at or run.started_at
            for run in ledger.all_runs(self._session)
            if run.policy == REFRESH
        ]
        return max([0.0 if model is None else model.created_at, *refreshed])

    @cached_property
    def _changes_of_topic(self) -> dict[TopicId, float]:
        changes: dict[TopicId, float] = {}
        for change in choice_changes(self._session):
            for topic in change.topics:
                changes[topic] = max(changes.get(topic, 0.0), change.at)
        return changes

    @cached_property
    def _changes_of_url(self) -> dict[str, float]:
        changes: dict[str, float] = {}
        for change in choice_changes(self._session):
            changes[change.url] = max(changes.get(change.url, 0.0), change.at)
        return changes


def set_spec(topic: TopicId) -> str:
    """Return the set of a topic's collection; it stays when the topic is renamed."""
    return f"{_SET_PREFIX}{topic}"


def identifier_of(url: str) -> str:
    """Return the identifier of a record, which depends on the URL of its page alone."""
    digest = blake2b(whole(url).encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{NAMESPACE}{digest}"


def matching(
    records: Sequence[OaiRecord], spec: str | None, since: int | None, until: int | None
) -> list[OaiRecord]:
    """Return the records of a set, or of all, whose datestamps lie within these limits."""
    return [
        record
        for record in records
        if (spec is None or record.set_spec == spec)
        and (since is None or record.datestamp >= since)
        and (until is None or record.datestamp <= until)
    ]
