"""Documents in feature spaces, out of the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.documents.spaces import ANCHORS, NEIGHBOURS, PAIRS, SPACES, TERMS, URLS, Surroundings
from motherlode.documents.terms import Bag, bag_of
from motherlode.learning.tree import Sample
from motherlode.portal import Portal
from motherlode.store.pages import page_at
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
    """A page with links, by the host that each leads to."""
    document = page_analysed(url, "text/html; charset=utf-8", html("", text).encode())
    links = tuple(link(f"http://{host}.test/barn", words) for host, words in anchors.items())
    made = {**{name: getattr(document, name) for name in document.__struct_fields__}, "links": links}
    keep_one(portal.store, url, document=type(document)(**made))


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


def test_a_page_is_in_every_space_that_is_asked_for(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl hunts mice", heron="the wading heron")
    keep(portal, "http://heron.test/barn", "The heron wades", owl="a nocturnal hunter")
    found = sample(portal, OWL, *ALL)
    assert tuple(found) == ALL
    assert same(found[ANCHORS], "nocturnal hunter")
    assert same(found[NEIGHBOURS], "heron wades")
    assert same(found[URLS], "owl test barn")
    assert len(found[PAIRS]) == 6


def test_what_links_say_that_says_nothing_is_left_out(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl")
    keep(portal, "http://a.test/barn", "Some page", owl="click here")
    keep(portal, "http://b.test/barn", "Some page", owl="")
    keep(portal, "http://c.test/barn", "Some page", owl="read more on owls")
    assert same(sample(portal, OWL, ANCHORS)[ANCHORS], "owls")


def test_a_page_is_no_neighbour_of_itself(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl hunts mice", owl="this very page")
    found = sample(portal, OWL, ANCHORS, NEIGHBOURS)
    assert (len(found[ANCHORS]), len(found[NEIGHBOURS])) == (0, 0)


def test_a_neighbour_on_both_sides_counts_once(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl", heron="heron", never="never fetched")
    keep(portal, "http://heron.test/barn", "wading", owl="owl")
    assert sample(portal, OWL, NEIGHBOURS)[NEIGHBOURS].counts.tolist() == [1]


def test_many_neighbours_are_bounded(portal: Portal) -> None:
    keep(portal, OWL, "The barn owl")
    for number in range(30):
        keep(portal, f"http://a{number}.test/barn", "wading", owl="owl", heron="heron")
    assert sample(portal, OWL, NEIGHBOURS)[NEIGHBOURS].counts.tolist() == [20]


def test_a_page_that_was_never_fetched_is_known_by_its_surroundings(portal: Portal) -> None:
    keep(portal, "http://heron.test/barn", "The heron wades", owl="a nocturnal hunter")
    with portal.store.reading() as session:
        asked = address(OWL)
        found = surroundings_of(session, asked.url, asked.key, ALL)
        nobody = address("http://nobody.test/")
        assert surroundings_of(session, nobody.url, nobody.key, ALL) == Surroundings(nobody.url)
        assert surroundings_of(session, asked.url, asked.key, (TERMS, URLS)) == Surroundings(asked.url)
        assert surroundings_of(session, asked.url, asked.key, (ANCHORS,)).neighbours == ()
    assert found.anchors == ("a nocturnal hunter",)
    (neighbour,) = found.neighbours
    assert same(neighbour, "heron wades")


def test_a_page_without_words_has_empty_vectors(portal: Portal) -> None:
    keep_one(portal.store, OWL, document=None)
    assert {
        space: len(bag) for space, bag in sample(portal, OWL, TERMS, PAIRS, ANCHORS, NEIGHBOURS).items()
    } == {
        TERMS: 0,
        PAIRS: 0,
        ANCHORS: 0,
        NEIGHBOURS: 0,
    }


def test_a_document_is_taken_by_the_vectors_it_has(portal: Portal) -> None:
    document = page_analysed(OWL, "text/html", html("", "The barn owl hunts mice").encode())
    assert document.vectors.keys() == {TERMS}
    found = sample_of(document, (TERMS, URLS), Surroundings(OWL))
    assert found[TERMS].pack() == document.vectors[TERMS]
    assert same(found[URLS], "owl test barn")
    assert portal.path.exists()
