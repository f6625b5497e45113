"""Search: pages a second into the index, and milliseconds a query with filters and a weighted ranking.

The pages are made of those of the recorded webs: every other line of two of them, so that none
is like another, with the first one's anchors at links to other made pages. BENCH_DOCUMENTS says how many.
Beside the index, for comparison, tantivy alone with the same texts in one field, handed over from memory.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
import tantivy
from msgspec import Struct

from bench.documents import WEBS
from motherlode.app.services.search.searcher import Searcher, open_searcher, prepare_index
from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import count, sequence_of
from motherlode.documents.text.tokens import Numbers
from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour.gzip_bodies import unpacked
from motherlode.portal import Portal, create_portal
from motherlode.records import (
    Document,
    Entry,
    Judgement,
    Link,
    Outcome,
    Page,
    PageId,
    QueueId,
    TopicId,
    UrlId,
)
from motherlode.search.index import WRITER_HEAP_BYTES
from motherlode.search.indexer import update_index
from motherlode.search.query_builder import Filters
from motherlode.search.ranking import parse_weights
from motherlode.search.service import SearchRequest
from motherlode.store.tables import outcomes
from motherlode.store.tables.pages import main_text_of
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address

DOCUMENTS = int(os.environ.get("BENCH_DOCUMENTS", "50000"))
MODELS = 600  # pages of each web that the others are made of
LINKS = 20
BARE = 10_000  # pages of which the comparison is made
HOSTS = 500
TOPICS = 20
ASKED = 4  # of them: what is known of a topic's links is worked out when it is first asked for
BATCH = 1_000
QUERIES = 200
RANK = "bm25=1,cosine=1,confidence=0.5,authority=0.3"
TARGETS = "targets: 1,500 pages/s; 30 ms, 150 ms"


class Half(Struct, frozen=True):
    """Every other line of a page, with the terms in them."""

    page: Document
    text: str
    main: str
    headings: tuple[str, ...]
    terms: Numbers


def main() -> None:
    if not WEBS.is_dir():
        print(f"no recorded webs in {WEBS}; LODE_WEBS names a folder of them")
        return
    print(f"  load of the machine: {os.getloadavg()[0]:.1f} processes wait or run", flush=True)
    models = models_of(WEBS)
    with TemporaryDirectory() as folder:
        place = Path(folder) / "portal"
        make_portal(place, models)
        with Portal.reading(place) as portal:
            _index(portal)
            _bare(portal, Path(folder) / "bare")
            with open_searcher(portal) as searcher:
                _queries(searcher, models)
    print(f"  {TARGETS}")


def models_of(webs: Path) -> list[Document]:
    """What the pages are made of."""
    return [
        document for web in sorted(webs.glob("*/about.toml")) for document in _models(web.parent)
    ]


def make_portal(place: Path, models: list[Document]) -> None:
    """A portal full of pages."""
    topics = [((f"t{n}",), [_url(n)]) for n in range(TOPICS)]
    create_portal(place, plant_seeds(topics, UrlRules()), {})
    with Portal.crawling(place, "bench") as portal:
        _fill(portal, [_half(one, 0) for one in models], [_half(one, 1) for one in models])


def _models(web: Path) -> Iterator[Document]:
    served = open_web(web)
    urls = list(served.urls())
    Random(1).shuffle(urls)
    answers = ((url, served.answer(url)) for url in urls)
    fit = (
        Raw(url, unpacked(said.body, said.header("content-encoding")) or b"", "text/html")
        for url, said in answers
        if said is not None and said.status == 200 and "html" in said.header("content-type")
    )
    return (analyse_one(raw) for raw in islice(fit, MODELS))


def _half(page: Document, which: int) -> Half:
    lines = page.text.split("\n")[which::2]
    inside, text = set(page.main.split("\n")), "\n".join(lines)
    main = "\n".join(line for line in lines if line in inside)
    headings = tuple(heading for heading in page.headings if heading in lines)
    return Half(page, text, main, headings, sequence_of(text, page.language))


def _fill(portal: Portal, ones: list[Half], others: list[Half]) -> None:
    start, dice = perf_counter(), Random(7)
    for first in range(0, DOCUMENTS, BATCH):
        numbers = range(first, min(first + BATCH, DOCUMENTS))
        made = [_made(number, dice, dice.choice(ones), dice.choice(others)) for number in numbers]
        with portal.batch() as session:
            outcomes.keep(session, made)
    print(f"  {DOCUMENTS:,} pages made in {perf_counter() - start:.0f} s", flush=True)


def _url(number: int) -> str:
    return f"http://h{number % HOSTS}.test/pages/{number}.html"


def _made(number: int, dice: Random, one: Half, other: Half) -> Outcome:
    at = address(_url(number))
    text = f"{one.text}\n{other.text}"
    targets = [address(_url(int(dice.random() ** 3 * DOCUMENTS))) for _ in range(LINKS)]
    anchors = [link.anchor for link in one.page.links[:LINKS]] or [one.page.title]
    document = Document(
        title=f"{one.page.title} {number}",
        language=one.page.language,
        text=text,
        main=f"{one.main}\n{other.main}",
        headings=one.headings + other.headings,
        links=tuple(
            Link(to.url, to.key, anchors[n % len(anchors)]) for n, to in enumerate(targets)
        ),
        fingerprint=dice.getrandbits(64),
        vectors={TERMS: count(np.concatenate([one.terms, other.terms])).pack()},
    )
    page = Page(
        at.url, at.key, 1.7e9 + number * 60, 200, "text/html", len(text), str(number).encode()
    )
    judgement = Judgement(TopicId(2 + dice.randrange(TOPICS)), dice.gauss(0.0, 0.3))
    entry = Entry(url_id=UrlId(0), url=at.url, key=at.key, queue=QueueId(2), rank=0.0)
    return Outcome(entry, page=page, document=document, judgement=judgement)


def _index(portal: Portal) -> None:
    begin, worked = perf_counter(), process_time()
    done = update_index(portal)
    taken, work = perf_counter() - begin, process_time() - worked
    size = sum(file.stat().st_size for file in (portal.path / "index").rglob("*") if file.is_file())
    print(
        f"  indexed {done.pages:,}: {done.pages / taken:,.0f} pages/s, "
        f"{done.pages / work:,.0f} a second of the processor; {size / done.pages / 1000:.1f} KB a page",
        flush=True,
    )
    begin = perf_counter()
    prepare_index(portal, lambda _done, _of: None)
    print(f"  found to be up to date in {(perf_counter() - begin) * 1000:.0f} ms", flush=True)


def _bare(portal: Portal, place: Path) -> None:
    with portal.store.reading() as session:
        wanted = [PageId(number) for number in range(1, min(BARE, DOCUMENTS) + 1)]
        texts = [main_text_of(session, page) for page in wanted]
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text")
    place.mkdir()
    worked = process_time()
    writer = tantivy.Index(builder.build(), str(place)).writer(WRITER_HEAP_BYTES, 1)
    for text in texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    work, size = process_time() - worked, sum(map(len, texts)) / len(texts)
    print(
        f"  tantivy alone, their main texts of {size:,.0f} characters: "
        f"{len(texts) / work:,.0f} a second of the processor",
        flush=True,
    )


def _queries(searcher: Searcher, models: list[Document]) -> None:
    dice = Random(3)
    begin = perf_counter()
    for number in range(ASKED):
        searcher.search(SearchRequest(parse_weights(RANK), "page", topic=f"t{number}"))
    first = (perf_counter() - begin) / ASKED * 1000
    print(
        f"  the first search by authority in a topic, which works it out: {first:.0f} ms",
        flush=True,
    )
    for name, filtered in (("words, filters, weighted", True), ("words, weighted", False)):
        taken: list[float] = []
        found = 0
        for _ in range(QUERIES):
            asked = _asked(dice, models, filtered=filtered)
            begin = perf_counter()
            found += searcher.search(asked).total
            taken.append((perf_counter() - begin) * 1000)
        taken.sort()
        print(
            f"  {name}: median {taken[QUERIES // 2]:.1f} ms, 99% under {taken[QUERIES * 99 // 100]:.1f} ms, "
            f"worst {taken[-1]:.0f} ms; {found / QUERIES:,.0f} pages match on average",
            flush=True,
        )


def _asked(dice: Random, models: list[Document], *, filtered: bool) -> SearchRequest:
    """One to three words side by side in a page; with filters, on a topic, in a language, since a day."""
    words = [
        word for word in dice.choice(models).text.split() if word.isalpha() and len(word) > 3
    ] or ["page"]
    at = dice.randrange(len(words))
    text = " ".join(words[at : at + dice.randint(1, 3)])
    if not filtered:
        return SearchRequest(parse_weights("bm25=1,cosine=1,confidence=0.5"), text)
    filters = Filters(languages=("en",), since=int(1.7e9 + DOCUMENTS * 15))
    return SearchRequest(
        parse_weights(RANK), text, topic=f"t{dice.randrange(ASKED)}", filters=filters
    )
