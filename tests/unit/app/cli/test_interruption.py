"""Interrupted commands: one sentence, exit code 11, and a hint that does what is left."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from motherlode.app.cli import signals
from motherlode.app.cli.commands import train as train_module
from motherlode.app.cli.commands.crawl import command as crawl_command
from motherlode.app.cli.commands.refresh import command as refresh_command
from motherlode.app.cli.main import main
from motherlode.app.cli.signals import (
    HANDLER,
    SAME_KEY_PRESS_S,
    SignalHandler,
    SignalWatcher,
    is_interruption,
)
from motherlode.app.requests.crawl import AskRequest, CrawlRequest, RefreshRequest
from motherlode.app.services import crawl as crawl_service
from motherlode.app.services import refresh as refresh_service
from motherlode.app.services.crawl import result_of
from motherlode.crawl.context import Control
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.refresh import RefreshResult
from motherlode.fetch.event_loop import run as run_loop
from motherlode.records import BadInputError
from motherlode.topics import TopicTree

INTERRUPTED_AT_210 = Progress(pages=210, seconds=63.2, waiting=5_000, end="interrupted")


@pytest.mark.parametrize(
    ("words", "resuming"),
    [
        (["--pages", "1200"], "--pages 990"),
        (["--time", "10m"], "--time 537s"),
        (["--pages", "1200", "--time", "10m", "--no-index"], "--pages 990 --time 537s --no-index"),
        ([], "--pages 790"),  # of the 1,000 pages of a crawl without any limit
    ],
)
@pytest.mark.parametrize("ends_at_once", [False, True])
def test_the_hint_of_an_interrupted_crawl_names_what_is_left(
    monkeypatch: pytest.MonkeyPatch, words: list[str], resuming: str, *, ends_at_once: bool
) -> None:
    def interrupted(_directory: Path, _request: CrawlRequest, show: Any) -> Any:
        with show(TopicTree(()), Limits(1_200)) as display:
            display.update(INTERRUPTED_AT_210)
            if ends_at_once:  # by a second Ctrl-C
                raise asyncio.CancelledError
        return INTERRUPTED_AT_210, result_of(INTERRUPTED_AT_210, TopicTree(()))

    monkeypatch.setattr(crawl_service, "crawl_directory", interrupted)
    run = CliRunner().invoke(crawl_command, ["my owls", *words])
    assert run.exit_code == 11, run.output
    assert run.stderr.strip() == f"Interrupted; 'lode crawl \"my owls\" {resuming}' resumes."
    assert "Next:" not in run.stdout  # it named another command


@pytest.mark.parametrize(
    ("words", "resuming"), [(["--pages", "500"], "--pages 290"), ([], "--pages 290")]
)
def test_the_hint_of_an_interrupted_refresh_names_what_is_left(
    monkeypatch: pytest.MonkeyPatch, words: list[str], resuming: str
) -> None:
    result = RefreshResult(changed=10, unchanged=190, failed=10, left=290, end="interrupted")
    monkeypatch.setattr(refresh_service, "refresh_directory", lambda *_: result)
    run = CliRunner().invoke(refresh_command, ["owls", *words])
    assert run.exit_code == 11, run.output
    assert run.stderr.strip() == f"Interrupted; 'lode refresh owls {resuming}' resumes."


def test_what_is_left_of_a_request() -> None:
    assert CrawlRequest(pages=5).remaining(9, 1.0) == CrawlRequest(pages=1)
    assert CrawlRequest(pages=5).remaining(0, 0.0) == CrawlRequest(pages=5)
    assert CrawlRequest(time="1m").remaining(9, 20.0) == CrawlRequest(time="40s")
    assert RefreshRequest(pages=9).remaining(4, 100) == RefreshRequest(pages=5)
    assert RefreshRequest(pages=9).remaining(4, 0) == RefreshRequest(pages=9)
    assert AskRequest(pages=9).remaining(4, 60.0) == AskRequest(pages=5, time="540s")
    assert AskRequest().remaining(0, 0.0) == AskRequest()


# --- anywhere, also in libraries that replace or ignore the exception ---


@contextmanager
def own_signals() -> Iterator[None]:
    """Restore the signal handlers of the test run."""
    before = {number: signal.getsignal(number) for number in signals.SIGNALS}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
        HANDLER.was_interrupted = False
        HANDLER.watcher.stop()


def raised_as_it_is(*_: object) -> None:
    raise KeyboardInterrupt


def replaced_with_cause(*_: object) -> None:
    try:
        raised_as_it_is()
    except KeyboardInterrupt as error:
        raise SystemError("numba returned a result with an exception set") from error


def replaced_with_context(*_: object) -> None:
    try:
        raised_as_it_is()
    except KeyboardInterrupt:
        raise ImportError("numba cannot be imported")  # noqa: B904 - as libraries do


def replaced_without_trace(*_: object) -> None:
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    raise RuntimeError("numba: unknown error")


def raised_in_group(*_: object) -> None:
    raise BaseExceptionGroup("tasks", [KeyboardInterrupt()])


def raised_in_event_loop(*_: object) -> None:
    async def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()

    run_loop(interrupt())


def ended(words: list[str]) -> int:
    with own_signals(), pytest.raises(SystemExit) as end:
        main(words)
    assert isinstance(end.value.code, int)
    return end.value.code


INTERRUPTIONS = [
    raised_as_it_is,
    replaced_with_cause,
    replaced_with_context,
    replaced_without_trace,
    raised_in_group,
    raised_in_event_loop,
]


@pytest.mark.parametrize("interrupted", INTERRUPTIONS)
def test_an_interrupted_training_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], interrupted: Any
) -> None:
    monkeypatch.setattr(train_module, "train_directory", interrupted)
    assert ended(["train", "my owls", "--offline"]) == 11
    assert capfd.readouterr().err == (
        "\nInterrupted; 'lode train \"my owls\" --offline' starts again, "
        "with the pages fetched so far.\n"
    )


@pytest.mark.parametrize("interrupted", INTERRUPTIONS)
def test_any_interrupted_command_says_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], interrupted: Any
) -> None:
    monkeypatch.setattr("motherlode.app.cli.main.LazyGroup.get_command", interrupted)
    assert ended(["train", "owls"]) == 11
    assert capfd.readouterr().err.strip() == "lode: Interrupted; 'lode train owls' starts again."


@pytest.mark.parametrize(
    "words",
    [["train", "owls", "--undo"], ["topics", "owls", "add", "birds"], ["cluster", "--apply"]],
)
def test_no_hint_where_a_second_run_might_do_more(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setattr("motherlode.app.cli.main.LazyGroup.get_command", raised_as_it_is)
    assert ended(words) == 11
    assert capfd.readouterr().err.strip() == "lode: Interrupted."


def test_other_errors_are_no_interruptions() -> None:
    assert not is_interruption(RuntimeError())
    timeout = TimeoutError()
    timeout.__cause__ = asyncio.CancelledError()  # as asyncio does when a time is over
    assert not is_interruption(timeout)
    endless = RuntimeError()
    endless.__context__ = ValueError()
    endless.__context__.__context__ = endless
    assert not is_interruption(endless)


def test_an_error_that_says_itself_what_happened_is_none_either() -> None:
    with own_signals():
        HANDLER.was_interrupted = True
        assert is_interruption(RuntimeError())
        assert not is_interruption(BadInputError("There is nothing to learn from."))


def test_a_second_signal_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    now, codes = [100.0], list[int]()
    monkeypatch.setattr(signals, "monotonic", lambda: now[0])
    monkeypatch.setattr("os._exit", codes.append)
    handler = SignalHandler()
    with pytest.raises(KeyboardInterrupt):
        handler.handle(signal.SIGINT, None)
    handler.handle(signal.SIGINT, None)  # of the same key press
    assert codes == []
    now[0] += SAME_KEY_PRESS_S * 2
    handler.handle(signal.SIGINT, None)
    assert codes == [11]


def test_an_interruption_that_was_ignored_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()
    timer = SimpleNamespace(start=started.set, daemon=False)
    monkeypatch.setattr("threading.Timer", lambda _seconds, _function: timer)

    class Finalizer:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    with own_signals():
        handler = SignalHandler()
        handler.install()
        Finalizer()
        assert started.is_set()
        with pytest.raises(KeyboardInterrupt):  # the repeated signal does not count as a second
            handler.handle(signal.SIGINT, None)
        handler.watcher.stop()


def test_after_a_crawl_signals_are_handled_as_before() -> None:
    async def crawl() -> None:
        with crawl_service.stop_on_signals(Control()):
            pass
        assert signal.getsignal(signal.SIGTERM) == HANDLER.handle

    with own_signals():
        HANDLER.install()
        run_loop(crawl())
        assert signal.getsignal(signal.SIGINT) == HANDLER.handle


# --- during a long call of C code, when Python handles no signal ---


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SignalWatcher, threading.Event]]:
    """A watcher that waits for nothing, and an event that is set when it ends the process."""
    ended = threading.Event()
    monkeypatch.setattr(signals, "NOTICE_AFTER_S", 0.0)
    monkeypatch.setattr(signals, "SAME_KEY_PRESS_S", -1.0)
    monkeypatch.setattr(signals, "_exit_at_once", ended.set)
    watcher = SignalWatcher()
    watcher.start()
    yield watcher, ended
    watcher.stop()


def receive(watcher: SignalWatcher, *numbers: int) -> None:
    """Do what Python's own handler does when a signal arrives, whatever the main thread does."""
    os.write(watcher._writer, bytes(numbers))


