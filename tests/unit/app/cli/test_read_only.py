"""A portal that cannot be written: all that only reads works, and the rest says what to do."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.records import ROOT, LockedError
from motherlode.store.tables import topics as topic_rows
from support.app_server import send, visitor
from support.helpers import run_lode, said_one_sentence
from support.read_only import read_only, read_only_view
from support.store_records import keep_one
from support.training_webs import place

pytestmark = pytest.mark.system

READING = [
    ("status", "birds"),
    ("stats", "birds"),
    ("topics", "birds"),
    ("search", "birds", "owl"),
    ("search", "birds", "owl", "--json"),
    ("search", "birds", "owl", "--as-is"),
    ("explain", "birds", place("owl", 0)),
    ("judge", "birds", place("owl", 0)),
    ("links", "birds", "--topic", "/"),
    ("cluster", "birds", "--topic", "animals/birds"),
    ("feedback", "birds"),
    ("mark", "birds"),
    ("train", "birds", "--preview"),
    ("hosts", "birds"),
    ("config", "birds"),
    ("export", "birds", "--format", "jsonl", "--output", "../out.jsonl"),
    ("export", "birds", "--format", "warc", "--output", "../out.warc.gz"),
    ("export", "birds", "--format", "site", "--output", "../site"),
]
WRITING = [
    ("crawl", "birds", "--set", "crawler.contact=me@example.org"),
    ("train", "birds", "--offline"),
    ("index", "birds", "--rebuild"),
    ("topics", "birds", "add", "mammals"),
    ("mark", "birds", "--good", place("owl", 0)),
    ("judge", "birds", "--again"),
    ("cluster", "birds", "--topic", "animals/birds", "--apply"),
    ("refresh", "birds"),
    ("feedback", "birds", "--trim", place("owl", 0), "--blocks", "1"),
]


@pytest.fixture(scope="module")
def folder(finished_birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with an indexed portal, which cannot be written."""
    folder = tmp_path_factory.mktemp("read-only") / "disk"
    shutil.copytree(finished_birds / "birds", folder / "birds")
    assert run_lode(folder, "index", "birds").returncode == 0
    with read_only(folder):
        yield folder


@pytest.mark.parametrize("arguments", READING, ids=lambda arguments: "-".join(arguments[::2])[:40])
def test_a_command_that_reads_works(folder: Path, arguments: tuple[str, ...]) -> None:
    run = run_lode(folder, *arguments)
    assert run.returncode == 0, run.stderr
    assert "cannot" not in run.stderr


@pytest.mark.parametrize("arguments", WRITING, ids=lambda arguments: arguments[0])
def test_a_command_that_writes_says_what_to_do(folder: Path, arguments: tuple[str, ...]) -> None:
    run = run_lode(folder, *arguments)
    assert run.returncode == 1, run.stdout
    assert said_one_sentence(run), run.stderr
    assert "cannot be written" in run.stderr
    assert "copy the portal to where you can write" in run.stderr


def test_results_are_those_of_a_copy(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "birds", tmp_path / "birds")
    answers = [
        json.loads(run_lode(place, "search", "birds", "owl", "--json").stdout)
        for place in (folder, tmp_path)
    ]
    assert answers[0]["total"] > 0
    assert answers[0] == answers[1]


def test_an_index_that_is_missing(finished_birds: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_birds / "birds", tmp_path / "disk" / "birds")
    shutil.rmtree(tmp_path / "disk" / "birds" / "index")
    with read_only(tmp_path / "disk") as disk:
        run = run_lode(disk, "search", "birds", "owl")
        assert (run.returncode, said_one_sentence(run)) == (1, True), run.stderr
        assert run.stderr.startswith("lode: birds has no index to search, and birds/index cannot ")
        assert "copy the portal to where you can write" in run.stderr
        shutil.copytree(disk / "birds", tmp_path / "copy")
    assert run_lode(tmp_path, "search", "copy", "owl").returncode == 0


def test_an_index_that_is_out_of_date(finished_birds: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_birds / "birds", tmp_path / "disk" / "birds")
    assert run_lode(tmp_path / "disk", "index", "birds").returncode == 0
    with Portal.writing(tmp_path / "disk" / "birds", "test") as portal:
        keep_one(portal.store, "http://new.test/")
    with read_only(tmp_path / "disk") as disk:
        run = run_lode(disk, "search", "birds", "owl")
    assert run.returncode == 0, run.stderr
    assert run.stderr.startswith("The index is ")
    assert " behind: birds/index cannot be written: " in run.stderr
    assert "copy the portal" in run.stderr


@pytest.mark.parametrize("lost", [(), ("lode.db-shm",)], ids=["with index of the log", "without"])
def test_the_log_of_a_killed_writer_is_read(
    finished_birds: Path, tmp_path: Path, lost: tuple[str, ...]
) -> None:
    shutil.copytree(finished_birds / "birds", tmp_path / "birds")
    with Portal.writing(tmp_path / "birds", "test") as portal:
        with portal.batch() as session:
            topic_rows.add_topic(session, ROOT, "mammals")
        killed = tmp_path / "disk" / "birds"  # as it is while the writer has it open
        shutil.copytree(tmp_path / "birds", killed)
    assert (killed / "lode.db-wal").stat().st_size
    for name in lost:
        (killed / name).unlink()
    with read_only(killed):
        run = run_lode(tmp_path / "disk", "topics", "birds")
        assert "mammals" in run.stdout, run.stderr
        assert run_lode(tmp_path / "disk", "search", "birds", "owl").returncode in (0, 1)


def test_a_database_that_its_owner_writes_meanwhile(finished_birds: Path, tmp_path: Path) -> None:
    """The reader takes no locks, so it checks afterwards that nothing has changed."""
    shutil.copytree(finished_birds / "birds", tmp_path / "birds")
    (tmp_path / "view").mkdir()
    with (
        read_only_view(tmp_path / "birds", tmp_path / "view") as view,
        Portal.reading(view) as portal,
        pytest.raises(LockedError, match="was written by another process while it was read"),
        portal.store.reading() as session,
    ):
        topic_rows.all_topics(session)
        added = run_lode(tmp_path, "topics", "birds", "add", "mammals")
        assert added.returncode == 0, added.stderr


def test_the_web_application(folder: Path) -> None:
    client = visitor(folder)
    topics = client.get("/api/v1/portals/birds/topics").json()["topics"]
    number = topics[-1]["id"]
    paths = ["", "/topics", f"/topics/{number}", "/search?q=owl", "/feedback", "/marks", "/crawl"]
    paths += ["/crawl/hosts", "/export", f"/page?url={place('owl', 0)}"]
    for path in paths:
        answer = client.get(f"/portals/birds{path}")
        assert answer.status_code == 200, (path, answer.text)
    assert "<mark>" in client.get("/portals/birds/search?q=owl").text
    refused = send(client, "/portals/birds/topics/add", name="mammals")
    assert "copy the portal to where you can write" in refused.text
    refused = client.post("/api/v1/portals/birds/index", json={})
    assert refused.status_code == 403
    assert "copy the portal to where you can write" in refused.json()["error"]
