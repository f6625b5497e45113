"""`lode status` and `lode stats`: what a portal is and holds, also while it is being written."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from motherlode.app.cli.commands.stats import _kinds, _lines, sparkline
from motherlode.app.services.portals.status import status_of
from motherlode.portal import Portal
from motherlode.portal.lock import Holder, PortalLock, holder_of
from motherlode.records import (
    Document,
    Entry,
    Fate,
    Host,
    HostState,
    Judgement,
    Lane,
    Link,
    Model,
    ModelId,
    Outcome,
    Page,
    QueueId,
    Redirect,
    RunEnd,
    TopicId,
    UrlId,
    UrlState,
)
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables.outcomes import keep
from motherlode.urls import address
from support.helpers import CliRun, follow, run_lode, said_one_sentence

OWLS = TopicId(3)
ROOT = TopicId(1)


CONTACT = " --set crawler.contact=you@example.org"  # without one, a crawl of the Web is refused


def outcome(url: str, **said: Any) -> Outcome:
    at = address(url)
    entry = Entry(UrlId(0), at.url, at.key, QueueId(OWLS), 1.0)
    page = Page(at.url, at.key, 1.0, 200, said.get("mime", "text/html"), 1_000)
    links = tuple(Link(one.url, one.key) for one in map(address, said.get("links", ())))
    document = Document(title="x", language=said.get("language", "en"), links=links)
    sure = said.get("confidence", 0.5)
    judgement = Judgement(OWLS if sure > 0 else ROOT, sure, ModelId(1))
    return Outcome(entry, Fate(), page, document, judgement)


def failed(url: str, state: UrlState, reason: str) -> Outcome:
    at = address(url)
    return Outcome(Entry(UrlId(0), at.url, at.key, QueueId(OWLS), 1.0), Fate(state, reason))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal as crawls have left it; the second was killed."""
    folder = tmp_path_factory.mktemp("status")
    words = ("--topic", "birds/owls \x1b[31m", "--seed", "http://owls.test/")
    assert run_lode(folder, "new", "p", *words).returncode == 0
    hop = (address("http://a.test/old"), address("http://a.test/0"))
    moved = Redirect(hop[0].url, hop[0].key, hop[1].url, hop[1].key, 301)
    with Portal.crawling(folder / "p", "test") as portal, portal.batch() as session:
        report = {"precision": 0.75, "crawl": {"phase": "harvesting", "learned": True, "pages": 9}}
        ledger.keep_model(session, Model(ModelId(0), "tree", 1, 50.0, b"", report))
        first = ledger.start_run(session, "crawl", "Bingo", 100.0)
        links = ("http://b.test/1", "http://b.test/2")
        pages = [outcome(f"http://a.test/{n}", links=links, confidence=0.5) for n in range(30)]
        pages += [
            outcome(f"http://a.test/off{n}", confidence=-0.5, language="de") for n in range(10)
        ]
        pages.append(
            outcome("http://a.test/paper", mime="application/pdf", confidence=-0.1, language="")
        )
        gone = [
            failed(f"http://c.test/{n}", UrlState.FAILED, f"not there: status 40{n}")
            for n in range(3)
        ]
        shut = failed("http://c.test/x", UrlState.SKIPPED, "robots.txt")
        old = Outcome(failed("http://a.test/old", UrlState.MOVED, "").entry, redirects=(moved,))
        keep(session, [*pages, *gone, shut, old], first.id)
        ledger.advance_run(session, first.id, 41)
        ledger.end_run(session, first.id, RunEnd.PAGES, 130.0)
        frontier.offer(session, [follow(f"http://b.test/{n}", queue=OWLS) for n in range(7)])
        ledger.keep_hosts(session, [Host("a.test"), Host("c.test", state=HostState.BAD)])
        ledger.start_run(session, "crawl", "Bingo", 200.0)
    return folder


