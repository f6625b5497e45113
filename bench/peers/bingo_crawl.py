"""Motherlode as a user starts it: `lode new` with the seeds, then `lode crawl`.

The argument is a JSON file with the fields of `runs.Task`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

LODE = [sys.executable, "-m", "motherlode"]


def main(task_file: str) -> None:
    task = json.loads(Path(task_file).read_text("utf-8"))
    portal = str(Path(task["folder"]) / "portal")
    seeds = [f"--seed={url}" for url in task["seeds"]]
    # The topic's name would say more than the peers are told.
    subprocess.run([*LODE, "new", portal, "--topic", "topic", *seeds], check=True)  # noqa: S603
    settings = (f"network.connect=127.0.0.1:{task['port']}", "crawl.connections=10")
    options = [f"--set={setting}" for setting in settings]
    crawl = [*LODE, "crawl", portal, "--pages", str(task["pages"]), *options, "--json"]
    os.execv(sys.executable, crawl)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1])
