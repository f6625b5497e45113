"""The links around pages, redirects resolved."""

from itertools import pairwise

import pytest

from motherlode.records import Outcome, Redirect, UrlId
from motherlode.store import Store
from motherlode.store.queries.graph import Graph, graph_among, graph_around
from motherlode.store.tables import outcomes
from motherlode.store.tables.pages import known_url, pages_at, pages_linking_to, vectors_of_all
from motherlode.urls import address
from support.store_records import keep_one, link, outcome, take


def keep(store: Store, name: str, *targets: str) -> None:
    keep_one(store, url(name), *(link(url(target)) for target in targets))


def url(name: str) -> str:
    return f"http://{name}/"


def number(store: Store, name: str) -> UrlId:
    with store.reading() as session:
        known = known_url(session, address(url(name)).key)
    assert known is not None
    return known.id


def redirect(store: Store, *names: str) -> None:
    """A chain of redirects, without a page at its end."""
    places = [address(url(name)) for name in names]
    hops = [
        Redirect(one.url, one.key, other.url, other.key, 301) for one, other in pairwise(places)
    ]
    with (
        store.writing() as session
    ):  # by way of a URL that was never met, as some have pages already
        entry = take(session, f"{url(names[0])}way")
        outcomes.keep(session, [Outcome(entry, redirects=tuple(hops))])


def around(
    store: Store, *base: str, predecessors: int = 10
) -> tuple[Graph, list[str], set[tuple[str, str]]]:
    """The graph, the names of its nodes, and its edges by names."""
    numbers = [number(store, name) for name in base]
    with store.reading() as session:
        graph = graph_around(session, numbers, predecessors)
    names = [one.removeprefix("http://").rstrip("/") for one in graph.urls]
    return graph, names, {(names[start], names[end]) for start, end in graph.edges.tolist()}


def test_nothing_around_nothing(store: Store) -> None:
    with store.reading() as session:
        graph = graph_around(session, [], 10)
    assert (graph.ids, graph.urls, graph.pages, graph.edges.tolist()) == ((), (), (), [])


def test_successors_and_predecessors_are_around_a_page(store: Store) -> None:
    keep(store, "base", "next", "far")
    keep(store, "before", "base", "far", "outside")
    keep(store, "next", "base", "outside")
    keep(store, "outside", "far")  # it links to neither
    graph, names, edges = around(store, "base")
    assert names[0] == "base"
    assert set(names) == {"base", "before", "next", "far"}
    assert edges == {
        ("base", "next"),
        ("base", "far"),
        ("before", "base"),
        ("before", "far"),
        ("next", "base"),
    }
    fetched = {name for name, page in zip(names, graph.pages, strict=True) if page is not None}
    assert fetched == {"base", "before", "next"}
    assert [number(store, name) for name in names] == list(graph.ids)


def test_the_pages_that_it_is_about_come_first_in_their_order(store: Store) -> None:
    for name in ("a", "b", "c"):
        keep(store, name, "x", "a", "b", "c")
    assert around(store, "c", "a", "b")[1] == ["c", "a", "b", "x"]


def test_links_to_itself_and_twice_to_another_are_one_or_none(store: Store) -> None:
    keep(store, "a", "a", "b", "b", "a")
    assert around(store, "a")[2] == {("a", "b")}


@pytest.mark.parametrize("predecessors", [0, 1, 3, 100])
def test_predecessors_are_bounded_by_pages_not_by_links(store: Store, predecessors: int) -> None:
    keep(store, "base", "base", "base")
    for place in range(5):
        keep(store, f"p{place}", *["base"] * 4)
    _, names, edges = around(store, "base", predecessors=predecessors)
    assert len(names) - 1 == len(edges) == min(predecessors, 5)


def test_a_link_to_a_redirected_url_is_one_to_where_it_leads(store: Store) -> None:
    keep(store, "final")
    redirect(store, "old", "older", "final")
    keep(store, "base", "old", "older", "other")
    _, names, edges = around(store, "base")
    assert set(names) == {"base", "final", "other"}
    assert edges == {("base", "final"), ("base", "other")}


