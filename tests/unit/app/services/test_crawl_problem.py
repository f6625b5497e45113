"""What a crawl that came to little says, and how it ends."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from motherlode.app.services.crawl_problem import ExampleCheck, problem_with
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
        (ExampleCheck(2, ()), 0, {"no such host": 2}, "No page could be fetched: no such host (2)"),
        (ExampleCheck(2, ()), 0, {"not there": 1}, ""),
        (ExampleCheck(2, ()), 0, {"not there": 1, "proxy failed": 1}, ""),
    ],
)
def test_a_problem_is_told_where_most_examples_or_all_pages_failed(
    check: ExampleCheck, pages: int, errors: dict[str, int], expected: str
) -> None:
    problem = problem_with(RunEnd.DONE, pages, errors, check, "my owls")
    assert problem.startswith(expected)
    assert bool(problem) == bool(expected)


def test_advice_depends_on_whether_an_example_may_come_back() -> None:
    gone = problem_with(RunEnd.DONE, 0, {}, ExampleCheck(1, (GONE,)), "my owls")
    down = problem_with(RunEnd.DONE, 0, {}, ExampleCheck(1, (DOWN,)), "my owls")
    assert "(not there: status 404). Give the topics other examples by " in gone
    assert "'lode topics 'my owls' example TOPIC URL'" in gone
    assert "run the same command again later" in down


def test_of_many_missing_examples_three_are_listed() -> None:
    problem = problem_with(RunEnd.DONE, 0, {}, ExampleCheck(9, (GONE,) * 8), "owls")
    assert problem.count("http://a.test/") == 3
    assert " and 5 more. " in problem


@pytest.mark.parametrize("end", [RunEnd.INTERRUPTED, RunEnd.FEEDBACK])
def test_a_crawl_that_a_user_stopped_has_no_problem(end: RunEnd) -> None:
    assert problem_with(end, 0, {"timeout": 1}, ExampleCheck(1, (GONE,)), "owls") == ""


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
