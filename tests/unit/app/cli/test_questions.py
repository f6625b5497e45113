"""`lode feedback --ask`: one key for each page, or the commands that answer."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from motherlode.app.cli import questions as asking
from motherlode.app.cli.commands.feedback import command
from motherlode.policies.bingo.user_retraining import retrain
from motherlode.portal import Portal
from motherlode.records import Word
from motherlode.store.tables.marks import standing_marks
from motherlode.training import training_set as training
from motherlode.training.user_retraining import RetrainingOptions, save_retrained
from support.helpers import CliRun, said_one_sentence
from support.search_portals import SamplePage, fill_portal
from support.training_webs import EACH, VOCABULARY, place, planted, text

PAGES = {
    place(kind, number): SamplePage(f"{kind.title()} {number}", text(kind, number))
    for kind in ("owl", "heron", "news")
    for number in range(EACH)
}


@pytest.fixture
def portal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
    path = tmp_path / "p"
    topics = {"owls": [place("owl", 0), place("heron", 0)], "OTHERS": [place("news", 0)]}
    planted(path, topics, learning__semantic="off")
    fill_portal(path, PAGES)
    with Portal.crawling(path, "test") as opened:
        with opened.store.reading() as session:
            options = RetrainingOptions(offline=True)
            retrained = retrain(session, opened.tree(), opened.config, options)
        save_retrained(opened, retrained, {})
    return path


def marks(path: Path) -> list[Word]:
    with Portal.reading(path) as opened, opened.store.reading() as session:
        return [marked.mark.word for marked in standing_marks(session)]


def press(path: Path, keys: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Press keys, as if at a terminal."""
    monkeypatch.setattr(asking, "is_interactive", lambda: True)
    result = CliRunner().invoke(command, [str(path), "--ask", *arguments], input=keys)
    assert result.exit_code == 0, result.output
    return result.output


def test_answers_are_stored_as_marks_and_training_is_offered(
    portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = press(portal, "yxn\rsqn", monkeypatch=monkeypatch)  # x means nothing
    assert said.startswith("y: yes, n: no, s or Enter: skip, q: quit\n\n1 of 5: ")
    assert said.count("Is it about owls?") == 5
    assert "Stored 2 answers; 'lode mark" in said
    assert marks(portal) == [Word.GOOD, Word.BAD]
    assert "Retraining would change this; nothing of it is stored yet." in said
    assert f"\nNext: lode train {portal}\n" in said


def test_training_follows_where_it_is_wanted(portal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = press(portal, "nny", "2", monkeypatch=monkeypatch)
    assert "Train now? y or n yes\n" in said
    assert f"'lode train {portal} --undo' takes it back." in said


def test_one_undo_takes_all_answers_back(
    lode: CliRun, portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(portal, "ynqn", monkeypatch=monkeypatch)
    assert len(marks(portal)) == 2
    assert lode("mark", "p", "--undo").stdout.startswith("Took back 2 marks.")
    assert marks(portal) == []


def test_who_quits_at_once_has_said_nothing(portal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = press(portal, "q", monkeypatch=monkeypatch)
    assert said.endswith("Stored 0 answers.\n")
    assert press(portal, "", monkeypatch=monkeypatch).endswith("Stored 0 answers.\n")
    assert marks(portal) == []


@pytest.mark.usefixtures("portal")
def test_without_a_terminal_the_commands_are_printed(lode: CliRun) -> None:
    printed = lode("feedback", "p", "--ask", "2")
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.count("\n   yes: lode mark p --good http://") == 2
    assert printed.stdout.count("\n   no:  lode mark p --bad http://") == 2
    assert ", because it lies just " in printed.stdout
    assert printed.stdout.endswith("\nThen: lode train p --preview\n")
    questions: list[dict[str, Any]] = json.loads(lode("feedback", "p", "--ask", "--json").stdout)[
        "questions"
    ]
    assert len(questions) == 5
    first = questions[0]
    assert set(first["page"]) >= {"url", "title", "topic", "margin", "why", "excerpt"}
    assert lode(*first["no"].split()[1:]).returncode == 0
    left = json.loads(lode("feedback", "p", "--ask", "--json").stdout)["questions"]
    assert first["page"]["url"] not in {question["page"]["url"] for question in left}


@pytest.mark.usefixtures("portal")
def test_ask_goes_with_nothing_else(lode: CliRun) -> None:
    for options in (("--accept", "all"), ("--try",), ("--undo",), ("--show", place("owl", 0))):
        run = lode("feedback", "p", "--ask", *options)
        assert (run.returncode, said_one_sentence(run)) == (2, True), options


def test_a_portal_that_has_learned_nothing_says_so(lode: CliRun, tmp_path: Path) -> None:
    planted(tmp_path / "new", {"owls": [place("owl", 0)]})
    run = lode("feedback", "new", "--ask")
    assert said_one_sentence(run)
    assert "Nothing was learned yet" in run.stderr


def test_one_key_is_enough_at_a_real_terminal(portal: Path) -> None:
    ours, theirs = pty.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-m", "motherlode", "feedback", str(portal), "--ask", "2"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        press_after(ours, b"Is it about owls? ", b"y")
        press_after(ours, b"Is it about owls? ", b"q")
        press_after(ours, b"Train now? y or n ", b"n")
        read_until(ours, b"Next: ")
        assert asked.wait(timeout=60) == 0
    finally:
        asked.kill()
        asked.wait()
        os.close(ours)
    assert marks(portal) == [Word.GOOD]


def press_after(terminal: int, prompt: bytes, key: bytes) -> None:
    """Press a key once the prompt is there and single keys are read."""
    read_until(terminal, prompt)
    while termios.tcgetattr(terminal)[3] & termios.ICANON:
        time.sleep(0.01)
    os.write(terminal, key)


def read_until(terminal: int, wanted: bytes) -> None:
    said, deadline = b"", time.monotonic() + 60
    while wanted not in said and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            with suppress(OSError):  # the other end is closed
                said += os.read(terminal, 4096)
    assert wanted in said, said
