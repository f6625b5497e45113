"""The way from a seed to a member."""

from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.store.schema import pages
from motherlode.topics import parse_path
from motherlode.training.collections.paths import paths_to
from motherlode.training.collections.portal_collections import PortalCollections
from support.collection_portals import HITS, OWLS, PAPER, SEED, make_collections

HIT = HITS[OWLS][0]
REACHED = {HIT: "http://b.test/"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_collections(tmp_path_factory.mktemp("paths") / "p")


def path_of(path: Path, url: str, reached: dict[str, str]) -> list[tuple[str, float | None]]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        tree = portal.tree()
        found = PortalCollections(session, portal.config, tree)
        members = found.all[tree.at(parse_path(OWLS)).id].members
        steps = paths_to(session, members, reached)[url]
    return [(step.url, step.score) for step in steps]


def test_a_path_goes_from_the_seed_to_the_member(path: Path) -> None:
    to_b = [(SEED, 0.0), ("http://a.test/", 0.9), ("http://b.test/", 0.6)]
    assert path_of(path, "http://b.test/", {}) == to_b


def test_the_path_of_a_file_goes_over_its_parent(path: Path) -> None:
    expected = [(SEED, 0.0), ("http://a.test/", 0.9), (PAPER, 0.9)]
    assert path_of(path, PAPER, {}) == expected


def test_a_hit_has_the_path_on_which_the_crawl_found_it(path: Path) -> None:
    assert path_of(path, HIT, {}) == [(HIT, 0.8)]
    assert [url for url, _ in path_of(path, HIT, REACHED)] == [
        SEED,
        "http://a.test/",
        "http://b.test/",
        HIT,
    ]


def test_a_parent_that_is_gone_ends_a_path(path: Path) -> None:
    assert path_of(path, HIT, {HIT: "http://nowhere.test/"}) == [(HIT, 0.8)]


def test_a_path_that_goes_round_ends(tmp_path: Path) -> None:
    made = make_collections(tmp_path / "p")
    with Portal.writing(made, "test") as portal, portal.store.writing() as session:
        everything = pages.update().values(via=pages.c.id)
        session.connection.execute(everything)
    assert path_of(made, "http://b.test/", {}) == [("http://b.test/", 0.6)]
