"""A writer that is killed leaves whole batches behind and nothing else."""

import random
import subprocess
import sys
import time
from pathlib import Path

from motherlode.portal import Portal, create_portal
from motherlode.store.tables import pages
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules
from support.page_batches import check_whole

WRITE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from support.page_batches import keep_batch
from motherlode.portal import Portal
from motherlode.store.tables import pages
with Portal.crawling(Path(sys.argv[1]), "write") as portal:
    with portal.store.reading() as session:
        number = pages.count_pages(session) // 10
    while True:
        keep_batch(portal, number)
        number += 1
        print("kept", flush=True)
"""


def test_a_killed_writer_leaves_whole_batches(tmp_path: Path) -> None:
    directory = tmp_path / "p"
    create_portal(
        directory, plant_seeds([(("A",), ["http://a.example/"])], UrlRules()), {"archive.max_mb": 1}
    )
    draw, least = random.Random(7), 0
    for _ in range(6):
        batches = draw.randrange(1, 8)
        kill_after(directory, batches, 0.02 * draw.random())
        least += batches
        with Portal.crawling(directory, "check") as portal:
            with portal.store.reading() as session:
                kept = pages.count_pages(session)
            assert kept % 10 == 0
            check_whole(portal, kept // 10)
    assert kept >= 10 * least


def kill_after(directory: Path, batches: int, seconds: float) -> None:
    """Kill a writer some time after it has kept so many batches."""
    tests = str(Path(__file__).parents[2])
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(directory), tests], stdout=subprocess.PIPE, text=True
    )
    with writer:
        assert writer.stdout is not None
        assert [writer.stdout.readline() for _ in range(batches)] == ["kept\n"] * batches
        time.sleep(seconds)
        writer.kill()
