"""`lode refresh` and `lode explain`, against the sandbox."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal import Portal
from motherlode.records import Host, HostState
from motherlode.store.tables import ledger
from support.helpers import CliRun, run_lode, said_one_sentence
from support.small_webs import Said, html, record_web

PAGES: dict[str, Said] = {
    "http://a.test/": html("Owls", "Owls hunt", "/1", "/2", "http://b.test/"),
    "http://a.test/1": html("One", "One owl", "/3"),
    "http://a.test/2": html("Two", "Two owls"),
    "http://a.test/3": html("Three \x1b[31m", "Three owls", "http://a.test/private"),
    "http://b.test/": html("Herons", "Herons wade"),
    "http://a.test/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private\n"),
}
LATER = {
    **PAGES,
    "http://a.test/1": html("One", "One owl and another", "/3", "/new"),
    "http://a.test/2": (410, {}, b""),
}


def served(folder: Path, pages: dict[str, Said], about: str = "") -> Path:
    record_web(folder, pages)
    (folder / "about.toml").write_text(f'name = "owls"\n{about}')
    return folder


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Running, Running]]:
    """A web; the same later; and the same while one of its hosts does not answer."""
    folder = tmp_path_factory.mktemp("refresh")
    other = {**PAGES, "http://b.test/": html("Herons", "Herons wade in the marsh")}
    slow = served(folder / "slow", other, '[misbehaviour]\n"b.test" = "stall"\n')
    with (
        sandbox(served(folder / "first", PAGES)) as first,
        sandbox(served(folder / "later", LATER)) as later,
        sandbox(slow) as stalled,
    ):
        yield first, later, stalled


@pytest.fixture(scope="module")
def crawled(
    tmp_path_factory: pytest.TempPathFactory, boxes: tuple[Running, Running, Running]
) -> Path:
    folder = tmp_path_factory.mktemp("crawled")
    settings = (
        "--set",
        f"network.connect={boxes[0].address}",
        "--set",
        "crawl.policy=breadth-first",
    )
    made = run_lode(folder, "new", "owls", "--topic", "owls", "--seed", "http://a.test/", *settings)
    assert made.returncode == 0, made.stderr
    run = run_lode(folder, "crawl", "owls", "--json")
    assert json.loads(run.stdout)["pages"] == 5
    return folder / "owls"


@pytest.fixture
def owls(crawled: Path, tmp_path: Path) -> Path:
    shutil.copytree(crawled, tmp_path / "owls")
    return tmp_path / "owls"


def told(lode: CliRun, *arguments: str) -> dict[str, Any]:
    run = lode(*arguments, "--json")
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def at(box: Running) -> tuple[str, str]:
    return "--set", f"network.connect={box.address}"


# --- lode refresh ---


@pytest.mark.usefixtures("owls")
def test_young_pages_are_left_alone(lode: CliRun) -> None:
    run = lode("refresh", "owls")
    assert (run.returncode, run.stdout) == (0, "No page is old enough to be fetched again.\n")
    assert told(lode, "refresh", "owls", "--older-than", "12h")["unchanged"] == 0


def test_each_request_of_a_refresh_is_in_the_log_and_none_in_the_harvest(
    lode: CliRun, owls: Path, boxes: tuple[Running, Running, Running]
) -> None:
    log, harvest = owls / "logs" / "crawl.log", owls / "reports" / "harvest.csv"
    before, harvested = log.read_text("utf-8"), harvest.read_text("utf-8")
    told(lode, "refresh", "owls", "--older-than", "0s", *at(boxes[1]))
    lines = [line.split() for line in log.read_text("utf-8").removeprefix(before).splitlines()]
    assert {line[3]: line[1] for line in lines} == {
        "http://a.test/": "304",
        "http://a.test/1": "200",
        "http://a.test/2": "410",
        "http://a.test/3": "304",
        "http://b.test/": "304",
    }
    assert harvest.read_text("utf-8") == harvested


@pytest.mark.usefixtures("owls")
def test_what_has_changed_is_told_and_kept(
    lode: CliRun, boxes: tuple[Running, Running, Running]
) -> None:
    first, later, _ = boxes
    assert told(lode, "refresh", "owls", "--older-than", "0s")["unchanged"] == 5
    run = lode("refresh", "owls", "--older-than", "0s", *at(later))
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "Refreshed 5 pages: 1 changed, 3 unchanged, 1 gone."
    gone = told(lode, "explain", "owls", "http://a.test/2")
    assert (gone["became"], gone["fetch"]["title"]) == ("gone", "Two")
    new = told(lode, "explain", "owls", "http://a.test/new")
    assert (new["became"], new["wait"]["place"]) == ("waiting", 1)
    assert (
        told(lode, "refresh", "owls", "--older-than", "0s", "--pages", "2", *at(later))["unchanged"]
        == 2
    )
    assert told(lode, "crawl", "owls", *at(first))["waiting"] == 0


@pytest.mark.usefixtures("owls")
def test_a_killed_refresh_is_gone_on_with(
    lode: CliRun, boxes: tuple[Running, Running, Running], tmp_path: Path
) -> None:
    refreshing = started(tmp_path, boxes[2])
    refreshing.kill()
    refreshing.communicate(timeout=60)
    run = lode("refresh", "owls")  # none of them is old enough, but one was begun
    assert run.returncode == 0, run.stderr
    assert "Went on with a refresh that had been interrupted.\n" in run.stdout
    assert "Refreshed 1 page: 0 changed, 1 unchanged, 0 gone.\n" in run.stdout


@pytest.mark.usefixtures("owls")
def test_an_interrupted_refresh_says_how_to_go_on(
    lode: CliRun, boxes: tuple[Running, Running, Running], tmp_path: Path
) -> None:
    refreshing = started(tmp_path, boxes[2])
    refreshing.send_signal(signal.SIGINT)
    refreshing.send_signal(signal.SIGTERM)  # a second SIGINT might melt into the first
    _, said = refreshing.communicate(timeout=60)
    assert refreshing.returncode == 11
    again = f"lode refresh owls --older-than 0s --set network.connect={boxes[2].address}"
    assert said == f"\nInterrupted; '{again}' resumes.\n"
    assert told(lode, "refresh", "owls")["resumed"] is True


def started(folder: Path, box: Running) -> "subprocess.Popen[str]":
    """A refresh that has come to the host that does not answer."""
    command = [
        sys.executable,
        "-u",
        "-m",
        "motherlode",
        "refresh",
        "owls",
        "--older-than",
        "0s",
        *at(box),
    ]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "refreshing: 4 pages" not in process.stdout.readline():
        assert process.poll() is None
    return process


@pytest.mark.usefixtures("owls")
def test_a_topic_without_pages_has_nothing_to_refresh_and_one_that_is_not_there_is_an_error(
    lode: CliRun,
) -> None:
    assert told(lode, "refresh", "owls", "--older-than", "0s", "--topic", "owls")["unchanged"] == 0
    run = lode("refresh", "owls", "--topic", "hawks")
    assert run.returncode == 2
    assert said_one_sentence(run)


@pytest.mark.usefixtures("owls")
@pytest.mark.parametrize("span", ["", "7", "d", "-1d", "1y", "1e9d", "soon"])
def test_what_is_no_span_of_time_is_wrong_usage(lode: CliRun, span: str) -> None:
    run = lode("refresh", "owls", "--older-than", span)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert "7d" in run.stderr


# --- lode explain ---


@pytest.mark.usefixtures("owls")
def test_a_page_is_explained_in_words(lode: CliRun) -> None:
    run = lode("explain", "owls", "http://a.test/3")
    assert run.returncode == 0, run.stderr
    lines = [line.rstrip() for line in run.stdout.splitlines()]
    assert lines[:2] == [
        "http://a.test/3  Three \N{REPLACEMENT CHARACTER}[31m",
        "  It was fetched.",
    ]
    assert "  from        http://a.test/, an example of 'owls'" in lines
    assert "  by          “/1” to http://a.test/1" in lines
    assert "  by          “/3” to http://a.test/3" in lines
    assert "  depth       2 links from an example" in lines
    assert "  rank        -2.000 when it was fetched (breadth-first)" in lines
    assert any(
        line.startswith("  robots.txt  allowed, no rule applies; status 200, ") for line in lines
    )
    assert "  skipped     http://a.test/private: robots.txt  “http://a.test/private”" in lines


@pytest.mark.usefixtures("owls")
def test_a_url_without_a_scheme_will_do(lode: CliRun) -> None:
    assert told(lode, "explain", "owls", "a.test/private")["robots"]["rule"] == "Disallow: /private"
    said = lode("explain", "owls", "a.test/private").stdout
    assert "robots.txt, whose rule is 'Disallow: /private'." in said
    assert "forbidden by 'Disallow: /private'" in said


@pytest.mark.usefixtures("owls")
def test_links_can_be_counted_out(lode: CliRun) -> None:
    assert len(told(lode, "explain", "owls", "http://a.test/", "--links", "1")["links"]) == 1
    assert (
        "3 links in all; --links shows more"
        in lode("explain", "owls", "http://a.test/", "--links", "2").stdout
    )


@pytest.mark.usefixtures("owls")
def test_what_was_never_seen_is_one_sentence(lode: CliRun) -> None:
    run = lode("explain", "owls", "http://never.test/")
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "has never seen http://never.test/" in run.stderr
    assert lode("explain", "owls", "ftp://a.test/").returncode == 2
    assert lode("explain", "nowhere", "http://a.test/").returncode == 4


@pytest.mark.usefixtures("owls")
def test_nothing_is_fetched_or_written(lode: CliRun, owls: Path) -> None:
    before = {
        path: path.read_bytes()
        for path in owls.rglob("*")
        if path.is_file() and "-" not in path.name
    }
    assert (
        lode(
            "explain", "owls", "http://a.test/1", "--set", "network.connect=127.0.0.1:1"
        ).returncode
        == 0
    )
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.usefixtures("owls")
def test_a_host_that_is_left_alone_is_explained_with_what_can_be_done(
    lode: CliRun, owls: Path
) -> None:
    with Portal.writing(owls, "test") as opened, opened.store.writing() as session:
        ledger.keep_hosts(
            session, [Host("b.test", "b.test", HostState.BAD, "timed out", failures=4)]
        )
    lines = [
        line.rstrip() for line in lode("explain", "owls", "http://b.test/").stdout.splitlines()
    ]
    at = next(
        place
        for place, line in enumerate(lines)
        if line.startswith("  host        b.test, bad (timed")
    )
    assert lines[at + 1] == "              to try it again: lode hosts owls --forgive b.test"
    assert lode("hosts", "owls", "--forgive", "b.test").returncode == 0
    assert "another chance" not in lode("explain", "owls", "http://b.test/").stdout
