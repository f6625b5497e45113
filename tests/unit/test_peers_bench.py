"""What the bench of peers counts and chooses; neither Crawl4AI nor Scrapy is needed for it."""

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from bench.peers import runs
from bench.peers.assignments import draw_topics, make_assignments
from bench.peers.command import main
from bench.peers.counts import (
    RequestLog,
    RunResult,
    found_at,
    markdown_table,
    table_rows,
)
from bench.peers.environment import ROOT, requirements
from bench.peers.keywords import choose_keywords, keyword_share
from bench.peers.runs import CRAWLERS, Crawler, RunLimits, Runs, why_nothing
from bench.peers.served_web import is_html_page, served

from motherlode.lab.labels import Labels
from motherlode.lab.web import Answer, LabWeb, WebInfo, html
from motherlode.records import UsageError

PAGES = {
    **{f"http://a.test/{number}": f"<p>owls hunt mice, page {number}" for number in range(50)},
    **{f"http://b.test/{number}": f"<p>trains run late, page {number}" for number in range(50)},
}


class SmallWeb:
    """Fifty pages about owls on one host, and fifty about trains on another."""

    about = WebInfo("small", "made up", 100, 2)
    fingerprint = "small"

    def answer(self, url: str) -> Answer | None:
        return html(PAGES[url]) if url in PAGES else None

    def hosts(self) -> Iterator[str]:
        yield from ("a.test", "b.test")

    def has_host(self, name: str) -> bool:
        return name in ("a.test", "b.test")

    def urls(self) -> Iterator[str]:
        yield from PAGES

    def pages_of(self, host: str) -> Iterator[str]:
        return (url for url in PAGES if host in url)

    def labels(self) -> Labels:
        return Labels({url: {"Owls" if "a.test" in url else "Trains"} for url in PAGES})

    def habit_of(self, _host: str) -> str:
        return ""


@pytest.fixture
def web() -> LabWeb:
    return SmallWeb()


def test_keywords_are_what_tells_the_seeds_from_the_web() -> None:
    seeds = ["Owls hunt at night. Owls have feathers.", "Barn owls hunt mice with their ears."]
    background = ["They have trains with wheels at night."] * 20
    keywords = choose_keywords(seeds, background, 2)
    assert list(keywords) == ["owls", "hunt"]
    assert keywords["owls"] > keywords["hunt"] > 0


def test_a_long_seed_page_does_not_choose_all_keywords() -> None:
    long = " ".join(f"word{letter * 4}" for letter in "abcdefghij") * 3
    assert "owls" in choose_keywords([long, "owls"], ["nothing here"], 3)


def test_the_share_of_keywords_is_by_their_weight() -> None:
    keywords = {"owls": 3.0, "mice": 1.0}
    assert keyword_share(["owls", "owls", "trains"], keywords) == 0.75
    assert keyword_share([], keywords) == keyword_share(["owls"], {}) == 0.0


def test_pages_are_counted_once_and_requests_each_time() -> None:
    log = RequestLog()
    for url, is_page in (("a", True), ("robots", False), ("a", True), ("b", True), ("c", False)):
        log.note(url, is_page=is_page)
    assert list(log.pages) == ["a", "b"]
    assert [log.requests_for(pages) for pages in (1, 2, 3)] == [1, 4, 5]


def test_a_crawl_that_ended_early_keeps_what_it_had_found() -> None:
    assert found_at(["x", "a", "b"], {"a", "b", "c"}, (2, 3, 600)) == (1, 2, 2)


def test_the_table_compares_over_the_topics_that_both_have() -> None:
    results = [
        RunResult("bingo", "Owls", (10, 20, 40), 600, 700),
        RunResult("bingo", "Trains", (50, 60, 80), 600, 900),
        RunResult("Peer", "Owls", (5, 10, 10), 600, 1200),
        RunResult("Peer", "Trains", problem="It is not installed."),
        RunResult("Nobody", "Owls", (0, 0, 0), 10, 10),
    ]
    rows = table_rows(results, "bingo")
    assert (rows[0].found, rows[1].ratios) == ((30, 40, 60), (2.0, 2.0, 4.0))
    assert markdown_table(rows, (150, 300, 600), "bingo") == [
        (
            "| relevant pages after | 150 | 300 | 600 | requests "
            "| bingo has at 300 | bingo has at 600 |"
        ),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| bingo | 30 | 40 | 60 | 800 |  |  |",
        "| Peer | 5 | 10 | 10 | 1,200 | 2.00 times | 4.00 times |",
        "| Nobody | 0 | 0 | 0 | 10 |  |  |",
    ]


