"""Topics that were removed and come back, whichever database is behind them."""

from motherlode.records import (
    ROOT,
    Example,
    Feedback,
    Judgement,
    Mark,
    Model,
    ModelId,
    Origin,
    PageId,
    QueueId,
    Topic,
    Verdict,
    Word,
)
from motherlode.store import Session, Store
from motherlode.store.tables import frontier, ledger, pages
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.marks import give_marks, standing_marks
from motherlode.store.tables.removed_topics import KEPT, note_removal, removal_of, removals, restore
from support.helpers import follow
from support.store_records import count_rows, keep_one, waiting


def planted(store: Store) -> tuple[Topic, Topic, PageId]:
    """A topic below another, with everything that a topic can have."""
    with store.writing() as session:
        upper = topic_rows.add_topic(session, ROOT, "Upper ü")
        lower = topic_rows.add_topic(session, upper.id, "Lower")
        example = Example(
            lower.id, "http://a/", "T", "note", ("x", "y"), "text", Origin.FEEDBACK, 1.5
        )
        topic_rows.add_examples(session, [Example(upper.id, None, text="words"), example])
    page = keep_one(store, "http://p.example/", judgement=Judgement(lower.id, 0.5))
    with store.writing() as session:
        frontier.offer(session, [follow("http://q.example/", 0.7, lower.id)])
        ledger.give_feedback(session, Feedback(page, lower.id, Verdict.GOOD, 1.0, "why"))
        give_marks(session, [Mark(page, lower.id, Word.GOOD, 2.0)])
    return upper, lower, page


def remove(session: Session, upper: Topic, lower: Topic) -> str:
    queues = [QueueId(upper.id), QueueId(lower.id)]
    removal = note_removal(session, [upper.id, lower.id], [upper.name], queues, 3.0)
    topic_rows.remove_topics(session, [upper.id, lower.id], ROOT, queues)
    return removal.id


def bare(session: Session) -> list[tuple[object, ...]]:
    """Examples without their numbers, which are new."""
    return [
        (one.topic, one.url, one.text, one.tags, one.origin)
        for one in topic_rows.examples_of(session)
    ]


def test_what_was_removed_comes_back_with_all_that_it_had(store: Store) -> None:
    upper, lower, page = planted(store)
    with store.reading() as session:
        before = bare(session)
    with store.writing() as session:
        number = remove(session, upper, lower)
        found = removal_of(session, number)
        assert found is not None
        assert (found.path, found.parent, found.topics, found.examples) == ("Upper ü", ROOT, 2, 2)
    with store.writing() as session:
        restore(session, found, ROOT)
    with store.reading() as session:
        assert topic_rows.all_topics(session)[1:] == [upper, lower]
        assert bare(session) == before
        assert pages.judgement_of(session, page) == Judgement(lower.id, 0.5)
        assert [one.note for one in ledger.feedback_on(session, lower.id)] == ["why"]
        assert [one.mark.topic for one in standing_marks(session)] == [lower.id]
        assert removals(session) == []
    assert waiting(store, QueueId(lower.id)) == [("http://q.example/", 0.7)]


def test_what_another_model_has_judged_since_stays_where_it_is(store: Store) -> None:
    upper, lower, page = planted(store)
    with store.writing() as session:
        number = remove(session, upper, lower)
        ledger.keep_model(session, Model(ModelId(0), "topics", 1, 4.0, b"", {}))
        found = removal_of(session, number)
        assert found is not None
        restore(session, found, ROOT)
        assert pages.judgement_of(session, page) == Judgement(ROOT, 0.5)


def test_only_the_last_few_removals_are_kept(store: Store) -> None:
    for turn in range(KEPT + 2):
        with store.writing() as session:
            topic = topic_rows.add_topic(session, ROOT, f"t{turn}")
            note_removal(session, [topic.id], [topic.name], [], float(turn))
            topic_rows.remove_topics(session, [topic.id], ROOT, [])
    with store.reading() as session:
        assert [one.path for one in removals(session)] == [
            f"t{turn}" for turn in range(KEPT + 1, 1, -1)
        ]
        assert removal_of(session, "nothing") is None
    assert count_rows(store, "about") == KEPT + 1
