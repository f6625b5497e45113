"""The whole crawl on two cores: fetch, read, judge, steer, archive and store; beside it Scrapy, which only
fetches and follows links, on the same recorded pages, from the same server.

The recorded web `campus` is served several times over, under other names, so that there are pages enough.
With BENCH_INDEX=1 the search index follows the crawl.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from html import escape, unescape
from itertools import pairwise
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple
from zlib import crc32

from isal import igzip

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.fetcher_setup import reading_options_of, user_agent
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.retraining import RetrainingPlan, TrainingProcess
from motherlode.crawl.stages import decide as deciding
from motherlode.crawl.stages import write as write_stage
from motherlode.fetch.event_loop import run
from motherlode.fetch.http import HttpWeb
from motherlode.lab.loader import open_web
from motherlode.lab.serving.background import sandbox
from motherlode.policies.bingo.retraining import BingoRetrainer
from motherlode.portal import Portal, create_portal
from motherlode.search.index_updater import IndexUpdater
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity
from motherlode.topics import plant_seeds
from motherlode.urls import UrlError, UrlRules, canonical, host_of
from motherlode.workers.worker_pool import ProcessWorkerPool

WEB = Path(__file__).parent.parent.parent / "shared" / "webs" / "campus"
PAGES = int(os.environ.get("BENCH_PAGES", "50000"))
INDEX = bool(os.environ.get("BENCH_INDEX"))  # the search index follows
SCRAPY_PAGES = int(os.environ.get("BENCH_SCRAPY_PAGES", "2000"))
WINDOW = max(1, PAGES // 10)
CONNECTIONS = 64
LENGTHS = range(12_000, 120_000)
LINK = re.compile(rb"""\b(href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
UNWANTED = re.compile(rb"noindex", re.IGNORECASE)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"


class Mark(NamedTuple):
    """How far a crawl was at a moment, and what it held in memory."""

    pages: int
    seconds: float
    memory: float


def main() -> None:
    if not WEB.is_dir():
        print("the recorded web `campus` is not here")
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with tempfile.TemporaryDirectory() as folder:
        seeds, size = _mirrored(Path(folder) / "web", PAGES)
        with sandbox(Path(folder) / "web") as served:
            print(
                f"{served.pages:,} pages of {size / 1000:.0f} KB on {served.hosts:,} hosts, one server"
            )
            rate = _ours(Path(folder) / "portal", served.address, seeds)
            theirs = _scrapy(served.port, seeds)
        print(f"Scrapy: fetching, links, following            {theirs:7,.0f} pages/s")
        print(f"ours is {rate / theirs if theirs else 0:.1f} times as fast")


def _mirrored(directory: Path, wanted: int) -> tuple[list[str], float]:
    """The longer pages of the web as often as it takes, each time under other host names, all links leading
    to one another: what was not recorded could not be fetched. Pages that ask not to be kept are left out,
    for what is kept is counted. Returns front pages and the mean size."""
    web = open_web(WEB)
    bodies = {
        url: answer.body for url in sorted(web.urls()) if (answer := web.answer(url)) is not None
    }
    bodies = {
        url: body
        for url, body in bodies.items()
        if len(body) in LENGTHS and not UNWANTED.search(body)
    }
    urls, known = list(bodies), set(bodies)
    directory.mkdir()
    times = -(-wanted * 5 // (4 * len(urls)))  # not every page is reached
    size = 0
    with Archive(directory, ArchiveOptions(), Identity("bench")) as archive:
        for number in range(times):
            for url, body in bodies.items():
                closed = LINK.sub(_leading(url, urls, known, number), body)
                closed += b"<!-- %d -->" % number
                size += len(closed)
                packed = igzip.compress(closed, 1, mtime=0)  # here, where it takes nobody's time
                archive.append(Exchange(_renamed(url, number), 0.0, HEAD, packed))
            archive.flush()
            archive.commit()
    fronts = urls[:: max(1, len(urls) // 20)]
    return [_renamed(url, number) for number in range(times) for url in fronts], size / (
        times * len(urls)
    )


def _leading(
    at: str, urls: list[str], known: set[str], number: int
) -> Callable[["re.Match[bytes]"], bytes]:
    """Makes links of a page lead to the pages of this copy of the web; if they are not there, to others."""

    def link(found: "re.Match[bytes]") -> bytes:
        written = unescape((found[2] or found[3] or found[4] or b"").decode("utf-8", "replace"))
        try:
            target = canonical(written, at)
        except UrlError:
            return found[0]  # a place within the page, a script, an address to write to
        if target not in known:
            target = urls[crc32(target.encode()) % len(urls)]
        return b'%s="%s"' % (found[1], escape(_renamed(target, number)).encode())

    return link


def _renamed(url: str, number: int) -> str:
    """Under another name. Hosts of the web are one university's, which may have five connections in all;
    here each is a domain of its own: what is measured is the crawler, not its manners."""
    _, _, _, *rest = url.split("/", 3)
    return f"http://{host_of(url).replace('.', '-')}-m{number}.test/{rest[0] if rest else ''}"


def _ours(place: Path, address: str, seeds: list[str]) -> float:
    """Crawl, and tell the rate on the way, memory, and where the time went."""
    settings = {
        "network.connect": address,
        "bingo.tunnel": 100,  # nothing is left out
        "bingo.learn_pages": 0,
        "traps.pages_per_host": 0,
    }
    create_portal(place, plant_seeds([(("campus",), seeds)], UrlRules()), settings)
    marks = [Mark(0, 0.0, 0.0)]
    with Portal.crawling(place, "bench") as portal, _clocked() as spent:
        before = _processor_time(resource.RUSAGE_SELF)
        progress = run(_crawled(portal, marks, spent))
        own = _processor_time(resource.RUSAGE_SELF) - before
    rate = progress.pages / progress.seconds
    print(f"ours: fetch, read, judge, archive, store       {rate:7,.0f} pages/s")
    for then, now in pairwise(marks):
        speed = (now.pages - then.pages) / (now.seconds - then.seconds)
        told = f"{speed:7,.0f} pages/s, {now.memory:,.0f} MB"
        print(f"  until {now.pages:7,} pages                        {told}")
    told = ", ".join(f"{name} {_ms(spent.pop(name), progress)}" for name in ("reading", "lessons"))
    print(f"processor time a page: {told}, engine {_ms(own, progress)}, of it")
    for name, seconds in spent.items():
        print(f"  {name:44} {_ms(seconds, progress)}")
    return rate


def _ms(seconds: float, progress: Progress) -> str:
    return f"{seconds / progress.pages * 1e3:.2f} ms"


async def _crawled(portal: Portal, marks: list[Mark], spent: dict[str, float]) -> Progress:
    config = portal.config

    def watch(progress: Progress) -> None:
        if progress.pages - marks[-1].pages >= WINDOW:
            marks.append(Mark(progress.pages, progress.seconds, _memory()))

    ended = _processor_time(resource.RUSAGE_CHILDREN)
    async with (
        HttpWeb(config.network, user_agent(config), config.dns) as web,
        ProcessWorkerPool(reading_options_of(config), config.reading) as workers,
    ):
        async with (
            TrainingProcess() as process,
            IndexUpdater(portal) if INDEX else nullcontext() as follower,
        ):
            await prepare(portal, web, workers=workers)
            retrainer = BingoRetrainer(portal, RetrainingPlan(process))
            policy = await retrainer.begin(workers)
            context = CrawlContext(workers, watch, retrainer=retrainer)
            progress = await crawl(portal, web, policy, Limits(PAGES, CONNECTIONS), context)
        spent["lessons"] = process.cpu_seconds
        spent["lessons"] += 0.0 if follower is None else follower.cpu_seconds
    # Includes what the fork server has loaded for all workers.
    spent["reading"] = _processor_time(resource.RUSAGE_CHILDREN) - ended - spent["lessons"]
    return progress


def _memory() -> float:
    """What this process holds now, in MB."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * resource.getpagesize() / 2**20


def _processor_time(whose: int) -> float:
    """Of this process, or of its children that have ended."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


@contextmanager
def _clocked() -> Iterator[dict[str, float]]:
    """What some stages of the engine take, by its own clock in their threads."""
    spent: dict[str, float] = defaultdict(float)
    places: list[tuple[Any, str, str]] = [
        (deciding, "decide_outcomes", "judging and steering"),
        (Archive, "append", "packing into the archive"),
        (write_stage, "keep", "rows into the store"),
    ]
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for owner, name, told in places:
        setattr(owner, name, _timed(getattr(owner, name), told, spent))
    try:
        yield spent
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)


def _timed(function: Callable[..., Any], told: str, spent: dict[str, float]) -> Callable[..., Any]:
    @wraps(function)
    def timed(*given: Any, **named: Any) -> Any:
        start = thread_time()
        try:
            return function(*given, **named)
        finally:
            spent[told] += thread_time() - start

    return timed


def _scrapy(port: int, seeds: list[str]) -> float:
    """Pages a second of a Scrapy spider that fetches, finds links and follows them, and keeps nothing."""
    command = [sys.executable, "-m", "bench.spider", str(port), str(SCRAPY_PAGES), *seeds]
    said = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)  # noqa: S603 - our own
    lines = said.stdout.split()
    if not lines:
        print(said.stderr[-2000:])
        return 0.0
    return float(lines[0])
