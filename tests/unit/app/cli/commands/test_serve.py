"""`lode serve`: it says where it is, asks for a token beyond this machine, and leaves jobs behind."""

import json
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from motherlode.app import application
from motherlode.app.cli.commands import serve
from motherlode.app.jobs.records import Job, JobState
from support.app_server import serving
from support.helpers import CliRun, said_one_sentence


def asked(address: str, path: str = "api/v1/portals", **headers: str) -> object:
    with urlopen(Request(f"{address}{path}", headers=headers), timeout=20) as answer:  # noqa: S310 - our own server
        return json.load(answer)


def test_it_serves_where_it_says(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert served.address.startswith("http://127.0.0.1:")
        assert asked(served.address) == []


def test_the_first_ctrl_c_ends_it_in_good_order(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "motherlode", "serve", str(tmp_path), "--port", "0", "--log"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().split()[3]
        assert asked(address) == []
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        (line,) = process.stderr.read().splitlines()
        assert "GET /api/v1/portals 200" in line


def test_beyond_this_machine_it_makes_up_a_token(tmp_path: Path) -> None:
    with serving(tmp_path, "--name", "portals.example") as served:
        assert served.token is not None
        with pytest.raises(HTTPError, match="401"):
            asked(served.address)
        headers = {"Authorization": f"Bearer {served.token}", "Host": "portals.example"}
        assert asked(served.address, **headers) == []


def test_a_token_that_was_given_is_not_shown(tmp_path: Path) -> None:
    with serving(tmp_path, "--token", "my own long token") as served:
        assert served.token is None
        assert asked(served.address, Authorization="Bearer my own long token") == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("missing",), 4, "missing does not exist; name a portal, or a folder for portals."),
        ((".", "--token", "short"), 2, "too easily guessed"),
        ((".", "--host", "203.0.113.1"), 1, "203.0.113.1:8420 cannot be used"),
        ((".", "--host", "no such name"), 1, "cannot be used"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    lode: CliRun, words: tuple[str, ...], code: int, says: str
) -> None:
    run = lode("serve", *words)
    assert (run.returncode, said_one_sentence(run)) == (code, True), run.stderr
    assert says in run.stderr


def test_a_port_in_use_is_told(lode: CliRun) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run = lode("serve", ".", "--port", str(taken.getsockname()[1]))
    assert (run.returncode, "Address already in use" in run.stderr) == (1, True)


def test_it_says_what_it_leaves_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = [Job("1", "owls", "crawl", (), 0.0, JobState.QUEUED)]
    monkeypatch.setattr(
        application, "serve", lambda _settings, _ready: application.RemainingJobs(1, waiting)
    )
    run = CliRunner().invoke(serve.command, [str(tmp_path)])
    assert run.exit_code == 0
    assert "1 job still running" in run.stderr
    assert "Not started, and dropped: crawl owls." in run.stderr


def test_a_head_that_never_ends_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        port = int(served.address.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), 20) as line:
            said = b""
            with suppress(ConnectionError):  # it may hang up while there is more to send
                line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 1_000_000)
                said = line.recv(100)
            assert said == b"" or said.startswith(b"HTTP/1.1 400 ")
        assert asked(served.address) == []
