"""The process of a job: runs `lode` while it holds the job's lock, and writes its exit code."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from motherlode.__main__ import exit_on_signals

exit_on_signals()


def run(lock: int, folder: Path, arguments: list[str]) -> NoReturn:
    """Run `lode`, and write its exit code before the lock is released."""
    os.set_inheritable(lock, False)  # noqa: FBT003 - positional only
    # Workers that outlive this process for a moment must not hold the lock.
    held = [lock]
    os.register_at_fork(after_in_child=lambda: os.close(held.pop()) if held else None)
    from motherlode.app.cli.main import main  # noqa: PLC0415 - once the lock is safe

    code = 1
    try:
        main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        raise
    finally:
        note = folder / "exit.new"
        note.write_text(str(code))
        note.rename(folder / "exit")


if __name__ == "__main__":
    run(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
