"""The index on disk: a document for each page (tantivy).

Every document carries the numbers of its page and of what it was made from (`stamp`, `anchored`). So the
index itself says what it has seen: there is no second book that could disagree with it. A commit is one
rename, and whoever is killed before it has changed nothing.

Text is in it as words. What is sought vaguely is sought as all words of a stem (engine/wording); in languages
where these do not begin alike, pages also have the numbers of their stems.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import tantivy
from msgspec import Struct

from motherlode.records import PageId, StoreError

INDEX_FORMAT = 3  # of the fields; an index of another form is made anew
MAX_TOKEN_CHARS = 60  # characters; longer words are not indexed
WRITER_HEAP_BYTES = 200_000_000  # bytes that are gathered before a part of the index is written
_WORDS = ("title", "headings", "main", "rest", "anchor", "url")
_TEXTS = ("title", "headings", "main", "rest", "anchor")
_STEMS = ("stems", "title_stems", "heading_stems", "anchor_stems")
_NAMES = ("site", "topic", "language", "type")
# The name of each unsigned field of the index, and of the page's attribute in it.
_FIGURES = {"stamp": "stamp", "anchored": "anchor_stamp", "fingerprint": "fingerprint"}

Numbers = npt.NDArray[np.int64]
Prints = npt.NDArray[np.uint64]


class IndexedPage(Struct, frozen=True, gc=False):
    """A page as the index sees it. Stems are their numbers in hexadecimal, with blanks between them; they are
    empty in languages whose words begin alike that have one stem."""

    page: PageId
    stamp: int  # of what the page and its judgement say
    anchor_stamp: int  # of what links to it say
    title: str = ""
    headings: str = ""  # they are in the text, too
    main: str = ""
    rest: str = ""  # what the page says outside its main text
    anchor: str = ""
    url: str = ""
    stems: str = ""
    title_stems: str = ""
    heading_stems: str = ""
    anchor_stems: str = ""
    sites: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    language: str = ""
    types: tuple[str, ...] = ()
    date: int = 0  # seconds
    fingerprint: int = 0


class IndexContents(Struct, frozen=True):
    """What an index has seen: pages, and of what each was made."""

    pages: Numbers
    stamps: Prints
    anchor_stamps: Prints


EMPTY_CONTENTS = IndexContents(np.array([], np.int64), np.array([], np.uint64), np.array([], np.uint64))


class IndexHits(Struct, frozen=True):
    """What a query found: how many pages in all, and the best of them."""

    total: int
    pages: Numbers
    scores: npt.NDArray[np.float64]
    fingerprints: Prints


class IndexWriter:
    """An index to write to. Nobody else may: whoever opens it holds the portal's lock for the index."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._writer = index.writer(WRITER_HEAP_BYTES, 1)

    def write(self, pages: Sequence[IndexedPage], replaced: Sequence[PageId]) -> None:
        """Add pages; those that are replaced, or gone, are taken out first."""
        for page in replaced:
            self._writer.delete_documents_by_term("page", page)
        for one in pages:
            self._writer.add_document(_document(one))

    def clear(self) -> None:
        self._writer.delete_all_documents()

    def commit(self) -> None:
        self._writer.commit()

    def close(self) -> None:
        """Wait for what is tidied up in the background. What was not committed is dropped."""
        self._writer.wait_merging_threads()


