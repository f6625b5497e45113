"""The search index on disk: one tantivy document per page.

Every document stores the page id and two stamps of the data it was built from. So the index itself
lists its contents, and no second record can disagree with it. A commit is one rename: a process
that is killed earlier leaves the index unchanged.

Text is indexed as words. A query word in stem mode is searched as all words with its stem (see
`query_terms`). In languages where such words do not begin alike, pages also store their stem ids.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Self
from weakref import finalize

import numpy as np
import numpy.typing as npt
import tantivy
from msgspec import Struct

from motherlode.records import PageId, StoreError

INDEX_FORMAT = 3  # version of the schema; an index with another version is rebuilt
MAX_TOKEN_CHARS = 60  # longer words are not indexed
WRITER_HEAP_BYTES = 200_000_000  # buffered before a segment is written
_TEXT_FIELDS = ("title", "headings", "main", "rest", "anchor")
_WORD_FIELDS = (*_TEXT_FIELDS, "url")
_STEM_FIELDS = ("stems", "title_stems", "heading_stems", "anchor_stems")
_KEYWORD_FIELDS = ("site", "topic", "language", "type")
# Unsigned fields of the index, each with the attribute of `IndexedPage` that it stores.
_UNSIGNED_FIELDS = {"stamp": "stamp", "anchored": "anchor_stamp", "fingerprint": "fingerprint"}

PageIds = npt.NDArray[np.int64]
Unsigned = npt.NDArray[np.uint64]


class IndexedPage(Struct, frozen=True, gc=False):
    """A page as it is written to the index.

    Stems are hexadecimal ids separated by blanks. They are empty in languages in which words with
    the same stem begin alike.
    """

    page: PageId
    stamp: int  # of the page's content and judgement
    anchor_stamp: int  # of the anchor texts of links to it
    title: str = ""
    headings: str = ""  # they are part of the text, too
    main: str = ""
    rest: str = ""  # text outside the main text
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
    date: int = 0  # seconds since 1970
    fingerprint: int = 0


class IndexContents(Struct, frozen=True):
    """The pages of an index, and the stamps of the data that each was built from."""

    pages: PageIds
    stamps: Unsigned
    anchor_stamps: Unsigned


_NO_STAMPS = np.zeros(0, np.uint64)
EMPTY_CONTENTS = IndexContents(np.zeros(0, np.int64), _NO_STAMPS, _NO_STAMPS)


class IndexHits(Struct, frozen=True):
    """The number of pages that match a query, and the best of them with their BM25 scores."""

    total: int
    pages: PageIds
    scores: npt.NDArray[np.float64]
    fingerprints: Unsigned


class IndexWriter:
    """Writes to an index. The caller holds the portal's index lock, so there is one writer."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._writer = index.writer(WRITER_HEAP_BYTES, 1)

    def write(self, pages: Sequence[IndexedPage], removed: Sequence[PageId]) -> None:
        """Remove pages that are gone or about to be replaced, then add `pages`."""
        for page_id in removed:
            self._writer.delete_documents_by_term("page", page_id)
        for page in pages:
            self._writer.add_document(_document(page))

    def clear(self) -> None:
        self._writer.delete_all_documents()

    def commit(self) -> None:
        self._writer.commit()

    def close(self) -> None:
        """Wait for background merges; drop uncommitted changes."""
        self._writer.wait_merging_threads()


