"""Search sources against real servers: Kiwix, over an archive that is made here."""

import base64
import socket
import subprocess
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from shutil import which

import pytest

from motherlode.app.services.open_sources import SourceAnswer
from motherlode.app.services.sources import search_sources
from motherlode.portal.config_reader import default_config
from motherlode.sources.search.opensearch import read_result_page
from support.helpers import lacks
from support.sandbox_clients import LOOPBACK, PATIENCE
from support.training_webs import EACH, KINDS, text

pytestmark = pytest.mark.system
# An empty picture of 48 by 48 points, which every archive must have.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAAA1BMVEX///+nxBvIAAAAC0lEQVQI12NgIAEAAABQAAHRe5pM"
    "AAAAAElFTkSuQmCC"
)


def tool(name: str, package: str) -> str:
    return which(name) or lacks(f"{name} ({package})")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ZIM file of owls, herons and news, with a full-text index."""
    writer = tool("zimwriterfs", "zim-tools")
    folder = tmp_path_factory.mktemp("zim")
    pages = folder / "pages"
    pages.mkdir()
    (pages / "picture.png").write_bytes(PICTURE)
    (pages / "index.html").write_text("<!DOCTYPE html><title>Welcome</title><p>Birds and news.")
    for kind in KINDS:
        for number in range(EACH):
            (pages / f"{kind}{number}.html").write_text(
                f"<!DOCTYPE html><html><head><title>{kind.title()} {number}</title></head>"
                f"<body><h1>{kind.title()} {number}</h1><p>{text(kind, number)}</p></body></html>"
            )
    options = {
        "welcome": "index.html",
        "illustration": "picture.png",
        "language": "eng",
        "title": "Birds",
        "description": "Birds",
        "creator": "tests",
        "publisher": "tests",
        "name": "birds",
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    subprocess.run(
        [writer, *words, str(pages), str(folder / "birds.zim")], check=True, capture_output=True
    )
    return folder / "birds.zim"


@pytest.fixture(scope="module")
def kiwix(archive: Path) -> Iterator[str]:
    """The address of a Kiwix server over the archive."""
    server = tool("kiwix-serve", "kiwix-tools")
    with socket.socket() as plug:
        plug.bind((LOOPBACK, 0))
        port = plug.getsockname()[1]
    process = subprocess.Popen(
        [server, f"--port={port}", f"--address={LOOPBACK}", str(archive)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_it_listens(port, process)
        yield f"http://{LOOPBACK}:{port}"
    finally:
        process.kill()
        process.wait()


def wait_until_it_listens(port: int, process: "subprocess.Popen[bytes]") -> None:
    limit = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None, "kiwix-serve has ended"
        try:
            socket.create_connection((LOOPBACK, port), timeout=PATIENCE).close()
        except ConnectionRefusedError:
            assert time.monotonic() < limit
        else:
            return


def searched(source: str, query: str, wanted: int, *settings: str) -> SourceAnswer:
    config = default_config(
        ["crawler.contact=me@example.org", "politeness.delay=0", "network.private=true", *settings]
    )
    return search_sources(config, [source], query, wanted)


def test_kiwix_is_searched_by_its_description(kiwix: str) -> None:
    answer = searched(f"opensearch:{kiwix}/search/searchdescription.xml", "heron", 3)
    assert answer.problems == ()
    assert len(answer.hits) == 3
    assert all(hit.url.startswith(f"{kiwix}/birds/heron") for hit in answer.hits)
    assert answer.hits[0].title.startswith("Heron ")
    assert "<b>" not in answer.hits[0].snippet


def test_kiwix_is_asked_for_no_more_than_it_has(kiwix: str) -> None:
    answer = searched(f"opensearch:{kiwix}/search/searchdescription.xml", "budget", 50)
    assert answer.problems == ()
    assert [hit.url.rpartition("/")[2][:4] for hit in answer.hits] == ["news"] * len(answer.hits)


def test_the_page_of_results_of_kiwix_is_read(kiwix: str) -> None:
    connection = HTTPConnection(kiwix.removeprefix("http://"), timeout=PATIENCE)
    connection.request("GET", "/search?pattern=owl&content=birds")
    page = connection.getresponse().read().decode()
    connection.close()
    hits = read_result_page(page, f"{kiwix}/search?pattern=owl&content=birds", "owl")
    assert len(hits) >= EACH - 1
    assert all("/birds/" in hit.url for hit in hits)


def test_a_server_on_this_machine_wants_to_be_allowed(kiwix: str) -> None:
    source = f"opensearch:{kiwix}/search/searchdescription.xml"
    (problem,) = searched(source, "heron", 3, "network.private=false").problems
    assert "network.private=true allows them" in problem
