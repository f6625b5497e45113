"""The user's choices about collections, and what collections are made of, on both databases."""

from pathlib import Path

import pytest

from motherlode.records import (
    ROOT,
    ChoiceKind,
    CollectionChoice,
    Document,
    Fate,
    Judgement,
    LinkFlag,
    TopicId,
    UrlState,
)
from motherlode.store import Store, StoreOptions, migrations
from motherlode.store.queries.collection_rows import (
    CandidateRow,
    candidate_row,
    candidate_rows,
    document_link_rows,
    path_page_rows,
)
from motherlode.store.schema import VERSION, about
from motherlode.store.tables.collection_choices import (
    add_choices,
    choice_changes,
    standing_choices,
    undo_choices,
)
from support.store_records import as_in_version_8, keep_one, link, lose

OWLS, HERONS = TopicId(2), TopicId(3)
A, B = "http://a.test/", "http://b.test/"


def choice(
    kind: ChoiceKind,
    url: str = A,
    topic: TopicId | None = OWLS,
    former: TopicId | None = None,
    at: float = 1.0,
) -> CollectionChoice:
    return CollectionChoice(url, kind, topic, former, at)


def give(store: Store, *choices: CollectionChoice) -> None:
    with store.writing() as session:
        add_choices(session, choices)


def standing(store: Store) -> list[tuple[str, ChoiceKind]]:
    with store.reading() as session:
        return [(one.url, one.kind) for one in standing_choices(session)]


def test_the_last_choice_about_a_url_counts(store: Store) -> None:
    give(store, choice(ChoiceKind.ACCEPT), choice(ChoiceKind.PIN, B))
    give(store, choice(ChoiceKind.REJECT, topic=None, former=OWLS))
    assert standing(store) == [(B, ChoiceKind.PIN), (A, ChoiceKind.REJECT)]
    give(store, choice(ChoiceKind.CLEAR, topic=None))
    assert standing(store) == [(B, ChoiceKind.PIN)]


def test_choices_are_read_as_they_were_given(store: Store) -> None:
    given = [choice(ChoiceKind.MOVE, topic=HERONS, former=OWLS, at=7.5)]
    give(store, *given)
    with store.reading() as session:
        assert standing_choices(session) == given


def test_choices_are_taken_back_batch_by_batch_whatever_the_clock_says(store: Store) -> None:
    give(store, choice(ChoiceKind.ACCEPT, at=5.0))
    give(store, choice(ChoiceKind.REJECT, at=5.0), choice(ChoiceKind.PIN, B, at=2.0))
    with store.writing() as session:
        undone = undo_choices(session, 6.0)
    assert [(one.url, one.kind) for one in undone] == [(A, ChoiceKind.REJECT), (B, ChoiceKind.PIN)]
    assert standing(store) == [(A, ChoiceKind.ACCEPT)]
    give(store, choice(ChoiceKind.PIN))
    with store.writing() as session:
        assert [one.kind for one in undo_choices(session, 7.0)] == [ChoiceKind.PIN]
        assert [one.kind for one in undo_choices(session, 7.0)] == [ChoiceKind.ACCEPT]
        assert undo_choices(session, 7.0) == []
    assert standing(store) == []


def test_changes_name_both_subjects_and_the_time_of_an_undo(store: Store) -> None:
    give(store, choice(ChoiceKind.MOVE, topic=HERONS, former=OWLS, at=3.0))
    give(store, choice(ChoiceKind.REJECT, B, topic=None, at=4.0))
    with store.writing() as session:
        undo_choices(session, 9.0)
        changes = {change.url: (change.topics, change.at) for change in choice_changes(session)}
    assert changes == {A: (frozenset({OWLS, HERONS}), 3.0), B: (frozenset(), 9.0)}


def test_giving_no_choice_writes_nothing(store: Store) -> None:
    give(store)
    with store.reading() as session:
        assert choice_changes(session) == []


