"""`lode collect` from end to end: a small web with a search engine, resumed after a kill."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal import Portal
from motherlode.records import RunEnd
from motherlode.store.tables.pages import page_log
from support.helpers import run_lode
from support.small_webs import Said, record_web
from support.training_webs import EACH, paper, text

SOURCE = "opensearch:http://search.test/opensearch.xml"
PAGES = 54


def pages() -> dict[str, Said]:
    """A ring of pages on owls, herons and news; each links to the next two."""
    kinds = ("owl", "heron", "news")
    urls = [f"http://{kinds[n % 3]}{n}.test/" for n in range(PAGES)]
    return {
        url: paper(
            f"{kinds[n % 3]} {n}",
            f"{text(kinds[n % 3], n % EACH)} {kinds[n % 3]} page {n}",
            [urls[(n + 1) % PAGES], urls[(n + 2) % PAGES]],
        )
        for n, url in enumerate(urls)
    }


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sandbox(record_web(tmp_path_factory.mktemp("collected") / "web", pages())) as running:
        yield running


def words(box: Running, *more: str) -> list[str]:
    subjects = ["--subject", "owl", "--subject", "heron"]
    settings = ["--set", f"network.connect={box.address}", "--set", "learning.semantic=off"]
    seed = ["--seed", "http://news2.test/"]
    return ["collect", "birds", *subjects, "--source", SOURCE, *seed, *settings, *more]


def fetched(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


def test_one_command_builds_the_collections_and_shows_what_they_are_made_of(
    tmp_path: Path, box: Running
) -> None:
    run = run_lode(tmp_path, *words(box, "--json"))
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["end"] == RunEnd.DONE
    assert set(result["topics"]) == {"owl", "heron"}
    assert len(fetched(tmp_path / "birds")) == PAGES
    made = json.loads(run_lode(tmp_path, "collect", "birds", "--centroids", "--json").stdout)
    assert [view["subject"] for view in made] == ["owl", "heron"]
    assert all(len(view["hits"]) >= 4 and view["terms"] for view in made)
    report = json.loads(run_lode(tmp_path, "collect", "birds", "--report", "--json").stdout)
    assert report["nuggets"] > 0
    assert report["pages"] <= PAGES
    shown = run_lode(tmp_path, "collect", "birds", "--report", "--plot", "paths.svg")
    assert "Correlation by level" in shown.stdout
    assert (tmp_path / "paths.svg").read_text("utf-8").startswith("<svg")
    collections = run_lode(tmp_path, "collections", "birds", "owl")
    assert "http://owl" in collections.stdout


def test_a_killed_crawl_resumes_and_fetches_nothing_twice(tmp_path: Path, box: Running) -> None:
    slow = ["--set", "politeness.sandbox_delay=0.05", "--set", "crawl.connections=1"]
    command = [sys.executable, "-m", "motherlode", *words(box, *slow)]
    portal = tmp_path / "birds"
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
    ) as process:
        while process.poll() is None:
            if (portal / "lode.toml").is_file() and len(fetched(portal)) >= 10:
                process.send_signal(signal.SIGKILL)
                break
            sleep(0.05)
    before = fetched(portal)
    run = run_lode(tmp_path, "collect", "birds", "--set", f"network.connect={box.address}")
    assert run.returncode == 0, run.stderr
    after = fetched(portal)
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == PAGES


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--centroids", "--report"], "one of --centroids and --report"),
        (["--plot", "x.png"], "--plot is for --report"),
        (["--threshold", "2"], "2"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, options: list[str], sentence: str
) -> None:
    run = run_lode(tmp_path, "collect", "birds", *options)
    assert run.returncode == 2
    assert sentence in run.stderr


def test_a_new_portal_without_a_source_says_what_to_add(tmp_path: Path) -> None:
    run = run_lode(tmp_path, "collect", "birds", "--subject", "owl")
    assert run.returncode == 2
    assert "--source KIND:URL" in run.stderr
    assert not (tmp_path / "birds").exists()


def test_a_report_before_any_crawl_says_so(tmp_path: Path) -> None:
    assert run_lode(tmp_path, "new", "birds", "--topic", "owl", "--seed", "http://a.test/")
    run = run_lode(tmp_path, "collect", "birds", "--report")
    assert run.returncode != 0
    assert "nothing was crawled for collections" in run.stderr
