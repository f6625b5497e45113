"""What was gathered, read page by page; the same in both databases."""

import pytest

from motherlode.records import ROOT, Judgement, Outcome, PageId, Redirect
from motherlode.store import Store
from motherlode.store.queries import export_rows
from motherlode.store.queries.export_rows import (
    GatheredLink,
    gathered_edges,
    gathered_links,
    text_or_nothing,
)
from motherlode.store.tables import outcomes
from motherlode.urls import address
from support.store_records import A, B, keep_one, link, take


def keep(store: Store, url: str, *targets: str, **parts: object) -> PageId:
    return keep_one(store, url, *(link(target, f"to {target}") for target in targets), **parts)


def urls_of(store: Store, topics: list[int] | None = None) -> list[str]:
    with store.reading() as session:
        return [one.url for one in export_rows.gathered(session, topics)]  # type: ignore[arg-type]


def test_pages_come_in_order_whoever_judged_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, "http://one/", judgement=Judgement(A, 0.5))
    keep(store, "http://two/")
    keep(store, "http://three/", judgement=Judgement(B, 0.25))
    keep(store, "http://four/", judgement=Judgement(B, -0.25))
    keep(store, "http://five/", judgement=Judgement(ROOT, -0.5))
    every = ["http://one/", "http://two/", "http://three/", "http://four/", "http://five/"]
    for at_once in (1, 2, 5, 200):
        monkeypatch.setattr(export_rows, "_AT_ONCE", at_once)
        assert urls_of(store) == every
        assert urls_of(store, [B]) == ["http://three/"]
        assert urls_of(store, [A, B]) == ["http://one/", "http://three/"]
        assert urls_of(store, []) == []


def test_a_page_has_what_is_known_of_it(store: Store) -> None:
    page = keep(store, "http://one/", judgement=Judgement(B, 0.25))
    with store.reading() as session:
        (one,) = export_rows.gathered(session)
        assert text_or_nothing(session, page) == "Some text"
        assert text_or_nothing(session, PageId(99)) == ""
    assert (one.id, one.title, one.language, one.mime, one.status) == (
        page,
        "Title",
        "en",
        "text/html",
        200,
    )
    assert (one.digest, one.size, one.fetched_at, one.gone, one.archived) == (
        b"digest",
        10,
        1.5,
        False,
        None,
    )
    assert one.judgement == Judgement(B, 0.25)


def test_links_are_those_of_the_chosen_pages(store: Store) -> None:
    one = keep(store, "http://one/", "http://b/", "http://a/", judgement=Judgement(A, 0.5))
    keep(store, "http://two/", "http://a/", judgement=Judgement(B, 0.5))
    with store.reading() as session:
        assert list(gathered_links(session, [A])) == [
            GatheredLink(one, 0, "http://b/", "to http://b/", 0),
            GatheredLink(one, 1, "http://a/", "to http://a/", 0),
        ]
        assert len(list(gathered_links(session))) == 3


def test_edges_join_chosen_pages_by_whatever_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = keep(store, "http://one/", "http://one/", "http://old/", "http://two/", "http://never/")
    two = keep(store, "http://two/", "http://one/", "http://three/", judgement=Judgement(B, 0.5))
    three = keep(store, "http://three/", "http://two/", judgement=Judgement(B, 0.5))
    old, new = address("http://old/"), address("http://three/")
    with store.writing() as session:
        hop = Redirect(old.url, old.key, new.url, new.key, 301)
        outcomes.keep(session, [Outcome(take(session, old.url), redirects=(hop,))])
    for at_once in (1, 200):
        monkeypatch.setattr(export_rows, "_AT_ONCE", at_once)
        with store.reading() as session:
            assert list(gathered_edges(session)) == [
                (one, two),
                (one, three),
                (two, one),
                (two, three),
                (three, two),
            ]
            assert list(gathered_edges(session, [B])) == [(two, three), (three, two)]
