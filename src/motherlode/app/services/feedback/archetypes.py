"""Feedback on archetypes: accept, reject, move or trim them (SPEC B15)."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.requests.feedback import MAX_NOTE_CHARS, FeedbackRequest
from motherlode.app.services.addresses import address_in
from motherlode.app.services.judgement import latest_model_of
from motherlode.app.text import parse_numbers
from motherlode.policies.bingo.archetype_list import (
    Archetype,
    Block,
    blocks_of,
    list_archetypes,
)
from motherlode.policies.bingo.feedback import (
    ALL,
    FeedbackChanges,
    RequestedFeedback,
    changes_from,
    effect_of_changes,
    save_changes,
    undo_changes,
)
from motherlode.policies.kind import training_of
from motherlode.portal import Portal
from motherlode.records import ROOT, TOPIC_MODEL, Origin, Topic, TopicId, UsageError
from motherlode.store import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import OTHERS, TopicTree, parse_path, show_path
from motherlode.training.feedback.review import Effect
from motherlode.urls import UrlRules

NOTHING = "nothing"


class FeedbackResult(Struct, frozen=True):
    """The changes of feedback, stored or tried. `effect` holds the changes of a retraining.

    `undone`: the number of pages whose feedback was taken back.
    """

    accepted: list[str]
    rejected: list[str]
    moved: dict[str, str]
    trimmed: list[str]
    kept: bool
    effect: Effect | None = None
    undone: int = 0

    @property
    def summary(self) -> str:
        """The counts, such as `1 accepted, 2 rejected`, or `nothing`."""
        counts = {
            "accepted": len(self.accepted),
            "rejected": len(self.rejected),
            "moved": len(self.moved),
            "trimmed": len(self.trimmed),
        }
        return (
            ", ".join(f"{number:,} {change}" for change, number in counts.items() if number)
            or NOTHING
        )


def store_feedback(path: Path, request: FeedbackRequest) -> FeedbackResult:
    """Store feedback, or take back the latest.

    Raises `LockedError` while another process writes the portal.
    """
    if request.undo and request.changes_anything:
        raise UsageError("undo takes back the latest feedback and does nothing else.")
    with (
        Portal.writing(path, "lode feedback", request.settings) as portal,
        portal.store.writing() as session,
    ):
        training_of(portal.config.crawl.policy)  # which learns from the feedback
        if request.undo:
            undone = undo_changes(session, TopicTree(topic_rows.all_topics(session)))
            return FeedbackResult([], [], {}, [], kept=True, undone=undone)
        others: TopicId | None = None
        if _needs_others(request, portal.tree()):
            others = topic_rows.add_topic(session, ROOT, OTHERS, is_others=True).id
        tree = TopicTree(topic_rows.all_topics(session))
        changes = changes_from(
            session, tree, _resolve(request, session, tree, portal.config.urls), time()
        )
        save_changes(session, changes, others)
    return _result(changes, tree, kept=True)


def try_feedback(path: Path, request: FeedbackRequest) -> FeedbackResult:
    """Return what feedback would change; nothing is stored."""
    with Portal.reading(path, request.settings) as portal, portal.store.reading() as session:
        training = training_of(portal.config.crawl.policy)
        latest_model_of(portal)  # there has to be one to compare with
        tree = portal.tree()
        if _needs_others(request, tree):
            others = TopicId(1 + max(topic.id for topic in topic_rows.all_topics(session)))
            tree = TopicTree(
                [*topic_rows.all_topics(session), Topic(others, ROOT, OTHERS, is_others=True)]
            )
        changes = changes_from(
            session, tree, _resolve(request, session, tree, portal.config.urls), time()
        )
        effect = effect_of_changes(session, tree, portal.config, changes, training)
    return _result(changes, tree, kept=False, effect=effect)


def _needs_others(request: FeedbackRequest, tree: TopicTree) -> bool:
    """Return whether a page is moved to OTHERS while the portal has no such topic."""
    goes_there = any(parse_path(move.topic) == (OTHERS,) for move in request.move)
    return goes_there and not any(topic.is_others and topic.parent == ROOT for topic in tree)


def _resolve(
    request: FeedbackRequest, session: Session, tree: TopicTree, rules: UrlRules
) -> RequestedFeedback:
    """Return a request with the pages and topics of a portal that it means."""

    def url_of(text: str) -> str:
        return ALL if text == ALL else address_in(session, text, rules).url

    trim = (
        () if request.trim is None else ((url_of(request.trim), blocks_in(request.blocks or "")),)
    )
    moves = tuple(
        (address_in(session, move.url, rules).url, tree.at(parse_path(move.topic)))
        for move in request.move
    )
    return RequestedFeedback(
        tuple(map(url_of, request.accept)),
        tuple(map(url_of, request.reject)),
        moves,
        trim,
        topic_number(request.topic, tree),
        request.note.encode(errors="replace").decode()[:MAX_NOTE_CHARS],
    )


class Candidates(Struct, frozen=True):
    """The archetypes.

    `waits_for_feedback`: a crawl has paused, and goes on with those that are left.
    """

    waits_for_feedback: bool
    archetypes: list[Archetype]


class PageBlocks(Struct, frozen=True):
    """A page in numbered blocks, for a user who wants to trim it."""

    url: str
    title: str
    blocks: list[Block]


def archetypes_in(directory: Path, topic: str | None, overrides: Sequence[str] = ()) -> Candidates:
    """Return the archetypes of a portal, or of one topic and its subtopics."""
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tree = portal.tree()
        return Candidates(
            waits_for_feedback(session), list_archetypes(session, tree, topic_number(topic, tree))
        )


def check_trained(directory: Path) -> None:
    """Raise `UsageError` if the portal's policy does not learn from archetypes."""
    with Portal.reading(directory) as portal:
        training_of(portal.config.crawl.policy)


