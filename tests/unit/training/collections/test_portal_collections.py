"""The collections of a portal that was made by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.records import (
    TOPIC_MODEL,
    ChoiceKind,
    CollectionChoice,
    Fate,
    Model,
    ModelId,
    TopicId,
    UrlState,
)
from motherlode.store import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.collection_choices import add_choices
from motherlode.store.tables.removed_topics import note_removal, removals, restore
from motherlode.topics import TopicTree, parse_path
from motherlode.training.collections.portal_collections import PortalCollections, has_collections
from motherlode.training.collections.selection import CollectionMember, MemberSource
from support.collection_portals import (
    EMPTY,
    HERONS,
    HITS,
    NOTES,
    OWLS,
    PAPER,
    READ_PAPER,
    MadePage,
    add_pages,
    bird_pages,
    judge_pages,
    make_collections,
)
from support.databases import both_databases
from support.store_records import lose
from support.training_webs import planted

LOW, OTHER = "http://d.test/", "http://e.test/"


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Iterator[Portal]:
    make_collections(tmp_path / "p", database_url=database_url)
    with Portal.crawling(tmp_path / "p", "test") as opened:
        yield opened


@contextmanager
def collections(portal: Portal) -> Iterator[PortalCollections]:
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        yield PortalCollections(session, portal.config, tree)


def topic(portal: Portal, path: str) -> TopicId:
    return portal.tree().at(parse_path(path)).id


def members(portal: Portal, path: str) -> list[CollectionMember]:
    with collections(portal) as found:
        return list(found.all[topic(portal, path)].members)


def urls(portal: Portal, path: str) -> list[str]:
    return [member.url for member in members(portal, path)]


def choose(portal: Portal, kind: ChoiceKind, url: str, path: str | None = None) -> None:
    where = None if path is None else topic(portal, path)
    with portal.store.writing() as session:
        add_choices(session, [CollectionChoice(url, kind, where, None, 1.0)])


OWL_PAGES = ["http://a.test/", NOTES, PAPER, *HITS[OWLS], "http://b.test/", "http://c.test/"]


@both_databases
def test_pages_of_enough_merit_and_linked_files_are_members(portal: Portal) -> None:
    assert urls(portal, OWLS) == OWL_PAGES
    assert urls(portal, HERONS) == [*HITS[HERONS], OTHER, READ_PAPER]
    assert urls(portal, EMPTY) == []
    by_url = {member.url: member for member in members(portal, OWLS)}
    assert (by_url[PAPER].merit, by_url[PAPER].source) == (0.9, MemberSource.LINK)
    assert (by_url[PAPER].title, by_url[PAPER].parent_url) == ("A paper on owls", "http://a.test/")
    assert (by_url["http://c.test/"].merit, by_url["http://c.test/"].title) == (0.3, "Few owls")


@both_databases
def test_choices_come_before_merits(portal: Portal) -> None:
    choose(portal, ChoiceKind.ACCEPT, LOW, OWLS)
    choose(portal, ChoiceKind.REJECT, "http://b.test/")
    choose(portal, ChoiceKind.REJECT, PAPER)
    choose(portal, ChoiceKind.MOVE, "http://c.test/", HERONS)
    choose(portal, ChoiceKind.PIN, READ_PAPER, HERONS)
    assert urls(portal, OWLS) == ["http://a.test/", NOTES, *HITS[OWLS], LOW]
    herons = members(portal, HERONS)
    assert [member.url for member in herons] == [
        READ_PAPER,
        *HITS[HERONS],
        OTHER,
        "http://c.test/",
    ]
    assert herons[-1].merit is not None  # its correlation with herons, not with owls
    assert herons[-1].merit < 0.3
    assert [member.choice for member in herons] == [ChoiceKind.PIN, *[None] * 5, ChoiceKind.MOVE]


@both_databases
def test_choices_about_files_that_were_not_read(portal: Portal) -> None:
    choose(portal, ChoiceKind.PIN, PAPER, OWLS)
    choose(portal, ChoiceKind.MOVE, NOTES, HERONS)
    choose(portal, ChoiceKind.ACCEPT, "http://far.test/", HERONS)
    first = members(portal, OWLS)[0]
    assert (first.url, first.merit, first.source) == (PAPER, 0.9, MemberSource.LINK)
    moved, far = members(portal, HERONS)[-2:]
    if moved.url != NOTES:
        moved, far = far, moved
    assert (moved.url, moved.merit, moved.source) == (NOTES, None, MemberSource.USER)
    assert (far.url, far.title, far.merit) == ("http://far.test/", "far", None)


@both_databases
def test_choices_survive_that_pages_are_fetched_and_judged_again(portal: Portal) -> None:
    choose(portal, ChoiceKind.REJECT, "http://a.test/")
    choose(portal, ChoiceKind.ACCEPT, LOW, OWLS)
    pages = bird_pages()
    again = {url: replace(pages[url], title="New") for url in ("http://a.test/", LOW)}
    add_pages(portal, again)
    judge_pages(
        portal,
        {url: replace(page, topic=HERONS, score=0.95) for url, page in again.items()},
    )
    found = {member.url: member for member in members(portal, OWLS)}
    assert "http://a.test/" not in found
    assert "http://a.test/" not in urls(portal, HERONS)
    assert LOW not in urls(portal, HERONS)
    assert (found[LOW].title, found[LOW].choice) == ("New", ChoiceKind.ACCEPT)


@both_databases
def test_an_accepted_page_that_is_gone_stays(portal: Portal) -> None:
    choose(portal, ChoiceKind.ACCEPT, "http://b.test/", OWLS)
    with portal.store.writing() as session:
        for url in ("http://b.test/", "http://c.test/"):
            lose(session, url, Fate(UrlState.FAILED, "gone: status 404"))
    assert "http://b.test/" in urls(portal, OWLS)
    assert "http://c.test/" not in urls(portal, OWLS)


@both_databases
def test_a_broken_file_is_no_member(portal: Portal) -> None:
    with portal.store.writing() as session:
        lose(session, PAPER, Fate(UrlState.FAILED, "gone: status 404"))
    assert PAPER not in urls(portal, OWLS)


def test_places_are_for_pages_and_merits_for_all(tmp_path: Path) -> None:
    path = make_collections(tmp_path / "p", tunnel__max_members=3, tunnel__min_merit=0.85)
    with Portal.reading(path) as portal:
        assert urls(portal, OWLS) == OWL_PAGES[:3]
        assert urls(portal, HERONS) == []
    with Portal.reading(path, ["tunnel.min_merit=0.5"]) as portal:
        assert urls(portal, OWLS) == OWL_PAGES[:5]


def test_files_inside_archives_are_no_members(tmp_path: Path) -> None:
    inside = {"http://a.test/z.zip": MadePage(topic=OWLS, score=0.7, text="All of it.")}
    path = make_collections(tmp_path / "p", {**bird_pages(), **inside})
    with Portal.reading(path) as portal:
        assert "http://a.test/z.zip" in urls(portal, OWLS)
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        session.connection.exec_driver_sql(
            "UPDATE urls SET url = 'http://a.test/z.zip#one' WHERE url = 'http://a.test/z.zip'"
        )
    with Portal.reading(path) as portal:
        assert not any("#" in url for url in urls(portal, OWLS))


def remove(session: Session, path: str) -> TopicId:
    tree = TopicTree(topic_rows.all_topics(session))
    found = tree.at(parse_path(path)).id
    note_removal(session, [found], parse_path(path), (), 3.0)
    topic_rows.remove_topics(session, [found], TopicId(1), ())
    return found


@both_databases
def test_choices_about_a_removed_subject_rest_until_it_is_restored(portal: Portal) -> None:
    choose(portal, ChoiceKind.PIN, "http://a.test/", HERONS)
    choose(portal, ChoiceKind.REJECT, "http://b.test/")
    with portal.store.writing() as session:
        remove(session, HERONS)
    assert "http://a.test/" in urls(portal, OWLS)
    assert "http://b.test/" not in urls(portal, OWLS)
    with portal.store.writing() as session:
        restore(session, removals(session)[0], TopicId(1))
    assert "http://a.test/" not in urls(portal, OWLS)
    assert urls(portal, HERONS)[0] == "http://a.test/"


def test_a_portal_has_collections_while_centroids_judge_its_pages(tmp_path: Path) -> None:
    planted(tmp_path / "q", {OWLS: []})
    with Portal.reading(tmp_path / "q") as portal, portal.store.reading() as session:
        assert not has_collections(session)
    path = make_collections(tmp_path / "p")
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        assert has_collections(session)
        ledger.keep_model(session, Model(ModelId(0), TOPIC_MODEL, 1, 4.0, b""))
        assert not has_collections(session)


def test_terms_of_a_member_are_explained(tmp_path: Path) -> None:
    path = make_collections(tmp_path / "p")
    with Portal.reading(path) as portal, collections(portal) as found:
        owls = topic(portal, OWLS)
        by_url = {member.url: member for member in found.all[owls].members}
        terms = found.explain(by_url["http://a.test/"], owls)
        assert found.explain(by_url[PAPER], owls) == []
    assert terms[0].word == "owl"
    assert terms[0].part > terms[1].part > 0


def test_without_a_usable_model_a_moved_page_has_no_merit(tmp_path: Path) -> None:
    path = make_collections(tmp_path / "p")
    with Portal.writing(path, "test") as portal:
        choose(portal, ChoiceKind.MOVE, "http://a.test/", HERONS)
        choose(portal, ChoiceKind.MOVE, "http://b.test/", EMPTY)
        with portal.store.writing() as session:
            session.connection.exec_driver_sql("UPDATE models SET packed = x'00'")
        merits = {member.url: member.merit for member in members(portal, HERONS)}
        assert merits["http://a.test/"] is None
        assert [member.merit for member in members(portal, EMPTY)] == [None]
