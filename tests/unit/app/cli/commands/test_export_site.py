"""`lode export --format site`, on a small portal that has learned."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from msgspec.structs import replace

from motherlode.export.record_reader import ExportSource
from motherlode.export.site import content as publishing
from motherlode.export.site.records import Detail
from motherlode.learning.tree import VERSION
from motherlode.portal import Portal
from motherlode.records import TOPIC_MODEL, Model, ModelId, UrlState
from motherlode.store.schema import urls
from motherlode.store.tables import ledger
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from motherlode.training.feedback.review import judge_pages, save_judgements
from motherlode.training.topic_profile import PageCard
from motherlode.urls import address
from support.bird_portal import EVIL, HOSTILE
from support.helpers import run_lode, said_one_sentence
from support.static_sites import check_links, pages_in
from support.training_webs import (
    EACH,
    VOCABULARY,
    fetch,
    learned,
    pages,
    paper,
    place,
    planted,
    text,
)

TOPIC = "animals/birds"
TWINS = ("http://twin1.test/", "http://twin2.test/")
BIRDS = [place(kind, number) for kind in ("owl", "heron") for number in range(EACH)]
SEEDS = [*BIRDS, HOSTILE, *TWINS]


def taught(folder: Path, **settings: object) -> Path:
    """A portal whose topic on birds has a hostile page, and two that say the same but for a word."""
    others = ["http://hub.test/", *(place("news", number) for number in range(3))]
    topics = {TOPIC: SEEDS, "minerals & <b>ores": [], "OTHERS": others}
    portal = planted(folder / "birds", topics, **settings)
    long = " ".join(text("owl", number) for number in range(EACH))
    said = {twin: paper("Twin", f"{long} Many of them live at {twin[7:12]}.") for twin in TWINS}
    evil = paper(EVIL.replace("<", "&lt;"), text("owl", 3), [place("owl", 0)])
    fetch(portal, {**pages(), **said, HOSTILE: evil}, folder / "web")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
        _, classifier, _ = learned(portal)
    model = Model(ModelId(0), TOPIC_MODEL, VERSION, 5.0, classifier.pack(), {})
    with Portal.crawling(portal, "test") as opened, opened.batch() as session:
        save_judgements(
            session, judge_pages(session, classifier), ledger.keep_model(session, model).id
        )
    return portal


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return taught(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def public(birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its site."""
    place = tmp_path_factory.mktemp("out") / "public"
    run = export(birds, place)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"Wrote {len(SEEDS)} pages to public.\n"
    return place


def export(portal: Path, out: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return run_lode(out.parent, "export", portal, "--format", "site", "--output", out.name, *words)


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_portal_becomes_a_site(public: Path) -> None:
    found = pages_in(public)
    assert check_links(public) == found.keys()
    assert set(found["topics/animals_birds__p1.html"].outgoing()) == set(SEEDS)
    topic = found["topics/animals_birds.html"]
    assert "http://hub.test/" in topic.outgoing()
    said = " ".join(topic.text.split())
    assert "owl" in said.partition("Words that speak for it:")[2].partition("All 15 pages")[0]
    assert "chosen by hand" in said
    assert "Owl 0" in said
    assert any("minerals & <b>ores" in page.text for page in found.values())
    assert all(not page.all("b") and not page.all("alert") for page in found.values())


def test_the_same_portal_makes_the_same_site_and_replaces_it(birds: Path, public: Path) -> None:
    before = files_in(public)
    (public / "topics" / "old.html").write_text("of a topic that is no more")
    again = export(birds, public)
    assert again.returncode == 0, again.stderr
    assert files_in(public) == before
    assert [path.name for path in public.parent.iterdir()] == ["public"]


def test_a_topic_alone(birds: Path, tmp_path: Path) -> None:
    assert export(birds, tmp_path / "public", "--topic", TOPIC).returncode == 0
    pages = pages_in(tmp_path / "public")
    assert check_links(tmp_path / "public") == pages.keys()
    topics = [name for name in pages if name.startswith("topics/") and "__p" not in name]
    assert topics == ["topics/animals_birds.html"]
    assert f"{len(SEEDS)} pages on 1 topic" in pages["index.html"].text
    assert not any("minerals" in page.text for page in pages.values())


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("mine", (), "was not made by this command"),
        ("mine", ("--force",), "was not made by this command"),
        ("mixed", ("--force",), "holds other things"),
    ],
)
def test_a_folder_that_is_not_ours_stays(
    birds: Path, public: Path, tmp_path: Path, name: str, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("mine")
    shutil.copytree(public, tmp_path / "mixed")
    (tmp_path / "mixed" / ".git").mkdir()
    before = files_in(tmp_path)
    run = export(birds, tmp_path / name, *words)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert said in run.stderr
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--output", "-"), "directory of files"),
        (("--output", "out", "--text"), "no place for texts"),
        (("--output", "out", "--topic", "OTHERS"), "pages of no topic"),
        (("--output", "file"), "is a file"),
    ],
)
def test_what_cannot_be_done_is_said(
    birds: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "file").write_text("mine")
    run = run_lode(tmp_path, "export", birds, "--format", "site", *words)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert said in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


