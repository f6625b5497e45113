"""A user's feedback on archetypes, between the phases of a crawl or at any other time (SPEC B15).

An archetype that a user accepts or trims is the user's own example from then on, and is never
dropped. A rejected one is no example any more, and never becomes one by itself again. Changes are
computed first and saved later, so that their effect can be shown without saving anything.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.text.terms import bag_of
from motherlode.policies.bingo.archetype_list import archetype_examples, blocks_of, is_within
from motherlode.portal.config import Config
from motherlode.records import (
    CHOSEN_ORIGINS,
    TOPIC_MODEL,
    BadInputError,
    Example,
    ExampleId,
    Feedback,
    Origin,
    Topic,
    TopicId,
    UsageError,
    Verdict,
)
from motherlode.store import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_examples import (
    FormerExamples,
    keep_former_examples,
    latest_former_examples,
    restore_examples,
)
from motherlode.topics import TopicTree
from motherlode.training.feedback.marks import rejected_archetypes
from motherlode.training.feedback.review import Effect
from motherlode.training.training_document import page_at_url
from motherlode.training.user_retraining import RetrainingOptions, TrainingSteps

ALL = "all"


class RequestedFeedback(Struct, frozen=True):
    """What a user requests: URLs to accept and to reject, or `all`, to move and to trim.

    `move` has the target topics, `trim` the numbers of the blocks to keep; none keeps the page.
    """

    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    move: tuple[tuple[str, Topic], ...] = ()
    trim: tuple[tuple[str, tuple[int, ...]], ...] = ()
    topic: TopicId | None = None  # of this topic alone
    note: str = ""


class FeedbackChanges(Struct, frozen=True):
    """The changes of examples that feedback leads to, and the verdicts to record.

    `former` are the changed examples as they were.
    """

    changed: tuple[Example, ...] = ()
    former: tuple[Example, ...] = ()
    removed: tuple[Example, ...] = ()
    added: tuple[Example, ...] = ()
    verdicts: tuple[Feedback, ...] = ()
    given_at: float = 0.0


def changes_from(
    session: Session, tree: TopicTree, requested: RequestedFeedback, now: float
) -> FeedbackChanges:
    """Return the changes that feedback leads to.

    Raises `UsageError` for a URL that is no archetype, or that is requested in two ways.
    """
    _check_contradictions(requested)
    examples = topic_rows.examples_of(session)
    candidates = archetype_examples(examples, tree, requested.topic)
    other_urls = {url for url, _ in (*requested.move, *requested.trim)}
    within = [example for example in examples if is_within(example, tree, requested.topic)]
    trimmed = [
        _trimmed(session, example, numbers)
        for url, numbers in requested.trim
        for example in _examples_at(url, within, examples)
    ]
    rejected_urls, accepted_urls = set(requested.reject), set(requested.accept)
    accepted = _chosen(requested.accept, candidates, examples, other_urls | rejected_urls)
    rejected = _chosen(requested.reject, candidates, examples, other_urls | accepted_urls)
    moved = [
        (example, _check_target(example, topic))
        for url, topic in requested.move
        for example in _examples_at(url, candidates, examples)
    ]
    added = [
        replace(
            example,
            topic=topic.id,
            origin=Origin.FEEDBACK,
            id=ExampleId(0),
        )
        for example, topic in moved
    ]
    removed = [*rejected, *(example for example, _ in moved)]
    good = [*accepted, *trimmed, *added]
    changed = (*(replace(example, origin=Origin.FEEDBACK) for example in accepted), *trimmed)
    changed_ids = {example.id for example in changed}
    return FeedbackChanges(
        changed=changed,
        former=tuple(example for example in examples if example.id in changed_ids),
        removed=tuple(removed),
        added=tuple(added),
        verdicts=(
            *_verdicts(session, removed, Verdict.BAD, requested, now),
            *_verdicts(session, good, Verdict.GOOD, requested, now),
        ),
        given_at=now,
    )


def save_changes(
    session: Session, changes: FeedbackChanges, new_others: TopicId | None = None
) -> None:
    """Save changes of examples, and what undoes them; the next training learns from them.

    `new_others` is the topic OTHERS, if it was made for these changes.
    """
    former = FormerExamples(
        changes.given_at, changes.former, changes.removed, changes.added, new_others
    )
    if former.count:
        keep_former_examples(session, former)
    for example in changes.removed:
        topic_rows.remove_example(session, example.topic, example.url or "")
    for example in changes.changed:
        topic_rows.change_example(session, example)
    topic_rows.add_examples(session, changes.added)
    for verdict in changes.verdicts:
        ledger.give_feedback(session, verdict)


def undo_changes(session: Session, tree: TopicTree) -> int:
    """Undo the latest feedback, and return the number of pages that it was on.

    A later crawl does not matter: it may drop archetypes, but never an accepted one.
    Raises `UsageError` if there is no feedback, or a topic that it was on is gone.
    """
    latest = latest_former_examples(session)
    if latest is None:
        raise UsageError("No feedback was given, so there is nothing to take back.")
    record_id, former = latest
    if former.topics() - {topic.id for topic in tree}:
        raise UsageError(
            "A topic of the latest feedback was removed since, so the feedback cannot be taken "
            "back; 'lode topics DIR restore' brings the topic back."
        )
    restore_examples(session, record_id, former)
    return former.count


def examples_after(examples: Iterable[Example], changes: FeedbackChanges) -> list[Example]:
    """Return the examples as they would be after the changes."""
    removed = {example.id for example in changes.removed}
    changed = {example.id: example for example in changes.changed}
    kept = [example for example in examples if example.id not in removed]
    return [*(changed.get(example.id, example) for example in kept), *changes.added]


def options_after(session: Session, tree: TopicTree, changes: FeedbackChanges) -> RetrainingOptions:
    """Return what a training would learn from if the changes were saved."""
    verdicts = {
        (feedback.topic, feedback.page): feedback
        for feedback in (*rejected_archetypes(session, tree), *changes.verdicts)
    }
    return RetrainingOptions(
        examples=tuple(examples_after(topic_rows.examples_of(session), changes)),
        rejected=tuple(given for given in verdicts.values() if given.verdict is Verdict.BAD),
    )


def _check_contradictions(requested: RequestedFeedback) -> None:
    """Raise `UsageError` if a URL is requested in two ways; `all` leaves out the named ones."""
    actions = [
        *((url, "accepted") for url in set(requested.accept) - {ALL}),
        *((url, "rejected") for url in set(requested.reject) - {ALL}),
        *((url, "moved") for url, _ in requested.move),
    ]
    trimmed = {url for url, _ in requested.trim}
    action_of: dict[str, str] = {}
    for url, action in actions:
        first = action_of.setdefault(url, action)
        if first != action or (url in trimmed and action != "accepted"):
            second = first if first != action else "trimmed"
            raise UsageError(f"{url} cannot be {action} and {second} at once.")
    if ALL in requested.accept and ALL in requested.reject:
        raise UsageError("All of them cannot be accepted and rejected at once.")


def _chosen(
    urls: Sequence[str],
    candidates: Sequence[Example],
    examples: Sequence[Example],
    other_urls: Collection[str],
) -> list[Example]:
    """Return the examples at URLs; `all` means the archetypes without any other feedback."""
    chosen = {
        example.id: example
        for url in urls
        if url != ALL
        for example in _examples_at(url, candidates, examples)
    }
    if ALL in urls:
        chosen |= {
            example.id: example
            for example in candidates
            if example.origin is Origin.ARCHETYPE and example.url not in other_urls
        }
    return list(chosen.values())


def _examples_at(
    url: str,
    candidates: Sequence[Example],
    examples: Sequence[Example],
) -> list[Example]:
    at_url = [example for example in candidates if example.url == url]
    if at_url:
        return at_url
    others = [example for example in examples if example.url == url]
    if any(example.origin not in CHOSEN_ORIGINS for example in others):
        raise UsageError(
            f"{url} is an example that you gave yourself; "
            "'lode topics DIR example TOPIC URL --remove' takes it out."
        )
    if others:
        raise UsageError(f"{url} is an archetype of another topic.")
    raise UsageError(f"{url} is no archetype; 'lode feedback DIR' lists them.")


def _check_target(example: Example, topic: Topic) -> Topic:
    if topic.parent is None:
        raise UsageError("The root has no examples of its own; name a topic below it, or OTHERS.")
    if topic.id == example.topic:
        raise UsageError(f"{example.url} is there already; --accept keeps it there.")
    return topic


def _trimmed(session: Session, example: Example, numbers: tuple[int, ...]) -> Example:
    """Return the example with the text of these blocks alone; an archetype becomes the user's."""
    page, blocks = blocks_of(session, example.url or "")
    origin = Origin.FEEDBACK if example.origin is Origin.ARCHETYPE else example.origin
    if not numbers:
        return replace(example, text=None, origin=origin)
    if numbers[-1] > len(blocks):
        raise UsageError(
            f"{example.url} has {len(blocks):,} blocks; there is no block {numbers[-1]:,}.",
        )
    text = "\n".join(blocks[number - 1].text for number in numbers)
    if not len(bag_of(text, page.language)):
        raise UsageError("There is no word in these blocks that tells anything; choose others.")
    return replace(example, text=text, origin=origin)


def _verdicts(
    session: Session,
    examples: Iterable[Example],
    verdict: Verdict,
    requested: RequestedFeedback,
    now: float,
) -> Iterable[Feedback]:
    for example in examples:
        page = page_at_url(session, example.url or "")
        if page is not None:
            yield Feedback(page.id, example.topic, verdict, now, requested.note)


def effect_of_changes(
    session: Session,
    tree: TopicTree,
    config: Config,
    changes: FeedbackChanges,
    training: TrainingSteps,
) -> Effect:
    """Return what training on the changed examples would change; nothing is saved."""
    if ledger.latest_model(session, TOPIC_MODEL) is None:
        raise BadInputError(
            "Nothing was learned yet that could be compared; 'lode train DIR' does so.",
        )
    options = options_after(session, tree, changes)
    return training.retrain(session, tree, config, options).effect
