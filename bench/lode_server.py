"""Run `lode` many times from one process that has imported everything: each run is a fork of it.

A request is a line of JSON: the arguments, and the log file that takes the output. The answer is
two lines: the process id, which is also that of its process group, and later the exit code.
"""

import importlib
import json
import os
import sys

from motherlode.documents.analysis import Manner, analyse
from motherlode.workers.document_reader import WARM_UP_PAGES

_MODULES = (
    "motherlode.app.cli.commands.crawl",
    "motherlode.app.services.crawl",
    "motherlode.documents.text.kernels",
    "motherlode.crawl.loop",
    "motherlode.search.index_updater",
    "motherlode.policies.bingo.kind",
    "motherlode.portal",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
)


def main() -> None:
    for name in _MODULES:
        importlib.import_module(name)
    for raw in WARM_UP_PAGES:  # as each crawl's own fork server does
        analyse(raw, Manner())
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run_lode(request["arguments"], request["log"])
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run_lode(arguments: list[str], log: str) -> None:
    """Run `lode` in the forked process as if it had just been started, and exit."""
    from motherlode.app.cli.main import main as lode  # noqa: PLC0415 - loaded by now

    code = 1
    try:
        os.setsid()
        print(os.getpid(), flush=True)  # only now: a kill of the group must find it
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(output, 1)
        os.dup2(output, 2)
        lode(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
