"""The web application over a portal of 50,000 pages: milliseconds for each kind of view.

Kinds are found as a person finds them, by following the application's own links, one address of each kind.
Each is asked for several times; the first answer, which may open what later ones find open, stands apart. The
server is given the time that it takes to analyse_topics itself, which is told; what it has prepared is kept.
"""

import json
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

from bench.documents import WEBS
from bench.search import DOCUMENTS, make_portal, models_of
from motherlode.app.server.preparation import needs_analysis
from motherlode.portal import Portal
from motherlode.search.indexer import update_index

TIMES = 10
KINDS = 60
PATIENCE = 30  # seconds
TARGET = 100  # ms
_LINK = re.compile(r'href="([^"#]*)"')
_VARIES = re.compile(r"\d+|t\d+")
_LEFT_ALONE = ("/static/", "/api/", "/stream", "/events", "/download")


def main() -> None:
    if not WEBS.is_dir():
        print(f"no recorded webs in {WEBS}; LODE_WEBS names a folder of them")
        return
    with TemporaryDirectory() as folder:
        make_portal(Path(folder) / "bench", models_of(WEBS))
        with Portal.reading(Path(folder) / "bench") as portal:
            update_index(portal)
        with _served(Path(folder)) as address:
            _wait(Path(folder) / "bench")
            _measure(address)
    print(f"  target: {TARGET} ms, {DOCUMENTS:,} pages")


@contextmanager
def _served(place: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "motherlode", "serve", str(place), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            said = ""
            begin = perf_counter()
            while not said.endswith("}\n"):
                said += process.stdout.readline()
            print(f"  listens after {perf_counter() - begin:.1f} s", flush=True)
            yield json.loads(said)["address"]
        finally:
            process.terminate()


def _wait(portal: Path) -> None:
    """Until the server has worked out what it works out beforehand."""
    begin = perf_counter()
    while needs_analysis(portal):
        sleep(0.2)
    print(f"  prepared in {perf_counter() - begin:.1f} s", flush=True)


def _measure(address: str) -> None:
    waiting = deque([address, urljoin(address, "/portals/bench/search?q=university")])
    seen: set[str] = set()
    while waiting and len(seen) < KINDS:
        url = waiting.popleft()
        kind = _kind(url)
        if kind in seen:
            continue
        seen.add(kind)
        took, page = zip(*(_asked(url) for _ in range(TIMES)), strict=True)
        ms = [1000 * seconds for seconds in took]
        print(
            f"  {kind:<60} {median(ms[1:]):7.1f} ms, at most {max(ms[1:]):7.1f}, the first {ms[0]:7.1f}"
        )
        found = (urljoin(url, link.replace("&amp;", "&")) for link in _LINK.findall(page[0]))
        waiting += (link for link in found if _is_view(link, address))


def _asked(url: str) -> tuple[float, str]:
    begin = perf_counter()
    try:
        with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
            page = answer.read().decode()
    except HTTPError as error:
        page = ""
        print(f"  {url} says {error.code}")
    return perf_counter() - begin, page


def _is_view(link: str, address: str) -> bool:
    parts = urlsplit(link)
    here = urlsplit(address)
    return parts.netloc == here.netloc and not any(place in parts.path for place in _LEFT_ALONE)


def _kind(url: str) -> str:
    """An address without what tells one page of a kind from another."""
    parts = urlsplit(url)
    asked = "&".join(sorted({name.partition("=")[0] for name in parts.query.split("&") if name}))
    return _VARIES.sub("N", parts.path) + (f"?{asked}" if asked else "")
