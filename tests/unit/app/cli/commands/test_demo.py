"""`lode demo`: it crawls a web that it made up, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from motherlode.portal import Portal
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import count_pages
from support.helpers import CliRun


def servers_in(directory: Path) -> Iterator[int]:
    """Sandboxes that serve a web from below a directory."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"sandbox" in words and any(word.startswith(bytes(directory)) for word in words):
            yield int(entry.parent.name)


def gone(directory: Path, seconds: float = 60) -> bool:
    """Whether no sandbox serves from a directory any more, or soon will not."""
    end = monotonic() + seconds
    while list(servers_in(directory)):
        if monotonic() > end:
            return False
        sleep(0.05)
    return True


def test_the_demo_crawls_a_web_and_cleans_up_after_itself(lode: CliRun, tmp_path: Path) -> None:
    run = lode("demo", "--pages", "150", "--keep", "kept", env={"TMPDIR": str(tmp_path)})
    assert run.returncode == 0, run.stderr
    assert "Serving 3,000 pages on 60 hosts" in run.stdout
    assert "150 pages from" in run.stdout
    assert "├─ Food (" in run.stdout.partition("Crawling")[2]  # the tree again, with counts
    assert all(word in run.stdout for word in ("precision", "recall", "harvest rate", "Try next:"))
    assert "nothing but order" not in run.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert gone(tmp_path)
    with Portal.reading(tmp_path / "kept") as portal, portal.store.reading() as session:
        assert count_pages(session) >= 150  # and what was in archives among them
        runs = [(run.command, run.pages, run.end) for run in ledger.all_runs(session)]
        assert runs == [("train", 12, "done"), ("demo", 138, "page limit")]
    assert lode("topics", "kept").returncode == 0


def test_what_the_demo_found_can_be_had_as_json(lode: CliRun) -> None:
    run = lode("demo", "--pages", "60", "--json")
    result = json.loads(run.stdout)
    assert result["crawl"]["pages"] == 60
    topics = result["topics"]
    assert all(0 <= topic["right"] <= min(topic["put"], topic["found"]) for topic in topics)
    assert all(topic["found"] <= topic["there"] for topic in topics)
    assert sum(topic["found"] for topic in topics) > 10
    assert all(0 <= result[rate] <= 1 for rate in ("precision", "recall", "harvest_rate"))
    assert result["harvest_rate"] == pytest.approx(sum(topic["found"] for topic in topics) / 60)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_demo_that_is_stopped_takes_its_sandbox_with_it(
    tmp_path: Path, how: signal.Signals
) -> None:
    demo = subprocess.Popen(
        [sys.executable, "-m", "motherlode", "demo", "--pages", "3000"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with demo:
        assert demo.stdout is not None
        while b"Crawling" not in demo.stdout.readline():
            assert demo.poll() is None
        demo.send_signal(how)
        demo.communicate(timeout=100)
    assert gone(tmp_path)
    if how is not signal.SIGKILL:  # nobody can clean up after that
        assert demo.returncode == 11
        assert list(tmp_path.iterdir()) == []
