"""Topics and examples, whichever database is behind them."""

import pytest
from msgspec.structs import replace

from motherlode.records import (
    ROOT,
    Example,
    Feedback,
    Judgement,
    Origin,
    QueueId,
    StoreError,
    Topic,
    Verdict,
)
from motherlode.store import Store
from motherlode.store.tables import frontier, ledger, pages
from motherlode.store.tables import topics as topic_rows
from support.helpers import follow
from support.store_records import count_rows, keep_one, waiting


def test_a_new_store_has_the_root_alone(store: Store) -> None:
    with store.reading() as session:
        assert topic_rows.all_topics(session) == [Topic(ROOT, None, "")]


def test_topics_are_added_renamed_and_moved(store: Store) -> None:
    with store.writing() as session:
        science = topic_rows.add_topic(session, ROOT, "Science")
        physics = topic_rows.add_topic(session, ROOT, "Physics")
        topic_rows.add_topic(session, ROOT, "OTHERS", is_others=True)
        topic_rows.rename_topic(session, physics.id, "Optics")
        topic_rows.move_topic(session, physics.id, science.id)
    with store.reading() as session:
        _, *found = topic_rows.all_topics(session)
        assert [(topic.name, topic.parent, topic.is_others) for topic in found] == [
            ("Science", ROOT, False),
            ("Optics", science.id, False),
            ("OTHERS", ROOT, True),
        ]


def test_siblings_of_one_name_are_refused(store: Store) -> None:
    with pytest.raises(StoreError), store.writing() as session:
        topic_rows.add_topic(session, ROOT, "Science")
        topic_rows.add_topic(session, ROOT, "SCIENCE")
    assert count_rows(store, "topics") == 1


def test_an_example_changes_its_origin_and_its_text_and_stays_where_it_is(store: Store) -> None:
    with store.writing() as session:
        topic = topic_rows.add_topic(session, ROOT, "Owls").id
        given = Example(topic, "http://a.example/", title="A", tags=("x",), origin=Origin.ARCHETYPE)
        topic_rows.add_examples(session, [given, Example(topic, "http://b.example/")])
        first, second = topic_rows.examples_of(session)
        topic_rows.change_example(
            session, replace(first, origin=Origin.FEEDBACK, text="owls\x00", note="!")
        )
    with store.reading() as session:
        changed = replace(first, origin=Origin.FEEDBACK, text="owls\ufffd", note="!")
        assert topic_rows.examples_of(session) == [changed, second]
    with store.writing() as session:
        topic_rows.change_example(session, first)
        assert topic_rows.examples_of(session) == [first, second]


def test_a_removed_topics_number_and_offers_are_gone_for_good(store: Store) -> None:
    with store.writing() as session:
        topic = topic_rows.add_topic(session, ROOT, "x")
        frontier.offer(session, [follow("http://a/", 0.9, topic.id)])
        topic_rows.remove_topics(session, [topic.id], ROOT, [QueueId(topic.id)])
        again = topic_rows.add_topic(session, ROOT, "y")
        assert again.id != topic.id
        frontier.offer(session, [follow("http://a/", 0.5, again.id)])
    assert waiting(store, QueueId(again.id)) == [("http://a/", 0.5)]


def test_removing_a_topic_hands_its_pages_to_its_parent(store: Store) -> None:
    with store.writing() as session:
        upper = topic_rows.add_topic(session, ROOT, "Upper")
        lower = topic_rows.add_topic(session, upper.id, "Lower")
        topic_rows.add_examples(session, [Example(lower.id, "http://a.example/")])
    page = keep_one(store, "http://p.example/", judgement=Judgement(lower.id, 0.5))
    with store.writing() as session:
        frontier.offer(session, [follow("http://q.example/", queue=lower.id)])
        ledger.give_feedback(session, Feedback(page, lower.id, Verdict.GOOD, 1.0))
        queues = [QueueId(upper.id), QueueId(lower.id)]
        topic_rows.remove_topics(session, [upper.id, lower.id], ROOT, queues)
    with store.reading() as session:
        assert [topic.id for topic in topic_rows.all_topics(session)] == [ROOT]
        assert topic_rows.examples_of(session) == []
        assert frontier.sizes(session) == {}
        assert pages.judgement_of(session, page) == Judgement(ROOT, 0.5)


def test_removing_a_topic_leaves_queues_alone_that_only_have_its_number(store: Store) -> None:
    with store.writing() as session:
        topic = topic_rows.add_topic(session, ROOT, "x")
        frontier.offer(session, [follow("http://a/", 0.9, topic.id)])
        topic_rows.remove_topics(session, [topic.id], ROOT, queues=[])
    assert waiting(store, QueueId(topic.id)) == [("http://a/", 0.9)]


def test_examples_are_kept_whole_and_once_a_topic(store: Store) -> None:
    example = Example(
        ROOT,
        "http://a.example/",
        "Title ü",
        "A note",
        ("x", "y z"),
        "trimmed",
        Origin.ARCHETYPE,
        1.25,
    )
    query = Example(ROOT, None, text="some words", origin=Origin.QUERY)
    with store.writing() as session:
        assert topic_rows.add_examples(session, [example, query]) == 2
        assert topic_rows.add_examples(session, [Example(ROOT, "http://a.example/", "other")]) == 0
        assert topic_rows.add_examples(session, []) == 0
    with store.reading() as session:
        first, second = topic_rows.examples_of(session, ROOT)
    assert (first.url, first.title, first.note, first.tags) == (
        example.url,
        "Title ü",
        "A note",
        ("x", "y z"),
    )
    assert (first.text, first.origin, first.added_at) == ("trimmed", Origin.ARCHETYPE, 1.25)
    assert (second.url, second.text) == (None, "some words")
    with store.writing() as session:
        assert topic_rows.remove_example(session, ROOT, "http://a.example/")
        assert not topic_rows.remove_example(session, ROOT, "http://a.example/")
