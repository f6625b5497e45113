"""Runs `lode` again and again from one process that has imported everything: each run is a fork of it.

A line of JSON asks for a run: its arguments, and the file that takes what it says. The answers are two lines:
the process, which leads a group of its own, and, when it has ended, how.
"""

import importlib
import json
import os
import sys

from motherlode.documents.analysing import Manner, analyse
from motherlode.workers.document_reader import WARM_UP_PAGES

_NEEDED = (
    "motherlode.app.cli.commands.crawl",
    "motherlode.app.services.crawl",
    "motherlode.documents.compiled",
    "motherlode.crawl.loop",
    "motherlode.search.index_updater",
    "motherlode.policies.bingo.teacher",
    "motherlode.portal",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
)


def main() -> None:
    for name in _NEEDED:
        importlib.import_module(name)
    for raw in WARM_UP_PAGES:  # as each crawl's own fork server does
        analyse(raw, Manner())
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(asked["arguments"], asked["log"])
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(arguments: list[str], log: str) -> None:
    """A run of `lode`, as if it had just been started."""
    from motherlode.app.cli.main import main as lode  # noqa: PLC0415 - loaded by now

    code = 1
    try:
        os.setsid()
        print(os.getpid(), flush=True)  # not before: whoever kills the group must find it
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(said, 1)
        os.dup2(said, 2)
        lode(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
