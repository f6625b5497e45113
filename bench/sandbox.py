"""The sandbox: pages a second from one core, beside a server that says the same bytes to everything."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.load import load, request
from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.serving.background import sandbox
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity

PAGES = 20_000
ROUNDS = 5
TEXT = (
    b"<p>A small page says little, and says it in a few hundred words that pack well enough. </p>\n"
    * 80
)[:6000]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = _recorded(Path(folder) / "small")
        _start(small)
        requests = [request(f"h{n % 50}.test", f"/{n}.html") for n in range(PAGES)]
        with sandbox(small) as served, _ceiling() as bare, other_core():
            cold, _ = load(served.port, requests, PAGES)
            rates: dict[str, list[float]] = {"ceiling": [], "sandbox": []}
            for _ in range(ROUNDS):
                rates["ceiling"].append(load(bare, requests, PAGES)[0])
                rates["sandbox"].append(load(served.port, requests, PAGES)[0])
        warm, ceiling = median(rates["sandbox"]), median(rates["ceiling"])
        print(f"recorded pages of 6 KB, each for the first time   {cold:8,.0f} pages/s")
        print(f"the same again, out of memory                     {warm:8,.0f} pages/s")
        share = f"x{warm / ceiling:.2f}"
        print(f"a server that never looks at the request          {ceiling:8,.0f} pages/s, {share}")
        _generated(Path(folder) / "made")


def _recorded(directory: Path) -> Path:
    directory.mkdir()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    with Archive(directory, ArchiveOptions(), Identity("bench")) as archive:
        for number in range(PAGES):
            archive.append(
                Exchange(
                    f"http://h{number % 50}.test/{number}.html", 0.0, head, b"%d" % number + TEXT
                )
            )
        archive.flush()
        archive.commit()
    return directory


def _start(directory: Path) -> None:
    os.environ["LODE_CACHE"] = str(directory / "cache")
    for name in ("without an index", "with its index in the cache"):
        begin = perf_counter()
        open_web(directory)
        print(f"opening {PAGES:,} pages {name:<28} {perf_counter() - begin:8.2f} s")
    del os.environ["LODE_CACHE"]


def _generated(directory: Path) -> None:
    write_plan(directory, WebPlan(seed=1))
    web = open_web(directory)
    urls = list(web.urls())[:1500]
    begin = perf_counter()
    for url in urls:
        web.answer(url)
    each = (perf_counter() - begin) / len(urls)
    print(f"making up a page, files of other formats included {each * 1e6:8,.0f} us")


BARE = """
import asyncio, sys, uvloop
from isal import igzip
body = igzip.compress(b"%d" % 1 + {text!r}, 1, mtime=0)
said = b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\nContent-Encoding: gzip\\r\\n\\r\\n" % len(body) + body
class Bare(asyncio.Protocol):
    def connection_made(self, transport): self.transport = transport
    def data_received(self, data): self.transport.write(said)
async def main():
    server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
uvloop.run(main())
"""


@contextmanager
def _ceiling() -> Iterator[int]:
    """What an event loop in Python can do at best: no parsing, no look-up."""
    code = BARE.format(text=TEXT)
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            yield int(process.stdout.readline())
        finally:
            process.kill()


@contextmanager
def other_core() -> Iterator[None]:
    """The server has a core of its own; whoever asks works on another."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    mine = os.sched_getaffinity(0)
    others = set(range(os.cpu_count() or 1)) - mine
    os.sched_setaffinity(0, others or mine)
    yield
    os.sched_setaffinity(0, mine)
