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

FORM = 3  # of the fields; an index of another form is made anew
MAX_TOKEN = 60  # characters; longer words are not indexed
HEAP = 200_000_000  # bytes that are gathered before a part of the index is written
_WORDS = ("title", "headings", "main", "rest", "anchor", "url")
_TEXTS = ("title", "headings", "main", "rest", "anchor")
_STEMS = ("stems", "title_stems", "heading_stems", "anchor_stems")
_NAMES = ("site", "topic", "language", "type")
_FIGURES = ("stamp", "anchored", "fingerprint")

Numbers = npt.NDArray[np.int64]
Prints = npt.NDArray[np.uint64]


class Indexed(Struct, frozen=True, gc=False):
    """A page as the index sees it. Stems are their numbers in hexadecimal, with blanks between them; they are
    empty in languages whose words begin alike that have one stem."""

    page: PageId
    stamp: int  # of what the page and its judgement say
    anchored: int  # of what links to it say
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


class Known(Struct, frozen=True):
    """What an index has seen: pages, and of what each was made."""

    pages: Numbers
    stamps: Prints
    anchored: Prints


NOTHING = Known(np.array([], np.int64), np.array([], np.uint64), np.array([], np.uint64))


class Hits(Struct, frozen=True):
    """What a query found: how many pages in all, and the best of them."""

    total: int
    pages: Numbers
    scores: npt.NDArray[np.float64]
    fingerprints: Prints


class Shelf:
    """An index to write to. Nobody else may: whoever opens it holds the portal's lock for the index."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._writer = index.writer(HEAP, 1)

    def put(self, pages: Sequence[Indexed], replaced: Sequence[PageId]) -> None:
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

    def renewed(self) -> None:
        self._index.reload()
        self.searcher = self._index.searcher()

    def latest(self) -> Self:
        """The same index at the latest moment, for one who asks while others ask this one."""
        self._index.reload()
        return type(self)(self._index)

    @property
    def size(self) -> int:
        return int(self.searcher.num_docs)

    def languages(self) -> list[str]:
        return [name for name, _ in self.searcher.terms_with_prefix("language", "")]

    def having(self, field: str, term: str) -> int:
        """How many pages have a word, or a stem, in a field."""
        return int(self.searcher.doc_freq(field, term))

    def having_word(self, word: str) -> dict[str, int]:
        """How many pages have a word in which field of texts; only those that have any."""
        pages = {field: self.having(field, word) for field in _TEXTS}
        return {field: having for field, having in pages.items() if having}

    def words_beginning(self, head: str) -> dict[str, dict[str, int]]:
        """The words of texts that begin so, and how many pages have each in which field."""
        found: dict[str, dict[str, int]] = {}
        for field in _TEXTS:
            for word, pages in self.searcher.terms_with_prefix(field, head):
                found.setdefault(word, {})[field] = pages
        return found

    def known(self) -> Known:
        found = self.searcher.search(tantivy.Query.all_query(), max(self.size, 1), count=False)
        places = [place for _, place in found.hits]
        return Known(
            self._figures("page", places).astype(np.int64),
            self._figures("stamp", places),
            self._figures("anchored", places),
        )

    def search(self, query: tantivy.Query, most: int) -> Hits:
        found = self.searcher.search(query, most)
        places = [place for _, place in found.hits]
        scores = np.array([score for score, _ in found.hits], np.float64)
        pages = self._figures("page", places).astype(np.int64)
        total: int = found.count  # type: ignore[attr-defined]  # its stub forgets it
        return Hits(total, pages, scores, self._figures("fingerprint", places))

    def _figures(self, field: str, places: list[tantivy.DocAddress]) -> Prints:
        return np.array(self.searcher.fast_field_values(field, places), np.uint64)


def is_of_another_form(directory: Path) -> bool:
    """Whether the index there was made by a version of ours that has another form of it."""
    return not _place(directory).exists() and any(directory.glob("pages-*"))


def _place(directory: Path) -> Path:
    return directory / f"pages-{FORM}"


@contextmanager
def shelf_in(directory: Path, *, anew: bool) -> Iterator[Shelf]:
    """The index in a directory, to be written, or a new one in its place."""
    place = _place(directory)
    try:
        shelf = _shelf(place, anew=anew)
    except ValueError as error:
        raise StoreError(f"The index in {place} cannot be written: {error}.") from error
    try:
        yield shelf
    except ValueError as error:
        raise StoreError(f"The index in {place} did not take what it was given: {error}.") from error
    finally:
        shelf.close()


def _shelf(place: Path, *, anew: bool) -> Shelf:
    if not anew:
        return Shelf(_prepared(tantivy.Index.open(str(place))))
    for other in place.parent.glob("pages-*"):  # damaged, of another form, or begun and never made
        shutil.rmtree(other, ignore_errors=True)
    place.mkdir(parents=True)
    return Shelf(_prepared(tantivy.Index(_schema(), str(place))))


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


def words_analyser() -> tantivy.TextAnalyzer:
    """How text becomes words: runs of letters and digits, in small letters."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    filters = (tantivy.Filter.remove_long(MAX_TOKEN), tantivy.Filter.lowercase())
    for each in filters:
        builder = builder.filter(each)
    return builder.build()


def _prepared(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer("words", words_analyser())
    numbers = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("numbers", numbers)
    return index


def _document(one: Indexed) -> tantivy.Document:
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
    for name in _FIGURES:
        document.add_unsigned(name, getattr(one, name))
    return document