class PageIndex:
    """An index to ask. It shows one moment; `renewed` comes to the latest."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self.schema = index.schema
        self.searcher = index.searcher()

    @classmethod
    def open(cls, directory: Path) -> Self | None:
        """None, where there is none that can be read."""
        place = _place(directory)
        try:
            return cls(_prepared(tantivy.Index.open(str(place)))) if (place / "meta.json").exists() else None
        except ValueError:
            return None

    def reload(self) -> None:
        self._index.reload()
        self.searcher = self._index.searcher()

    def latest(self) -> Self:
        """The same index at the latest moment, for one who asks while others ask this one."""
        self._index.reload()
        return type(self)(self._index)

    @property
    def page_count(self) -> int:
        return int(self.searcher.num_docs)

    def languages(self) -> list[str]:
        return [name for name, _ in self.searcher.terms_with_prefix("language", "")]

    def doc_freq(self, field: str, term: str) -> int:
        """How many pages have a word, or a stem, in a field."""
        return int(self.searcher.doc_freq(field, term))

    def word_doc_freqs(self, word: str) -> dict[str, int]:
        """How many pages have a word in which field of texts; only those that have any."""
        pages = {field: self.doc_freq(field, word) for field in _TEXTS}
        return {field: having for field, having in pages.items() if having}

    def words_with_prefix(self, head: str) -> dict[str, dict[str, int]]:
        """The words of texts that begin so, and how many pages have each in which field."""
        found: dict[str, dict[str, int]] = {}
        for field in _TEXTS:
            for word, pages in self.searcher.terms_with_prefix(field, head):
                found.setdefault(word, {})[field] = pages
        return found

    def contents(self) -> IndexContents:
        found = self.searcher.search(tantivy.Query.all_query(), max(self.page_count, 1), count=False)
        places = [place for _, place in found.hits]
        return IndexContents(
            self._figures("page", places).astype(np.int64),
            self._figures("stamp", places),
            self._figures("anchored", places),
        )

    def search(self, query: tantivy.Query, most: int) -> IndexHits:
        found = self.searcher.search(query, most)
        places = [place for _, place in found.hits]
        scores = np.array([score for score, _ in found.hits], np.float64)
        pages = self._figures("page", places).astype(np.int64)
        total: int = found.count  # type: ignore[attr-defined]  # its stub forgets it
        return IndexHits(total, pages, scores, self._figures("fingerprint", places))

    def _figures(self, field: str, places: list[tantivy.DocAddress]) -> Prints:
        return np.array(self.searcher.fast_field_values(field, places), np.uint64)


def has_other_format(directory: Path) -> bool:
    """Whether the index there was made by a version of ours that has another form of it."""
    return not _place(directory).exists() and any(directory.glob("pages-*"))


def _place(directory: Path) -> Path:
    return directory / f"pages-{INDEX_FORMAT}"


@contextmanager
def open_writer(directory: Path, *, create: bool) -> Iterator[IndexWriter]:
    """The index in a directory, to be written, or a new one in its place."""
    place = _place(directory)
    try:
        shelf = _shelf(place, create=create)
    except ValueError as error:
        raise StoreError(f"The index in {place} cannot be written: {error}.") from error
    try:
        yield shelf
    except ValueError as error:
        raise StoreError(f"The index in {place} did not take what it was given: {error}.") from error
    finally:
        shelf.close()


def _shelf(place: Path, *, create: bool) -> IndexWriter:
    if not create:
        return IndexWriter(_prepared(tantivy.Index.open(str(place))))
    for other in place.parent.glob("pages-*"):  # damaged, of another form, or begun and never made
        shutil.rmtree(other, ignore_errors=True)
    place.mkdir(parents=True)
    return IndexWriter(_prepared(tantivy.Index(_schema(), str(place))))


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in _WORDS:
        builder.add_text_field(name, tokenizer_name="words")
    for name in _STEMS:
        builder.add_text_field(name, tokenizer_name="numbers", index_option="freq")
    for name in _NAMES:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    # Not an unsigned one: the library looks for pages to delete under signed numbers alone.
    builder.add_integer_field("page", indexed=True, fast=True)
    builder.add_integer_field("date", indexed=True, fast=True)
    for name in _FIGURES:
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def word_analyser() -> tantivy.TextAnalyzer:
    """How text becomes words: runs of letters and digits, in small letters."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    filters = (tantivy.Filter.remove_long(MAX_TOKEN_CHARS), tantivy.Filter.lowercase())
    for each in filters:
        builder = builder.filter(each)
    return builder.build()


def _prepared(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer("words", word_analyser())
    numbers = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("numbers", numbers)
    return index


def _document(one: IndexedPage) -> tantivy.Document:
    document = tantivy.Document()
    for name in (*_WORDS, *_STEMS, "language"):
        text = getattr(one, name)
        if text:
            document.add_text(name, text)
    for name, texts in (("site", one.sites), ("topic", one.topics), ("type", one.types)):
        for text in texts:
            document.add_text(name, text)
    document.add_integer("page", one.page)
    document.add_integer("date", one.date)
    for name, attribute in _FIGURES.items():
        document.add_unsigned(name, getattr(one, attribute))
    return document
