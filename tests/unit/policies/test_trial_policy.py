"""A policy of another package, registered by one line of its metadata, works everywhere."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from urllib.parse import urlsplit

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.lab.trials.comparison import Comparison, ComparisonBench, Task
from motherlode.policies import registry
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.policies.policy import Policy
from motherlode.policies.testing import check_policy
from motherlode.portal import Portal
from motherlode.records import RunEnd
from motherlode.store.tables import ledger
from motherlode.store.tables.notes import notes_of
from motherlode.store.tables.pages import page_log
from support.app_server import send, visitor
from support.helpers import started
from support.small_webs import Said, html, record_web
from support.training_webs import planted

PACKAGE = Path(__file__).resolve().parents[2] / "support" / "trial_package"
NAME = "shortest-url"
SEED = "http://a.test/"
SITE_PAGES = "site pages"
BIRDS = [f"bird-{number:02}" for number in range(20)]


def pages() -> dict[str, Said]:
    """A site of many pages, and one of nine; the shorter the URL, the earlier it is fetched."""
    links = [f"/{name}" for name in BIRDS] + [f"http://b.test/{'x' * n}" for n in range(1, 10)]
    site = {f"http://a.test/{name}": html(name, f"The {name} is a bird") for name in BIRDS}
    other = {
        f"http://b.test/{'x' * n}": html(f"Page {n}", f"Page number {n}") for n in range(1, 10)
    }
    return {SEED: html("Birds", "All the birds", *links), **site, **other}


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is there, as if it were installed, for this process and for those it starts."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    paths = [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    registry.other_packages.cache_clear()
    yield
    registry.other_packages.cache_clear()


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sandbox(record_web(tmp_path_factory.mktemp("trial") / "web", pages())) as running:
        yield running


@pytest.fixture
def portal(tmp_path: Path, box: Running) -> Path:
    return planted(tmp_path / "birds", {"birds": [SEED]}, network__connect=box.address)


def kept(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


def pages_of_site(portal: Path) -> int:
    return Counter(urlsplit(url).hostname for url in kept(portal))["a.test"]


def crawl_command(portal: Path, *options: str) -> list[str]:
    words = ["crawl", str(portal), "--policy", NAME, "--set", "crawl.connections=1", *options]
    return [sys.executable, "-m", "motherlode", *words]


def test_the_command_line_crawls_by_it_until_it_has_enough(portal: Path) -> None:
    run = started(portal.parent, *crawl_command(portal, "--json")[3:])
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["end"] == RunEnd.ENOUGH
    fetched = kept(portal)
    assert pages_of_site(portal) >= 10  # and what was under way by then
    assert fetched == sorted(fetched, key=lambda url: (url != SEED, len(url)))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert ledger.all_runs(session)[-1].policy == NAME
        assert notes_of(session, SITE_PAGES)["a.test"] == pages_of_site(portal)


def test_the_command_line_names_it(portal: Path) -> None:
    assert NAME in started(portal.parent, "crawl", "--help").stdout
    run = started(portal.parent, "crawl", str(portal), "--policy", "longest-url")
    assert run.returncode == 2
    assert NAME in run.stderr


def test_it_goes_on_after_a_kill_where_it_was(portal: Path) -> None:
    with subprocess.Popen(
        crawl_command(portal, "--set", "politeness.sandbox_delay=0.05"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while len(kept(portal)) < 4 and process.poll() is None:
            sleep(0.05)
        process.send_signal(signal.SIGKILL)
    before = kept(portal)
    run = started(portal.parent, *crawl_command(portal)[3:])
    assert run.returncode == 0, run.stderr
    assert kept(portal)[: len(before)] == before
    assert len(kept(portal)) == len(set(kept(portal)))
    assert pages_of_site(portal) >= 10


def test_api_and_web_form_take_it(portal: Path) -> None:
    client = visitor(portal.parent)
    assert f'<option value="{NAME}">' in client.get("/portals/birds/crawl").text
    answer = client.post("/api/v1/portals/birds/crawl", json={"policy": "longest-url"})
    assert answer.status_code == 400
    started_crawl = client.post("/api/v1/portals/birds/crawl", json={"policy": NAME, "pages": 3})
    assert started_crawl.status_code in {200, 201, 202}, started_crawl.text
    job = started_crawl.json()["id"]
    while client.get(f"/api/v1/portals/birds/jobs/{job}").json()["state"] not in {"done", "failed"}:
        sleep(0.1)
    assert len(kept(portal)) == 3
    assert send(client, "/portals/birds/crawl/start", policy=NAME, pages="1").status_code == 303


def test_its_ranks_are_explained(portal: Path) -> None:
    started(portal.parent, *crawl_command(portal, "--pages", "2")[3:])
    run = started(portal.parent, "explain", str(portal), "http://a.test/bird-19", "--json")
    rank = json.loads(run.stdout)["rank"]
    assert (rank["policy"], rank["words"]) == (NAME, "minus the length of its URL")
    assert rank["rank"] == -float(len("http://a.test/bird-19"))


def test_the_lab_runs_it_beside_the_others(tmp_path: Path) -> None:
    web = record_web(tmp_path / "web", pages(), dict.fromkeys(pages(), "Birds"))
    comparison = Comparison(
        web=str(web), topics=("Birds",), policies=(NAME, "breadth-first"), pages=8, seeds=(SEED,)
    )
    finished = ComparisonBench(comparison).run(Task("Birds", NAME, 0))
    urls = [fetch.url for fetch in finished.log]
    shortest = [f"http://b.test/{'x' * n}" for n in range(1, 7)]
    assert urls == [SEED, *shortest, "http://a.test/bird-00"]  # of equals, the first that was found
    assert finished.requests == 8


def test_it_keeps_the_contract(portal: Path) -> None:
    with Portal.reading(portal) as opened:
        made = iter([load_policy(NAME).make(PolicySetup(opened)) for _ in range(20)])

    def make() -> Policy:
        policy = next(made)
        assert policy is not None
        return policy

    check_policy(make)


def test_a_policy_is_written_in_sixty_lines() -> None:
    assert len((PACKAGE / "shortest_url.py").read_text("utf-8").splitlines()) <= 60
