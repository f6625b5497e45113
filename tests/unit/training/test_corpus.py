"""Pages in memory, from one lesson to the next."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motherlode.documents.terms import bag_of
from motherlode.records import Document, Page
from motherlode.store import Store, StoreOptions, frontier, outcomes, portions
from motherlode.training import corpus as libraries
from motherlode.training.corpus import Library, Shelf
from motherlode.urls import address
from support.helpers import follow
from support.store_records import keep_one, link, outcome

TEXTS = ["owls at night", "", "herons by the water", "night herons", "engines"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(portions, "PORTION", 2)
    Store.create(tmp_path / "lode.db", StoreOptions()).close()
    with Store.open(tmp_path / "lode.db", StoreOptions()) as opened:
        for number, text in enumerate(TEXTS):
            keep_one(opened, f"http://p{number}/", link("http://x/"), document=document(text))
        yield opened


def document(text: str, *targets: str) -> Document:
    return Document(vectors={"terms": bag_of(text).pack()}, links=tuple(map(link, targets)))


def terms(store: Store, shelf: Shelf, every: int = 1) -> dict[int, list[int]]:
    """The terms of the pages that are asked for."""
    with store.reading() as session:
        return {
            int(read.pages[place]): read.sample(place)["terms"].terms.tolist()
            for read in Library(session, shelf).read(("terms",), every)
            for place in read.asked.tolist()
        }


def targets(store: Store, shelf: Shelf) -> dict[int, int]:
    """How many links pages have."""
    with store.reading() as session:
        found: dict[int, int] = {}
        for some in Library(session, shelf).linked():
            found |= dict(zip(some.pages.tolist(), np.diff(some.starts).tolist(), strict=True))
        return found


def expected(*texts: str) -> dict[int, list[int]]:
    return {number: bag_of(text).terms.tolist() for number, text in enumerate(texts, start=1)}


def change(store: Store, number: int, changed: Document) -> None:
    """The page is fetched again, and says something else."""
    found = address(f"http://p{number}/")
    with store.writing() as session:
        entry = frontier.offer(session, [follow(f"http://from-{number}/")])[0]
        page = Page(found.url, found.key, 2.5, 200, "text/html", 10, b"another")
        outcomes.keep(session, [outcome(entry, page=page, document=changed)])


@pytest.mark.parametrize("most", [0, 1, 10**6])
def test_what_pages_say_is_the_same_however_much_is_kept(store: Store, most: int) -> None:
    shelf = Shelf(most)
    for _ in range(2):
        assert terms(store, shelf) == expected(*TEXTS)
        assert terms(store, shelf, 2) == {
            page: said for page, said in expected(*TEXTS).items() if page % 2 == 0
        }
        assert targets(store, shelf) == dict.fromkeys(range(1, 6), 0)


@pytest.mark.parametrize("most", [0, 10**6])
def test_pages_that_were_changed_or_came_are_read_again(store: Store, most: int) -> None:
    shelf = Shelf(most)
    terms(store, shelf)
    targets(store, shelf)
    change(store, 2, document("water", "http://y/", "http://z/"))
    keep_one(store, "http://p9/", document=document("geese"))
    assert terms(store, shelf) == expected(*TEXTS[:2], "water", *TEXTS[3:], "geese")
    assert targets(store, shelf) == {1: 0, 2: 0, 3: 2, 4: 0, 5: 0, 6: 0}


def test_only_what_is_another_is_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf, asked = Shelf(), list[int]()
    terms(store, shelf)

    def noted(session: Any, space: str, number: int, every: int = 1) -> Any:
        asked.append(number)
        return portions.vectors_of_portion(session, space, number, every)

    monkeypatch.setattr(libraries, "vectors_of_portion", noted)
    terms(store, shelf)
    assert asked == []
    change(store, 2, document("water"))
    keep_one(store, "http://p9/", document=document("geese"))
    terms(store, shelf)
    assert asked == [1, 3]


def test_what_is_dropped_makes_room(store: Store) -> None:
    shelf = Shelf()
    terms(store, shelf)
    before = shelf.terms.size
    change(store, 2, document("herons by the water"))
    terms(store, shelf)
    assert shelf.terms.size == before > 0


def test_links_of_some_pages_are_those_of_the_store(store: Store) -> None:
    keep_one(store, "http://p6/", document=document("a", "http://x/", "http://y/", "http://x/"))
    keep_one(store, "http://p7/", document=document("b", "http://z/"))
    with store.reading() as session:
        library = Library(session, Shelf())
        wanted = [1, 6, 7]
        answers = [pairs(library, wanted)]
        assert len([*library.linked()]) > 1
        answers.append(pairs(library, wanted))  # from here on out of memory
        assert answers[0] == answers[1]
        assert [page for page, _ in answers[0]] == [6, 6, 6, 7]
        assert pairs(library, []) == []


def pairs(library: Library, of: list[int]) -> list[tuple[int, int]]:
    found = [(*zip(*map(np.ndarray.tolist, some), strict=True),) for some in library.targets_from(of)]
    return [pair for some in found for pair in some]


def test_how_many_pages_there_are(store: Store) -> None:
    with store.reading() as session:
        library = Library(session)
        assert library.size == len(TEXTS)
        assert [library.every_so_many(most) for most in (1, 2, 5, 100)] == [5, 3, 1, 1]
