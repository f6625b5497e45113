"""A crawl that is killed at any moment goes on from there, and ends with what it would have had.

`make soak` does the same for longer. A failure is repeated with LODE_KILL_SEED as it was printed.
"""

import os
import random
from pathlib import Path

from bench.kills import CONNECTIONS, LodeServer, Report, Served, crawl_killed, make_portal
from bench.wrongs import Snapshot, snapshot, wrongs_of

SIZE = 400  # pages of the web
# What may be under way when a crawl is killed: at the hosts, waiting for readers, being read, being kept.
IN_HAND = CONNECTIONS + 2 * 16 + 2 * 16 + 64


def killed(lode_server: LodeServer, portal: Path, web: Served, kills: int) -> Report:
    seed = int(os.environ.get("LODE_KILL_SEED") or random.randrange(10**6))
    print(f"LODE_KILL_SEED={seed}")  # noqa: T201 - for whoever wants to see it again
    report = crawl_killed(lode_server, portal, web, kills, SIZE, random.Random(seed))
    assert report.kills == kills
    assert report.orphans == []
    assert wrongs_of(portal) == []
    assert report.again <= kills * IN_HAND + CONNECTIONS
    return report


def test_nothing_is_lost_and_nothing_is_there_twice(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot, database: str
) -> None:
    portal = make_portal(tmp_path / "p", web.address, database=database)
    killed(lode_server, portal, web, 5)
    found = snapshot(portal)
    assert found.pages == unbroken.pages
    assert found.urls == unbroken.urls
    assert found.redirects == unbroken.redirects


def test_a_crawl_that_learns_survives_it_too(
    tmp_path: Path, lode_server: LodeServer, web: Served, database: str
) -> None:
    report = killed(
        lode_server, make_portal(tmp_path / "p", web.address, "bingo", database), web, 3
    )
    assert report.pages > SIZE // 3
