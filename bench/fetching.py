"""Fetching: our fetcher, bare clients and a native load generator, on the same pages of the same server."""

import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import aiohttp

from bench.load import load, request
from bench.sandbox import other_core
from motherlode.fetch import NetworkOptions, PolitenessOptions, Request, RobotsOptions
from motherlode.fetch.event_loop import run
from motherlode.fetch.fetcher import Fetcher
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.lab.serving.background import sandbox
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity
from motherlode.urls import Address, address
from motherlode.workers.gc_settings import rare_gc

PAGES = 8000
HOSTS = 100
ROUNDS = 5
AT_ONCE = 64
BATCH = 64  # pages whose hosts are handed over at once, as in a crawl
POLITE_HOSTS = 1000
POLITE_SECONDS = 10.0
_WORDS = (
    "crawler frontier topic archetype confidence hub authority nugget tunnel centroid site level "
    * 3
).split()


class Pace(NamedTuple):
    """Pages a second, and microseconds of the processor that a page took (None: another process took them).
    The latter say more where others work on the machine."""

    rate: float
    each: float | None = None


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        urls = _recorded(Path(folder) / "web")
        # All of them as within a crawl, where the garbage collector looks seldom.
        with sandbox(Path(folder) / "web") as served, other_core(), rare_gc():
            _compare(served.port, urls)
        _politely(Path(folder) / "polite")


def page(number: int) -> bytes:
    """About 30 KB that pack as pages do, to a quarter."""
    words = [_WORDS[(number * 7 + place * place) % len(_WORDS)] for place in range(3200)]
    marks = [f"<p><a href='/{place}.html'>{place * number % 9973}</a> " for place in range(320)]
    body = "".join(
        f"{mark}{' '.join(words[place * 10 : place * 10 + 10])}" for place, mark in enumerate(marks)
    )
    return f"<!DOCTYPE html><title>{number}</title>{body}".encode()


def _recorded(directory: Path) -> list[Address]:
    directory.mkdir()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    urls = [address(f"http://h{number % HOSTS}.test/{number}.html") for number in range(PAGES)]
    with Archive(directory, ArchiveOptions(), Identity("bench")) as archive:
        for number, one in enumerate(urls):
            archive.append(Exchange(one.url, 0.0, head, page(number)))
        archive.flush()
        archive.commit()
    return urls


def _compare(port: int, urls: list[Address]) -> None:
    requests = [request(one.host, "/" + one.url.split("/", 3)[3]) for one in urls]
    load(port, requests, PAGES)  # so that everything is in the server's memory
    options = NetworkOptions(connect=f"127.0.0.1:{port}")
    candidates: dict[str, Callable[[], Pace]] = {
        "ours": lambda: _timed(_ours(options, urls)),
        "our client, bare": lambda: _timed(_client(options, urls)),
        "aiohttp, bare": lambda: _timed(_aiohttp(port, urls)),
        "load": lambda: _load(port, requests),
    }
    if shutil.which("wrk"):
        candidates["wrk"] = lambda: _wrk(port)
    paces: dict[str, list[Pace]] = {name: [] for name in candidates}
    for _ in range(ROUNDS):
        for name, measure in candidates.items():
            paces[name].append(measure())
    ours = median(pace.rate for pace in paces["ours"])
    sizes = f"{len(page(1)) / 1000:.0f} KB"
    print(f"pages of {sizes}, gzip, {HOSTS} hosts, {AT_ONCE} at once, one core for whoever asks:")
    names = {
        "ours": "our fetcher: robots, politeness, limits, digest",
        "our client, bare": "our client alone",
        "aiohttp, bare": "aiohttp alone, on uvloop",
        "load": "a loop that reads and forgets",
        "wrk": "wrk, one thread (one page over and over)",
    }
    for name, measured in paces.items():
        rate = median(pace.rate for pace in measured)
        taken = [pace.each for pace in measured if pace.each is not None]
        each = f", {median(taken):3.0f} us of the processor each" if taken else ""
        share = "" if name == "ours" else f", ours is x{ours / rate:.2f} of it"
        print(f"  {names[name]:<48} {rate:8,.0f} pages/s{each}{share}")


def _timed(work: Coroutine[Any, Any, None]) -> Pace:
    begin, before = perf_counter(), process_time()
    run(work)
    return Pace(PAGES / (perf_counter() - begin), 1e6 * (process_time() - before) / PAGES)


def _load(port: int, requests: list[bytes]) -> Pace:
    before = process_time()
    rate, _ = load(port, requests, PAGES, AT_ONCE)
    return Pace(rate, 1e6 * (process_time() - before) / PAGES)


