"""Where links lead, read of all pages at once."""

import numpy as np
import pytest

from motherlode.records import UrlId
from motherlode.store import Store
from motherlode.store.queries import link_targets
from motherlode.store.queries.graph import opening_pages
from motherlode.store.tables import frontier
from motherlode.store.tables.pages import anchors_to, known_url
from motherlode.urls import address
from support.helpers import follow
from support.store_records import count_rows, keep_one, link


def numbered(store: Store, *urls: str) -> list[int]:
    with store.reading() as session:
        found = [known_url(session, address(url).key) for url in urls]
    return [one.id for one in found if one is not None]


@pytest.fixture(params=[1, 2, 1000])
def _few_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_targets, "_PAGES", request.param)
    monkeypatch.setattr(link_targets, "_URLS", request.param)


@pytest.mark.usefixtures("_few_at_once")
def test_links_of_some_pages(store: Store) -> None:
    pages = [
        keep_one(store, f"http://{name}/", link("http://x/"), link("http://a/")) for name in "abc"
    ]
    x, a = numbered(store, "http://x/", "http://a/")
    with store.reading() as session:
        found = [
            (owners.tolist(), targets.tolist())
            for owners, targets in link_targets.targets_from(session, pages[1:])
        ]
    owners = [owner for some, _ in found for owner in some]
    assert sorted(owners) == [pages[1]] * 2 + [pages[2]] * 2
    assert [target for _, some in found for target in some] == [x, a] * 2
    with store.reading() as session:
        assert list(link_targets.targets_from(session, [])) == []


@pytest.mark.usefixtures("_few_at_once")
def test_anchors_of_all_are_those_that_are_found_for_each(store: Store) -> None:
    keep_one(
        store,
        "http://a/",
        link("http://x/", "one"),
        link("http://y/", "why"),
        link("http://x/", "one"),
    )
    keep_one(store, "http://b/", link("http://x/", "two"), link("http://x/", ""))
    keep_one(store, "http://d/", link("http://z/", "two\nlines"))
    keep_one(store, "http://c/", link("http://x/", "three"), link("http://y/", "yes"))
    wanted = sorted(numbered(store, "http://a/", "http://x/", "http://y/", "http://z/"))
    with store.reading() as session:
        for limit in (1, 2, 3, 5, 9):
            found = link_targets.anchors_to_all(session, np.array(wanted), limit)
            each = [
                said.split("\n") for said in anchors_to(session, map(UrlId, wanted[:-1]), limit)
            ]
            assert [set(one) - {""} for one in found[:-1]] == [set(one) - {""} for one in each]
        assert found[-1] == [""]  # of anchors that cannot be told apart
        assert link_targets.anchors_to_all(session, np.array([], np.int64), 9) == []
    x = wanted.index(*numbered(store, "http://x/"))
    assert found[x] == ["one", "two", "", "three"]


@pytest.mark.usefixtures("_few_at_once")
def test_urls_that_nothing_has_become_of(store: Store) -> None:
    with store.reading() as session:
        assert [len(one) for one in link_targets.open_urls(session, 10)] == [0, 0]
    keep_one(store, "http://a/", link("http://x/"))
    with store.writing() as session:
        frontier.offer(session, [follow("http://b/", 0.5)])
    keep_one(store, "http://c/")
    with store.reading() as session:
        numbers, keys = link_targets.open_urls(session, 10)
        latest, _ = link_targets.open_urls(session, 1)
        told = list(link_targets.addresses(session, 10))
    assert numbers.tolist() == numbered(store, "http://x/", "http://b/")
    assert keys.tolist() == [address(url).key for url in ("http://x/", "http://b/")]
    assert latest.tolist() == numbers.tolist()[-len(latest) :]
    listed = {at: url for some, urls in told for at, url in zip(some.tolist(), urls, strict=True)}
    assert listed == dict(zip(numbers.tolist(), ("http://x/", "http://b/"), strict=True))
    assert count_rows(store, "urls") == 4


@pytest.mark.usefixtures("_few_at_once")
def test_the_urls_of_all_pages(store: Store) -> None:
    with store.reading() as session:
        assert [len(one) for one in link_targets.urls_of_all_pages(session)] == [0, 0]
    pages = [keep_one(store, f"http://{name}/", link("http://x/")) for name in "abc"]
    with store.reading() as session:
        numbers, of = link_targets.urls_of_all_pages(session)
    assert numbers.tolist() == pages
    assert of.tolist() == numbered(store, "http://a/", "http://b/", "http://c/")


def test_pages_with_links_to_what_is_open(store: Store) -> None:
    page = keep_one(
        store, "http://a/", link("http://x/", "the X"), link("http://b/"), link("http://y/")
    )
    keep_one(store, "http://b/", link("http://x/"))
    keep_one(store, "http://y/")
    with store.reading() as session:
        (found,) = opening_pages(session, [page])
    assert (found.id, found.url, found.key) == (page, "http://a/", address("http://a/").key)
    assert found.links == [("http://x/", address("http://x/").key, "the X", 0)]
