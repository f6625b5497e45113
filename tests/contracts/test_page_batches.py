"""All pages with their vectors and links, some numbers at a time."""

from collections.abc import Iterator

import pytest

from motherlode.records import Document, Page, PageId
from motherlode.store import Session, Store
from motherlode.store.queries import page_batches
from motherlode.store.tables import frontier, outcomes
from motherlode.store.tables.pages import known_url
from motherlode.urls import address
from support.helpers import follow
from support.store_records import keep_one, link, outcome


@pytest.fixture(params=[1, 2, 1000], autouse=True)
def _some_at_a_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_batches, "PORTION", request.param)


def numbered(session: Session, *urls: str) -> list[int]:
    found = [known_url(session, address(url).key) for url in urls]
    return [one.id for one in found if one is not None]


def linked(session: Session) -> Iterator[tuple[int, int, str, list[int]]]:
    """Each page with its key, its language and where it leads."""
    for number in page_batches.portions_of(session):
        found = page_batches.links_of_portion(session, number)
        for at, page in enumerate(found.pages.tolist()):
            targets = found.targets[found.starts[at] : found.starts[at + 1]].tolist()
            yield page, int(found.keys[at]), found.languages[at], targets


def test_pages_come_with_all_their_links_in_order(store: Store) -> None:
    links = [link("http://x/", "the X"), link("http://y/"), link("http://x/", "x,\n")]
    pages = [
        keep_one(store, "http://a/", *links),
        keep_one(store, "http://b/"),
        keep_one(store, "http://c/", link("http://y/", ""), link("http://a/", "")),
    ]
    with store.reading() as session:
        x, y, a = numbered(session, "http://x/", "http://y/", "http://a/")
        keys = [address(f"http://{name}/").key for name in "abc"]
        leading: list[list[int]] = [[x, y, x], [], [y, a]]
        assert list(linked(session)) == [
            (page, key, "en", targets)
            for page, key, targets in zip(pages, keys, leading, strict=True)
        ]
        said = page_batches.anchors_at(session, [(pages[2], 1), (pages[0], 2), (pages[0], 0)])
        assert said == {(pages[0], 0): "the X", (pages[0], 2): "x,\n", (pages[2], 1): ""}
        assert page_batches.anchors_at(session, []) == {}


def test_vectors_come_by_pages(store: Store) -> None:
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
        for every in (1, 2):
            found = [
                page_batches.vectors_of_portion(session, "terms", one, every)
                for one in page_batches.portions_of(session)
            ]
            assert [
                (page, packed) for some in found for page, packed in zip(*some, strict=True)
            ] == [(page, bytes([number])) for number, page in enumerate(pages) if page % every == 0]


def signatures(store: Store) -> dict[int, page_batches.Signature]:
    with store.reading() as session:
        return page_batches.portions_of(session)


def test_portions_tell_whether_any_of_their_pages_is_another(store: Store) -> None:
    assert signatures(store) == {}
    pages = [keep_one(store, f"http://p{number}/") for number in range(4)]
    before = signatures(store)
    assert sum(one.pages for one in before.values()) == len(pages)
    with store.writing() as session:
        frontier.offer(session, [follow("http://elsewhere/")])
    assert signatures(store) == before
    again(store, "http://p1/", pages[1])
    changed = {number for number, one in signatures(store).items() if one != before[number]}
    assert changed == {pages[1] // page_batches.PORTION}
    last = keep_one(store, "http://new/")
    assert signatures(store)[last // page_batches.PORTION] != before.get(
        last // page_batches.PORTION
    )


def again(store: Store, url: str, page: PageId) -> None:
    """The page is fetched once more, later."""
    with store.writing() as session:
        entry = frontier.offer(session, [follow("http://other/")])[0]
        found = address(url)
        later = Page(found.url, found.key, 2.5, 200, "text/html", 10, b"digest")
        assert outcomes.keep(session, [outcome(entry, page=later)]).pages == [page]