def test_a_second_signal_ends_a_process_that_did_not_react(
    watched: tuple[SignalWatcher, threading.Event], capfd: pytest.CaptureFixture[str]
) -> None:
    watcher, ended = watched
    receive(watcher, signal.SIGCHLD, signal.SIGTERM)
    while "press Ctrl-C again to end at once" not in capfd.readouterr().err:
        assert not ended.is_set()
    receive(watcher, signal.SIGINT)
    assert ended.wait(60)


def test_a_repeated_signal_does_not_count(
    watched: tuple[SignalWatcher, threading.Event], capfd: pytest.CaptureFixture[str]
) -> None:
    watcher, ended = watched
    watcher.expect_repetition()
    receive(watcher, signal.SIGINT, signal.SIGINT)
    while "press Ctrl-C again" not in capfd.readouterr().err:
        assert not ended.is_set()


def test_a_forked_child_leaves_the_watcher_of_its_parent_alone(
    watched: tuple[SignalWatcher, threading.Event],
) -> None:
    watcher, ended = watched
    child = os.fork()
    if not child:
        watcher.forget()
        os._exit(0 if signal.set_wakeup_fd(-1) == -1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    receive(watcher, signal.SIGINT)
    receive(watcher, signal.SIGINT)
    assert ended.wait(60)


IN_C_CODE = """
import sqlite3, sys
import motherlode.app.cli.main as main
from motherlode.__main__ import start

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n"

def call_c_code(*_):
    database = sqlite3.connect(":memory:")
    print("ready", flush=True)
    database.execute(ENDLESS)

main.LazyGroup.get_command = call_c_code
sys.argv = ["lode", "stats", "owls"]
start()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_c_code_that_does_not_end_is_ended_by_the_second_signal(number: int) -> None:
    noticed = False
    while not noticed:  # else the first signal came just before the call
        process = subprocess.Popen(
            [sys.executable, "-c", IN_C_CODE],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.send_signal(number)
            said = process.stderr.readline() + process.stderr.readline()
            noticed = "Stopping" in said
            if noticed:
                process.send_signal(number)
        assert process.returncode == 11
