"""Documents in feature spaces, read from the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.documents.features.spaces import (
    ANCHORS,
    NEIGHBOURS,
    PAIRS,
    SPACES,
    TERMS,
    URLS,
    Sample,
    Surroundings,
)
from motherlode.documents.text.terms import Bag, bag_of
from motherlode.portal import Portal
from motherlode.store.tables.pages import page_at
from motherlode.training.samples import sample_of, stored_sample, surroundings_of
from motherlode.urls import address
from support.small_webs import html, page_analysed
from support.store_records import keep_one, link
from support.training_webs import planted

OWL = "http://owl.test/barn"
ALL = tuple(SPACES)


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    planted(tmp_path / "p", {"owls": []})
    with Portal.writing(tmp_path / "p", "test") as opened:
        yield opened


def keep(portal: Portal, url: str, text: str, **anchors: str) -> None:
    """Keep a page with links, given by the hosts that they lead to."""
    document = page_analysed(url, "text/html; charset=utf-8", html("", text).encode())
    links = tuple(link(f"http://{host}.test/barn", words) for host, words in anchors.items())
    keep_one(portal.store, url, document=replace(document, links=links))


def sample(portal: Portal, url: str, *spaces: str) -> Sample:
    with portal.store.reading() as session:
        page = page_at(session, address(url).key)
        assert page is not None
        return stored_sample(session, page, spaces)


def same(bag: Bag, text: str) -> bool:
    return bag.pack() == bag_of(text).pack()


def test_terms_are_those_that_were_kept(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl hunts mice")
    assert same(sample(portal, OWL, TERMS)[TERMS], "barn owl hunts mice")


def test_a_page_is_read_in_every_requested_space(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl hunts mice", heron="the wading heron")
    keep(portal, "http://heron.test/barn", "The heron wades", owl="a nocturnal hunter")
    in_spaces = sample(portal, OWL, *ALL)
    assert tuple(in_spaces) == ALL
    assert same(in_spaces[ANCHORS], "nocturnal hunter")
    assert same(in_spaces[NEIGHBOURS], "heron wades")
    assert same(in_spaces[URLS], "owl test barn")
    assert len(in_spaces[PAIRS]) == 6


def test_anchor_texts_without_meaning_are_left_out(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl")
    keep(portal, "http://a.test/barn", "Some page", owl="click here")
    keep(portal, "http://b.test/barn", "Some page", owl="")
    keep(portal, "http://c.test/barn", "Some page", owl="read more on owls")
    assert same(sample(portal, OWL, ANCHORS)[ANCHORS], "owls")


def test_a_page_is_no_neighbour_of_itself(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl hunts mice", owl="this very page")
    in_spaces = sample(portal, OWL, ANCHORS, NEIGHBOURS)
    assert (len(in_spaces[ANCHORS]), len(in_spaces[NEIGHBOURS])) == (0, 0)


def test_a_neighbour_on_both_sides_counts_once(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl", heron="heron", never="never fetched")
    keep(portal, "http://heron.test/barn", "wading", owl="owl")
    assert sample(portal, OWL, NEIGHBOURS)[NEIGHBOURS].counts.tolist() == [1]


def test_the_number_of_neighbours_is_limited(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl")
    for number in range(30):
        keep(portal, f"http://a{number}.test/barn", "wading", owl="owl", heron="heron")
    assert sample(portal, OWL, NEIGHBOURS)[NEIGHBOURS].counts.tolist() == [20]


def test_a_page_that_was_never_fetched_has_surroundings(portal: Portal) -> None:
    keep(portal, "http://heron.test/barn", "The heron wades", owl="a nocturnal hunter")
    with portal.store.reading() as session:
        owl, unknown = address(OWL), address("http://nobody.test/")
        surroundings = surroundings_of(session, owl.url, owl.key, ALL)
        assert surroundings_of(session, unknown.url, unknown.key, ALL) == Surroundings(unknown.url)
        assert surroundings_of(session, owl.url, owl.key, (TERMS, URLS)) == Surroundings(owl.url)
        assert surroundings_of(session, owl.url, owl.key, (ANCHORS,)).neighbours == ()
    assert surroundings.anchors == ("a nocturnal hunter",)
    (neighbour,) = surroundings.neighbours
    assert same(neighbour, "heron wades")


def test_a_page_without_words_has_empty_vectors(portal: Portal) -> None:
    keep_one(portal.store, OWL, document=None)
    spaces = (TERMS, PAIRS, ANCHORS, NEIGHBOURS)
    in_spaces = sample(portal, OWL, *spaces)
    assert {space: len(bag) for space, bag in in_spaces.items()} == dict.fromkeys(spaces, 0)


def test_a_documents_own_vectors_are_used(portal: Portal) -> None:
    document = page_analysed(OWL, "text/html", html("", "The barn owl hunts mice").encode())
    assert document.vectors.keys() == {TERMS}
    in_spaces = sample_of(document, (TERMS, URLS), Surroundings(OWL))
    assert in_spaces[TERMS].pack() == document.vectors[TERMS]
    assert same(in_spaces[URLS], "owl test barn")
    assert portal.path.exists()
