"""The search engine of a web: BM25 over titles and texts, the same results at any time.

Formula: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), equation 3.15.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from weakref import WeakKeyDictionary

import numpy as np
import turbohtml

from motherlode.documents.analysis import kind_of, read
from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Raw
from motherlode.documents.text.terms import sequences_of
from motherlode.fetch.content_codings import decoded
from motherlode.lab.web import LabWeb
from motherlode.learning.matrix import Floats, Ints, Terms
from motherlode.sources.search.hits import MAX_SNIPPET_CHARS, tidy_text
from motherlode.sources.search.source import Hit

K1 = 1.2
B = 0.75
TITLE_WEIGHT = 3  # a word of the title counts as often as this in the text
MAX_PAGES = 50_000  # the first ones of a web that is larger
MAX_BODY_BYTES = 10 * 2**20
MAX_TEXT_CHARS = 50_000  # of a page, that are indexed
MAX_STORED_CHARS = 2_000  # of a page, that a snippet is taken from
SNIPPET_LEAD_CHARS = 60  # before the first word of the query
BATCH = 500  # pages whose terms are found at once
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_CODE = ("script", "style", "template", "noscript")


class IndexedText:
    """A page of the index: its URL, its title and the beginning of its text."""

    __slots__ = ("text", "title", "url")

    def __init__(self, url: str, title: str, text: str) -> None:
        self.url = url
        self.title = title
        self.text = text


class WebSearch:
    """Searches the pages of a web; its index is made for the first query, once for each web."""

    def __init__(self, web: LabWeb) -> None:
        self._web = web

    def hits(self, query: str, wanted: int) -> tuple[Hit, ...]:
        """Return the best pages for a query; among equals, in the order of the web."""
        terms = np.unique(sequences_of([query])[0])
        scores = self._index.scores(terms)
        order = np.lexsort((np.arange(len(scores)), -scores))[:wanted]
        return tuple(self._hit(int(row), query) for row in order if scores[row] > 0)

    @property
    def _index(self) -> "_TermIndex":
        index = _INDEXES.get(self._web)
        if index is None:
            index = _INDEXES[self._web] = _index_of(self._web)
        return index

    def _hit(self, row: int, query: str) -> Hit:
        page = self._index.pages[row]
        return Hit(page.url, page.title, _snippet(page.text, query))


def _index_of(web: LabWeb) -> "_TermIndex":
    index = _IndexBuilder()
    pages = islice(_texts_of(web), MAX_PAGES)
    while batch := list(islice(pages, BATCH)):
        index.add(batch)
    return index.finish()


class _IndexBuilder:
    """Collects the terms of pages, batch by batch."""

    def __init__(self) -> None:
        self._pages: list[IndexedText] = []
        self._terms: list[Terms] = []
        self._counts: list[Ints] = []
        self._rows: list[Ints] = []

    def add(self, batch: Sequence[IndexedText]) -> None:
        texts = [f"{page.title}\n" * TITLE_WEIGHT + page.text for page in batch]
        for row, sequence in enumerate(sequences_of(texts), start=len(self._pages)):
            terms, counts = np.unique(sequence, return_counts=True)
            self._terms.append(terms)
            self._counts.append(counts)
            self._rows.append(np.full(len(terms), row))
        self._pages += [_shortened(page) for page in batch]

    def finish(self) -> "_TermIndex":
        nothing = np.empty(0, np.int64)
        terms = np.concatenate([*self._terms, nothing.astype(np.uint32)])
        order = np.argsort(terms, kind="stable")
        rows = np.concatenate([*self._rows, nothing])[order]
        counts = np.concatenate([*self._counts, nothing])[order]
        lengths = np.array([part.sum() for part in self._counts], np.float64)
        return _TermIndex(self._pages, terms[order], rows, counts, lengths)


class _TermIndex:
    """For each term, in rising order: the pages that have it, and how often."""

    def __init__(
        self, pages: list[IndexedText], terms: Terms, rows: Ints, counts: Ints, lengths: Floats
    ) -> None:
        self.pages = pages
        self._terms = terms
        self._rows = rows
        self._counts = counts
        mean = lengths.mean() if lengths.any() else 1.0
        self._norms = K1 * (1 - B + B * lengths / mean)

    def scores(self, terms: Terms) -> Floats:
        """Return the BM25 of every page."""
        scores = np.zeros(len(self.pages))
        starts = np.searchsorted(self._terms, terms, "left")
        ends = np.searchsorted(self._terms, terms, "right")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            rows, counts = self._rows[start:end], self._counts[start:end]
            found = len(rows)
            idf = np.log(1 + (len(self.pages) - found + 0.5) / (found + 0.5))
            scores[rows] += idf * counts * (K1 + 1) / (counts + self._norms[rows])
        return scores


_INDEXES: WeakKeyDictionary[LabWeb, _TermIndex] = WeakKeyDictionary()


def _texts_of(web: LabWeb) -> Iterator[IndexedText]:
    """Yield title and text of every page that can be read."""
    for url in web.urls():
        answer = web.answer(url)
        if answer is None or answer.status != 200 or not answer.body:  # noqa: PLR2004 - success
            continue
        try:
            body = decoded(answer.body, answer.header("content-encoding"), MAX_BODY_BYTES)
        except ValueError:  # it is broken, or unpacks to too much
            continue
        raw = Raw(url, body, content_type=answer.header("content-type"))
        page = _html_text(raw) if kind_of(raw) in _HTML else _other_text(raw)
        if page.title or page.text:
            yield page


def _html_text(raw: Raw) -> IndexedText:
    """Return title and text of an HTML page; links and main text, which take longest, are left
    out.
    """
    tree = turbohtml.parse(decode(raw.body, raw.content_type), positions=False)
    title = tree.find("title")
    name = " ".join(title.text.split()) if title is not None else ""
    for code in _CODE:
        for element in tree.find_all(code):
            element.decompose()
    text = (tree.find("body") or tree).to_text()
    return IndexedText(raw.url, name, text[:MAX_TEXT_CHARS])


def _other_text(raw: Raw) -> IndexedText:
    document, _ = read(raw)
    return IndexedText(raw.url, document.title, document.text[:MAX_TEXT_CHARS])


def _shortened(page: IndexedText) -> IndexedText:
    return IndexedText(page.url, page.title, " ".join(page.text[:MAX_STORED_CHARS].split()))


def _snippet(text: str, query: str) -> str:
    """Return the text around the first word of the query in it, or its beginning."""
    folded = text.casefold()
    places = [folded.find(word) for word in query.casefold().split()]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, first - SNIPPET_LEAD_CHARS)
    if start:
        start = text.find(" ", start) + 1
    return tidy_text(text[start:], MAX_SNIPPET_CHARS)
