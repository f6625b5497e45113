"""What a person said of pages, on both databases."""

from pathlib import Path

from motherlode.records import Mark, PageId, TopicId, Word
from motherlode.store import Store, StoreOptions, migrations
from motherlode.store.schema import VERSION, about
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.marks import give_marks, standing_marks, take_back
from support.store_records import as_in_version_5, keep_one

OWL, HERON = "http://owl.test/", "http://heron.test/"


def topic(store: Store, name: str) -> TopicId:
    with store.writing() as session:
        return topic_rows.add_topic(session, TopicId(1), name).id


def give(store: Store, *marks: Mark) -> None:
    with store.writing() as session:
        give_marks(session, marks)


def standing(store: Store) -> list[tuple[str, TopicId, Word]]:
    with store.reading() as session:
        return [(one.url, one.mark.topic, one.mark.word) for one in standing_marks(session)]


def test_the_last_word_on_a_page_and_a_topic_counts(store: Store) -> None:
    owls, birds = topic(store, "owls"), topic(store, "birds")
    owl, heron = keep_one(store, OWL), keep_one(store, HERON)
    give(
        store, Mark(owl, owls, Word.BAD, 1.0), Mark(heron, owls, Word.BAD, 1.0, "no\x00 owl \udc80")
    )
    give(store, Mark(owl, birds, Word.GOOD, 2.0), Mark(owl, owls, Word.GOOD, 2.0))
    assert standing(store) == [
        (HERON, owls, Word.BAD),
        (OWL, birds, Word.GOOD),
        (OWL, owls, Word.GOOD),
    ]
    with store.reading() as session:
        first = standing_marks(session)[0]
    assert (first.mark.page, first.mark.given_at, first.title) == (heron, 1.0, "Title")
    assert first.mark.note.startswith("no")
    give(store, Mark(heron, owls, Word.NOTHING, 3.0))
    assert HERON not in [url for url, _, _ in standing(store)]


def test_what_was_said_last_is_taken_back_together(store: Store) -> None:
    owls = topic(store, "owls")
    owl, heron = keep_one(store, OWL), keep_one(store, HERON)
    give(store, Mark(owl, owls, Word.BAD, 5.0))
    give(
        store, Mark(owl, owls, Word.GOOD, 2.0), Mark(heron, owls, Word.DROPPED, 2.0)
    )  # a clock went back
    with store.writing() as session:
        assert take_back(session) == 2
    assert standing(store) == [(OWL, owls, Word.BAD)]
    with store.writing() as session:
        assert (take_back(session), take_back(session)) == (1, 0)


def test_marks_go_with_their_topic(store: Store) -> None:
    owls = topic(store, "owls")
    give(store, Mark(keep_one(store, OWL), owls, Word.GOOD, 1.0))
    with store.writing() as session:
        topic_rows.remove_topics(session, [owls], TopicId(1), [])
    assert standing(store) == []


def test_a_database_of_version_2_gets_marks(
    store: Store, database: Path, options: StoreOptions
) -> None:
    owl = keep_one(store, OWL)
    as_in_version_5(store)
    with store.writing() as session:
        session.connection.exec_driver_sql("DROP TABLE marks")
        session.connection.exec_driver_sql("ALTER TABLE hosts DROP COLUMN aliases")
        session.connection.execute(about.update().values(value="2"))
    store.close()
    with Store.open(database, options, upgrade=True) as upgraded:
        with upgraded.reading() as session:
            assert migrations.version(session.connection) == VERSION
        give(upgraded, Mark(PageId(owl), TopicId(1), Word.BAD, 1.0))
        assert standing(upgraded) == [(OWL, TopicId(1), Word.BAD)]
