"""`lode`, and `python -m motherlode`: interrupted while it loads, it says one sentence, too."""

import os
import signal
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 11  # as `app.errors` has it, which is not loaded yet


def start() -> NoReturn:
    """Run the command line."""
    from motherlode.app.cli.main import main  # noqa: PLC0415 - after the signals are handled

    main()


def exit_on_signals() -> None:
    """Exit on Ctrl-C, SIGTERM and SIGHUP until the command line handles them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit)


def _exit(_number: int, _frame: FrameType | None) -> NoReturn:
    os.write(2, b"lode: Interrupted.\n")
    os._exit(_INTERRUPTED)


exit_on_signals()
if __name__ == "__main__":
    start()
