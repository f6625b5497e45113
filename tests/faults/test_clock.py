"""A clock that jumps by hours, back and forth, neither stalls nor hurries a crawl."""

import random
import sys
import time
from pathlib import Path

import pytest

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.lab.clock import run_virtually
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from support.scripted_web import Said, ScriptedWeb, in_turn
from support.small_webs import html

SEED = "http://a.test/"
HOUR = 3600.0


def pages() -> dict[str, Said]:
    """Hosts that want to be asked slowly, or later, and robots.txt that holds for a day."""
    leaves = [f"http://h{host}.test/{page}" for page in range(10) for host in range(4)]
    said: dict[str, Said] = {url: html(url, f"words of {url}") for url in leaves}
    said |= {SEED: html("Seed", "first", *leaves), "http://h0.test/robots.txt": (200, {}, b"")}
    said["http://h1.test/robots.txt"] = (200, {}, b"User-agent: *\nCrawl-delay: 15\n")
    said["http://h2.test/3"] = in_turn((503, {"Retry-After": "60"}, b""), html("Later", "here"))
    said["http://h3.test/5"] = in_turn(500, html("Later", "there"))
    return said


def crawled(portal: Path) -> tuple[Progress, ScriptedWeb]:
    create_portal(portal, plant_seeds([(("a",), [SEED])], UrlRules()), {})
    web = ScriptedWeb(pages(), seconds=0.2)
    with Portal.crawling(portal, "test") as opened:
        return run_virtually(crawl(opened, web, BreadthFirst([address(SEED)]), Limits(1000))), web


def test_nothing_is_asked_for_sooner_or_later_than_by_a_steady_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steady, by_steady = crawled(tmp_path / "steady")
    draw, real = random.Random(5), time.time

    def jumping() -> float:
        return real() + HOUR * draw.choice((-30, -2, 0, 2, 30))

    patched = 0
    for name, module in list(sys.modules.items()):
        if name.startswith("motherlode.") and getattr(module, "time", None) is real:
            monkeypatch.setattr(module, "time", jumping)
            patched += 1
    assert patched > 3
    jumped, by_jumping = crawled(tmp_path / "jumping")
    assert jumped.pages == steady.pages == 41
    assert [(round(at, 3), url) for at, url in by_jumping.asked] == [
        (round(at, 3), url) for at, url in by_steady.asked
    ]
    robots = [url for _, url in by_jumping.asked if url.endswith("robots.txt")]
    assert len(robots) == len(set(robots)) == 5
