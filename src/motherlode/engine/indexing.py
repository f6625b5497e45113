"""The search index, made of what the store has and brought up to date with it (SPEC B20).

What has changed is seen by comparing, page by page, what the store says with what the index says it was made
of. So it does not matter what happened in between: a crawl, a lesson, a kill, a restored copy. Every page is
read and stamped in one transaction; parts are committed as they are done, and each is right by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from unicodedata import normalize
from urllib.parse import unquote
from zlib import crc32

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.ideographs import spaced
from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import sequences_of, unpack
from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.records import PageId, ReadOnlyError, TopicId
from motherlode.search.index import NOTHING, Indexed, Known, PageIndex, Shelf, shelf_in
from motherlode.store.indexed import Marks, Material, marks_of, materials_of, pages_linked_from
from motherlode.store.pages import anchors_to
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.urls import host_of

INDEX = "index"
NO_LANGUAGE = "und"
_AT_ONCE = 500  # pages that are read at once
_COMMIT = 20_000  # pages that are committed together
_MAX_TEXT = 200_000  # characters of a page
_MAX_TITLE = 1_000
_MAX_COUNT = 16  # how often a stem of a page counts; BM25 hardly sees more
_LINKS = 20  # links to a page that are looked at; what they say is kept, each once
_MAX_ANCHOR = 200
_NO_ANCHORS = 0
_SOFT_HYPHEN = "\N{SOFT HYPHEN}"
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
Telling = Callable[[int, int], object]  # told how many pages of how many are done


class Renewal(Struct, frozen=True):
    """What was done to an index: pages written, taken out, and how many it holds now."""

    written: int
    removed: int
    pages: int
    seconds: float


class Plan(Struct, frozen=True):
    """What an index lacks: pages to write, because they are new or were changed, and pages to take out."""

    fresh: tuple[PageId, ...]
    gone: tuple[PageId, ...]

    @property
    def changes(self) -> int:
        return len(self.fresh) + len(self.gone)


def place_of(portal: Portal) -> Path:
    return portal.path / INDEX


def lacking(session: Session, tree: TopicTree, known: Known) -> Plan:
    """In what an index that knows this is behind the store."""
    marks = marks_of(session)
    stamps = _stamps(marks, topic_keys(tree)).tolist()
    told = dict(zip(known.pages.tolist(), known.stamps.tolist(), strict=True))
    fresh = [
        page
        for page, stamp in zip(marks.pages.tolist(), stamps, strict=True)
        if told.pop(page, None) != stamp
    ]
    return Plan(tuple(map(PageId, sorted(fresh))), tuple(map(PageId, sorted(told))))


def renew(portal: Portal, *, rebuild: bool = False, told: Telling = lambda _done, _of: None) -> Renewal:
    """Bring the index up to date, or make it anew; whoever searches meanwhile sees what was there before.

    Raises `LockedError` while another process does so, `ReadOnlyError` where nothing can be written.
    """
    start = perf_counter()
    place = place_of(portal)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise ReadOnlyError(f"{place} cannot be made: {error.strerror or error}.") from error
    with PortalLock(place, "lode index"):
        tree = portal.tree()
        index = PageIndex.open(place)
        known = NOTHING if index is None or rebuild else index.known()
        with portal.store.reading() as session:
            plan = lacking(session, tree, known)
        written = 0
        if plan.changes or index is None or rebuild:
            with shelf_in(place, anew=index is None) as shelf:
                if rebuild:
                    shelf.clear()
                written = _Writing(portal, tree, shelf, known, whole=rebuild).write(plan, told)
        now = PageIndex.open(place)
        return Renewal(written, len(plan.gone), now.size if now else 0, perf_counter() - start)


class _Writing:
    """Pages on their way into an index. With `whole`, all of it is committed in the end, or nothing."""

    def __init__(self, portal: Portal, tree: TopicTree, shelf: Shelf, known: Known, *, whole: bool) -> None:
        self._portal = portal
        self._tree = tree
        self._shelf = shelf
        self._anchored = dict(zip(known.pages.tolist(), known.anchored.tolist(), strict=True))
        self._whole = whole
        self._keys = topic_keys(tree)

    def write(self, plan: Plan, told: Telling) -> int:
        """Returns how many pages were written."""
        done: set[int] = set(plan.fresh)
        self._shelf.put((), plan.gone)
        written = waiting = 0
        for start in range(0, len(plan.fresh), _AT_ONCE):
            part = plan.fresh[start : start + _AT_ONCE]
            with self._portal.store.reading() as session:
                self._put(entries_of(session, self._tree, self._keys, part), part)
                waiting += len(part) + self._reanchor(session, part, done)
            told(start + len(part), len(plan.fresh))
            if waiting >= _COMMIT and not self._whole:
                self._shelf.commit()
                written, waiting = written + waiting, 0
        self._shelf.commit()
        return written + waiting

    def _put(self, entries: Sequence[Indexed], pages: Sequence[int]) -> None:
        self._shelf.put(entries, [PageId(page) for page in pages if page in self._anchored])

    def _reanchor(self, session: Session, part: Sequence[PageId], done: set[int]) -> int:
        """Write those pages again that these link to, if what is said of them is new. Returns how many.

        They are committed together with the pages that have the links: a kill separates neither.
        """
        if not self._anchored:
            return 0
        targets = pages_linked_from(session, part).tolist()
        ahead = [PageId(page) for page in targets if page in self._anchored and page not in done]
        done.update(ahead)
        count = 0
        for at in range(0, len(ahead), _AT_ONCE):
            found = entries_of(session, self._tree, self._keys, ahead[at : at + _AT_ONCE])
            changed = [one for one in found if one.anchored != self._anchored[one.page]]
            self._put(changed, [one.page for one in changed])
            count += len(changed)
        return count


# --- pages as the index sees them -----------------------------------------------------------------------


def topic_keys(tree: TopicTree) -> dict[int, int]:
    """A number for each topic and all above it: when a topic is moved, its pages are others to the index."""
    everyone = [topic.id for topic in tree]
    return {one: crc32(" ".join(_lineage(tree, one)).encode()) + 1 for one in everyone}


def _lineage(tree: TopicTree, topic: TopicId) -> tuple[str, ...]:
    """The topic and all above it, as the index names them; the root is every page that is on any."""
    names = []
    here: TopicId | None = topic
    while here is not None:
        names.append(topic_name(here))
        here = tree[here].parent
    return tuple(names)


def topic_name(topic: TopicId) -> str:
    return str(int(topic))


def _stamps(marks: Marks, keys: Mapping[int, int]) -> Prints:
    topics = np.array([keys.get(topic, 0) for topic in marks.topics.tolist()], np.uint64)
    times = marks.fetched_at.view(np.uint64)
    stamps: Prints = (times * _ODD ^ marks.fingerprints.view(np.uint64)) * _MIX + topics
    return stamps


def entries_of(
    session: Session, tree: TopicTree, keys: Mapping[int, int], wanted: Sequence[PageId]
) -> list[Indexed]:
    """These pages, as far as they are to be found, as the index sees them at this moment."""
    found = materials_of(session, wanted, TERMS)
    marks = Marks(
        np.array([one.page for one in found], np.int64),
        np.array([one.fetched_at for one in found], np.float64),
        np.array([one.fingerprint for one in found], np.int64),
        np.array([one.topic for one in found], np.int64),
    )
    stamps = _stamps(marks, keys).tolist()
    anchors = [_anchors(said) for said in anchors_to(session, [one.url_id for one in found], _LINKS)]
    titles = [_tidy(one.title[:_MAX_TITLE]) for one in found]
    languages = [one.language for one in found]
    titles_stemmed, anchors_stemmed = _stemmed(titles, languages), _stemmed(anchors, languages)
    return [
        Indexed(
            page=one.page,
            stamp=stamps[at],
            anchored=crc32(anchors[at].encode("utf-8", "replace")) if anchors[at] else _NO_ANCHORS,
            title=spaced(titles[at]),
            main=spaced(_tidy(one.main[:_MAX_TEXT])),
            rest=spaced(_tidy(one.rest[: max(0, _MAX_TEXT - len(one.main))])),
            anchor=spaced(anchors[at]),
            url=spaced(_tidy(unquote(one.url.partition("://")[2]))),
            stems=_stems_of(one),
            title_stems=titles_stemmed[at],
            anchor_stems=anchors_stemmed[at],
            sites=_sites(one.url),
            topics=_lineage(tree, TopicId(one.topic)) if one.topic in keys else (),
            language=one.language or NO_LANGUAGE,
            types=_types(one.mime),
            date=int(one.fetched_at),
            fingerprint=one.fingerprint % (1 << 64),
        )
        for at, one in enumerate(found)
    ]


def hexed(numbers: npt.NDArray[np.uint32]) -> str:
    """The numbers of stems as the index spells them."""
    return numbers.astype("<u4", copy=False).tobytes().hex(" ", 4)


def _stems_of(one: Material) -> str:
    """The stems of a page, each as often as the page has it; their order does not matter."""
    bag = unpack(one.vector)
    return hexed(np.repeat(bag.terms, np.minimum(bag.counts, _MAX_COUNT)))


def _stemmed(texts: Sequence[str], languages: Sequence[str]) -> list[str]:
    """The stems of each text, by its language."""
    found = [""] * len(texts)
    for language in set(languages):
        places = [at for at, spoken in enumerate(languages) if spoken == language]
        sequences = sequences_of([texts[at] for at in places], language)
        for at, sequence in zip(places, sequences, strict=True):
            found[at] = hexed(sequence)
    return found


def _anchors(said: str) -> str:
    """What links say, each once; a line each, as they came."""
    different = [anchor for anchor in dict.fromkeys(said.split("\n")) if anchor]
    return _tidy("\n".join(anchor[:_MAX_ANCHOR] for anchor in different))


def _tidy(text: str) -> str:
    """Text with every letter spelled in one way."""
    if text.isascii():
        return text
    return normalize("NFC", text.replace(_SOFT_HYPHEN, "") if _SOFT_HYPHEN in text else text)


def _sites(url: str) -> tuple[str, ...]:
    """The host, and the domains that it belongs to: a page of www.example.org is found at example.org."""
    host = host_of(url)
    if host.startswith("[") or host.replace(".", "").isdigit():
        return (host,)
    steps = host.split(".")
    return tuple(".".join(steps[at:]) for at in range(max(1, len(steps) - 1)))


def _types(mime: str) -> tuple[str, ...]:
    proper = mime.casefold()[:100]
    if not proper:
        return ()
    return tuple(dict.fromkeys((proper, _TYPES.get(proper) or proper.rpartition("/")[2])))
