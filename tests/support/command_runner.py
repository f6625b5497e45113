"""`lode` for tests without waiting for its imports: a process that has them all, and is forked for each run.

The child is a process like any other, with arguments, environment, directory and output of its own; only what
an interpreter does before the first command is shared. What is about that wants a process of its own.
"""

import atexit
import importlib
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

INTERRUPT_AT = "LODE_TESTS_INTERRUPT_AT"  # the number of an event, and of a signal: 100,2
_LONGEST = 2**17  # bytes of what is asked for
# Besides the commands themselves, what they load when they are run.
_BESIDES = (
    "motherlode.app.services.crawl",
    "motherlode.app.cli.display",
    "motherlode.fetch.event_loop",
    "motherlode.fetch.http",
    "motherlode.search.index_updater",
    "motherlode.policies.bingo.retraining",
    "motherlode.documents.text.kernels",
    "motherlode.app.cli.commands.lab.compare",
)


class Forked:
    """The process that is forked; it ends when nobody can ask it any more."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.close)

    def close(self) -> None:
        self._line.close()
        self._process.wait()

    def run(
        self, directory: Path, arguments: Sequence[str], env: Mapping[str, str], timeout: float
    ) -> "subprocess.CompletedProcess[str]":
        """Raises `TimeoutExpired` like `subprocess.run`."""
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            Path(os.devnull).open() as none,
        ):
            order = json.dumps([str(directory), list(arguments), dict(env)]).encode()
            socket.send_fds(self._line, [order], [none.fileno(), out.fileno(), err.fileno()])
            code = self._code(arguments, timeout)
            return subprocess.CompletedProcess(["lode", *arguments], code, _text(out), _text(err))

    def _code(self, arguments: Sequence[str], timeout: float) -> int:
        self._line.settimeout(timeout)
        child = int(self._line.recv(_LONGEST))
        try:
            return int(self._line.recv(_LONGEST))
        except TimeoutError as error:
            os.kill(child, 9)
            self._line.recv(_LONGEST)
            raise subprocess.TimeoutExpired(["lode", *arguments], timeout) from error


@cache
def forked() -> Forked:
    return Forked()


def _text(file: IO[bytes]) -> str:
    """As `subprocess` reads it with `text`."""
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


def _prepare() -> None:
    """Load what commands and their workers do, as far as that is the same for all."""
    from motherlode.app.cli.main import COMMANDS  # noqa: PLC0415 - only over there
    from motherlode.documents.analysis import Manner, analyse  # noqa: PLC0415
    from motherlode.workers.document_reader import WARM_UP_PAGES  # noqa: PLC0415
    from motherlode.workers.gc_settings import freeze_loaded_objects  # noqa: PLC0415

    for name in (*(f"motherlode.app.cli.commands.{command}" for command in COMMANDS), *_BESIDES):
        importlib.import_module(name)
    for raw in WARM_UP_PAGES:
        analyse(raw, Manner())
    freeze_loaded_objects()


def _serve(line: socket.socket) -> None:
    _prepare()
    while True:
        order, files, _, _ = socket.recv_fds(line, _LONGEST, 3)
        if not order:
            return
        child = os.fork()
        if not child:
            line.close()
            directory, arguments, env = json.loads(order)
            _become(directory, arguments, env, files)
        for file in files:
            os.close(file)
        line.send(str(child).encode())
        _, status = os.waitpid(child, 0)
        line.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(
    directory: str, arguments: list[str], env: dict[str, str], files: list[int]
) -> NoReturn:
    """Be `lode`, from the first line of its own on."""
    code = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(directory)
        sys.path[0] = directory  # as with -m
        os.environ.clear()
        os.environ.update(env)
        sys.argv = ["lode", *arguments]
        from motherlode.__main__ import start  # noqa: PLC0415 - it sets a signal

        interrupt_by_environment()
        start()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as an interpreter does
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def interrupt_by_environment() -> None:
    """Send this process a signal at an event that the environment names by its number.

    Events are those of Python's audit hooks: imports, opened files, connections, new processes.
    """
    if INTERRUPT_AT not in os.environ:
        return
    event, number = map(int, os.environ.pop(INTERRUPT_AT).split(","))
    process, events = os.getpid(), itertools.count(1)

    def count(_name: str, _arguments: object) -> None:
        if os.getpid() == process and next(events) == event:
            os.kill(process, number)

    sys.addaudithook(count)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as given:
        _serve(given)
