"""`lode`, and `python -m motherlode`: an end by Ctrl-C is quiet from the first moment on."""

import signal
from typing import NoReturn

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command line can say a sentence


def start() -> NoReturn:
    from motherlode.app.cli.main import main  # noqa: PLC0415 - after the line above

    main()


if __name__ == "__main__":
    start()
