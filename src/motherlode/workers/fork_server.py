"""The fork server's own process: it forks workers, watches them, and reports how they ended.

It has no threads, so that a fork is complete. Each worker has a status socket: its exit is reported
there, and the worker is killed when the other end is closed. So all workers end with the process
that uses them, however that ends. If the fork server is killed, its workers go on: they have
channels of their own. Later workers are forked by a new server.
"""

import os
import pickle
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from msgspec import Struct

from motherlode.workers.gc_settings import freeze_loaded_objects

WorkerMain = Callable[[int], object]  # takes the file descriptor of the worker's channel

REQUEST_LENGTH = struct.Struct("!Q")  # sent before a request
EXIT_STATUS = struct.Struct("!id")  # exit code and CPU seconds of a worker
# The threads of a matrix library would take CPU time from other workers, most of it to wait for the
# next product: a third of the time of a retraining.
_SINGLE_THREADED = {"OMP_NUM_THREADS": "1"}


class ProcessEnvironment(Struct, frozen=True):
    """Environment variables, working directory and module path for a new process."""

    environment: dict[str, str]
    directory: str  # empty if it was removed
    path: list[str]

    @classmethod
    def current(cls) -> "ProcessEnvironment":
        directory = ""
        with suppress(OSError):  # it was removed
            directory = os.getcwd()  # noqa: PTH109 - as it is
        return cls({**_SINGLE_THREADED, **os.environ}, directory, list(sys.path))

    def apply(self) -> None:
        if self.environment != dict(os.environ):
            os.environ.clear()
            os.environ.update(self.environment)
        if self.directory:
            os.chdir(self.directory)
        sys.path[:] = self.path


class WorkerProgram(Struct, frozen=True):
    """Two pickled functions: `preload` runs once in the fork server, `main` in each worker."""

    preload: bytes
    main: bytes

    @classmethod
    def pickled(cls, preload: Callable[[], object], main: WorkerMain) -> "WorkerProgram":
        return cls(*(pickle.dumps(part, pickle.HIGHEST_PROTOCOL) for part in (preload, main)))


def serve(descriptor: int) -> None:
    """Run the fork server until the other end of its control socket is closed."""
    with socket.socket(fileno=descriptor) as control:
        control.set_inheritable(False)
        _ServerLoop(control).run()


def kill_group(worker: int) -> None:
    """Kill a worker and its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, signal.SIGKILL)


class _ServerLoop:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wakeup_reader, self._wakeup_writer = os.pipe()  # written when a worker has ended
        for end in (self._wakeup_reader, self._wakeup_writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakeup_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._preloaded: set[bytes] = set()
        self._status_sockets: dict[int, socket.socket] = {}  # by worker process id
        self._poll = select.poll()
        for descriptor in (control.fileno(), self._wakeup_reader):
            self._poll.register(descriptor, select.POLLIN)

    def run(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                for descriptor, _ in self._poll.poll():
                    self._handle(descriptor)
                self._reap_workers()
        for worker in self._status_sockets:
            kill_group(worker)
        for worker in self._status_sockets:
            os.waitpid(worker, 0)

    def _handle(self, descriptor: int) -> None:
        if descriptor == self._wakeup_reader:
            os.read(self._wakeup_reader, 4096)
        elif descriptor == self._control.fileno():
            self._fork_worker(*_receive_request(self._control))
        else:  # the other end of a status socket was closed
            self._poll.unregister(descriptor)
            statuses = self._status_sockets.items()
            kill_group(next(worker for worker, status in statuses if status.fileno() == descriptor))

    def _fork_worker(self, request: bytes, channel: int, status: socket.socket) -> None:
        main = self._load_program(request)
        if main is None:
            os.close(channel)
            status.close()
            return
        worker = os.fork()
        if not worker:
            self._become_worker(main, channel, status)
        os.close(channel)
        with suppress(OSError):  # the worker does the same, and either may be first
            os.setpgid(worker, worker)
        self._status_sockets[worker] = status
        self._poll.register(status.fileno(), select.POLLIN)

    def _load_program(self, request: bytes) -> WorkerMain | None:
        """Return a worker's main function, with its preload run; None if it cannot be loaded."""
        with suppress(Exception):  # the client sees that no worker answers
            environment, program = pickle.loads(request)  # noqa: S301 - from our own process
            environment.apply()
            main: WorkerMain = pickle.loads(program.main)  # noqa: S301
            if program.preload not in self._preloaded:
                pickle.loads(program.preload)()  # noqa: S301
                self._preloaded.add(program.preload)
                freeze_loaded_objects()
            return main
        return None

    def _become_worker(self, main: WorkerMain, channel: int, status: socket.socket) -> NoReturn:
        """Run a worker in the forked process, and exit."""
        code = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for inherited in (self._control, *self._status_sockets.values()):
                inherited.close()
            status.detach()  # stays open as long as the fork server or the worker lives
            for end in (self._wakeup_reader, self._wakeup_writer):
                os.close(end)
            main(channel)
            code = 0
        finally:
            os._exit(code)

    def _reap_workers(self) -> None:
        """Report the workers that have ended, and kill the children that they left."""
        while self._status_sockets:
            worker, status, usage = os.wait4(-1, os.WNOHANG)
            if not worker:
                return
            kill_group(worker)
            cpu_seconds = usage.ru_utime + usage.ru_stime
            self._report_exit(worker, os.waitstatus_to_exitcode(status), cpu_seconds)

    def _report_exit(self, worker: int, code: int, cpu_seconds: float) -> None:
        with self._status_sockets.pop(worker) as status:
            with suppress(KeyError):  # its other end was closed before
                self._poll.unregister(status.fileno())
            with suppress(OSError):
                status.send(EXIT_STATUS.pack(code, cpu_seconds))


def _receive_request(control: socket.socket) -> tuple[bytes, int, socket.socket]:
    """Return a request, the worker's channel and its status socket. Raises `EOFError`."""
    head, descriptors, _, _ = socket.recv_fds(control, REQUEST_LENGTH.size, 2)
    if len(descriptors) != 2:  # noqa: PLR2004 - channel and status socket
        raise EOFError
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - takes no keyword
    request, length = bytearray(), REQUEST_LENGTH.unpack(head)[0]
    while len(request) < length:
        received = control.recv(length - len(request))
        if not received:
            raise EOFError
        request += received
    channel, status = descriptors
    return bytes(request), channel, socket.socket(fileno=status)