async def _ours(options: NetworkOptions, urls: list[Address]) -> None:
    polite = PolitenessOptions()
    async with HttpWeb(options, "bench") as web:
        courtesy: RateLimiter[Address] = RateLimiter(polite, sandbox=True)
        fetcher = Fetcher(
            web=web, courtesy=courtesy, rulebook=RobotsCache(web, RobotsOptions(), "bench")
        )
        for one in urls:
            courtesy.add(one, 1.0, one.host)
        left = len(urls)

        async def work() -> None:
            nonlocal left
            while left > 0:
                left -= 1
                fetched = await fetcher.fetch(courtesy.poll() or await courtesy.next())
                assert fetched.response is not None, fetched.failure  # noqa: S101 - else it measures nothing
                del fetched  # as the others keep nothing
                if not left % BATCH:
                    fetcher.hosts.changed()

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))


async def _client(options: NetworkOptions, urls: list[Address]) -> None:
    async with HttpWeb(options, "bench") as web:
        waiting = iter(urls)

        async def work() -> None:
            for one in waiting:
                await web.fetch(Request(one.url))

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))


async def _aiohttp(port: int, urls: list[Address]) -> None:
    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    async with aiohttp.ClientSession(connector=connector) as session:
        waiting = iter(urls)

        async def work() -> None:
            for one in waiting:
                path = one.url.split("/", 3)[3]
                headers = {"Host": one.host, "Accept-Encoding": "gzip"}
                async with session.get(f"http://127.0.0.1:{port}/{path}", headers=headers) as reply:
                    await reply.read()

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))


def _wrk(port: int) -> Pace:
    command = [
        "wrk",
        "-t1",
        f"-c{AT_ONCE}",
        "-d2s",
        "-H",
        "Host: h1.test",
        "-H",
        "Accept-Encoding: gzip",
    ]
    said = subprocess.run(  # noqa: S603 - a tool of the person's own
        [*command, f"http://127.0.0.1:{port}/1.html"], capture_output=True, text=True, check=True
    ).stdout
    return Pace(float(said.split("Requests/sec:")[1].split()[0]))


def _politely(directory: Path) -> None:
    """A thousand hosts at once, each left alone for a second after every page."""
    directory.mkdir()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    each = int(POLITE_SECONDS) + 5
    with Archive(directory, ArchiveOptions(), Identity("bench")) as archive:
        for host in range(POLITE_HOSTS):
            for number in range(each):
                archive.append(
                    Exchange(
                        f"http://p{host}.test/{number}", 0.0, head, b"<p>%d %d" % (host, number)
                    )
                )
        archive.flush()
        archive.commit()
    with sandbox(directory) as served, other_core():
        options = NetworkOptions(connect=f"127.0.0.1:{served.port}")
        done, seconds = run(_polite(options, each))
    allowed = POLITE_HOSTS * seconds  # a page a second and host, the delay being a second
    print(
        f"{POLITE_HOSTS:,} hosts with a delay of 1 s each, which allows {POLITE_HOSTS:,} pages/s:"
    )
    print(f"  our fetcher {done / seconds:,.0f} pages/s, {done / allowed:.1%} of it")


async def _polite(options: NetworkOptions, each: int) -> tuple[int, float]:
    """Pages that came in the time there is, the first two of every host and its robots.txt not counted."""
    polite = PolitenessOptions(sandbox_delay=1.0, slowdown=0.0, host_connections=1)
    async with HttpWeb(options, "bench") as web:
        courtesy: RateLimiter[Address] = RateLimiter(polite, sandbox=True)
        fetcher = Fetcher(
            web=web, courtesy=courtesy, rulebook=RobotsCache(web, RobotsOptions(), "bench")
        )
        for number in range(each):
            for host in range(POLITE_HOSTS):
                courtesy.add(
                    address(f"http://p{host}.test/{number}"), -float(number), f"p{host}.test"
                )
        done = 0

        async def work() -> None:
            nonlocal done
            while True:
                await fetcher.fetch(await courtesy.next())
                done += 1

        tasks = [asyncio.create_task(work()) for _ in range(200)]
        while done < 2 * POLITE_HOSTS:  # noqa: ASYNC110 - a bench may poll
            await asyncio.sleep(0.01)
        begin, before = perf_counter(), done
        await asyncio.sleep(POLITE_SECONDS)
        seconds, fetched = perf_counter() - begin, done - before
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return fetched, seconds
