"""The collections of a portal: a table of all, the members of one, and the user's choices."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import time

from msgspec import Struct

from motherlode.app.requests.collections import CollectionsRequest
from motherlode.app.services.addresses import address_in
from motherlode.app.text import count
from motherlode.policies.tunnel.stored_pages import reached_hits
from motherlode.policies.tunnel.subjects import CollectionSubject, subjects_of
from motherlode.portal import Portal
from motherlode.records import ChoiceKind, TopicId, UsageError
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.collection_choices import add_choices, undo_choices
from motherlode.topics import TopicTree, parse_path, show_path
from motherlode.training.collections.curation import RequestedChoice, new_choices
from motherlode.training.collections.paths import PathPage, paths_to
from motherlode.training.collections.portal_collections import (
    PortalCollections,
    SubjectCollection,
    has_collections,
)
from motherlode.training.collections.selection import CollectionMember, MemberSource

MAX_TERMS_SHOWN = 8
THIN_SHARE = 0.5  # of the places of a collection; below it is thin
FULL, THIN, EMPTY, DROPPED = "good", "thin", "empty", "dropped"


class CollectionSummary(Struct, frozen=True):
    """A collection in one line: how large and how good it is, and what to do about it.

    `state` is good, thin, empty or dropped. `problem` and `advice` are empty for a good one.
    """

    topic: int
    subject: str
    state: str
    members: int
    curated: int
    best: float | None
    median: float | None
    problem: str = ""
    advice: str = ""


class MemberTerm(Struct, frozen=True):
    """A term of a page with the part of the correlation that it carries."""

    word: str
    part: float


class MemberView(Struct, frozen=True):
    """A member of a collection, with the reasons.

    `source` says how it came: read, link or user. `choice` is yours, empty without one. `found_on`
    is the member that links to it, for one that was not read.
    """

    url: str
    title: str
    merit: float | None
    source: str
    choice: str
    found_on: str
    why: tuple[MemberTerm, ...]
    path: tuple[PathPage, ...]


class CollectionView(Struct, frozen=True):
    """A collection with its members, the best first; `summary.members` counts all of them."""

    summary: CollectionSummary
    members: tuple[MemberView, ...]


class ChoiceMade(Struct, frozen=True):
    """A choice that was made or taken back; `subject` is empty where the page joins none."""

    url: str
    choice: str
    subject: str


class ChoicesResult(Struct, frozen=True):
    """The choices that were made, and those that were taken back."""

    made: tuple[ChoiceMade, ...] = ()
    undone: tuple[ChoiceMade, ...] = ()


def collections_in(path: Path, request: CollectionsRequest) -> list[CollectionSummary]:
    """Return a summary of each collection of a portal, in the order of its topics.

    Raises `UsageError` for a portal that has no subjects.
    """
    with Portal.reading(path, request.settings) as portal, portal.store.reading() as session:
        shown = _shown_collections(portal, session)
        return [shown.summary(collection) for collection in shown.collections.listed()]


def collection_in(path: Path, request: CollectionsRequest) -> CollectionView:
    """Return the collection of the request's subject, with up to `limit` of its members.

    Raises `NoSuchTopicError` for an unknown subject, and `UsageError` for a portal without any.
    """
    with Portal.reading(path, request.settings) as portal, portal.store.reading() as session:
        shown = _shown_collections(portal, session)
        topic = subject_at(shown.collections.tree, request.subject or "")
        return shown.view(shown.collections.all[topic], request.limit)


def make_choices(
    path: Path, request: CollectionsRequest, now: float | None = None
) -> ChoicesResult:
    """Store the request's choices, or take the latest back; `now` is the present by default.

    Raises `UsageError` for a request that says nothing or too much, and for an unknown URL, and
    `LockedError` while another process writes the portal.
    """
    if request.undo == request.makes_choices:
        raise UsageError("Name pages to accept, reject, move, pin or clear; or use undo alone.")
    moment = time() if now is None else now
    with (
        Portal.writing(path, "lode collections", request.settings) as portal,
        portal.store.writing() as session,
    ):
        shown = _shown_collections(portal, session)
        if request.undo:
            choices = undo_choices(session, moment)
            if not choices:
                raise UsageError("You have made no choices, so there is nothing to take back.")
        else:
            requested = list(_requested_choices(shown.collections, request))
            choices = new_choices(shown.collections, requested, moment)
            add_choices(session, choices)
        made = tuple(
            ChoiceMade(choice.url, choice.kind.value, shown.name_of(choice.topic))
            for choice in choices
        )
    return ChoicesResult(undone=made) if request.undo else ChoicesResult(made)


def collections_of(portal: Portal, session: Session) -> PortalCollections:
    """Return the collections of an open portal."""
    return PortalCollections(session, portal.config, TopicTree(topic_rows.all_topics(session)))


def subject_at(tree: TopicTree, text: str) -> TopicId:
    """Return the subject with this path or number.

    Raises `NoSuchTopicError` if there is none, and `UsageError` for OTHERS and the root.
    """
    found = tree.find(path) if (path := parse_path(text)) else None
    by_number = {str(topic.id): topic for topic in tree}
    topic = found or by_number.get(text.strip()) or tree.at(path)
    if topic.is_others or topic.parent is None:
        raise UsageError(f"'{show_path(path)}' is no subject; 'lode collections DIR' lists them.")
    return topic.id


class _ShownCollections(Struct, frozen=True):
    """The collections of a portal with their subjects, as users see them."""

    collections: PortalCollections
    subjects: dict[TopicId, CollectionSubject]
    directory: str

    def name_of(self, topic: TopicId | None) -> str:
        tree = self.collections.tree
        is_there = topic is not None and any(topic == one.id for one in tree)
        return show_path(tree.path(topic)) if topic is not None and is_there else ""

    def summary(self, collection: SubjectCollection) -> CollectionSummary:
        merits = [member.merit for member in collection.members if member.merit is not None]
        state = self._state(collection)
        return CollectionSummary(
            topic=collection.topic,
            subject=self.name_of(collection.topic),
            state=state,
            members=len(collection.members),
            curated=sum(member.choice is not None for member in collection.members),
            best=max(merits, default=None),
            median=median(merits) if merits else None,
            problem=self._problem(collection, state),
            advice=self._advice(collection, state),
        )

    def view(self, collection: SubjectCollection, limit: int | None) -> CollectionView:
        members = collection.members[:limit]
        session = self.collections.session
        found_on = {url: hit.parent for url, hit in reached_hits(session).items()}
        paths = paths_to(session, members, found_on)
        return CollectionView(
            self.summary(collection),
            tuple(self._member(member, collection.topic, paths) for member in members),
        )

    def _member(
        self, member: CollectionMember, topic: TopicId, paths: dict[str, tuple[PathPage, ...]]
    ) -> MemberView:
        terms = self.collections.explain(member, topic)
        return MemberView(
            url=member.url,
            title=member.title,
            merit=member.merit,
            source=member.source.value,
            choice="" if member.choice is None else member.choice.value,
            found_on=member.parent_url if member.source is MemberSource.LINK else "",
            why=tuple(MemberTerm(term.word, term.part) for term in terms[:MAX_TERMS_SHOWN]),
            path=paths[member.url],
        )

    def _state(self, collection: SubjectCollection) -> str:
        subject = self.subjects.get(collection.topic)
        if not collection.members:
            return DROPPED if subject is None or subject.is_dropped else EMPTY
        wanted = self.collections.config.tunnel.max_members
        return THIN if len(collection.members) < THIN_SHARE * wanted else FULL

    def _problem(self, collection: SubjectCollection, state: str) -> str:
        options = self.collections.config.tunnel
        if state == DROPPED:
            subject = self.subjects.get(collection.topic)
            used = 0 if subject is None else subject.used
            return (
                f"{count(used, 'hit')} could be used, and a subject needs {options.min_hits}: "
                f"it has no centroid"
            )
        if state == EMPTY:
            return f"no page has a merit of at least {options.min_merit:g}"
        if state == THIN:
            members = count(len(collection.members), "member")
            return f"{members}, and there is room for {options.max_members}"
        return ""

    def _advice(self, collection: SubjectCollection, state: str) -> str:
        if state == FULL:
            return ""
        crawl_on = f"'lode collect {self.directory}' crawls on"
        if state == DROPPED:
            subject = shlex.quote(self.name_of(collection.topic))
            example = f"'lode topics {self.directory} example {subject} URL'"
            return f"{example} gives it a page to go by, then {crawl_on}"
        return f"{crawl_on}; a lower tunnel.min_merit lets more pages in"


def _shown_collections(portal: Portal, session: Session) -> _ShownCollections:
    collections = collections_of(portal, session)
    subjects = subjects_of(session, collections.tree, portal.config.tunnel)
    directory = shlex.quote(str(portal.path))
    if not has_collections(session):
        is_begun = any(not subject.is_dropped for subject in subjects)
        made = (
            f"'lode collect {directory}' makes them"
            if is_begun
            else f"'lode collect {directory} --subjects FILE' makes one for each subject in a file"
        )
        raise UsageError(f"{portal.path} has no collections yet; {made}.")
    return _ShownCollections(collections, {one.topic: one for one in subjects}, directory)


def _requested_choices(
    collections: PortalCollections, request: CollectionsRequest
) -> Iterator[RequestedChoice]:
    tree = collections.tree
    subject = None if request.subject is None else subject_at(tree, request.subject)
    for kind in (ChoiceKind.ACCEPT, ChoiceKind.PIN, ChoiceKind.REJECT, ChoiceKind.CLEAR):
        for url in getattr(request, kind.value):
            yield RequestedChoice(kind, _canonical(collections, url), subject)
    for move in request.move:
        topic = subject_at(tree, move.topic)
        yield RequestedChoice(ChoiceKind.MOVE, _canonical(collections, move.url), topic)


def _canonical(collections: PortalCollections, url: str) -> str:
    return address_in(collections.session, url, collections.config.urls).url
