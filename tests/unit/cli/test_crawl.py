"""`lode crawl`, against the sandbox."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import CliRun, said_one_sentence
from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal import Portal
from motherlode.store.pages import page_log
from webs import html, record_web

PAGES = {
    "http://a.test/": html("Owls", "Owls hunt", "/1", "/2", "http://b.test/"),
    "http://a.test/1": html("One", "One owl", "/3"),
    "http://a.test/2": html("Two", "Two owls"),
    "http://a.test/3": html("Three", "Three owls"),
    "http://b.test/": html("Herons", "Herons wade"),
    "http://news.test/": html("News", "What is new", "http://a.test/never"),
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("crawl") / "web"
    record_web(folder, PAGES)
    (folder / "about.toml").write_text('name = "owls"\n[misbehaviour]\n"stall.test" = "stall"\n')
    with sandbox(folder) as running:
        yield running


def made(lode: CliRun, *settings: str, seed: str = "http://a.test/") -> None:
    others = ("--topic", "OTHERS", "--seed", "http://news.test/")
    chosen = [word for setting in settings for word in ("--set", setting)]
    assert lode("new", "owls", "--topic", "owls", "--seed", seed, *others, *chosen).returncode == 0


def test_the_web_is_refused_without_a_contact_and_how_to_give_one_is_said(lode: CliRun) -> None:
    made(lode)
    run = lode("crawl", "owls")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "crawler.contact" in run.stderr
    assert "lode.toml" in run.stderr


def test_a_crawl_goes_on_where_the_last_one_ended(lode: CliRun, box: Running, tmp_path: Path) -> None:
    made(lode, f"network.connect={box.address}")
    first = lode("crawl", "owls", "--pages", "2")
    assert first.returncode == 0, first.stderr
    assert "Fetched the 2 pages that were asked for: 3 URLs still waiting." in first.stdout
    told = json.loads(lode("crawl", "owls", "--json").stdout)
    assert (told["pages"], told["failed"], told["waiting"]) == (3, 0, 0)
    assert "nothing more can be fetched now" in lode("crawl", "owls").stdout
    with Portal.reading(tmp_path / "owls") as portal, portal.store.reading() as session:
        kept = [url for url, _, _ in page_log(session)]
    assert sorted(kept) == sorted(set(PAGES) - {"http://news.test/"})


def test_an_interrupted_crawl_says_how_to_go_on(lode: CliRun, box: Running, tmp_path: Path) -> None:
    made(lode, f"network.connect={box.address}", seed="http://stall.test/")
    crawling = subprocess.Popen(
        [sys.executable, "-u", "-m", "motherlode", "crawl", "owls"],
        cwd=tmp_path,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert crawling.stdout is not None
    while "Crawling" not in crawling.stdout.readline():
        assert crawling.poll() is None
    crawling.send_signal(signal.SIGINT)
    _, said = crawling.communicate(timeout=60)
    assert crawling.returncode == 11, said
    assert said.strip() == "Interrupted; 'lode crawl owls' goes on."


def test_no_portal_is_no_crawl(lode: CliRun) -> None:
    run = lode("crawl", "nowhere")
    assert run.returncode == 4
    assert said_one_sentence(run)
