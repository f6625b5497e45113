"""What goes on in a nursery: workers are borne and looked after.

Nobody here has a thread, so that a fork is whole. For each worker there is a line on which its end is told,
and which ends it when it is hung up: so all end with whoever wanted them, however that ends. A nursery that
is killed takes nobody with it: its workers have lines of their own, and are replaced from another later.
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

LENGTH = struct.Struct("!Q")  # of an order, before it
END = struct.Struct("!id")  # how a worker ended, and the seconds of the processor that it took
# There are as many workers as are wanted. The threads that a library has for products of matrices would take
# the time of others, most of it to wait for the next product: a third of what lessons took.
_ALONE = {"OMP_NUM_THREADS": "1"}


class ProcessEnvironment(Struct, frozen=True):
    """What a process finds when it is started: variables, a directory, and places where modules are."""

    environment: dict[str, str]
    directory: str  # empty: nobody can tell
    path: list[str]

    @classmethod
    def current(cls) -> "ProcessEnvironment":
        directory = ""
        with suppress(OSError):  # it was removed
            directory = os.getcwd()  # noqa: PTH109 - as it is
        return cls({**_ALONE, **os.environ}, directory, list(sys.path))

    def apply(self) -> None:
        if self.environment != dict(os.environ):
            os.environ.clear()
            os.environ.update(self.environment)
        if self.directory:
            os.chdir(self.directory)
        sys.path[:] = self.path


class WorkerProgram(Struct, frozen=True):
    """What becomes of a worker, packed: a lesson, for the nursery and only once, and the worker's own life,
    which is told its line."""

    lesson: bytes
    life: bytes

    @classmethod
    def pickled(cls, lesson: Callable[[], object], life: Callable[[int], object]) -> "WorkerProgram":
        return cls(*(pickle.dumps(one, pickle.HIGHEST_PROTOCOL) for one in (lesson, life)))


def serve(descriptor: int) -> None:
    """The life of a nursery, until nobody is at the other end of its line."""
    with socket.socket(fileno=descriptor) as line:
        line.set_inheritable(False)
        _Nurse(line).work()


def kill(worker: int) -> None:
    """End a worker and whatever it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, signal.SIGKILL)


class _Nurse:
    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._bell, self._rope = os.pipe()  # rung when a worker has ended
        for end in (self._bell, self._rope):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._rope, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._learned: set[bytes] = set()
        self._fates: dict[int, socket.socket] = {}  # of each worker, by its process
        self._hearing = select.poll()
        for one in (line.fileno(), self._bell):
            self._hearing.register(one, select.POLLIN)

    def work(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                for descriptor, _ in self._hearing.poll():
                    self._hear(descriptor)
                self._look_around()
        for worker in self._fates:
            kill(worker)
        for worker in self._fates:
            os.waitpid(worker, 0)

    def _hear(self, descriptor: int) -> None:
        if descriptor == self._bell:
            os.read(self._bell, 4096)
        elif descriptor == self._line.fileno():
            self._obey(*_received(self._line))
        else:  # somebody has hung up
            self._hearing.unregister(descriptor)
            kill(next(worker for worker, fate in self._fates.items() if fate.fileno() == descriptor))

    def _obey(self, order: bytes, line: int, fate: socket.socket) -> None:
        life = self._taught(order)
        if life is None:
            os.close(line)
            fate.close()
            return
        worker = os.fork()
        if not worker:
            self._let_go(life, line, fate)
        os.close(line)
        with suppress(OSError):  # it does the same, and either may be the first
            os.setpgid(worker, worker)
        self._fates[worker] = fate
        self._hearing.register(fate.fileno(), select.POLLIN)

    def _taught(self, order: bytes) -> Callable[[int], object] | None:
        """What a worker is to do, with all loaded that it takes; None: nobody can do that."""
        with suppress(Exception):  # whoever ordered it sees that nobody comes
            environment, upbringing = pickle.loads(order)  # noqa: S301 - from our own process
            environment.apply()
            life: Callable[[int], object] = pickle.loads(upbringing.life)  # noqa: S301
            if upbringing.lesson not in self._learned:
                pickle.loads(upbringing.lesson)()  # noqa: S301
                self._learned.add(upbringing.lesson)
                freeze_loaded_objects()
            return life
        return None

    def _let_go(self, life: Callable[[int], object], line: int, fate: socket.socket) -> NoReturn:
        """Be the worker."""
        code = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (self._line, *self._fates.values()):
                one.close()
            fate.detach()  # open as long as there is a nursery or a worker
            for end in (self._bell, self._rope):
                os.close(end)
            life(line)
            code = 0
        finally:
            os._exit(code)

    def _look_around(self) -> None:
        """Tell of those that have ended, and end what they left behind."""
        while self._fates:
            worker, status, used = os.wait4(-1, os.WNOHANG)
            if not worker:
                return
            kill(worker)
            self._tell(worker, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime)

    def _tell(self, worker: int, code: int, seconds: float) -> None:
        with self._fates.pop(worker) as fate:
            with suppress(KeyError):  # it was hung up
                self._hearing.unregister(fate.fileno())
            with suppress(OSError):
                fate.send(END.pack(code, seconds))


def _received(line: socket.socket) -> tuple[bytes, int, socket.socket]:
    """An order, the line of the worker, and the one on which its end is told. Raises `EOFError`."""
    head, descriptors, _, _ = socket.recv_fds(line, LENGTH.size, 2)
    if len(descriptors) != 2:  # noqa: PLR2004 - as many as there are names for
        raise EOFError
    for one in descriptors:
        os.set_inheritable(one, False)  # noqa: FBT003 - its own name for it
    order, wanted = bytearray(), LENGTH.unpack(head)[0]
    while len(order) < wanted:
        more = line.recv(wanted - len(order))
        if not more:
            raise EOFError
        order += more
    return bytes(order), descriptors[0], socket.socket(fileno=descriptors[1])
