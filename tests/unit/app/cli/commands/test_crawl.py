"""`lode crawl`, against the sandbox."""

import csv
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from motherlode.app.cli.commands.crawl import command
from motherlode.lab.serving.background import Running, sandbox
from motherlode.policies.bingo import retraining
from motherlode.portal import Portal
from motherlode.records import TOPIC_MODEL
from motherlode.store.schema import judgements
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import page_log
from support.helpers import CliRun, said_one_sentence
from support.small_webs import html, record_web

OWLS = "Owls hunt mice at night, and owls hear them in the grass."
PAGES = {
    "http://a.test/": html("Owls", OWLS, "/1", "/2", "http://b.test/"),
    "http://a.test/1": html("One", "One owl hunts at night", "/3"),
    "http://a.test/2": html("Two", "Two owls hear mice"),
    "http://a.test/3": html("Three", "Three owls in the grass"),
    "http://b.test/": html("Herons", "Herons wade"),
    "http://news.test/": html("News", "What is new in parliament", "http://a.test/never"),
}
ODD = {
    "http://c.test/": html("Owls", f"{OWLS} Owls wait.", "http://stall.test/"),
    "http://d.test/": html("Owls", f"{OWLS} Owls rest.", "http://busy.test/"),
    "http://e.test/": html("Owls", f"{OWLS} Owls moult.", "http://closed.test/"),
    "http://stall.test/": html("Stall", OWLS * 500),
    "http://busy.test/": html("Busy", "Busy owls"),
    "http://closed.test/": html("Closed", "Closed owls"),
}
HABITS = {"stall.test": "stall", "busy.test": "too-many:1", "closed.test": "robots-error:503"}
ENDLESS = """
from motherlode.crawl import supervisor
from motherlode.__main__ import start
assert supervisor.CLOSING_GRACE_S > 1.0
supervisor.CLOSING_GRACE_S = 3600.0  # what is under way is waited for longer than the test
start()
"""
QUICK = "network.idle_timeout=1"  # what stalls is soon given up, and tried again after the test


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("crawl") / "web"
    record_web(folder, PAGES | ODD)
    habits = "".join(f'"{host}" = "{habit}"\n' for host, habit in HABITS.items())
    (folder / "about.toml").write_text(f'name = "owls"\n[misbehaviour]\n{habits}')
    with sandbox(folder) as running:
        yield running


def made(lode: CliRun, *settings: str, seed: str = "http://a.test/") -> None:
    others = ("--topic", "OTHERS", "--seed", "http://news.test/")
    chosen = [word for setting in settings for word in ("--set", setting)]
    assert lode("new", "owls", "--topic", "owls", "--seed", seed, *others, *chosen).returncode == 0


