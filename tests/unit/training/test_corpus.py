"""The page corpus and its cache."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motherlode.documents.text.terms import bag_of
from motherlode.records import Document, Page
from motherlode.store import Store, StoreOptions
from motherlode.store.queries import page_batches
from motherlode.store.tables import frontier, outcomes
from motherlode.training import corpus as corpus_module
from motherlode.training.corpus import CorpusCache, PageCorpus
from motherlode.urls import address
from support.helpers import follow
from support.store_records import keep_one, link, outcome

TEXTS = ["owls at night", "", "herons by the water", "night herons", "engines"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(page_batches, "PORTION", 2)
    Store.create(tmp_path / "lode.db", StoreOptions()).close()
    with Store.open(tmp_path / "lode.db", StoreOptions()) as opened:
        for number, text in enumerate(TEXTS):
            keep_one(opened, f"http://p{number}/", link("http://x/"), document=document(text))
        yield opened


def document(text: str, *targets: str) -> Document:
    return Document(vectors={"terms": bag_of(text).pack()}, links=tuple(map(link, targets)))


def terms(store: Store, cache: CorpusCache, step: int = 1) -> dict[int, list[int]]:
    """Return the terms of the selected pages."""
    with store.reading() as session:
        return {
            int(batch.pages[row]): batch.sample(row)["terms"].terms.tolist()
            for batch in PageCorpus(session, cache).batches(("terms",), step)
            for row in batch.selected.tolist()
        }


def link_counts(store: Store, cache: CorpusCache) -> dict[int, int]:
    """Return the number of links of each page."""
    with store.reading() as session:
        counts: dict[int, int] = {}
        for linked in PageCorpus(session, cache).linked_pages():
            lengths = np.diff(linked.starts).tolist()
            counts |= dict(zip(linked.pages.tolist(), lengths, strict=True))
        return counts


def expected(*texts: str) -> dict[int, list[int]]:
    return {number: bag_of(text).terms.tolist() for number, text in enumerate(texts, start=1)}


def change(store: Store, number: int, changed: Document) -> None:
    """Fetch the page again, with other content."""
    url = address(f"http://p{number}/")
    with store.writing() as session:
        entry = frontier.offer(session, [follow(f"http://from-{number}/")])[0]
        page = Page(url.url, url.key, 2.5, 200, "text/html", 10, b"another")
        outcomes.keep(session, [outcome(entry, page=page, document=changed)])


@pytest.mark.parametrize("max_bytes", [0, 1, 10**6])
def test_the_size_of_the_cache_makes_no_difference(store: Store, max_bytes: int) -> None:
    cache = CorpusCache(max_bytes)
    for _ in range(2):
        assert terms(store, cache) == expected(*TEXTS)
        assert terms(store, cache, 2) == {
            page: numbers for page, numbers in expected(*TEXTS).items() if page % 2 == 0
        }
        assert link_counts(store, cache) == dict.fromkeys(range(1, 6), 0)


@pytest.mark.parametrize("max_bytes", [0, 10**6])
def test_changed_and_new_pages_are_read_again(store: Store, max_bytes: int) -> None:
    cache = CorpusCache(max_bytes)
    terms(store, cache)
    link_counts(store, cache)
    change(store, 2, document("water", "http://y/", "http://z/"))
    keep_one(store, "http://p9/", document=document("geese"))
    assert terms(store, cache) == expected(*TEXTS[:2], "water", *TEXTS[3:], "geese")
    assert link_counts(store, cache) == {1: 0, 2: 0, 3: 2, 4: 0, 5: 0, 6: 0}


def test_only_changed_portions_are_read_again(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache, read = CorpusCache(), list[int]()
    terms(store, cache)

    def record(session: Any, space: str, number: int, step: int = 1) -> Any:
        read.append(number)
        return page_batches.vectors_of_portion(session, space, number, step)

    monkeypatch.setattr(corpus_module, "vectors_of_portion", record)
    terms(store, cache)
    assert read == []
    change(store, 2, document("water"))
    keep_one(store, "http://p9/", document=document("geese"))
    terms(store, cache)
    assert read == [1, 3]


def test_dropped_portions_make_room(store: Store) -> None:
    cache = CorpusCache()
    terms(store, cache)
    before = cache.terms.size
    change(store, 2, document("herons by the water"))
    terms(store, cache)
    assert cache.terms.size == before > 0


def test_cached_links_are_those_of_the_store(store: Store) -> None:
    keep_one(store, "http://p6/", document=document("a", "http://x/", "http://y/", "http://x/"))
    keep_one(store, "http://p7/", document=document("b", "http://z/"))
    with store.reading() as session:
        corpus = PageCorpus(session, CorpusCache())
        wanted = [1, 6, 7]
        answers = [pairs(corpus, wanted)]
        assert len([*corpus.linked_pages()]) > 1
        answers.append(pairs(corpus, wanted))  # from the cache
        assert answers[0] == answers[1]
        assert [page for page, _ in answers[0]] == [6, 6, 6, 7]
        assert pairs(corpus, []) == []


def pairs(corpus: PageCorpus, pages: list[int]) -> list[tuple[int, int]]:
    """Return the pages and targets of all links of these pages."""
    return [
        pair
        for sources, targets in corpus.targets_from(pages)
        for pair in zip(sources.tolist(), targets.tolist(), strict=True)
    ]


def test_page_count_and_sampling_step(store: Store) -> None:
    with store.reading() as session:
        corpus = PageCorpus(session)
        assert corpus.page_count == len(TEXTS)
        assert [corpus.sampling_step(pages) for pages in (1, 2, 5, 100)] == [5, 3, 1, 1]