def test_who_links_to_a_former_address_is_a_predecessor(store: Store) -> None:
    keep(store, "base")
    redirect(store, "old", "older", "base")
    keep(store, "fan", "old")
    keep(store, "friend", "older")
    _, names, edges = around(store, "base")
    assert set(names) == {"base", "fan", "friend"}
    assert edges == {("fan", "base"), ("friend", "base")}


def test_a_link_by_way_of_a_redirect_to_oneself_is_none(store: Store) -> None:
    redirect(store, "old", "base")
    keep(store, "base", "old")
    assert around(store, "base")[1:] == (["base"], set())


def test_redirects_in_a_circle_or_to_nowhere_end(store: Store) -> None:
    redirect(store, "x", "y", "x")
    redirect(store, "dead", "end")
    redirect(store, "self", "self")
    keep(store, "base", "x", "y", "dead", "self")
    _, names, _ = around(store, "base")
    assert names[0] == "base"
    assert {"end", "self"} <= set(names)
    assert "dead" not in names


def test_a_page_that_was_redirected_at_another_time_is_a_page(store: Store) -> None:
    keep(store, "base", "other")
    keep(store, "other", "base")
    redirect(store, "base", "other")
    keep(store, "fan", "base")
    graph, names, edges = around(store, "other")
    assert names == ["other", "base"]  # and not who links to the page that is elsewhere now
    graph, names, edges = around(store, "base", predecessors=0)
    assert names == ["base", "other"]
    assert None not in graph.pages
    assert edges == {("base", "other"), ("other", "base")}


def test_many_pages_are_read_some_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.store.queries.graph._AT_ONCE", 3)
    with store.writing() as session:
        entries = [take(session, url(f"n{place}")) for place in range(12)]
        batch = [
            outcome(entry, *(link(url(f"n{(place + step) % 12}")) for step in (1, 2)))
            for place, entry in enumerate(entries)
        ]
        outcomes.keep(session, batch)
    _, names, edges = around(store, "n0", "n6")
    assert set(names) == {f"n{place}" for place in range(12) if place not in (3, 9)}
    assert all((int(end[1:]) - int(start[1:])) % 12 in (1, 2) for start, end in edges)
    assert len(edges) == 2 * 10 - 4  # without those that lead out of it


def test_pages_and_vectors_of_many_at_once(store: Store) -> None:
    keep(store, "a", "b", "b", "c")
    keep(store, "b", "c")
    numbers = [number(store, name) for name in ("a", "b", "c")]
    with store.reading() as session:
        found = pages_at(session, numbers)
        assert list(found) == numbers[:2]
        assert vectors_of_all(session, found.values(), "terms") == dict.fromkeys(
            found.values(), b"\x01"
        )
        assert vectors_of_all(session, found.values(), "pairs") == {}
        assert pages_at(session, []) == {}
        assert vectors_of_all(session, [], "terms") == {}
        told = dict(pages_linking_to(session, numbers, 5))
        assert set(told[numbers[2]]) == set(found.values())
        assert told[numbers[1]] == [found[numbers[0]]]
        assert told[numbers[0]] == []
        assert [len(one) for _, one in pages_linking_to(session, numbers[2:], 1)] == [1]


def test_links_among_pages_are_those_of_these_alone(store: Store) -> None:
    keep(store, "one", "moved", "outside")
    keep(store, "two", "one", "two")
    keep(store, "outside", "one", "two")
    redirect(store, "moved", "two")
    numbers = [number(store, name) for name in ("one", "two")]
    with store.reading() as session:
        pages = pages_at(session, set(numbers))
        graph = graph_among(session, {pages[one]: one for one in numbers})
    names = [one.removeprefix("http://").rstrip("/") for one in graph.urls]
    assert {(names[start], names[end]) for start, end in graph.edges.tolist()} == {
        ("one", "two"),
        ("two", "one"),
    }
    assert graph.pages == (pages[numbers[0]], pages[numbers[1]])
