"""Judgements: kept, replaced, and pages found again by them."""

import pytest

from motherlode.records import ROOT, Document, Judgement, ModelId, PageId, TopicId, UrlId
from motherlode.store import Store
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import (
    Judged,
    counts_by_topic,
    judged_for,
    judgements_of,
    keep_judgements,
    off_topic,
    surest_on,
    vectors_in,
)
from motherlode.store.tables.pages import judgement_of, known_url, page_numbered, url_numbered
from motherlode.urls import address
from support.store_records import A, B, keep_one

C = TopicId(4)


def keep(store: Store, name: str, topic: TopicId = A, sure: float = 0.5) -> PageId:
    return keep_one(store, f"http://{name}/", judgement=Judgement(topic, sure))


def names(found: list[Judged]) -> list[str]:
    return [one.url.removeprefix("http://").rstrip("/") for one in found]


def test_what_is_thought_now_takes_the_place_of_what_was_thought(store: Store) -> None:
    one, two = keep(store, "one"), keep_one(store, "http://two/")
    with store.writing() as session:
        said = [(two, Judgement(B, -0.25, ModelId(7))), (one, Judgement(C, 1.5, ModelId(7)))]
        keep_judgements(session, said)
        keep_judgements(session, [])
    with store.reading() as session:
        assert judgement_of(session, one) == Judgement(C, 1.5, ModelId(7))
        assert judgement_of(session, two) == Judgement(B, -0.25, ModelId(7))


def test_the_last_word_on_a_page_counts(store: Store) -> None:
    one = keep(store, "one")
    with store.writing() as session:
        keep_judgements(session, [(one, Judgement(B, 0.1)), (one, Judgement(C, 0.2, ModelId(1)))])
    with store.reading() as session:
        assert judgement_of(session, one) == Judgement(C, 0.2, ModelId(1))


def test_judgements_without_a_model_are_judgements(store: Store) -> None:
    pages = [keep(store, f"p{number}") for number in range(3)]
    with store.writing() as session:
        keep_judgements(session, [(page, Judgement(B, 0.5)) for page in reversed(pages)])
    with store.reading() as session:
        assert judgements_of(session, pages) == dict.fromkeys(pages, Judgement(B, 0.5))


def test_judgements_of_some_pages(store: Store) -> None:
    one, two = keep(store, "one", B, 0.75), keep_one(store, "http://two/")
    with store.reading() as session:
        assert judgements_of(session, [one, two, PageId(99)]) == {one: Judgement(B, 0.75)}
        assert judgements_of(session, []) == {}


def test_pages_on_topics_come_the_surest_first(store: Store) -> None:
    for name, topic, sure in (
        ("b", A, 0.5),
        ("a", A, 0.9),
        ("c", B, 0.7),
        ("no", A, -0.5),
        ("zero", A, 0.0),
        ("else", C, 2.0),
        ("tie", A, 0.5),
    ):
        keep(store, name, topic, sure)
    with store.reading() as session:
        assert names(judged_for(session, [A, B], 10)) == ["a", "c", "b", "tie"]
        assert names(judged_for(session, {A, B}, 2)) == ["a", "c"]
        assert judged_for(session, [], 10) == []
        assert judged_for(session, [TopicId(99)], 10) == []
        (found,) = judged_for(session, [C], 1)
        assert (found.topic, found.confidence, found.title) == (C, 2.0, "Title")
        known = known_url(session, address("http://else/").key)
        assert known is not None
        assert found.url_id == known.id


@pytest.mark.parametrize("at_once", [1, 2, 500])
def test_every_page_of_a_topic_comes_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("motherlode.store.tables.judgements._AT_ONCE", at_once)
    sure = {
        keep(store, f"a{at}", A, value): value
        for at, value in enumerate((0.5, 0.9, 0.5, 0.0, 0.1, 0.5))
    }
    keep(store, "else", B, 0.7)
    wanted = sorted((page for page in sure if sure[page] > 0), key=lambda page: (-sure[page], page))
    with store.reading() as session:
        parts = list(surest_on(session, A))
        found = [(page, judgement.confidence) for part in parts for page, judgement in part]
        assert found == [(page, sure[page]) for page in wanted]
        assert max(map(len, parts)) <= at_once
        assert list(surest_on(session, C)) == []


