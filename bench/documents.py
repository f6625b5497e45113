"""Reading documents: milliseconds a page and where they go, on the recorded webs; pages of PDF a second."""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

import turbohtml

from motherlode.documents.analysing import analyse_one
from motherlode.documents.encoding import decode
from motherlode.documents.formats.pdf import read_pdf
from motherlode.documents.html import _PLAIN, _silence, read_html
from motherlode.documents.language import language_of
from motherlode.documents.raw import Raw
from motherlode.documents.similarity import fingerprint
from motherlode.documents.terms import bag_of, sequence_of
from motherlode.lab.misbehaviour.packing import unpacked
from motherlode.lab.opening import open_web
from motherlode.urls import UrlRules

WEBS = Path(os.environ.get("LODE_WEBS", Path(__file__).resolve().parents[2] / "shared" / "webs"))
PAGES = 300
SIZES = range(25_000, 45_000)  # bytes: about 35 KB
ROUNDS = 3
_RULES = UrlRules()


def main() -> None:
    for web in sorted(path for path in WEBS.glob("*") if path.is_dir()) if WEBS.is_dir() else ():
        _pages(web)
    if not WEBS.is_dir():
        print(f"no recorded webs in {WEBS}; LODE_WEBS names a folder of them")
    _pdf()


def _recorded(directory: Path) -> list[Raw]:
    web, raws = open_web(directory), list[Raw]()
    for url in web.urls():
        answer = web.answer(url)
        if answer is None or answer.status != 200 or "html" not in answer.header("content-type"):
            continue
        body = unpacked(answer.body, answer.header("content-encoding")) or b""
        if len(body) in SIZES:
            raws.append(Raw(url, body, "text/html", answer.header("content-type")))
        if len(raws) == PAGES:
            break
    return raws


def _pages(directory: Path) -> None:
    raws = _recorded(directory)
    if not raws:
        return
    analyse_one(raws[0])  # what is loaded once
    first = _timed([lambda: _each(analyse_one, raws)], len(raws), 1)[0]
    htmls = [decode(raw.body, raw.content_type) for raw in raws]
    documents = [read_html(html, raw.url, _RULES) for html, raw in zip(htmls, raws, strict=True)]
    pairs = list(zip(htmls, raws, strict=True))
    sequences = [sequence_of(one.main, one.language) for one in documents]
    whole, decoding, parsing, texts, reading, languages, terms, hashes = _timed(
        [
            lambda: _each(analyse_one, raws),
            lambda: _each(lambda raw: decode(raw.body, raw.content_type), raws),
            lambda: _each(turbohtml.parse, htmls),
            lambda: _each(_text, htmls),
            lambda: _each(lambda pair: read_html(pair[0], pair[1].url, _RULES), pairs),
            lambda: _each(lambda one: language_of(one.main, one.language), documents),
            lambda: _each(lambda one: bag_of(one.text, one.language), documents),
            lambda: _each(fingerprint, sequences),
        ],
        len(raws),
        ROUNDS,
    )
    links = mean(len(one.links) for one in documents)
    size = mean(len(raw.body) for raw in raws) / 1000
    print(f"{directory.name}: {len(raws)} pages of {size:.0f} KB with {links:.0f} links, ms a page")
    print(f"  in all                        {whole:6.2f}   (the first time {first:.2f})")
    parts = {
        "decoding": decoding,
        "parse": parsing,
        "text and main text": texts - parsing,
        "links, forms and the rest": reading - texts,
        "language": languages,
        "terms": terms,
        "similarity hash": hashes,
    }
    for name, part in parts.items():
        print(f"  {name:<29} {part:6.2f}   {part / whole:4.0%}")


def _text(html: str) -> str:
    tree = turbohtml.parse(html)
    _silence(tree)
    body: Any = tree.find("body") or tree
    text: str = body.to_text(_PLAIN)
    content = body.main_content()
    return text if content is None else text + content.to_text(_PLAIN)


def _each(work: Callable[[Any], object], things: Iterable[Any]) -> None:
    """Do it with each, and keep nothing, as a worker does."""
    for thing in things:
        work(thing)


def _timed(candidates: Iterable[Callable[[], object]], count: int, rounds: int) -> list[float]:
    """Milliseconds for one of so many, the best of some rounds that take turns."""
    works = list(candidates)
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for place, work in enumerate(works):
            begin = perf_counter()
            work()
            best[place] = min(best[place], perf_counter() - begin)
    return [seconds / count * 1000 for seconds in best]


def _pdf() -> None:
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # noqa: PLC0415 - only for this

    pages, buffer = 200, BytesIO()
    canvas = Canvas(buffer)
    for number in range(pages):
        for line in range(50):
            canvas.drawString(50, 800 - 15 * line, f"Page {number}, line {line}: " + "words of a paper " * 4)
        canvas.linkURL(f"http://a.test/{number}", (50, 50, 200, 80))
        canvas.showPage()
    canvas.save()
    raw = Raw("http://a.test/x.pdf", buffer.getvalue(), "application/pdf")
    each = _timed([lambda: read_pdf(raw)], pages, ROUNDS)[0]
    print(f"PDF: {1000 / each:,.0f} pages/s, 50 lines and a link each")
