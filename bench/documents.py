"""Reading documents: milliseconds a page and where they go, on the recorded webs; pages of PDF a second."""

import os
from collections.abc import Callable, Sequence
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import turbohtml

from motherlode.documents.analysis import analyse_one
from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Raw
from motherlode.documents.features.fingerprints import fingerprint
from motherlode.documents.formats.pdf import read_pdf
from motherlode.documents.html.reader import _PLAIN, _silence, read_html
from motherlode.documents.text.language import language_of
from motherlode.documents.text.terms import bag_of, sequence_of
from motherlode.documents.text.whitespace import tidy_parts
from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour.gzip_bodies import unpacked
from motherlode.urls import UrlRules

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WEBS = Path(os.environ.get("LODE_WEBS", Path(__file__).resolve().parents[2] / "shared" / "webs"))
PAGES = 300
OTHERS = 1500  # pages that are read before, of any size: a crawl has been under way for some time
SIZES = range(25_000, 45_000)  # bytes: about 35 KB
ROUNDS = 7
FIRST_READINGS = 5  # processes that read the pages for the first time
_RULES = UrlRules()

Work = tuple[Callable[[Any], object], Sequence[Any]]


def main() -> None:
    webs = sorted(path for path in WEBS.glob("*") if path.is_dir()) if WEBS.is_dir() else []
    recorded = {web.name: _recorded(web) for web in webs}
    # Before this process has read anything: the others come from it, and shall know nothing.
    first = {
        name: _first_readings(raws, others) for name, (raws, others) in recorded.items() if raws
    }
    for name, (raws, others) in recorded.items():
        if raws:
            _pages(name, raws, others, first[name])
    if not WEBS.is_dir():
        print(f"no recorded webs in {WEBS}; LODE_WEBS names a folder of them")
    _pdf()


def _recorded(directory: Path) -> tuple[list[Raw], list[Raw]]:
    """Pages of the size that is measured, and others of the same web."""
    web, raws, others = open_web(directory), list[Raw](), list[Raw]()
    urls = list(web.urls())
    Random(1).shuffle(urls)
    for url in urls:
        answer = web.answer(url)
        if answer is None or answer.status != 200 or "html" not in answer.header("content-type"):
            continue
        body = unpacked(answer.body, answer.header("content-encoding")) or b""
        taking = raws if len(body) in SIZES and len(raws) < PAGES else others
        if len(taking) < OTHERS:
            taking.append(Raw(url, body, "text/html", answer.header("content-type")))
        if len(raws) == PAGES and len(others) == OTHERS:
            break
    return raws, others


def _first_readings(raws: list[Raw], others: list[Raw]) -> list[list[float]]:
    """Seconds of the processor for each page when it is read for the first time, in several processes.

    A process can read a page for the first time only once. So that the machine's bad moments can be told from
    what a page takes, several do it, each after having read the others.
    """
    fork = get_context("fork")
    readings = []
    for _ in range(FIRST_READINGS):
        ours, theirs = fork.Pipe(duplex=False)
        process = fork.Process(target=_read_first, args=(raws, others, theirs))
        process.start()
        readings.append(ours.recv())
        process.join()
    return readings


def _read_first(raws: list[Raw], others: list[Raw], answer: "Connection") -> None:
    for raw in others:  # what is loaded once, and the words that all pages have
        analyse_one(raw)
    times = []
    for raw in raws:
        begin = process_time()
        analyse_one(raw)
        times.append(process_time() - begin)
    answer.send(times)


def _pages(name: str, raws: list[Raw], others: list[Raw], first: list[list[float]]) -> None:
    for raw in others:
        analyse_one(raw)
    htmls = [decode(raw.body, raw.content_type) for raw in raws]
    pairs = list(zip(htmls, raws, strict=True))
    documents = [read_html(html, raw.url, _RULES) for html, raw in pairs]
    sequences = [sequence_of(one.main, one.language) for one in documents]
    whole, decoding, parsing, texts, reading, languages, terms, hashes = _timed(
        [
            (analyse_one, raws),
            (lambda raw: decode(raw.body, raw.content_type), raws),
            (_parse, htmls),
            (_text, htmls),
            (lambda pair: read_html(pair[0], pair[1].url, _RULES), pairs),
            (lambda one: language_of(one.main, one.language), documents),
            (lambda one: bag_of(one.text, one.language), documents),
            (fingerprint, sequences),
        ],
        ROUNDS,
    )
    links = mean(len(one.links) for one in documents)
    size = mean(len(raw.body) for raw in raws) / 1000
    best, usual = mean(map(min, zip(*first, strict=True))), median(map(mean, first))
    print(f"{name}: {len(raws)} pages of {size:.0f} KB with {links:.0f} links, ms a page")
    print(
        f"  never read, after {len(others):,} others {best * 1000:6.2f}   (of one process {usual * 1000:.2f})"
    )
    print(f"  read before                   {whole:6.2f}")
    parts = {
        "decoding": decoding,
        "parse": parsing,
        "text and main text": texts - parsing,
        "links, forms and the rest": reading - texts,
        "language": languages,
        "terms": terms,
        "similarity hash": hashes,
    }
    for stage, part in parts.items():
        print(f"  {stage:<29} {part:6.2f}   {part / whole:4.0%}")


def _parse(html: str) -> Any:
    return turbohtml.parse(html, positions=False)


def _text(html: str) -> str:
    tree = _parse(html)
    _silence(tree)
    body = tree.find("body") or tree
    body.main_content()
    return tidy_parts(body.to_text(_PLAIN))[0]


def _timed(works: Sequence[Work], rounds: int) -> list[float]:
    """Milliseconds that each work takes for one of its things: of each thing, the best of some rounds.

    The works take turns, so that they have the machine's good and bad moments alike; nothing is kept, as in a
    worker.
    """
    best = [[float("inf")] * len(things) for _, things in works]
    for _ in range(rounds):
        for (work, things), times in zip(works, best, strict=True):
            for place, thing in enumerate(things):
                begin = perf_counter()
                work(thing)
                times[place] = min(times[place], perf_counter() - begin)
    return [mean(times) * 1000 for times in best]


def _pdf() -> None:
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # noqa: PLC0415 - only for this

    pages, buffer = 200, BytesIO()
    canvas = Canvas(buffer)
    for number in range(pages):
        for line in range(50):
            canvas.drawString(
                50, 800 - 15 * line, f"Page {number}, line {line}: " + "words of a paper " * 4
            )
        canvas.linkURL(f"http://a.test/{number}", (50, 50, 200, 80))
        canvas.showPage()
    canvas.save()
    raw = Raw("http://a.test/x.pdf", buffer.getvalue(), "application/pdf")
    (whole,) = _timed([(read_pdf, [raw])], ROUNDS)
    print(f"PDF: {pages / whole * 1000:,.0f} pages/s, 50 lines and a link each")
