"""Start worker processes by way of a fork server, which has loaded their modules.

Loading takes as long as reading a hundred pages; a forked worker has all modules at once, in shared
memory. A command that has not started anything yet forks itself to become a fork server, with all
modules that it has loaded. A process that may have threads starts an interpreter instead. All pools
of a process share one fork server, which lives while a pool uses it. If it is killed, a new one is
started for the next worker.
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

from motherlode.workers.fork_server import (
    EXIT_STATUS,
    REQUEST_LENGTH,
    ProcessEnvironment,
    WorkerProgram,
    kill_group,
    serve,
)

_WORKER_EXIT_S = 5.0
_SERVER_SHUTDOWN_S = 1.0  # it may be loading modules
_REQUEST_TIMEOUT_S = 60.0
_MAX_DESCRIPTORS = 65_536  # to close where the system does not list the open descriptors
_CONTROL_DESCRIPTOR = 3  # of the control socket in a forked server, after the standard three
# A plain interpreter, not one of multiprocessing's, which would import the calling program. Loaded
# modules stay, so collecting garbage meanwhile would only take a fifth of the time.
_SERVER_CODE = (
    "import gc; gc.disable(); from motherlode.workers.fork_server import serve; serve({descriptor})"
)


class WorkerProcess:
    """A process forked by the fork server. `cpu_seconds` is known after it has exited."""

    def __init__(self, status: socket.socket, server: "ForkServer") -> None:
        self._status, self._server = status, server
        self._lock = threading.Lock()
        self._exit_code: int | None = None
        self.pid = 0  # until the worker has sent it
        self.cpu_seconds = 0.0

    def poll(self) -> int | None:
        """Return the exit code as `subprocess` does; None while the process runs."""
        return self.wait(0)

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Wait for the exit, and return the exit code; None if the process still runs."""
        if self._lock.acquire(blocking=timeout_s != 0):  # another thread may be waiting
            try:
                self._receive_exit(timeout_s)
            finally:
                self._lock.release()
        return self._exit_code

    def kill(self) -> None:
        """Kill the process and its children, without waiting for a process that is not ready yet.

        The process id cannot be reused while the status socket is open: the fork server reaps the
        process first, and closes the socket then.
        """
        with suppress(OSError):
            self._status.shutdown(socket.SHUT_WR)
        with self._lock:
            if self.pid and self._server.is_alive:
                self._receive_exit(_WORKER_EXIT_S)
            if self.pid and self._status.fileno() >= 0:  # the fork server is gone or stuck
                kill_group(self.pid)
                self._receive_exit(_WORKER_EXIT_S)
            self._status.close()

    def _receive_exit(self, timeout_s: float | None) -> None:
        if self._status.fileno() < 0:
            return
        self._status.settimeout(timeout_s)
        try:
            report = self._status.recv(EXIT_STATUS.size)
        except (BlockingIOError, TimeoutError):
            return
        except OSError:
            report = b""
        self._status.close()
        if report:
            self._exit_code, self.cpu_seconds = EXIT_STATUS.unpack(report)
        else:  # the fork server was killed, and probably the worker as well
            self._exit_code = -signal.SIGKILL


class ForkServer:
    """The client's side of a fork server.

    With `forked` the server is a fork of this process, which must have no other threads.
    """

    def __init__(self, *, forked: bool = False) -> None:
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_REQUEST_TIMEOUT_S)
        with theirs:
            self.pid, self._reap = (_fork_server if forked else _spawn_server)(theirs.fileno())

    def fork_worker(self, program: WorkerProgram, channel: int) -> WorkerProcess:
        """Return a worker with our environment. Raises `OSError` if the server is gone."""
        environment = ProcessEnvironment.current()
        request = pickle.dumps((environment, program), pickle.HIGHEST_PROTOCOL)
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                head = REQUEST_LENGTH.pack(len(request))
                socket.send_fds(self._control, [head], [channel, theirs.fileno()])
                self._control.sendall(request)
            except BaseException:
                ours.close()
                raise
        return WorkerProcess(ours, self)

    @property
    def is_alive(self) -> bool:
        if self._control.fileno() < 0:
            return False
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return not poll.poll(0)  # the server never sends anything, and hangs up when it ends

    def detach(self) -> None:
        """Close this process's copy of the control socket; the server goes on."""
        self._control.close()

    def close(self) -> None:
        """End the server and all its workers."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
            self._control.settimeout(_SERVER_SHUTDOWN_S)
            self._control.recv(1)
        self._control.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # the id cannot be reused before it is reaped
        self._reap()


def _spawn_server(control: int) -> tuple[int, Callable[[], object]]:
    """Start an interpreter as fork server; return its process id and a function that reaps it."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", _SERVER_CODE.format(descriptor=control)],
        pass_fds=(control,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # libraries complain about documents there
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,  # Ctrl-C is for the calling process only
    )
    return process.pid, process.wait


