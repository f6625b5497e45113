"""Where worker processes come from: a process that has loaded what they need, and is forked for each.

To load it takes as long as to read a hundred pages, and whoever is forked has it at once, in memory that all
share. A command that has begun nothing yet is forked to become one, with all that it has loaded; others, who
may have threads, start an interpreter. All in a process share a nursery, which is there while somebody keeps
it; if it is killed, the next worker comes from another.
"""

import fcntl
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from motherlode.workers.fork_server import END, LENGTH, ProcessEnvironment, WorkerProgram, kill, serve

_GRACE = 5.0  # seconds that a worker may take to end
_LEAVE = 1.0  # and a nursery, which may be loading something
_START = 60.0  # seconds that an order may wait to be taken
_MOST_OPEN = 65_536  # descriptors that are looked for where nobody lists them
# An interpreter of our own, not one of multiprocessing's: that would import whatever program we are part of.
# What it loads stays, so that meanwhile nothing is looked for that could be dropped: a fifth of the time.
_BEGIN = "import gc; gc.disable(); from motherlode.workers.fork_server import serve; serve({descriptor})"


class WorkerProcess:
    """A worker in the care of a nursery. `seconds`: of the processor, told at its end."""

    def __init__(self, fate: socket.socket, home: "ForkServer") -> None:
        self._fate, self._home = fate, home
        self._asking = threading.Lock()
        self._code: int | None = None
        self.pid = 0  # until it has told us
        self.cpu_seconds = 0.0

    def poll(self) -> int | None:
        """How it ended, as `subprocess` tells it; None: it has not."""
        return self.wait(0)

    def wait(self, seconds: float | None = None) -> int | None:
        """The same, after so long at most."""
        if self._asking.acquire(blocking=seconds != 0):  # somebody else may be waiting for it
            try:
                self._ask(seconds)
            finally:
                self._asking.release()
        return self._code

    def kill(self) -> None:
        """End it, and whatever it has started to help it. One that has not begun yet is not waited for.

        Its number is its own while its line is open: the nursery asks after it, then closes that.
        """
        with suppress(OSError):
            self._fate.shutdown(socket.SHUT_WR)
        with self._asking:
            if self.pid and self._home.is_there:
                self._ask(_GRACE)
            if self.pid and self._fate.fileno() >= 0:  # there is no nursery, or none that hears
                kill(self.pid)
                self._ask(_GRACE)
            self._fate.close()

    def _ask(self, seconds: float | None) -> None:
        if self._fate.fileno() < 0:
            return
        self._fate.settimeout(seconds)
        try:
            told = self._fate.recv(END.size)
        except (BlockingIOError, TimeoutError):
            return
        except OSError:
            told = b""
        self._fate.close()
        # Nobody is left to tell: the nursery was killed, and so, as far as we know, was the worker.
        self._code, self.cpu_seconds = END.unpack(told) if told else (-signal.SIGKILL, 0.0)


