"""A soak: many fetches, one host in twenty misbehaving in every way there is; memory must stay flat."""

import asyncio
import os
import resource
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from motherlode.fetch import NetworkOptions, PolitenessOptions, RobotsOptions
from motherlode.fetch.event_loop import run
from motherlode.fetch.fetcher import Fetcher
from motherlode.fetch.host_records import HostBook
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.lab.misbehaviour import HABITS
from motherlode.lab.serving.background import sandbox
from motherlode.records import HostState
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity
from motherlode.urls import Address, address

FETCHES = 200_000
HOSTS = 2000
PAGES = 25  # of a host
AT_ONCE = 256
QUIET = 5  # tenths of a second without anything under way, until a pass is over
# Quick, so that nobody waits long for those who never answer.
NETWORK = NetworkOptions(timeout=5.0, idle_timeout=1.0, first_byte_timeout=1.0, max_bytes=2_000_000)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        urls = make_web(Path(folder) / "web", HOSTS, PAGES)
        with sandbox(Path(folder) / "web") as served:
            run(soak(served.address, urls, FETCHES))


def make_web(directory: Path, hosts: int, pages: int) -> list[Address]:
    """Small pages; every twentieth host has a habit, each in its turn."""
    directory.mkdir()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    urls = [
        address(f"http://h{host}.test/{number}.html")
        for host in range(hosts)
        for number in range(pages)
    ]
    with Archive(directory, ArchiveOptions(), Identity("soak")) as archive:
        for one in urls:
            archive.append(
                Exchange(one.url, 0.0, head, f"<title>{one.url}</title><p>{one.key}".encode() * 20)
            )
        archive.flush()
        archive.commit()
    names = sorted(HABITS)
    bad = [f'"h{host}.test" = "{names[host // 20 % len(names)]}"' for host in range(0, hosts, 20)]
    (directory / "about.toml").write_text("\n".join(['name = "soak"', "[misbehaviour]", *bad]))
    return urls


async def soak(
    place: str,
    urls: list[Address],
    fetches: int,
    *,
    say: bool = True,
    network: NetworkOptions = NETWORK,
) -> list[float]:
    """Pass after pass over all URLs, until so many fetches were made. Returns the megabytes after each."""
    before, outcomes, memory, begin = descriptors(), Counter[str](), list[float](), perf_counter()
    async with HttpWeb(replace(network, connect=place), "soak") as web:
        courtesy: RateLimiter[Address] = RateLimiter(PolitenessOptions(), sandbox=True)
        rulebook = RobotsCache(web, RobotsOptions(retry=1.0, keep=20.0), "soak")
        fetcher = Fetcher(web=web, courtesy=courtesy, rulebook=rulebook, hosts=HostBook(most=1000))
        while (done := outcomes.total()) < fetches:
            await one_pass(fetcher, urls[: fetches - done], outcomes)
            for name in {one.host for one in urls}:  # another pass, another chance
                fetcher.hosts.put(
                    replace(fetcher.hosts[name], state=HostState.GOOD, next_at=0.0, failures=0)
                )
            fetcher.hosts.changed()
            rulebook.changed()
            memory.append(megabytes())
            if say:
                _say_progress(outcomes.total() / (perf_counter() - begin), outcomes, memory[-1])
    await asyncio.sleep(0.2)
    if say:
        print("  " + ", ".join(f"{count:,} {kind}" for kind, count in outcomes.most_common()))
        left = (descriptors() - before, len(asyncio.all_tasks()) - 1)
        print(f"  at the end {left[0]} descriptors and {left[1]} tasks are left")
    return memory


def _say_progress(rate: float, outcomes: Counter[str], memory: float) -> None:
    counts = f"{descriptors():4} descriptors, {len(asyncio.all_tasks()):3} tasks"
    print(
        f"  {outcomes.total():9,} fetches, {memory:6.1f} MB, {counts}, {rate:,.0f} fetches/s",
        flush=True,
    )


async def one_pass(fetcher: Fetcher, urls: list[Address], outcomes: Counter[str]) -> None:
    courtesy = fetcher.courtesy
    for one in urls:
        courtesy.add(one, 1.0, one.host)
    busy = 0

    async def work() -> None:
        nonlocal busy
        while True:
            asked = await courtesy.next()
            busy += 1
            fetched = await fetcher.fetch(asked)
            busy -= 1
            outcomes[str(fetched.failure or "fetched")] += 1

    tasks = [asyncio.create_task(work()) for _ in range(AT_ONCE)]
    idle = 0
    while idle < QUIET:  # those that are left wait for hosts that are left alone
        await asyncio.sleep(0.1)
        idle = 0 if busy else idle + 1
        for dead in (task for task in tasks if task.done()):
            dead.result()  # a worker ends by nothing but a mistake of ours
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    outcomes["left alone for now"] += len(courtesy.drain())


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112, PTH208


def megabytes() -> float:
    """What this process has in memory now; where that cannot be told, at most had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 2**20
