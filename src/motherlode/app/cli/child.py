"""The process of a job: `lode` with a lock to hold and an end to write down."""

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command line can say a sentence


def run(lock: int, folder: Path, arguments: list[str]) -> NoReturn:
    """Run `lode`, and note its exit code before the lock is free."""
    os.set_inheritable(lock, False)  # noqa: FBT003 - its own name for it
    # Workers that outlive this process for a moment must not keep the job alive.
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
