"""What a crawl that came to little says, and how it ends."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from motherlode.app.services.crawl_problem import ExampleCheck, RequestCheck, problem_with
from motherlode.records import Example, RunEnd, TopicId
from motherlode.training.training_document import UnusableExample
from support.helpers import CliRun

OWLS = TopicId(2)
GONE = UnusableExample(Example(OWLS, "http://a.test/"), "not there: status 404")
DOWN = UnusableExample(Example(OWLS, "http://b.test/"), "connection refused", is_waiting=True)
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p><DT><H3>owls</H3><DL><p>
<DT><A HREF="http://a.test/1">Barn owls and their nests</A>
<DT><A HREF="http://b.test/2">The snowy owl hunts at night</A>
</DL><p></DL>
"""


@pytest.mark.parametrize(
    ("check", "pages", "errors", "expected"),
    [
        (ExampleCheck(0, ()), 0, {}, ""),
        (ExampleCheck(2, ()), 9, {"timeout": 3}, ""),
        (ExampleCheck(2, (GONE,)), 9, {}, ""),
        (ExampleCheck(1, (GONE,)), 0, {}, "The only example could not be fetched: http://a.test/"),
        (ExampleCheck(2, (GONE, DOWN)), 0, {}, "None of the 2 examples could be fetched: "),
        (ExampleCheck(3, (GONE, DOWN)), 9, {}, "2 of 3 examples could not be fetched: "),
        (ExampleCheck(9, (GONE,) * 8), 9, {}, "8 of 9 examples could not be fetched: "),
        (ExampleCheck(2, ()), 0, {"no such host": 2}, "0 of 2 requests were answered: no such"),
        (ExampleCheck(2, ()), 9, {"no such host": 2}, ""),
        (ExampleCheck(2, ()), 0, {"not there": 1}, ""),
        (ExampleCheck(2, ()), 0, {"not there": 1, "proxy failed": 1}, ""),
    ],
)
def test_a_problem_is_told_where_most_examples_or_all_pages_failed(
    check: ExampleCheck, pages: int, errors: dict[str, int], expected: str
) -> None:
    problem = problem_with(RunEnd.DONE, RequestCheck(pages, errors), check, "my owls")
    assert problem.startswith(expected)
    assert bool(problem) == bool(expected)


def test_advice_depends_on_whether_an_example_may_come_back() -> None:
    gone = problem_with(RunEnd.DONE, RequestCheck(0, {}), ExampleCheck(1, (GONE,)), "my owls")
    down = problem_with(RunEnd.DONE, RequestCheck(0, {}), ExampleCheck(1, (DOWN,)), "my owls")
    assert "(not there: status 404). Give the topics other examples: " in gone
    assert gone.endswith('lode topics "my owls" example TOPIC URL')
    assert "name server (DNS); then run the same command again, or give" in down


def test_a_name_that_does_not_resolve_may_be_the_networks_fault() -> None:
    for reason in ("no such host", "bad host: no such host"):
        check = ExampleCheck(1, (UnusableExample(GONE.example, reason),))
        problem = problem_with(RunEnd.DONE, RequestCheck(0, {}), check, "owls")
        assert "network, proxy and name server (DNS)" in problem


def test_of_many_missing_examples_three_are_listed() -> None:
    problem = problem_with(RunEnd.DONE, RequestCheck(0, {}), ExampleCheck(9, (GONE,) * 8), "owls")
    assert problem.count("http://a.test/") == 3
    assert " and 5 more. " in problem


@pytest.mark.parametrize("end", [RunEnd.INTERRUPTED, RunEnd.FEEDBACK])
def test_a_crawl_that_a_user_stopped_has_no_problem(end: RunEnd) -> None:
    crawl = RequestCheck(0, {"connection refused": 1})
    assert problem_with(end, crawl, ExampleCheck(1, (GONE,)), "owls") == ""


@pytest.mark.parametrize(
    ("bad_hosts", "is_told"),
    [({"connection refused": 40}, True), ({"connection refused": 40, "bad certificate": 1}, False)],
)
def test_bad_hosts_count_as_unanswered_by_their_causes(
    bad_hosts: dict[str, int],
    is_told: bool,  # noqa: FBT001 - a table
) -> None:
    errors = {"connection refused": 160, "bad host": 1_200}
    crawl = RequestCheck(0, errors, requests=160, bad_hosts=bad_hosts)
    problem = problem_with(RunEnd.DONE, crawl, ExampleCheck(9, ()), "my owls")
    assert problem.startswith("0 of 160 requests were answered: ") is is_told
    assert problem.endswith("lode hosts \"my owls\" --forgive '*'") is is_told