def _fork_server(control: int) -> tuple[int, Callable[[], object]]:
    """Fork this process as fork server; return its process id and a function that reaps it."""
    child = os.fork()
    if child:
        return child, partial(os.waitpid, child, 0)
    try:
        os.setsid()
        serve(_close_all_but(control))
    finally:
        os._exit(0)


def _close_all_but(control: int) -> int:
    """Close all descriptors but the control socket, whose new number is returned; reset signals."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    duplicate = fcntl.fcntl(control, fcntl.F_DUPFD_CLOEXEC, _CONTROL_DESCRIPTOR + 1)
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in enumerate((null, null, null, duplicate)):
        os.dup2(source, target)
    for descriptor in _open_descriptors():
        if descriptor > _CONTROL_DESCRIPTOR:
            with suppress(OSError):  # the descriptor of the listing itself
                os.close(descriptor)
    return _CONTROL_DESCRIPTOR


def _open_descriptors() -> list[int]:
    """Return the open descriptors: some containers allow a thousand million, too many to try."""
    try:
        return [int(name) for name in os.listdir("/dev/fd")]  # noqa: PTH208 - names, not paths
    except OSError:
        return list(range(min(os.sysconf("SC_OPEN_MAX"), _MAX_DESCRIPTORS)))


class _SharedServer:
    """The fork server of this process, started with the first worker."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._server: ForkServer | None = None

    def acquire(self, *, forked: bool = False) -> None:
        with self._lock:
            self._users += 1
            if forked and self._server is None:
                self._server = ForkServer(forked=True)

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users <= 0:  # below 0 in a fork of a process that was using it
                self._discard()

    def fork_worker(self, program: WorkerProgram, channel: int) -> WorkerProcess:
        with self._lock:
            if self._server is not None:
                with suppress(OSError):
                    return self._server.fork_worker(program, channel)
                self._discard()  # it was killed
            self._server = ForkServer()
            return self._server.fork_worker(program, channel)

    def discard(self) -> None:
        with self._lock:
            self._discard()

    def detach(self) -> None:
        """Forget the server in a fork of this process: it belongs to the parent."""
        if self._server is not None:
            self._server.detach()
        self._lock, self._users, self._server = threading.Lock(), 0, None

    def _discard(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()


_SHARED = _SharedServer()
os.register_at_fork(after_in_child=_SHARED.detach)


@contextmanager
def shared_fork_server() -> Iterator[None]:
    """Share this process's fork server within the block; it starts with the first worker."""
    _SHARED.acquire()
    try:
        yield
    finally:
        _SHARED.release()


@contextmanager
def early_fork_server() -> Iterator[None]:
    """Fork this process as fork server at once, so that nothing it has loaded is loaded again.

    For commands that have not started anything yet. Nothing is forked if there are other threads,
    nor on macOS, whose libraries forbid it.
    """
    _SHARED.acquire(forked=sys.platform != "darwin" and threading.active_count() == 1)
    try:
        yield
    finally:
        _SHARED.release()


def fork_worker(program: WorkerProgram, channel: int) -> WorkerProcess:
    """Return a new worker that uses the channel with this file descriptor."""
    return _SHARED.fork_worker(program, channel)


def discard_fork_server() -> None:
    """End a fork server that starts no workers; the next worker gets a new one."""
    _SHARED.discard()