class PageIndex:
    """Reads an index as it was at one commit; `reload` moves on to the latest commit."""

    def __init__(self, index: tantivy.Index, mirror: "_Mirror | None" = None) -> None:
        self._index = index
        self._mirror = mirror
        self.schema = index.schema
        self.searcher = index.searcher()

    @classmethod
    def open(cls, directory: Path) -> Self | None:
        """Return the index below a directory, or None if there is none that can be read."""
        path = _index_path(directory)
        if not (path / "meta.json").exists():
            return None
        try:
            mirror = None if os.access(path, os.W_OK) else _Mirror(path)
            place = path if mirror is None else mirror.path
            return cls(_with_tokenizers(tantivy.Index.open(str(place))), mirror)
        except (OSError, ValueError):
            return None

    def reload(self) -> None:
        self._reload_index()
        self.searcher = self._index.searcher()

    def latest(self) -> Self:
        """Return a reader of the latest commit; this one stays as it is for its other users."""
        self._reload_index()
        return type(self)(self._index, self._mirror)

    def _reload_index(self) -> None:
        if self._mirror is not None:
            self._mirror.link_new_files()
        self._index.reload()

    @property
    def page_count(self) -> int:
        return int(self.searcher.num_docs)

    def languages(self) -> list[str]:
        return [language for language, _ in self.searcher.terms_with_prefix("language", "")]

    def doc_freq(self, field: str, term: str) -> int:
        """Return the number of pages with a word, or a stem, in a field."""
        return int(self.searcher.doc_freq(field, term))

    def word_doc_freqs(self, word: str) -> dict[str, int]:
        """Return the number of pages with a word in each text field that has it."""
        freqs = {field: self.doc_freq(field, word) for field in _TEXT_FIELDS}
        return {field: freq for field, freq in freqs.items() if freq}

    def words_with_prefix(self, prefix: str) -> dict[str, dict[str, int]]:
        """Return the words with a prefix, each with its document frequency in each text field."""
        freqs_by_word: dict[str, dict[str, int]] = {}
        for field in _TEXT_FIELDS:
            for word, freq in self.searcher.terms_with_prefix(field, prefix):
                freqs_by_word.setdefault(word, {})[field] = freq
        return freqs_by_word

    def contents(self) -> IndexContents:
        all_pages = tantivy.Query.all_query()
        results = self.searcher.search(all_pages, max(self.page_count, 1), count=False)
        addresses = [address for _, address in results.hits]
        return IndexContents(
            self._values("page", addresses).astype(np.int64),
            self._values("stamp", addresses),
            self._values("anchored", addresses),
        )

    def search(self, query: tantivy.Query, limit: int) -> IndexHits:
        results = self.searcher.search(query, limit)
        addresses = [address for _, address in results.hits]
        scores = np.array([score for score, _ in results.hits], np.float64)
        pages = self._values("page", addresses).astype(np.int64)
        total: int = results.count  # type: ignore[attr-defined]  # missing in tantivy's stub
        return IndexHits(total, pages, scores, self._values("fingerprint", addresses))

    def _values(self, field: str, addresses: list[tantivy.DocAddress]) -> Unsigned:
        return np.array(self.searcher.fast_field_values(field, addresses), np.uint64)


class _Mirror:
    """A temporary directory with links to the files of an index that cannot be written.

    tantivy creates a lock file beside an index, even to read it. The directory is removed together
    with this object.
    """

    def __init__(self, index: Path) -> None:
        self._index = index.resolve()
        self.path = Path(mkdtemp(prefix="lode-index-"))
        finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self.link_new_files()

    def link_new_files(self) -> None:
        for file in self._index.iterdir():
            link = self.path / file.name
            if file.suffix != ".lock" and not link.is_symlink():
                link.symlink_to(file)


def has_other_format(directory: Path) -> bool:
    """Whether the index below a directory was written by a version with another schema."""
    return not _index_path(directory).exists() and any(directory.glob("pages-*"))


def _index_path(directory: Path) -> Path:
    return directory / f"pages-{INDEX_FORMAT}"


@contextmanager
def open_writer(directory: Path, *, create: bool) -> Iterator[IndexWriter]:
    """Open the index below a directory for writing; `create` replaces it by an empty one."""
    path = _index_path(directory)
    try:
        writer = _new_writer(path) if create else _writer(path)
    except ValueError as error:
        raise StoreError(f"The index in {path} cannot be written: {error}.") from error
    try:
        yield writer
    except ValueError as error:
        raise StoreError(f"Writing pages to the index in {path} failed: {error}.") from error
    finally:
        writer.close()


def _writer(path: Path) -> IndexWriter:
    return IndexWriter(_with_tokenizers(tantivy.Index.open(str(path))))


def _new_writer(path: Path) -> IndexWriter:
    for leftover in path.parent.glob("pages-*"):  # damaged, of another format, or never committed
        shutil.rmtree(leftover, ignore_errors=True)
    path.mkdir(parents=True)
    return IndexWriter(_with_tokenizers(tantivy.Index(_schema(), str(path))))


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in _WORD_FIELDS:
        builder.add_text_field(name, tokenizer_name="words")
    for name in _STEM_FIELDS:
        builder.add_text_field(name, tokenizer_name="numbers", index_option="freq")
    for name in _KEYWORD_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    # Signed, because tantivy-py looks for documents to delete under signed numbers only.
    builder.add_integer_field("page", indexed=True, fast=True)
    builder.add_integer_field("date", indexed=True, fast=True)
    for name in _UNSIGNED_FIELDS:
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def word_analyser() -> tantivy.TextAnalyzer:
    """Return the analyser that splits text into lower-case runs of letters and digits."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(MAX_TOKEN_CHARS))
    return builder.filter(tantivy.Filter.lowercase()).build()


def _with_tokenizers(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer("words", word_analyser())
    numbers = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("numbers", numbers)
    return index


def _document(page: IndexedPage) -> tantivy.Document:
    document = tantivy.Document()
    for name in (*_WORD_FIELDS, *_STEM_FIELDS, "language"):
        text = getattr(page, name)
        if text:
            document.add_text(name, text)
    for name, values in (("site", page.sites), ("topic", page.topics), ("type", page.types)):
        for value in values:
            document.add_text(name, value)
    document.add_integer("page", page.page)
    document.add_integer("date", page.date)
    for name, attribute in _UNSIGNED_FIELDS.items():
        document.add_unsigned(name, getattr(page, attribute))
    return document