def test_where_bad_hosts_alone_are_left_the_problem_is_that_nothing_was_requested() -> None:
    crawl = RequestCheck(0, {"bad host": 12}, bad_hosts={"no answer in time": 3})
    problem = problem_with(RunEnd.DONE, crawl, ExampleCheck(9, ()), "owls")
    assert problem.startswith("No request was made: ")
    assert "3 hosts were made bad" in problem


def test_a_sandbox_that_is_gone_is_named() -> None:
    crawl = RequestCheck(0, {"connection refused": 5}, server="127.0.0.1:9")
    problem = problem_with(RunEnd.NO_ANSWER, crawl, ExampleCheck(9, ()), "owls")
    assert "Serve the web of 127.0.0.1:9 there again ('lode sandbox serve WEB --port 9'" in problem
    assert problem.endswith("The queue is kept.")


class _NothingThere(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def empty_web() -> Iterator[str]:
    """The address of a server that has no page at all."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _NothingThere) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_crawl_without_a_reachable_example_fails(
    lode: CliRun, tmp_path: Path, empty_web: str
) -> None:
    """It said that everything was fetched, exited with 0 and recommended itself."""
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    lode("new", "owls", "--bookmarks", "bookmarks.html", "--set", f"network.connect={empty_web}")
    for policy in ("bingo", "best-first"):
        run = lode("crawl", "owls", "--pages", "5", "--set", f"crawl.policy={policy}")
        assert run.returncode == 1
        last = run.stderr.splitlines()[-1]
        assert last.startswith("lode: None of the 2 examples could be fetched: http://a.test/1 (")
        assert "lode topics owls example TOPIC URL" in last
        assert "Next:" not in run.stdout
    status = json.loads(lode("status", "owls", "--json").stdout)
    assert status["next"].startswith("lode topics ")


class _LinkedPages(BaseHTTPRequestHandler):
    """Every host has a page that links to pages of all others."""

    def do_GET(self) -> None:
        links = "".join(
            f'<a href="http://{host}.test/{n}">owl</a>' for host in "abcd" for n in "12"
        )
        body = f"<title>Owls</title><p>{self.headers['Host']} {self.path} {links}".encode()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def crawled_web_that_is_gone(lode: CliRun, tmp_path: Path) -> str:
    """The portal "owls" whose server is gone; returns the server's address."""
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    with ThreadingHTTPServer(("127.0.0.1", 0), _LinkedPages) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"127.0.0.1:{server.server_address[1]}"
        settings = f"network.connect={address}", "crawl.policy=best-first"
        options = [word for setting in settings for word in ("--set", setting)]
        lode("new", "owls", "--bookmarks", "bookmarks.html", *options)
        assert lode("crawl", "owls", "--pages", "2").returncode == 0
        server.shutdown()
        thread.join()
    return address


def test_a_crawl_without_any_answer_fails_and_keeps_its_queue(
    lode: CliRun, crawled_web_that_is_gone: str
) -> None:
    """It made all hosts bad, emptied the queue and exited with 0."""
    waiting = json.loads(lode("status", "owls", "--json").stdout)["waiting"]
    run = lode("crawl", "owls", "--pages", "5")
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith("lode: 0 of ")
    assert f"Serve the web of {crawled_web_that_is_gone} there again" in last
    hint = f"Serve the web of {crawled_web_that_is_gone} there again"
    assert hint in lode("status", "owls").stdout
    status = json.loads(lode("status", "owls", "--json").stdout)
    assert (status["waiting"], status["hosts"]["bad"]) == (waiting, 0)


@pytest.mark.parametrize("command", [("crawl", "owls", "--pages", "5"), ("train", "owls")])
def test_seeds_that_cannot_be_fetched_are_told_with_exit_code_1(
    lode: CliRun, empty_web: str, command: tuple[str, ...]
) -> None:
    """It exited with 3: 'There is nothing to learn from in the space of terms'."""
    seeds = "--seed", "http://a.test/", "--seed", "http://b.test/"
    lode("new", "owls", "--topic", "owls", *seeds, "--set", f"network.connect={empty_web}")
    run = lode(*command)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        "lode: None of the 2 examples could be fetched: http://a.test/ (not there: status 404), "
        "http://b.test/ (not there: status 404). Give the topics other examples: "
        "lode topics owls example TOPIC URL"
    )


def test_a_refresh_without_any_answer_fails(lode: CliRun, crawled_web_that_is_gone: str) -> None:
    """It exited with 0."""
    run = lode("refresh", "owls", "--older-than", "0s")
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith("lode: 0 of 2 requests were answered: connection refused (2). Serve ")
    assert crawled_web_that_is_gone in last
    assert last.endswith("All pages stay as they are.")