class ForkServer:
    """A nursery, as whoever started it sees it. `forked`: from this process, which must have no threads."""

    def __init__(self, *, forked: bool = False) -> None:
        self._line, theirs = socket.socketpair()
        self._line.settimeout(_START)
        with theirs:
            self.pid, self._reap = (_forked if forked else _launched)(theirs.fileno())

    def fork_worker(self, upbringing: WorkerProgram, line: int) -> WorkerProcess:
        """A worker that finds what a process finds that we start. Raises `OSError`: there is no nursery."""
        order = pickle.dumps((ProcessEnvironment.current(), upbringing), pickle.HIGHEST_PROTOCOL)
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._line, [LENGTH.pack(len(order))], [line, theirs.fileno()])
                self._line.sendall(order)
            except BaseException:
                ours.close()
                raise
        return WorkerProcess(ours, self)

    @property
    def is_there(self) -> bool:
        if self._line.fileno() < 0:
            return False
        hearing = select.poll()
        hearing.register(self._line, select.POLLIN)
        return not hearing.poll(0)  # it never says anything, and hangs up when it ends

    def forget(self) -> None:
        """Leave it to the process that it belongs to."""
        self._line.close()

    def close(self) -> None:
        """End it, and all that it still has."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)
            self._line.settimeout(_LEAVE)
            self._line.recv(1)
        self._line.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # its number is its own until somebody asks after it
        self._reap()


def _launched(line: int) -> tuple[int, Callable[[], object]]:
    started = subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", _BEGIN.format(descriptor=line)],
        pass_fds=(line,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # libraries complain about documents there
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,  # Ctrl-C is for whoever gives the orders
    )
    return started.pid, started.wait


def _forked(line: int) -> tuple[int, Callable[[], object]]:
    child = os.fork()
    if child:
        return child, partial(os.waitpid, child, 0)
    try:
        os.setsid()
        serve(_alone_with(line))
    finally:
        os._exit(0)


def _alone_with(line: int) -> int:
    """Drop what is open but for a line, and what was to be done on signals: all that is somebody else's."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_DFL)
    held = fcntl.fcntl(line, fcntl.F_DUPFD_CLOEXEC, 4)
    none = os.open(os.devnull, os.O_RDWR)
    for number, source in enumerate((none, none, none, held)):
        os.dup2(source, number)
    for other in _open_descriptors():
        if other > 3:  # noqa: PLR2004 - those above
            with suppress(OSError):  # that of the list itself
                os.close(other)
    return 3


def _open_descriptors() -> list[int]:
    """Not all that there could be: in some containers that is a thousand million."""
    try:
        return [int(name) for name in os.listdir("/dev/fd")]  # noqa: PTH208 - as `Path` would, without paths
    except OSError:
        return list(range(min(os.sysconf("SC_OPEN_MAX"), _MOST_OPEN)))


class _Shared:
    """The nursery of this process, started when it is first wanted."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._keepers = 0
        self._nursery: ForkServer | None = None

    def keep(self, *, forked: bool = False) -> None:
        with self._turn:
            self._keepers += 1
            if forked and self._nursery is None:
                self._nursery = ForkServer(forked=True)

    def leave(self) -> None:
        with self._turn:
            self._keepers -= 1
            if self._keepers <= 0:  # less in a fork of whoever kept it
                self._discard()

    def fork_worker(self, upbringing: WorkerProgram, line: int) -> WorkerProcess:
        with self._turn:
            if self._nursery is not None:
                with suppress(OSError):
                    return self._nursery.fork_worker(upbringing, line)
                self._discard()  # somebody killed it
            self._nursery = ForkServer()
            return self._nursery.fork_worker(upbringing, line)

    def discard(self) -> None:
        with self._turn:
            self._discard()

    def forget(self) -> None:
        """In a fork of this process, which has no part in it."""
        if self._nursery is not None:
            self._nursery.forget()
        self._turn, self._keepers, self._nursery = threading.Lock(), 0, None

    def _discard(self) -> None:
        nursery, self._nursery = self._nursery, None
        if nursery is not None:
            nursery.close()


_SHARED = _Shared()
os.register_at_fork(after_in_child=_SHARED.forget)


@contextmanager
def shared_fork_server() -> Iterator[None]:
    """Have a nursery while this lasts, as soon as a worker is wanted."""
    _SHARED.keep()
    try:
        yield
    finally:
        _SHARED.leave()


@contextmanager
def early_fork_server() -> Iterator[None]:
    """The same for a command that has begun nothing yet: what it has loaded need not be loaded again.

    Nothing is forked where something has begun all the same, nor where the system's libraries forbid it.
    """
    _SHARED.keep(forked=sys.platform != "darwin" and threading.active_count() == 1)
    try:
        yield
    finally:
        _SHARED.leave()


def fork_worker(upbringing: WorkerProgram, line: int) -> WorkerProcess:
    """A new worker, at the other end of this line."""
    return _SHARED.fork_worker(upbringing, line)


def discard_fork_server() -> None:
    """Give a nursery up that bears nobody."""
    _SHARED.discard()
