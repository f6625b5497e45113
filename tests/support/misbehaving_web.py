"""A small recorded web with one host for each habit and one without any."""

import gzip
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from motherlode.lab.misbehaviour import HABITS
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity, SentRequest

HTML = "Content-Type: text/html; charset=utf-8"
# Small, so that nobody waits.
FIGURES = {
    "slow-first-byte": 0.5,
    "slow-drip": 0.002,
    "header-flood": 300,
    "gzip-bomb": 3,
    "robots-huge": 600,
    "robots-error": 500,
    "robots-slow": 0.5,
    "robots-delay": 7,
    "too-many": 2,
    "storm": 3,
    "dies": 1,
}
LONG = "<p>" + "Words, words, mere words, no matter from the heart. " * 40
CHUNKED = b"6\r\n<p>in \r\n7;x=y\r\npieces.\r\n0\r\n\r\n"


def page(title: str) -> bytes:
    links = '<a href="/page.html">A page</a> <a href="/page.html?a=1#top">Another</a>'
    return f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1>{links}{LONG}".encode()


def exchange(url: str, body: bytes, *headers: str, status: int = 200) -> Exchange:
    lines = [f"HTTP/1.1 {status} Recorded", *headers]
    return Exchange(
        url, 1_700_000_000, "".join(f"{line}\r\n" for line in lines).encode("utf-8"), body
    )


def well_behaved() -> Iterator[Exchange]:
    root = "http://well.test"
    yield exchange(f"{root}/", page("Well"), HTML)
    yield exchange(f"{root}/tagged", page("Tagged"), HTML, 'ETag: W/"a,b"', "X-Own: yes")
    yield exchange(
        f"{root}/dated", page("Dated"), HTML, "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT"
    )
    yield exchange(f"{root}/short.txt", b"short", "Content-Type: text/plain")
    yield exchange(f"{root}/picture.png", bytes(range(256)) * 8, "Content-Type: image/png")
    packed = gzip.compress(page("Packed"), mtime=0)
    yield exchange(f"{root}/packed", packed, HTML, "Content-Encoding: gzip")
    yield exchange(f"{root}/not-packed", b"no gzip at all", HTML, "Content-Encoding: gzip")
    yield exchange(
        f"{root}/chunked", CHUNKED, HTML, "Transfer-Encoding: chunked", "Connection: close"
    )
    yield exchange(f"{root}/moved", b"<p>Moved", HTML, "Location: /tagged", status=301)
    yield exchange(f"{root}/gone", b"<p>Gone", HTML, 'ETag: "gone"', status=410)
    yield exchange(f"{root}/broken", b"<p>Broken", HTML, status=500)
    yield exchange(f"{root}/strange", b"<p>Strange", HTML, status=799)
    yield exchange(f"{root}/nothing", b"a body that must not be there", HTML, status=204)
    yield exchange(f"{root}/same", b"nor here", 'ETag: "same"', status=304)
    yield exchange(
        f"{root}/cookies", b"two", "Set-Cookie: a=1", "Set-Cookie: b=2", "Content-Length: 99999"
    )
    yield exchange(
        f"{root}/split", b"split", "X-One: 1\rX-Injected: 2", "X Bad: 3", "X-City: \xc5lesund"
    )
    yield exchange(f"{root}/%7Euser/caf%C3%A9?q=1&r=a%20b", b"odd", "Content-Type: text/plain")
    yield exchange(f"{root}/100%", b"percent", "Content-Type: text/plain")
    yield exchange(f"{root}/search?q=b&p=a", b"a query", "Content-Type: text/plain")
    yield exchange("http://well.test:8081/port", b"of another port", "Content-Type: text/plain")
    yield exchange("https://secure.test/", b"recorded over TLS", "Content-Type: text/plain")
    yield exchange(
        "http://ruled.test/robots.txt", b"User-agent: *\nDisallow: /x\n", "Content-Type: text/plain"
    )
    yield exchange(
        "http://big.test/big.bin", bytes(4 * 2**20), "Content-Type: application/octet-stream"
    )


def posted(body: bytes, answer: Exchange) -> Exchange:
    """The answer to a form that was submitted."""
    head = f"POST {answer.url} HTTP/1.1\r\nContent-Length: {len(body)}\r\n".encode()
    return replace(answer, request=SentRequest(head, body))


def forms() -> Iterator[Exchange]:
    url = "http://forms.test/find"
    yield posted(b"q=owls", exchange(url, page("Owls"), HTML, "X-Own: owls"))
    yield posted(b"q=larks", exchange(url, page("Larks"), HTML, "X-Own: larks"))
    yield posted(b"", exchange(url, b"<p>Moved", HTML, "Location: /results", status=303))


def misbehaving(name: str) -> Iterator[Exchange]:
    root = f"http://{name}.test"
    yield exchange(f"{root}/", page(name), HTML)
    yield exchange(f"{root}/page.html", page("A page"), HTML, 'ETag: "fixed"')
    yield exchange(f"{root}/page.html?a=1", page("Another page"), HTML)
    yield exchange(
        f"{root}/packed.html", gzip.compress(page("Packed")), HTML, "Content-Encoding: gzip"
    )
    yield exchange(
        f"{root}/file.bin", bytes(range(256)) * 3, "Content-Type: application/octet-stream"
    )


def write_unruly_web(folder: Path) -> None:
    folder.mkdir()
    with Archive(folder, ArchiveOptions(), Identity("tests")) as archive:
        for one in (*well_behaved(), *forms()):
            archive.append(one)
        for name in HABITS:
            for one in misbehaving(name):
                archive.append(one)
        archive.flush()
    (folder / "labels.tsv").write_text(
        "http://well.test/\tWell\nhttp://well.test/tagged\tWell/Tagged\n"
    )
    told = [f'"{name}.test" = "{habit(name)}"' for name in HABITS]
    (folder / "about.toml").write_text("\n".join(['name = "small"', "[misbehaviour]", *told]))


def habit(name: str) -> str:
    return f"{name}:{FIGURES[name]}" if name in FIGURES else name
