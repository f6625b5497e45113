"""Examples as they were before feedback, kept so that the feedback can be undone."""

from secrets import token_hex

from msgspec import Struct
from msgspec.structs import replace

from motherlode.records import ROOT, Example, TopicId
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.undo_records import UndoRecords

MAX_FEEDBACKS = 10  # the latest, which can be undone one after the other


class FormerExamples(Struct, frozen=True):
    """What feedback changed: examples as they were, and examples that it added.

    `given_at` is the time of its verdicts. `others` is the topic OTHERS, if the feedback made it.
    """

    given_at: float
    changed: tuple[Example, ...]
    removed: tuple[Example, ...]
    added: tuple[Example, ...]
    others: TopicId | None = None

    @property
    def count(self) -> int:
        """The number of pages that the feedback was on."""
        return len({example.url for example in (*self.changed, *self.removed)})

    def topics(self) -> set[TopicId]:
        """Return the topics that get examples back."""
        return {example.topic for example in (*self.changed, *self.removed)}


_RECORDS = UndoRecords("feedback.", FormerExamples, MAX_FEEDBACKS)


def keep_former_examples(session: Session, former: FormerExamples) -> None:
    """Keep examples before feedback changes them."""
    _RECORDS.add(session, f"{former.given_at:017.6f}-{token_hex(4)}", former)


def latest_former_examples(session: Session) -> tuple[str, FormerExamples] | None:
    """Return the id and the record of the latest feedback; None if there is none to undo."""
    for record_id in _RECORDS.ids(session)[:1]:
        former = _RECORDS.get(session, record_id)
        return None if former is None else (record_id, former)
    return None


def has_former_examples(session: Session) -> bool:
    return bool(_RECORDS.ids(session))


def restore_examples(session: Session, record_id: str, former: FormerExamples) -> None:
    """Make examples what they were before feedback, and delete its verdicts.

    An example that a user has taken out since stays out.
    """
    for example in former.added:
        topic_rows.remove_example(session, example.topic, example.url or "")
    topic_rows.add_examples(session, former.removed)
    ids = {(example.topic, example.url): example.id for example in topic_rows.examples_of(session)}
    for example in former.changed:
        if (example.topic, example.url) in ids:
            restored = replace(example, id=ids[example.topic, example.url])
            topic_rows.change_example(session, restored)
    if former.others is not None and not topic_rows.examples_of(session, former.others):
        topic_rows.remove_topics(session, [former.others], ROOT, ())  # nothing waits for OTHERS
    ledger.take_back_feedback(session, former.given_at)
    _RECORDS.remove(session, record_id)