def page_blocks(directory: Path, url: str, overrides: Sequence[str] = ()) -> PageBlocks:
    """Return the blocks of a page of the portal."""
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        page, blocks = blocks_of(session, address_in(session, url, portal.config.urls).url)
    return PageBlocks(page.page.url, page.title, blocks)


def waits_for_feedback(session: Session) -> bool:
    """Return whether a crawl has finished learning, and waits for feedback."""
    model = ledger.latest_model(session, TOPIC_MODEL)
    crawl = {} if model is None else model.report.get("crawl", {})
    return bool(crawl.get("learned")) and crawl.get("phase") == "learning"


def topic_number(topic: str | None, tree: TopicTree) -> TopicId | None:
    return None if topic is None else tree.at(parse_path(topic)).id


def blocks_in(text: str) -> tuple[int, ...]:
    """Return the numbers of a list of blocks, in rising order; none means all blocks.

    >>> blocks_in("3-5, 9"), blocks_in("all")
    ((3, 4, 5, 9), ())
    """
    if text.strip() == ALL:
        return ()
    return parse_numbers(text, "--blocks")


def block_list(numbers: Iterable[int]) -> str:
    """Return numbers as a list with ranges.

    >>> block_list([9, 3, 4, 5, 11]), block_list([])
    ('3-5,9,11', '')
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _result(
    changes: FeedbackChanges, tree: TopicTree, *, kept: bool, effect: Effect | None = None
) -> FeedbackResult:
    moved = {example.url or "": show_path(tree.path(example.topic)) for example in changes.added}
    accepted = [
        example
        for example in changes.changed
        if example.text is None and example.origin is Origin.FEEDBACK
    ]
    return FeedbackResult(
        accepted=[example.url or "" for example in accepted],
        rejected=[example.url or "" for example in changes.removed if example.url not in moved],
        moved=moved,
        trimmed=[example.url or "" for example in changes.changed if example.text is not None],
        kept=kept,
        effect=effect,
    )
