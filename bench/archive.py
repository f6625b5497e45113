"""WARC records a second, beside gzip alone on the same pages."""

import gzip
import random
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from isal import isal_zlib

from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity

PAGES = 1000
WORDS = [
    "a",
    "page",
    "about",
    "the",
    "making",
    "of",
    "violins",
    "and",
    "the",
    "grinding",
    "of",
    "mirrors",
    "for",
    "telescopes",
]


def page(seed: int) -> bytes:
    draw = random.Random(seed)
    text = " ".join(
        f"<p class=w{draw.randrange(900)}>{draw.choice(WORDS)}</p>" for _ in range(1300)
    )
    return f"<html><title>{seed}</title>{text}</html>".encode()


def main() -> None:
    pages = [page(seed) for seed in range(PAGES)]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    with TemporaryDirectory() as directory:
        archive = Archive(Path(directory), ArchiveOptions(), Identity("bench"))
        start = perf_counter()
        for number, body in enumerate(pages):
            archive.append(Exchange(f"http://host.example/{number}", 1.7e9, head, body))
        sizes = archive.flush()
        ours = perf_counter() - start
        archive.close()
    start = perf_counter()
    for body in pages:
        packer = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
        packer.compress(body)
        packer.flush()
    ceiling = perf_counter() - start
    start = perf_counter()
    packed = sum(len(gzip.compress(body, 6)) for body in pages)
    plain = perf_counter() - start
    size, size_on_disk = sum(map(len, pages)) / PAGES, sum(sizes.values())
    print(f"  pages of {size / 1000:.0f} KB")
    print(
        f"  archive           {PAGES / ours:8,.0f} records/s  {size_on_disk / PAGES:6,.0f} bytes each"
    )
    print(
        f"  isal gzip alone   {PAGES / ceiling:8,.0f} records/s  (a ceiling: {ceiling / ours:.0%} reached)"
    )
    print(f"  zlib gzip level 6 {PAGES / plain:8,.0f} records/s  {packed / PAGES:6,.0f} bytes each")