def test_a_table_without_the_reference_has_no_ratios() -> None:
    (row,) = table_rows([RunResult("Peer", "Owls", (5, 10, 10), 600, 600)], "bingo")
    lines = markdown_table([row], (150, 300, 600), "bingo")
    assert lines[-1] == "| Peer | 5 | 10 | 10 | 600 |  |  |"


def test_topics_have_enough_pages_and_are_drawn_alike(web: LabWeb) -> None:
    labels = web.labels()
    assert sorted(draw_topics(labels, 2, 1)) == ["Owls", "Trains"]
    assert draw_topics(labels, 1, 3) == draw_topics(labels, 1, 3)
    with pytest.raises(UsageError, match="2 topics of at least 40"):
        draw_topics(labels, 3, 1)


def test_seeds_are_given_and_not_to_be_found(web: LabWeb) -> None:
    (owls,) = make_assignments(web, ["Owls"], 5, 1)
    assert len(set(owls.seeds)) == 5
    assert len(owls.relevant) == 45
    assert not owls.relevant & set(owls.seeds)
    assert "owls" in owls.keywords


def _get(port: int, url: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", url)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def test_the_server_counts_pages_and_requests(web: LabWeb) -> None:
    with served(web) as server:
        log = server.start_log()
        statuses = [
            _get(server.port, url)
            for url in ("http://a.test/1", "http://a.test/1", "http://a.test/nothing")
        ]
        later = server.start_log()
        _get(server.port, "http://b.test/1")
    assert statuses == [200, 200, 404]
    assert (log.requests, list(log.pages)) == (3, ["http://a.test/1"])
    assert list(later.pages) == ["http://b.test/1"]


def test_only_html_with_status_200_is_a_page() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    assert is_html_page(head)
    assert not is_html_page(head.replace(b"200 OK", b"404 Not Found"))
    assert not is_html_page(head.replace(b"text/html", b"image/png"))
    assert not is_html_page(b"")


FETCHER = """
import json, sys, urllib.request
task = json.load(open(sys.argv[1]))
proxy = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{task['port']}"})
opener = urllib.request.build_opener(proxy)
for url in task["seeds"] + [f"http://a.test/{number}" for number in range(50)]:
    opener.open(url).read()
"""


@pytest.fixture
def runs_of_web(web: LabWeb) -> Iterator[Runs]:
    with served(web) as server:
        yield Runs(server, RunLimits(40, 60.0))


def test_a_crawl_is_ended_and_counted_by_the_server(
    web: LabWeb, runs_of_web: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fetcher.py").write_text(FETCHER, "utf-8")
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    (owls,) = make_assignments(web, ["Owls"], 5, 1)
    result = runs_of_web.run(Crawler("fetcher", "fetcher", is_peer=False), owls)
    assert result.pages == 40
    assert result.found[-1] == 35  # the seeds were given
    assert not result.ending


def test_a_crawler_that_cannot_be_imported_is_told_in_a_sentence(
    web: LabWeb, runs_of_web: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "absent.py").write_text("import crawl5ai\n", "utf-8")
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    (owls,) = make_assignments(web, ["Owls"], 5, 1)
    result = runs_of_web.run(Crawler("absent", "absent", is_peer=False), owls)
    assert result.problem == "It is not installed: No module named 'crawl5ai'."


def test_a_crawler_without_pages_is_told_with_its_last_words() -> None:
    assert why_nothing("one\ntwo\n").endswith("it said: two")
    assert why_nothing("").endswith("it said: nothing")


def test_an_environment_that_cannot_be_made_spares_the_others(
    web: LabWeb, runs_of_web: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "make_environment", lambda: ".venv-peers could not be made: full")
    (owls,) = make_assignments(web, ["Owls"], 5, 1)
    assert runs_of_web.run(CRAWLERS[1], owls).problem == ".venv-peers could not be made: full"


def test_peers_are_a_dependency_of_this_bench_alone() -> None:
    wanted = requirements(ROOT / "pyproject.toml")
    names = [text.partition(">")[0] for text in wanted]
    assert names == ["crawl4ai", "scrapy", "clarabel", "cvxpy", "skordinal"]
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert "crawl4ai" not in (ROOT / lock).read_text("utf-8").lower()


def test_an_unknown_crawler_is_named_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no crawler 'Nutch'; there are bingo, Crawl4AI"):
        main([str(tmp_path), "--only", "Nutch"])
