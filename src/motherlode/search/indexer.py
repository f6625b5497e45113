"""Build the search index from the store, and bring it up to date (SPEC B20).

Changes are found by comparing, page by page, the store with the stamps in the index. So it does
not matter what happened in between: a crawl, a retraining, a kill, a restored copy. A page is read
later than it is compared, but keeps the stamp of the comparison. So the next update finds a change
in between. Batches are committed one by one, and the index is consistent after each.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from urllib.parse import unquote
from zlib import crc32

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.ideographs import spaced
from motherlode.documents.text.normalization import lettered, spelled
from motherlode.documents.text.stem_prefixes import is_rooted
from motherlode.documents.text.terms import sequences_of, unpack
from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.records import PageId, ReadOnlyError, TopicId
from motherlode.records.errors import WORK_ON_A_COPY
from motherlode.search.index import (
    EMPTY_CONTENTS,
    IndexContents,
    IndexedPage,
    IndexWriter,
    PageIndex,
    open_writer,
)
from motherlode.search.query_terms import NO_LANGUAGE, hex_stems
from motherlode.store.queries.index_rows import (
    Marks,
    Material,
    marks_of,
    materials_of,
    pages_linked_from,
    url_ids_of,
)
from motherlode.store.queries.link_targets import anchors_to_all
from motherlode.store.session import Session
from motherlode.store.tables.pages import anchors_to
from motherlode.topics import TopicTree
from motherlode.urls import host_of

INDEX_DIRECTORY = "index"
READ_BATCH_PAGES = 500
COMMIT_PAGES = 20_000
ANCHOR_BATCH_PAGES = 50_000  # pages whose anchor texts are held in memory
# If one page in so many has to be written, reading all links is faster than a query per page.
ALL_LINKS_FRACTION = 4
MAX_TEXT_CHARS = 200_000  # of a page's main text, and of its other text
MAX_TITLE_CHARS = 1_000
MAX_HEADINGS_CHARS = 5_000
MAX_ANCHOR_CHARS = 200
MAX_STEM_COUNT = 16  # occurrences of a stem in a page; BM25 hardly changes beyond
MAX_ANCHOR_LINKS = 20  # links to a page whose anchor texts are indexed, each text once
_NO_ANCHORS = 0
_STAMP_FACTORS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
# The common names of MIME types that are not their subtype.
_COMMON_TYPE_NAMES = {
    "application/xhtml+xml": "html",
    "text/plain": "text",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
}

Stamps = npt.NDArray[np.uint64]
ProgressCallback = Callable[[int, int], object]  # called with the pages done and the pages in all


class IndexUpdate(Struct, frozen=True):
    """The result of an update: pages written, pages removed, and pages in the index now."""

    written: int
    removed: int
    pages: int
    seconds: float


class PendingChanges(Struct, frozen=True):
    """The changes that an index lacks.

    `to_write` are new or changed pages, with their `stamps`; `page_count` is what it should hold.
    """

    to_write: tuple[PageId, ...]
    stamps: tuple[int, ...]
    to_remove: tuple[PageId, ...]
    page_count: int

    @property
    def change_count(self) -> int:
        return len(self.to_write) + len(self.to_remove)


def index_directory(portal: Portal) -> Path:
    return portal.path / INDEX_DIRECTORY


def pending_changes(session: Session, tree: TopicTree, contents: IndexContents) -> PendingChanges:
    """Return the changes that bring an index with these contents up to date with the store."""
    stored = marks_of(session)
    stamps = _stamps(stored, topic_keys(tree))
    order = contents.pages.argsort()
    indexed_pages, indexed_stamps = contents.pages[order], contents.stamps[order]
    is_changed = np.ones(len(stored.pages), np.bool_)
    if len(indexed_pages):
        rows = np.minimum(indexed_pages.searchsorted(stored.pages), len(indexed_pages) - 1)
        is_changed = (indexed_pages[rows] != stored.pages) | (indexed_stamps[rows] != stamps)
    changed = np.flatnonzero(is_changed)
    changed = changed[stored.pages[changed].argsort()]
    return PendingChanges(
        tuple(map(PageId, stored.pages[changed].tolist())),
        tuple(stamps[changed].tolist()),
        tuple(map(PageId, np.setdiff1d(indexed_pages, stored.pages).tolist())),
        len(stored.pages),
    )


def update_index(
    portal: Portal,
    *,
    rebuild: bool = False,
    on_progress: ProgressCallback = lambda _done, _total: None,
) -> IndexUpdate:
    """Bring the index up to date, or rebuild it; concurrent searches see the last commit.

    Raises `LockedError` while another process writes it, `ReadOnlyError` if it cannot be written.
    """
    start = perf_counter()
    directory = index_directory(portal)
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise ReadOnlyError(
            f"{directory} cannot be made: {error.strerror or error}; {WORK_ON_A_COPY}."
        ) from error
    with PortalLock(directory, "lode index"):
        written, removed = _write_changes(portal, directory, on_progress, rebuild=rebuild)
        index = PageIndex.open(directory)
        page_count = index.page_count if index else 0
        return IndexUpdate(written, removed, page_count, perf_counter() - start)


def _write_changes(
    portal: Portal, directory: Path, on_progress: ProgressCallback, *, rebuild: bool
) -> tuple[int, int]:
    """Return how many pages were written, and how many were removed."""
    tree = portal.tree()
    index = PageIndex.open(directory)
    contents = EMPTY_CONTENTS if index is None or rebuild else index.contents()
    with portal.store.reading() as session:
        changes = pending_changes(session, tree, contents)
    if index is not None and not rebuild and not changes.change_count:
        return 0, 0
    with open_writer(directory, create=index is None) as writer:
        if rebuild:
            writer.clear()
        update = _IncrementalUpdate(portal, tree, writer, contents, one_commit=rebuild)
        return update.run(changes, on_progress), len(changes.to_remove)


class _IncrementalUpdate:
    """Writes pending changes in batches; with `one_commit`, all of them or none become visible."""

    def __init__(
        self,
        portal: Portal,
        tree: TopicTree,
        writer: IndexWriter,
        contents: IndexContents,
        *,
        one_commit: bool,
    ) -> None:
        self._portal = portal
        self._lineages = _lineages(tree)
        self._writer = writer
        pages: list[int] = contents.pages.tolist()
        anchor_stamps: list[int] = contents.anchor_stamps.tolist()
        self._anchor_stamps = dict(zip(pages, anchor_stamps, strict=True))
        self._stamps = dict(zip(pages, contents.stamps.tolist(), strict=True))
        self._one_commit = one_commit
        self._committed = self._uncommitted = 0

    def run(self, changes: PendingChanges, on_progress: ProgressCallback) -> int:
        """Write all changes and return the number of pages written."""
        to_write = changes.to_write
        self._stamps.update(zip(to_write, changes.stamps, strict=True))
        self._writer.write((), changes.to_remove)
        handled: set[int] = set(to_write)
        for start in range(0, len(to_write), ANCHOR_BATCH_PAGES):
            chunk = to_write[start : start + ANCHOR_BATCH_PAGES]
            reads_all_links = len(chunk) * ALL_LINKS_FRACTION >= changes.page_count
            anchors = self._anchors_from_all_links(chunk) if reads_all_links else None
            for at in range(0, len(chunk), READ_BATCH_PAGES):
                self._write_batch(chunk[at : at + READ_BATCH_PAGES], anchors, handled)
                on_progress(min(start + at + READ_BATCH_PAGES, len(to_write)), len(to_write))
        self._commit()
        return self._committed

    def _write_batch(
        self, batch: Sequence[PageId], anchors: Mapping[int, str] | None, handled: set[int]
    ) -> None:
        with self._portal.store.reading() as session:
            pages = materials_of(session, batch, TERMS, spelled)
            if anchors is None:
                url_ids = [page.url_id for page in pages]
                anchor_lines = list(anchors_to(session, url_ids, MAX_ANCHOR_LINKS))
            else:
                anchor_lines = [anchors.get(page.url_id, "") for page in pages]
            self._write_pages(pages, anchor_lines)
            self._uncommitted += len(batch) + self._rewrite_targets(session, batch, handled)
        if self._uncommitted >= COMMIT_PAGES and not self._one_commit:
            self._commit()

    def _anchors_from_all_links(self, chunk: Sequence[PageId]) -> dict[int, str]:
        """Return the anchor texts of links to these pages, one a line, by URL id."""
        with self._portal.store.reading() as session:
            url_ids = np.array(sorted(url_ids_of(session, chunk).values()), np.int64)
            anchors_by_url = anchors_to_all(session, url_ids, MAX_ANCHOR_LINKS)
        pairs = zip(url_ids.tolist(), anchors_by_url, strict=True)
        return {url_id: "\n".join(anchors) for url_id, anchors in pairs if anchors}

    def _write_pages(self, pages: Sequence[Material], anchor_lines: Sequence[str]) -> None:
        entries = indexed_pages(self._lineages, pages, anchor_lines, self._stamps)
        replaced = [page.page for page in pages if page.page in self._anchor_stamps]
        self._writer.write(entries, replaced)

    def _rewrite_targets(self, session: Session, batch: Sequence[PageId], handled: set[int]) -> int:
        """Rewrite indexed pages that a batch links to, if their anchor texts changed.

        Returns how many. They are committed together with the linking pages: a kill cannot separate
        the two.
        """
        if not self._anchor_stamps:
            return 0
        linked = set(pages_linked_from(session, batch).tolist())
        targets = [PageId(page) for page in sorted(linked - handled) if page in self._anchor_stamps]
        handled.update(targets)
        url_ids = url_ids_of(session, targets)
        anchor_lines = anchors_to(session, url_ids.values(), MAX_ANCHOR_LINKS)
        anchors = dict(zip(url_ids, anchor_lines, strict=True))
        changed = [page for page in url_ids if self._has_new_anchors(page, anchors[page])]
        for at in range(0, len(changed), READ_BATCH_PAGES):
            pages = materials_of(session, changed[at : at + READ_BATCH_PAGES], TERMS, spelled)
            self._write_pages(pages, [anchors[page.page] for page in pages])
        return len(changed)

    def _has_new_anchors(self, page: PageId, anchor_lines: str) -> bool:
        return _anchor_stamp(_distinct_anchors(anchor_lines)) != self._anchor_stamps[page]

    def _commit(self) -> None:
        self._writer.commit()
        self._committed, self._uncommitted = self._committed + self._uncommitted, 0


# --- from stored pages to index documents ---------------------------------------------------------


def topic_keys(tree: TopicTree) -> dict[int, int]:
    """Return a number per topic that depends on its ancestors: moving a topic changes its pages."""
    lineages = _lineages(tree)
    return {topic: crc32(" ".join(lineage).encode()) + 1 for topic, lineage in lineages.items()}


def _lineages(tree: TopicTree) -> dict[int, tuple[str, ...]]:
    """Return the index terms of each topic and its ancestors; the root's term is on every page
    that is on some topic."""
    return {topic.id: tuple(_lineage(tree, topic.id)) for topic in tree}


def _lineage(tree: TopicTree, topic: TopicId) -> Iterator[str]:
    ancestor: TopicId | None = topic
    while ancestor is not None:
        yield topic_term(ancestor)
        ancestor = tree[ancestor].parent


def topic_term(topic: TopicId) -> str:
    return str(int(topic))


def _stamps(stored: Marks, keys: Mapping[int, int]) -> Stamps:
    distinct, rows = np.unique(stored.topics, return_inverse=True)
    topics = np.array([keys.get(topic, 0) for topic in distinct.tolist()], np.uint64)[rows]
    times = stored.fetched_at.view(np.uint64)
    first, second = _STAMP_FACTORS
    stamps: Stamps = (times * first ^ stored.fingerprints.view(np.uint64)) * second + topics
    return stamps


def indexed_pages(
    lineages: Mapping[int, tuple[str, ...]],
    pages: Sequence[Material],
    anchor_lines: Sequence[str],
    stamps: Mapping[int, int],
) -> list[IndexedPage]:
    """Return index documents for stored pages.

    The texts of the pages are normalised (`spelled`); `anchor_lines` has a line per link to a page.
    """
    entries = []
    for page, anchors in zip(pages, map(_distinct_anchors, anchor_lines), strict=True):
        entry = _entry(page, anchors, lineages.get(page.topic, ()), stamps[page.page])
        entries.append(_with_stems(entry, page, anchors))
    return entries


def _entry(page: Material, anchors: str, topics: tuple[str, ...], stamp: int) -> IndexedPage:
    return IndexedPage(
        page=page.page,
        stamp=stamp,
        anchor_stamp=_anchor_stamp(anchors),
        title=lettered(page.title[:MAX_TITLE_CHARS]),
        headings=spaced(page.text.headings[:MAX_HEADINGS_CHARS]),
        main=spaced(page.text.main[:MAX_TEXT_CHARS]),
        rest=spaced(page.text.rest[:MAX_TEXT_CHARS]),
        anchor=lettered(anchors),
        url=lettered(unquote(page.url.partition("://")[2])),
        sites=_sites(page.url),
        topics=topics,
        language=page.language or NO_LANGUAGE,
        types=type_names(page.mime),
        date=int(page.fetched_at),
        fingerprint=page.fingerprint % (1 << 64),
    )


def _anchor_stamp(anchors: str) -> int:
    """Return a number that changes when the anchor texts do."""
    return crc32(anchors.encode("utf-8", "replace")) if anchors else _NO_ANCHORS


def _stems_of(page: Material) -> str:
    """Return the stems of a page, each as often as it occurs, in any order."""
    bag = unpack(page.vector)
    return hex_stems(np.repeat(bag.terms, np.minimum(bag.counts, MAX_STEM_COUNT)))


def _with_stems(entry: IndexedPage, page: Material, anchors: str) -> IndexedPage:
    """Add stems where the language needs them in the index."""
    if is_rooted(page.language):
        return entry
    texts = [page.title[:MAX_TITLE_CHARS], page.text.headings[:MAX_HEADINGS_CHARS], anchors]
    title, headings, anchor = map(hex_stems, sequences_of(texts, page.language))
    return replace(
        entry,
        stems=_stems_of(page),
        title_stems=title,
        heading_stems=headings,
        anchor_stems=anchor,
    )


def _distinct_anchors(anchor_lines: str) -> str:
    """Return each different anchor text once, one a line, in the order of the links."""
    distinct = [anchor for anchor in dict.fromkeys(anchor_lines.split("\n")) if anchor]
    return "\n".join(anchor[:MAX_ANCHOR_CHARS] for anchor in distinct)


def _sites(url: str) -> tuple[str, ...]:
    """Return the host and its parent domains: `site:example.org` finds pages of www.example.org."""
    host = host_of(url)
    if host.startswith("[") or host.replace(".", "").isdigit():
        return (host,)
    labels = host.split(".")
    return tuple(".".join(labels[at:]) for at in range(max(1, len(labels) - 1)))


def type_names(mime: str) -> tuple[str, ...]:
    """Return the MIME type and, last, its common name (`application/pdf`, `pdf`)."""
    proper = mime.casefold()[:100]
    if not proper:
        return ()
    common = _COMMON_TYPE_NAMES.get(proper) or proper.rpartition("/")[2]
    return tuple(dict.fromkeys((proper, common)))