def kept(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


def ends(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [run.end for run in ledger.all_runs(session)]


def told(lode: CliRun, *words: str) -> Any:
    run = lode("crawl", "owls", "--json", *words)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@contextmanager
def under_way(
    directory: Path, *words: str, until: str, program: tuple[str, ...] = ("-m", "motherlode")
) -> "Iterator[subprocess.Popen[str]]":
    """A crawl that has come so far."""
    crawling = subprocess.Popen(
        [sys.executable, "-u", *program, "crawl", "owls", *words],
        cwd=directory,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with crawling:
        try:
            assert crawling.stdout is not None
            while until not in crawling.stdout.readline():
                assert crawling.poll() is None
            yield crawling
        finally:
            crawling.kill()


def test_the_web_is_refused_without_a_contact_and_how_to_give_one_is_said(lode: CliRun) -> None:
    made(lode)
    run = lode("crawl", "owls")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "crawler.contact" in run.stderr
    assert "lode.toml" in run.stderr


def test_hosts_rest_between_the_examples_and_the_crawl(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    made(
        lode,
        f"network.connect={box.address}",
        "crawl.policy=breadth-first",
        "politeness.sandbox_delay=1",
    )
    told(lode, "--pages", "4")
    lines = [
        line.split() for line in (tmp_path / "owls/logs/crawl.log").read_text("utf-8").splitlines()
    ]
    asked = [
        datetime.fromisoformat(line[0]) for line in lines if line[3].startswith("http://a.test/")
    ]
    assert len(asked) == 2
    assert asked[1] - asked[0] >= timedelta(seconds=0.99)


def test_a_crawl_goes_on_where_the_last_one_ended(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    made(lode, f"network.connect={box.address}")
    first = lode("crawl", "owls", "--pages", "2")
    assert first.returncode == 0, first.stderr
    assert "2 pages from 2 hosts" in first.stdout
    assert ": the page limit is reached." in first.stdout
    assert "3 URLs still waiting" in first.stdout
    assert sorted(kept(tmp_path / "owls")) == ["http://a.test/", "http://news.test/"]
    second = told(lode, "--pages", "3", "--resume")
    assert (second["pages"], second["end"], second["waiting"]) == (3, "page limit", 1)
    third = told(lode)
    assert (third["pages"], third["failed"], third["end"], third["waiting"]) == (1, 0, "done", 0)
    assert "all URLs that were found are fetched" in lode("crawl", "owls").stdout
    assert sorted(kept(tmp_path / "owls")) == sorted(PAGES)
    with (tmp_path / "owls/reports/harvest.csv").open() as file:
        pages = [int(row["pages"]) for row in csv.DictReader(file)]
    assert pages == sorted(set(pages))
    assert {2, 5, 6} <= set(pages)
    attempts = (tmp_path / "owls/logs/crawl.log").read_text().splitlines()
    assert sorted(line.split()[3] for line in attempts) == sorted(PAGES)


def test_options_override_settings(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}", "crawl.policy=bingo")
    result = told(lode, "--policy", "breadth-first", "--workers", "1", "--learn-pages", "5")
    assert (result["pages"], result["phase"], result["retrainings"]) == (6, "", 0)
    learned = told(lode, "--learn-pages", "0")
    assert (learned["phase"], learned["retrainings"]) == ("harvesting", 1)


def test_a_limit_is_an_exit_code_of_its_own_if_that_is_wanted(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    made(lode, f"network.connect={box.address}", QUICK, seed="http://c.test/")
    assert lode("crawl", "owls", "--pages", "1", "--fail-on-limit").returncode == 14
    assert len(kept(tmp_path / "owls")) == 1
    run = lode("crawl", "owls", "--time", "2s", "--policy", "breadth-first", "--fail-on-limit")
    assert run.returncode == 15, run.stderr
    assert ": the time limit is reached." in run.stdout


@pytest.mark.parametrize("time", ["10", "0s", "m", "-3s", "1h 5", "1e9s"])
def test_a_time_that_is_none_is_refused(lode: CliRun, time: str) -> None:
    run = lode("crawl", "owls", f"--time={time}")
    assert run.returncode == 2
    assert said_one_sentence(run)


def test_it_is_said_until_when_nothing_can_be_fetched_and_why(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    made(lode, f"network.connect={box.address}", seed="http://d.test/")
    reason = "): 1 waits for another attempt; errors so far: "
    with under_way(tmp_path, "--policy", "breadth-first", until=reason) as crawling:
        crawling.send_signal(signal.SIGINT)
        shown, said = crawling.communicate(timeout=60)
    assert crawling.returncode == 11, said
    assert "Nothing can be fetched" not in shown  # it has been said, once


def test_a_crawl_that_could_only_wait_for_long_ends_and_says_until_when(
    lode: CliRun, box: Running
) -> None:
    made(lode, f"network.connect={box.address}", seed="http://e.test/")
    run = lode("crawl", "owls", "--policy", "breadth-first")
    assert run.returncode == 0, run.stderr
    assert ": nothing can be fetched before " in run.stdout
    assert "1 URL still waiting" in run.stdout


def test_feedback_is_asked_for_before_the_harvest(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}")
    run = lode("crawl", "owls", "--feedback")
    assert run.returncode == 0, run.stderr
    assert "waits for your feedback" in run.stdout
    assert run.stdout.endswith("Next: lode feedback owls\n")
    refused = lode("crawl", "owls", "--feedback", "--policy", "breadth-first")
    assert refused.returncode == 2
    assert said_one_sentence(refused)


def test_metrics_need_a_free_port(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}", "crawl.policy=breadth-first")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        run = lode("crawl", "owls", "--metrics", str(taken.getsockname()[1]))
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert (
        "Metrics at http://127.0.0.1:"
        in lode("crawl", "owls", "--pages", "1", "--metrics", "0").stdout
    )


# --- trouble --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_crawl_says_how_to_go_on(
    lode: CliRun, box: Running, tmp_path: Path, how: signal.Signals
) -> None:
    made(lode, f"network.connect={box.address}", QUICK, seed="http://c.test/")
    with under_way(tmp_path, "--pages", "50", until="retraining") as crawling:  # its run has begun
        crawling.send_signal(how)
        _, said = crawling.communicate(timeout=60)
    assert crawling.returncode == 11, said
    left = 50 - len(kept(tmp_path / "owls"))
    assert left < 50
    assert said.strip() == f"Interrupted; 'lode crawl owls --pages {left}' resumes."
    assert ends(tmp_path / "owls")[-1] == "interrupted"
    assert "is writing it" not in lode("status", "owls").stdout


def test_interrupted_before_it_began_it_says_how_to_go_on_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Portal, "crawling", interrupted)
    run = CliRunner().invoke(command, ["owls", "--pages", "5"])
    assert run.exit_code == 11
    assert run.stderr.strip() == "Interrupted; 'lode crawl owls --pages 5' resumes."


def test_a_second_interruption_ends_a_crawl_at_once(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    made(lode, f"network.connect={box.address}", seed="http://c.test/")
    words = ("--policy", "breadth-first")
    with under_way(tmp_path, *words, until="2 pages from", program=("-c", ENDLESS)) as crawling:
        assert crawling.stdout is not None
        crawling.send_signal(signal.SIGINT)
        assert "Ctrl-C again" in crawling.stdout.readline()
        crawling.send_signal(signal.SIGINT)
        _, said = crawling.communicate(timeout=60)
    assert crawling.returncode == 11, said
    assert said.strip() == (
        "Interrupted; 'lode crawl owls --pages 998 --policy breadth-first' resumes."
    )
    assert ends(tmp_path / "owls")[-1] == "interrupted"
    assert sorted(kept(tmp_path / "owls")) == ["http://c.test/", "http://news.test/"]


def test_a_policy_that_knows_no_topics_puts_nothing_on_one(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}")
    found = told(lode, "--policy", "best-first")
    assert (found["relevant"], found["topics"]) == (0, {})
    assert (
        "on a topic" not in lode("crawl", "owls", "--policy", "best-first").stdout.splitlines()[-3]
    )


def test_in_the_end_all_pages_are_judged_by_what_was_learned_from_all(
    lode: CliRun, box: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(lode, f"network.connect={box.address}", "bingo.learn_pages=0")
    monkeypatch.setattr(retraining, "pages_until_retraining", lambda _pages: inf)  # none on the way
    monkeypatch.setattr(retraining, "FIRST_PAGES", 1)
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(command, ["owls", "--pages", "4"])
    assert run.exit_code == 0, run.output
    assert "Learning from all fetched pages ..." in run.output
    with Portal.reading(tmp_path / "owls") as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, TOPIC_MODEL)
        judged = session.connection.execute(select(judgements.c.model_id)).scalars().all()
    assert model is not None
    assert model.report["crawl"]["pages"] == 4
    assert judged == [model.id] * 4


def test_a_full_disk_under_the_log_is_one_sentence(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    made(lode, f"network.connect={box.address}", "crawl.policy=breadth-first")
    log = tmp_path / "owls/logs/crawl.log"
    log.symlink_to("/dev/full")
    run = lode("crawl", "owls")
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "No space is left for owls/logs/crawl.log" in run.stderr
    log.unlink()
    assert lode("crawl", "owls").returncode == 0
    assert sorted(kept(tmp_path / "owls")) == sorted(PAGES)


def test_examples_that_cannot_be_had_are_no_crawl(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}", seed="http://a.test/nowhere")
    run = lode("crawl", "owls")
    assert run.returncode == 1
    assert "http://a.test/nowhere (not there: status 404)" in run.stderr


def test_no_portal_is_no_crawl(lode: CliRun) -> None:
    run = lode("crawl", "nowhere")
    assert run.returncode == 4
    assert said_one_sentence(run)


def test_the_index_follows_on_demand(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}", "crawl.policy=breadth-first")
    told = lode("crawl", "owls", "--pages", "10", "--index")
    assert told.returncode == 0
    assert "The index is up to date." in told.stdout
    found = json.loads(lode("search", "owls", "title:three", "--as-is", "--json").stdout)
    assert [one["url"] for one in found["results"]] == ["http://a.test/3"]
    assert found["results"][0]["places"].keys() == {"title"}


def test_how_far_it_is_can_be_heard_beside_the_result(lode: CliRun, box: Running) -> None:
    made(lode, f"network.connect={box.address}")
    run = lode("crawl", "owls", "--json", "--progress", "--pages", "2")
    assert json.loads(run.stdout)["pages"] == 2
    assert "Fetching the examples ..." in run.stderr
