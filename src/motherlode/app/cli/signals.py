"""Ctrl-C, SIGTERM and SIGHUP: interrupt the command, whatever library code it is in."""

import _thread
import os
import select
import signal
import sys
import threading
import warnings
from contextlib import suppress
from time import monotonic
from types import FrameType
from typing import NoReturn

import click

from motherlode.app.errors import INTERRUPTED
from motherlode.records import LodeError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Programs such as `uv run` pass on a Ctrl-C that the terminal has sent to all processes already.
SAME_KEY_PRESS_S = 0.1
REPEAT_AFTER_S = 0.05
NOTICE_AFTER_S = 1.5
NOTICE = b"\nlode: Stopping; press Ctrl-C again to end at once.\n"
# These say themselves what happened, so a signal that came before is not the reason.
_PLAIN_ERRORS = (LodeError, click.ClickException, click.exceptions.Exit)


class SignalHandler:
    """Raises `KeyboardInterrupt` on the first signal, and ends the process on the second.

    A `KeyboardInterrupt` that Python has to ignore, such as in a callback from C code, is raised
    again a moment later. While C code runs, Python handles no signal: then the watcher does.
    """

    def __init__(self) -> None:
        self.was_interrupted = self._is_silent = False
        self._interrupted_at: float | None = None
        self.watcher = SignalWatcher()

    def install(self) -> None:
        """Handle the signals of this process, as if none had come before."""
        self.was_interrupted = self._is_silent = False
        self._interrupted_at = None
        for number in SIGNALS:
            signal.signal(number, self.handle)
        sys.unraisablehook = self.repeat_ignored
        self.watcher.start()

    def silence(self) -> None:
        """Print no warnings of Python on what an interruption left unfinished."""
        self._is_silent = True
        warnings.simplefilter("ignore")

    def ignore(self) -> None:
        """Ignore another Ctrl-C while the process exits, so that it keeps its exit code."""
        self.watcher.stop()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        now = monotonic()
        if self._interrupted_at is None:
            self.was_interrupted, self._interrupted_at = True, now
            self.silence()
            raise KeyboardInterrupt
        if now - self._interrupted_at > SAME_KEY_PRESS_S:
            _exit_at_once()

    def repeat_ignored(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Raise an ignored `KeyboardInterrupt` again; show other errors if nothing was
        interrupted.
        """
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            if not self._is_silent:
                sys.__unraisablehook__(unraisable)
            return
        self._interrupted_at = None
        self.watcher.expect_repetition()
        timer = threading.Timer(REPEAT_AFTER_S, _thread.interrupt_main)
        timer.daemon = True
        with suppress(RuntimeError):  # no thread starts while the interpreter exits
            timer.start()


class SignalWatcher:
    """Watches for signals in a thread, which runs while the main thread is in a long C call.

    If a signal has no effect for a moment, the watcher says that another one ends the process, and
    ends it then. `threading` does not know the thread: it only waits in a system call and holds no
    lock, so a process with it can be forked.
    """

    def __init__(self) -> None:
        self._reader = self._writer = -1
        self._repetitions = 0

    def start(self) -> None:
        """Watch the signals of this process; those before do not count."""
        self.stop()
        self._repetitions = 0
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        _thread.start_new_thread(self._watch, (self._reader,))

    def stop(self) -> None:
        if self._writer < 0:
            return
        current = signal.set_wakeup_fd(-1)
        if current not in (-1, self._writer):  # that of an event loop
            signal.set_wakeup_fd(current)
        os.close(self._writer)  # which ends the thread
        self._writer = -1

    def forget(self) -> None:
        """Leave the signals of a forked child alone: its parent watches the other end."""
        if self._writer >= 0:
            self.stop()
            os.close(self._reader)

    def expect_repetition(self) -> None:
        """Do not count the next signal, which repeats one that Python has ignored."""
        self._repetitions += 1

    def _watch(self, reader: int) -> None:
        with suppress(OSError):
            if self._next_signal(reader):
                interrupted_at = monotonic()
                if not select.select([reader], [], [], NOTICE_AFTER_S)[0]:
                    os.write(2, NOTICE)
                while self._next_signal(reader):
                    if monotonic() - interrupted_at > SAME_KEY_PRESS_S:
                        _exit_at_once()
            os.close(reader)

    def _next_signal(self, reader: int) -> bool:
        """Wait for a signal; return False if there will be none."""
        while numbers := os.read(reader, 1):
            if numbers[0] not in SIGNALS:
                continue
            if not self._repetitions:
                return True
            self._repetitions -= 1
        return False


HANDLER = SignalHandler()
os.register_at_fork(after_in_child=HANDLER.watcher.forget)


def is_interruption(error: BaseException) -> bool:
    """Return whether an error comes from an interruption, also if a library has replaced it."""
    from asyncio import CancelledError  # noqa: PLC0415 - only after an error

    if isinstance(error, CancelledError | click.Abort) or _has_interrupt(error, set()):
        return True
    is_replaced = isinstance(error, Exception) and not isinstance(error, _PLAIN_ERRORS)
    return HANDLER.was_interrupted and is_replaced


def _has_interrupt(error: BaseException | None, seen: set[int]) -> bool:
    if error is None or id(error) in seen:
        return False
    seen.add(id(error))
    if isinstance(error, KeyboardInterrupt):
        return True
    grouped = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    parts = (error.__cause__, error.__context__, *grouped)
    return any(_has_interrupt(part, seen) for part in parts)


def _exit_at_once() -> NoReturn:
    with suppress(OSError):
        os.write(2, b"\nlode: Interrupted.\n")  # not by sys.stderr, which may be in use
    os._exit(INTERRUPTED)