def test_pages_are_counted_by_topic(store: Store) -> None:
    for name, topic, sure in (
        ("a", A, 0.5),
        ("b", A, 0.1),
        ("c", B, 0.5),
        ("d", B, -0.5),
        ("e", C, 0.0),
    ):
        keep(store, name, topic, sure)
    keep_one(store, "http://unjudged/")
    with store.reading() as session:
        assert counts_by_topic(session) == {A: 2, B: 1}


def test_a_page_of_a_removed_topic_is_its_parents(store: Store) -> None:
    with store.writing() as session:
        birds = topic_rows.add_topic(session, ROOT, "birds")
        owls = topic_rows.add_topic(session, birds.id, "owls")
    keep(store, "a", owls.id, 0.5)
    with store.writing() as session:
        topic_rows.remove_topics(session, [owls.id], birds.id, [])
    with store.reading() as session:
        assert names(judged_for(session, [birds.id], 10)) == ["a"]
        assert judged_for(session, [owls.id], 10) == []


@pytest.mark.parametrize("at_once", [2, 500])
def test_every_vector_is_read_in_order(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("motherlode.store.tables.judgements._AT_ONCE", at_once)
    pages = [
        keep_one(
            store,
            f"http://p{number}/",
            document=Document(vectors={"terms": bytes([number]), "pairs": b"p"}),
        )
        for number in range(5)
    ]
    keep_one(store, "http://without/", document=Document(vectors={}))
    with store.reading() as session:
        batches = list(vectors_in(session, "terms"))
        assert [one for batch in batches for one in batch] == [
            (page, bytes([number])) for number, page in enumerate(pages)
        ]
        assert [len(batch) for batch in batches] == ([2, 2, 1] if at_once == 2 else [5])
        assert list(vectors_in(session, "anchors")) == []
        even = [page for batch in vectors_in(session, "terms", 2) for page, _ in batch]
        assert even == [page for page in pages if page % 2 == 0]


def test_judgements_may_be_kept_while_vectors_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motherlode.store.tables.judgements._AT_ONCE", 2)
    pages = [keep_one(store, f"http://p{number}/") for number in range(5)]
    with store.writing() as session:
        for batch in vectors_in(session, "terms"):
            keep_judgements(session, [(page, Judgement(B, 0.5)) for page, _ in batch])
    with store.reading() as session:
        assert counts_by_topic(session) == {B: len(pages)}


def test_urls_and_pages_are_found_by_their_numbers(store: Store) -> None:
    number = keep_one(store, "http://a/")
    with store.reading() as session:
        page = page_numbered(session, number)
        assert page is not None
        assert (page.id, page.page.url, page.title) == (number, "http://a/", "Title")
        known = known_url(session, address("http://a/").key)
        assert known is not None
        assert url_numbered(session, known.id) == known
        assert page_numbered(session, PageId(99)) is None
        assert url_numbered(session, UrlId(99)) is None


def test_pages_on_no_topic_come_by_their_margins_and_are_never_accepted(store: Store) -> None:
    keep(store, "near", ROOT, -0.1)
    keep(store, "far", ROOT, -3.0)
    keep(store, "liked", ROOT, 0.5)  # by a policy without topics
    keep(store, "on", A, 0.5)
    with store.reading() as session:
        assert names(off_topic(session, 10)) == ["liked", "near", "far"]
        assert names(off_topic(session, 10, above=-1.0)) == ["liked", "near"]
        assert names(off_topic(session, 10, above=-1.0, at_most=0.0)) == ["near"]
        assert not any(page.is_accepted for page in off_topic(session, 10))
        assert judged_for(session, [ROOT], 10) == []