def test_a_database_of_version_7_gets_choices(
    store: Store, database: Path, options: StoreOptions
) -> None:
    as_in_version_8(store)
    with store.writing() as session:
        session.connection.exec_driver_sql("DROP TABLE collection_choices")
        session.connection.execute(about.update().values(value="7"))
    store.close()
    with Store.open(database, options, upgrade=True) as upgraded:
        give(upgraded, choice(ChoiceKind.PIN))
        assert standing(upgraded) == [(A, ChoiceKind.PIN)]
        with upgraded.reading() as session:
            assert migrations.version(session.connection) == VERSION


def judged(store: Store, url: str, score: float, topic: TopicId = OWLS, **parts: object) -> None:
    keep_one(store, url, judgement=Judgement(topic, score - 0.5, score=score), **parts)


def found(store: Store, min_score: float = 0.25) -> list[str]:
    with store.reading() as session:
        return [row.url for row in candidate_rows(session, OWLS, min_score)]


@pytest.mark.parametrize("batch", [1, 2, 200])
def test_candidates_come_best_first_in_batches_of_any_size(
    store: Store, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motherlode.store.queries.collection_rows._BATCH_ROWS", batch)
    scores = {"c": 0.3, "a": 0.9, "low": 0.2, "tie": 0.3, "edge": 0.25, "tie2": 0.3}
    for name, score in scores.items():
        judged(store, f"http://{name}.test/", score)
    judged(store, "http://other.test/", 0.9, HERONS)
    keep_one(store, "http://unscored.test/", judgement=Judgement(OWLS, 0.9))
    urls = [f"http://{name}.test/" for name in ("a", "c", "tie", "tie2", "edge")]
    assert found(store) == urls


def test_gone_pages_are_no_candidates(store: Store) -> None:
    judged(store, A, 0.9)
    judged(store, B, 0.8)
    with store.writing() as session:
        lose(session, A, Fate(UrlState.FAILED, "gone: status 404"))
    assert found(store) == [B]


def test_a_page_is_read_whatever_its_judgement(store: Store) -> None:
    page = keep_one(store, A, judgement=Judgement(ROOT, -0.5, score=0.0))
    bare = keep_one(store, B)
    with store.reading() as session:
        first, second = candidate_row(session, page), candidate_row(session, bare)
        assert candidate_row(session, max(page, bare) + 1) is None  # type: ignore[arg-type]
    assert first == CandidateRow(page, A, "Title", ROOT, 0.0, 7, b"digest", 1.5, "en", "text/html")
    assert second is not None
    assert (second.topic, second.score) == (None, None)


def test_links_to_documents_say_what_became_of_them(store: Store) -> None:
    read, broken, moved = (f"http://f.test/{name}.pdf" for name in ("read", "broken", "moved"))
    dark = "http://f.test/dark.ps"
    keep_one(store, read)
    with store.writing() as session:
        lose(session, broken, Fate(UrlState.FAILED, "gone: status 404"))
        lose(session, moved, Fate(UrlState.MOVED))
    keep_one(store, dark, document=Document(unreadable="no reader"))
    links = [link(url) for url in (read, broken, moved, dark)]
    links += [link("http://f.test/Open.PDF", "open", LinkFlag.CONTENT), link("http://f.test/page")]
    page = keep_one(store, A, *links)
    with store.reading() as session:
        rows = list(document_link_rows(session, [page], (".pdf", ".ps")))
        assert list(document_link_rows(session, [], (".pdf",))) == []
    assert [(row.url, row.is_read, row.is_broken) for row in rows] == [
        (read, True, False),
        (broken, False, True),
        (moved, True, False),
        (dark, False, False),
        ("http://f.test/Open.PDF", False, False),
    ]
    assert (rows[-1].page, rows[-1].anchor) == (page, "open")


def test_pages_on_paths_come_with_their_scores(store: Store) -> None:
    first = keep_one(store, A, judgement=Judgement(OWLS, 0.1, score=0.6))
    second = keep_one(store, B)
    with store.reading() as session:
        rows = {row.url: row for row in path_page_rows(session, {first, second})}
    assert (rows[A].page, rows[A].score, rows[A].via) == (first, 0.6, None)
    assert rows[B].score is None
