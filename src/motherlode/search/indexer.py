"""The search index, made of what the store has and brought up to date with it (SPEC B20).

What has changed is seen by comparing, page by page, what the store says with what the index says it was made
of. So it does not matter what happened in between: a crawl, a lesson, a kill, a restored copy. A page is read
later than it is compared and stamped as it was then: what has changed meanwhile is seen the next time. Parts
are committed as they are done, and each is right by itself.
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

from motherlode.documents.ideographs import spaced
from motherlode.documents.lettering import lettered, spelled
from motherlode.documents.roots import is_rooted
from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import sequences_of, unpack
from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.records import PageId, ReadOnlyError, TopicId
from motherlode.search.index import (
    EMPTY_CONTENTS,
    IndexContents,
    IndexedPage,
    IndexWriter,
    PageIndex,
    open_writer,
)
from motherlode.search.query_terms import NO_LANGUAGE, hex_stems
from motherlode.store.indexed import (
    Marks,
    Material,
    marks_of,
    materials_of,
    pages_linked_from,
    url_ids_of,
)
from motherlode.store.leads import anchors_to_all
from motherlode.store.pages import anchors_to
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.urls import host_of

INDEX_DIRECTORY = "index"
READ_BATCH_PAGES = 500  # pages that are read at once
COMMIT_PAGES = 20_000  # pages that are committed together
_MAX_TEXT = 200_000  # characters of a page's main text, and of what it says besides
_MAX_TITLE = 1_000
_MAX_HEADINGS = 5_000
_MAX_COUNT = 16  # how often a stem of a page counts; BM25 hardly sees more
_LINKS = 20  # links to a page that are looked at; what they say is kept, each once
_MAX_ANCHOR = 200
_NO_ANCHORS = 0
ANCHOR_BATCH_PAGES = 50_000  # pages whose anchors are held at once
ALL_LINKS_FRACTION = (
    4  # the part of all pages, one in so many, for which all links are read instead of asking for each
)
_ODD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
# What people call a type, besides its proper name.
_TYPES = {
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

Prints = npt.NDArray[np.uint64]
ProgressCallback = Callable[[int, int], object]  # told how many pages of how many are done


class IndexUpdate(Struct, frozen=True):
    """What was done to an index: pages written, taken out, and how many it holds now."""

    written: int
    removed: int
    pages: int
    seconds: float


class PendingChanges(Struct, frozen=True):
    """What an index lacks: pages to write, because they are new or were changed, with their stamps, and pages
    to take out; `pages` are all that it should hold."""

    to_write: tuple[PageId, ...]
    stamps: tuple[int, ...]
    to_remove: tuple[PageId, ...]
    page_count: int

    @property
    def change_count(self) -> int:
        return len(self.to_write) + len(self.to_remove)


def index_directory(portal: Portal) -> Path:
    return portal.path / INDEX_DIRECTORY


def pending_changes(session: Session, tree: TopicTree, known: IndexContents) -> PendingChanges:
    """In what an index that knows this is behind the store."""
    marks = marks_of(session)
    stamps = _stamps(marks, topic_keys(tree))
    order = known.pages.argsort()
    pages, told = known.pages[order], known.stamps[order]
    fresh = np.ones(len(marks.pages), np.bool_)
    if len(pages):
        places = np.minimum(pages.searchsorted(marks.pages), len(pages) - 1)
        fresh = (pages[places] != marks.pages) | (told[places] != stamps)
    rising = np.flatnonzero(fresh)
    rising = rising[marks.pages[rising].argsort()]
    return PendingChanges(
        tuple(map(PageId, marks.pages[rising].tolist())),
        tuple(stamps[rising].tolist()),
        tuple(map(PageId, np.setdiff1d(pages, marks.pages).tolist())),
        len(marks.pages),
    )


def update_index(
    portal: Portal, *, rebuild: bool = False, on_progress: ProgressCallback = lambda _done, _of: None
) -> IndexUpdate:
    """Bring the index up to date, or make it anew; whoever searches meanwhile sees what was there before.

    Raises `LockedError` while another process does so, `ReadOnlyError` where nothing can be written.
    """
    start = perf_counter()
    place = index_directory(portal)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise ReadOnlyError(f"{place} cannot be made: {error.strerror or error}.") from error
    with PortalLock(place, "lode index"):
        tree = portal.tree()
        index = PageIndex.open(place)
        known = EMPTY_CONTENTS if index is None or rebuild else index.contents()
        with portal.store.reading() as session:
            plan = pending_changes(session, tree, known)
        written = 0
        if plan.change_count or index is None or rebuild:
            with open_writer(place, create=index is None) as shelf:
                if rebuild:
                    shelf.clear()
                written = _Writing(portal, tree, shelf, known, whole=rebuild).write(plan, on_progress)
        now = PageIndex.open(place)
        return IndexUpdate(written, len(plan.to_remove), now.page_count if now else 0, perf_counter() - start)


class _Writing:
    """Pages on their way into an index. With `whole`, all of it is committed in the end, or nothing."""

    def __init__(
        self, portal: Portal, tree: TopicTree, shelf: IndexWriter, known: IndexContents, *, whole: bool
    ) -> None:
        self._portal = portal
        self._lineages = _lineages(tree)
        self._shelf = shelf
        self._anchored = dict(zip(known.pages.tolist(), known.anchor_stamps.tolist(), strict=True))
        self._stamps = dict(zip(known.pages.tolist(), known.stamps.tolist(), strict=True))
        self._whole = whole
        self._written = self._waiting = 0

    def write(self, plan: PendingChanges, told: ProgressCallback) -> int:
        """Returns how many pages were written."""
        self._stamps.update(zip(plan.to_write, plan.stamps, strict=True))
        self._shelf.write((), plan.to_remove)
        done: set[int] = set(plan.to_write)
        for start in range(0, len(plan.to_write), ANCHOR_BATCH_PAGES):
            chunk = plan.to_write[start : start + ANCHOR_BATCH_PAGES]
            gathered = self._gathered(chunk) if len(chunk) * ALL_LINKS_FRACTION >= plan.page_count else None
            for at in range(0, len(chunk), READ_BATCH_PAGES):
                self._write_part(chunk[at : at + READ_BATCH_PAGES], gathered, done)
                told(min(start + at + READ_BATCH_PAGES, len(plan.to_write)), len(plan.to_write))
        self._commit()
        return self._written

    def _write_part(self, part: Sequence[PageId], gathered: Mapping[int, str] | None, done: set[int]) -> None:
        with self._portal.store.reading() as session:
            found = materials_of(session, part, TERMS, spelled)
            if gathered is None:
                said = list(anchors_to(session, [one.url_id for one in found], _LINKS))
            else:
                said = [gathered.get(one.url_id, "") for one in found]
            self._put(found, said)
            self._waiting += len(part) + self._reanchor(session, part, done)
        if self._waiting >= COMMIT_PAGES and not self._whole:
            self._commit()

    def _gathered(self, chunk: Sequence[PageId]) -> dict[int, str]:
        """What links say to each of these pages, by the numbers of their URLs."""
        with self._portal.store.reading() as session:
            wanted = np.array(sorted(url_ids_of(session, chunk).values()), np.int64)
            said = anchors_to_all(session, wanted, _LINKS)
        return {
            url: "\n".join(anchors) for url, anchors in zip(wanted.tolist(), said, strict=True) if anchors
        }

    def _put(self, found: Sequence[Material], said: Sequence[str]) -> None:
        entries = indexed_pages(self._lineages, found, said, self._stamps)
        self._shelf.write(entries, [one.page for one in found if one.page in self._anchored])

    def _reanchor(self, session: Session, part: Sequence[PageId], done: set[int]) -> int:
        """Write those pages again that these link to, if what is said of them is new. Returns how many.

        They are committed together with the pages that have the links: a kill separates neither.
        """
        if not self._anchored:
            return 0
        targets = pages_linked_from(session, part).tolist()
        ahead = [PageId(page) for page in targets if page in self._anchored and page not in done]
        done.update(ahead)
        urls = url_ids_of(session, ahead)
        said = dict(zip(urls, anchors_to(session, urls.values(), _LINKS), strict=True))
        changed = [page for page in urls if _mark(_anchors(said[page])) != self._anchored[page]]
        for at in range(0, len(changed), READ_BATCH_PAGES):
            found = materials_of(session, changed[at : at + READ_BATCH_PAGES], TERMS, spelled)
            self._put(found, [said[one.page] for one in found])
        return len(changed)

    def _commit(self) -> None:
        self._shelf.commit()
        self._written, self._waiting = self._written + self._waiting, 0


# --- pages as the index sees them -----------------------------------------------------------------------


def topic_keys(tree: TopicTree) -> dict[int, int]:
    """A number for each topic and all above it: when a topic is moved, its pages are others to the index."""
    return {topic: crc32(" ".join(lineage).encode()) + 1 for topic, lineage in _lineages(tree).items()}


def _lineages(tree: TopicTree) -> dict[int, tuple[str, ...]]:
    """Each topic and all above it, as the index names them; the root is every page that is on any."""
    return {topic.id: tuple(_lineage(tree, topic.id)) for topic in tree}


def _lineage(tree: TopicTree, topic: TopicId) -> Iterator[str]:
    here: TopicId | None = topic
    while here is not None:
        yield topic_term(here)
        here = tree[here].parent


def topic_term(topic: TopicId) -> str:
    return str(int(topic))


def _stamps(marks: Marks, keys: Mapping[int, int]) -> Prints:
    different, places = np.unique(marks.topics, return_inverse=True)
    topics = np.array([keys.get(topic, 0) for topic in different.tolist()], np.uint64)[places]
    times = marks.fetched_at.view(np.uint64)
    stamps: Prints = (times * _ODD ^ marks.fingerprints.view(np.uint64)) * _MIX + topics
    return stamps


def indexed_pages(
    lineages: Mapping[int, tuple[str, ...]],
    found: Sequence[Material],
    said: Sequence[str],
    stamps: Mapping[int, int],
) -> list[IndexedPage]:
    """Pages as the index sees them, of what the store has, their texts `spelled`, of what links to each say,
    and of their stamps."""
    return [
        _with_stems(_entry(one, anchors, lineages.get(one.topic, ()), stamps[one.page]), one, anchors)
        for one, anchors in zip(found, map(_anchors, said), strict=True)
    ]


def _entry(one: Material, anchors: str, topics: tuple[str, ...], stamp: int) -> IndexedPage:
    return IndexedPage(
        page=one.page,
        stamp=stamp,
        anchor_stamp=_mark(anchors),
        title=lettered(one.title[:_MAX_TITLE]),
        headings=spaced(one.text.headings[:_MAX_HEADINGS]),
        main=spaced(one.text.main[:_MAX_TEXT]),
        rest=spaced(one.text.rest[:_MAX_TEXT]),
        anchor=lettered(anchors),
        url=lettered(unquote(one.url.partition("://")[2])),
        sites=_sites(one.url),
        topics=topics,
        language=one.language or NO_LANGUAGE,
        types=type_names(one.mime),
        date=int(one.fetched_at),
        fingerprint=one.fingerprint % (1 << 64),
    )


def _mark(anchors: str) -> int:
    """By what it is seen that links say something new."""
    return crc32(anchors.encode("utf-8", "replace")) if anchors else _NO_ANCHORS


def _stems_of(one: Material) -> str:
    """The stems of a page, each as often as the page has it; their order does not matter."""
    bag = unpack(one.vector)
    return hex_stems(np.repeat(bag.terms, np.minimum(bag.counts, _MAX_COUNT)))


def _with_stems(entry: IndexedPage, one: Material, anchors: str) -> IndexedPage:
    """The same, if need be with its stems."""
    if is_rooted(one.language):
        return entry
    texts = [one.title[:_MAX_TITLE], one.text.headings[:_MAX_HEADINGS], anchors]
    title, headings, anchor = map(hex_stems, sequences_of(texts, one.language))
    return replace(
        entry, stems=_stems_of(one), title_stems=title, heading_stems=headings, anchor_stems=anchor
    )


def _anchors(said: str) -> str:
    """What links say, each once; a line each, as they came."""
    different = [anchor for anchor in dict.fromkeys(said.split("\n")) if anchor]
    return "\n".join(anchor[:_MAX_ANCHOR] for anchor in different)


def _sites(url: str) -> tuple[str, ...]:
    """The host, and the domains that it belongs to: a page of www.example.org is found at example.org."""
    host = host_of(url)
    if host.startswith("[") or host.replace(".", "").isdigit():
        return (host,)
    steps = host.split(".")
    return tuple(".".join(steps[at:]) for at in range(max(1, len(steps) - 1)))


def type_names(mime: str) -> tuple[str, ...]:
    """What a type is called: by its proper name, and last as people call it."""
    proper = mime.casefold()[:100]
    if not proper:
        return ()
    return tuple(dict.fromkeys((proper, _TYPES.get(proper) or proper.rpartition("/")[2])))