def told(folder: Path, command: str) -> Any:
    run = run_lode(folder, command, "p", "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_status_is_what_the_portal_is(crawled: Path) -> None:
    status = told(crawled, "status")
    assert (status["pages"], status["size"], status["waiting"]) == (41, 41_000, 7)
    assert (status["phase"], status["model"]) == ("harvesting", 1)
    assert "precision" not in status  # the report has one of an older version, by xi-alpha
    assert [(t["pages"], t["waiting"]) for t in status["topics"]] == [(0, 0), (30, 7)]
    assert status["hosts"] == {"good": 1, "slow": 0, "bad": 1}
    assert [(run["pages"], run["end"]) for run in status["runs"]] == [(41, "page limit"), (0, "")]
    assert status["writing"] is None
    assert status["next"] == f"lode crawl p{CONTACT}"


def test_the_status_is_shown_to_a_person(crawled: Path) -> None:
    run = run_lode(crawled, "status", "p")
    assert run.returncode == 0, run.stderr
    assert "p: 2 topics, 1 example, 41 pages, 0.0 MB" in run.stdout
    assert "Phase: harvesting; model 1, " in run.stdout
    assert "7 URLs waiting; hosts: 1 good, 0 slow, 1 bad." in run.stdout
    assert "\x1b" not in run.stdout
    assert "killed" in run.stdout
    assert run.stdout.endswith(f"\nNext: lode crawl p{CONTACT}\n")


def test_whoever_writes_a_portal_is_named_and_not_in_the_way(crawled: Path) -> None:
    with Portal.writing(crawled / "p", "crawl") as portal, portal.store.writing() as session:
        frontier.offer(session, [follow("http://never.test/", queue=OWLS)])
        status = told(crawled, "status")
        assert status["writing"] == {"pid": os.getpid(), "command": "crawl"}
        assert "'crawl' is writing it now" in run_lode(crawled, "status", "p").stdout
        assert told(crawled, "stats")["pages"] == 41
        frontier.clear(session, Lane.CRAWL)
        session.connection.rollback()


def test_the_signature_of_a_dead_process_says_nothing(tmp_path: Path) -> None:
    assert holder_of(tmp_path) is None
    with PortalLock(tmp_path, "test"):
        assert holder_of(tmp_path) == Holder(os.getpid(), "test")
    assert holder_of(tmp_path) is None
    (tmp_path / "lock").write_text('{"pid": 1, "command": "crawl"}')
    assert holder_of(tmp_path) is None
    with PortalLock(tmp_path, "test"):
        pass


@pytest.mark.parametrize(
    ("end", "waiting", "command"),
    [
        (RunEnd.FEEDBACK, 1, "lode feedback"),
        (RunEnd.PAGES, 1, "lode crawl"),
        (RunEnd.DONE, 0, "lode stats"),
    ],
)
def test_the_next_command_fits_what_happened_last(
    lode: CliRun, tmp_path: Path, end: RunEnd, waiting: int, command: str
) -> None:
    assert lode("new", "p", "--topic", "owls", "--seed", "http://owls.test/").returncode == 0
    with Portal.crawling(tmp_path / "p", "test") as portal:
        with portal.batch() as session:
            run = ledger.start_run(session, "crawl", "Bingo", 1.0)
            keep(session, [outcome("http://owls.test/")], run.id)
            ledger.end_run(session, run.id, end, 2.0)
            frontier.offer(session, [follow("http://b.test/")][:waiting])
        with portal.store.reading() as session:
            contact = CONTACT if command == "lode crawl" else ""
            status = status_of(session, portal, None)
            assert status.next == f"{command} {tmp_path / 'p'}{contact}"


def test_a_new_portal_has_a_status_and_figures(lode: CliRun) -> None:
    assert lode("new", "p", "--topic", "owls", "--seed", "http://owls.test/").returncode == 0
    run = lode("status", "p")
    assert run.returncode == 0, run.stderr
    assert "There is no model yet." in run.stdout
    assert run.stdout.endswith(f"Next: lode crawl p{CONTACT}\n")
    stats = lode("stats", "p")
    assert stats.returncode == 0, stats.stderr
    assert stats.stdout.startswith("p: 0 pages")


def test_the_figures_are_those_of_the_store(crawled: Path) -> None:
    stats = told(crawled, "stats")
    assert (stats["pages"], stats["size"], stats["links"], stats["redirects"]) == (
        41,
        41_000,
        60,
        1,
    )
    assert stats["types"] == {"text/html": 40, "application/pdf": 1}
    assert stats["languages"] == {"en": 30, "de": 10, "": 1}
    assert stats["statuses"] == {"200": 41}
    assert stats["failures"] == {"not there": 3}
    assert stats["skipped"] == {"robots.txt": 1}
    assert stats["hosts"] == {"good": 1, "slow": 0, "bad": 1}
    assert stats["relevant"] == 30
    assert stats["harvest"] == pytest.approx([1.0, 9 / 20], abs=0.02)
    assert stats["topics"][1]["pages"] == 30
    assert stats["topics"][1]["margin"] == pytest.approx(0.5)
    assert stats["topics"][1]["precision"] is None


def test_the_figures_are_shown_to_a_person(crawled: Path) -> None:
    run = run_lode(crawled, "stats", "p")
    assert run.returncode == 0, run.stderr
    for part in (
        "failures   not there 3",
        "languages  en 30, de 10, unknown 1",
        "harvest    0.73  █",
    ):
        assert part in run.stdout
    assert "\x1b" not in run.stdout


@pytest.mark.parametrize("command", ["status", "stats"])
def test_no_portal_is_one_sentence(lode: CliRun, command: str) -> None:
    run = lode(command, "nowhere")
    assert run.returncode == 4
    assert said_one_sentence(run)


def test_a_sparkline_is_as_high_as_the_rates() -> None:
    assert sparkline([0.0, 0.5, 0.99, 1.0]) == "▁▅██"
    assert sparkline([]) == ""


def test_long_lists_of_kinds_take_several_lines_and_no_kind_is_broken() -> None:
    long = f"application/{'x' * 60}"
    told = _lines(
        "types", _kinds({"text/html": 2_000, long: 12, "connection refused": 3, "b c d e f": 1})
    )
    assert told.splitlines() == [
        "types      text/html 2,000,",
        f"           {long} 12,",
        "           connection refused 3, b c d e f 1",
    ]
    assert _lines("links", "7") == "links      7"