_SLOW = """
import sys, time
from motherlode.export.site.writer import _Site
def slow(self):
    print("half", flush=True)
    time.sleep(60)
_Site._write_search = slow
sys.argv = ["lode", *sys.argv[1:]]
from motherlode.__main__ import start
start()
"""


def test_a_kill_leaves_the_old_site_whole(birds: Path, public: Path) -> None:
    before = files_in(public)
    words = ["export", str(birds), "--format", "site", "--output", str(public), "--topic", TOPIC]
    with subprocess.Popen([sys.executable, "-c", _SLOW, *words], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"half\n"
        os.kill(running.pid, signal.SIGKILL)
    assert files_in(public) == before
    for left in public.parent.glob(".public.*.part"):
        shutil.rmtree(left)


def published(portal: Path) -> tuple[list[PageCard], Detail]:
    """The pages of the topic, and what is told of it."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        tree = opened.tree()
        content = publishing.content_of(
            ExportSource(opened, session, tree, tree.at(parse_path(TOPIC)).id)
        )
        (head,) = content.heads
        return list(content.cards(head)), content.detail(head)


def test_clusters_are_shown_where_there_are_pages_enough(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert published(birds)[1].clusters == ()
    monkeypatch.setattr(publishing, "_CLUSTERABLE", len(SEEDS))
    detail = published(birds)[1]
    assert detail.clustered == len(SEEDS)
    assert sum(one.size for one in detail.clusters) == len(SEEDS)
    assert len(detail.clusters) > 1


def test_of_pages_that_are_nearly_the_same_one_is_among_the_best(birds: Path) -> None:
    cards, detail = published(birds)
    assert {card.url for card in cards} == set(SEEDS)
    margins = [card.margin or 0.0 for card in cards]
    assert margins == sorted(margins, reverse=True)
    assert len({card.url for card in detail.best} & set(TWINS)) == 1
    assert len(detail.best) == len(SEEDS) - 1


def test_what_is_gone_is_not_published(birds: Path, tmp_path: Path) -> None:
    portal = shutil.copytree(birds, tmp_path / "birds")
    known = address(place("owl", 1))
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        gone = urls.update().where(urls.c.key == known.key).values(state=int(UrlState.FAILED))
        session.connection.execute(gone)
    cards, detail = published(portal)
    assert set(SEEDS) - {card.url for card in cards} == {known.url}
    assert known.url not in {card.url for card in detail.best}


@pytest.fixture
def database(postgres_server: str) -> Iterator[str]:
    """A database that nothing else uses."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE lode_site")
        yield urlunsplit(urlsplit(postgres_server)._replace(path="/lode_site"))
        connection.execute("DROP DATABASE lode_site WITH (FORCE)")


def test_both_databases_say_the_same(birds: Path, database: str, tmp_path: Path) -> None:
    other = taught(tmp_path, store__url=database)

    def lasting(portal: Path) -> tuple[list[PageCard], Detail]:
        cards, detail = published(portal)
        best = tuple(replace(card, fetched_at=0.0) for card in detail.best)
        return [replace(card, fetched_at=0.0) for card in cards], replace(detail, best=best)

    assert lasting(other) == lasting(birds)
