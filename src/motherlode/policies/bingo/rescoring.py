"""What a new model makes of everything: of all pages, of what links promise, and of all that waits.

It goes over the whole crawl at each lesson, so it keeps to arrays, and to a few bytes for a page or a URL.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan

import numpy as np
from msgspec import Struct

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.tree import TreeClassifier
from motherlode.policies import Visit
from motherlode.policies.bingo.compiled import Singles
from motherlode.policies.bingo.link_evidence import Recollection, Told
from motherlode.policies.bingo.link_weights import Apprentice
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.steering import FRONT, LIKELY, Bingo, attend, probabilities, voices_of
from motherlode.records import ROOT, Document, Entry, Follow, Judgement, Link, PageId, TopicId, UrlId
from motherlode.store import Session, frontier
from motherlode.store.graph import LinkedPage, opening_pages
from motherlode.store.judged import on_topic
from motherlode.store.leads import addresses, open_urls, urls_of_all_pages
from motherlode.store.portions import anchors_at
from motherlode.training.corpus import Judged, Library

_AT_ONCE = 5_000
_SLIGHT = 0.002  # a rank that changes by less stays as it is: with 0.02 one topic of seven lost a sixth


class Thoughts(Struct, frozen=True):
    """What is thought of pages: their numbers, rising; the topic of each; and how sure that is."""

    pages: Ints
    topics: Ints
    confidences: Floats

    @classmethod
    def of(cls, made: Iterable[tuple[PageId, Judgement]]) -> "Thoughts":
        """Of pages that come in the order of their numbers."""
        rows = np.array([(page, said.topic, said.confidence) for page, said in made]).reshape(-1, 3)
        return cls(rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), rows[:, 2].copy())

    @classmethod
    def together(cls, parts: Iterable[Judged]) -> "Thoughts":
        """Of pages that come in the order of their numbers, some at a time."""
        made = [(one.pages, one.topics, one.confidences) for one in parts]
        if not made:
            return cls.of([])
        return cls(*(np.concatenate(column) for column in zip(*made, strict=True)))

    def __iter__(self) -> Iterator[tuple[PageId, Judgement]]:
        for page, topic, sure in zip(
            self.pages.tolist(), self.topics.tolist(), self.confidences.tolist(), strict=True
        ):
            yield PageId(page), Judgement(TopicId(topic), sure)

    def on_topic(self) -> "Thoughts":
        """Of those pages that are on any topic."""
        kept = (self.topics != ROOT) & (self.confidences > 0)
        return Thoughts(self.pages[kept], self.topics[kept], self.confidences[kept])

    def confidences_of(self, pages: Ints) -> Floats:
        """How sure the topics of these pages are; no number where nothing is thought of one."""
        if not len(self.pages):
            return np.full(len(pages), np.nan)
        near = np.minimum(self.pages.searchsorted(pages), len(self.pages) - 1)
        return np.where(self.pages[near] == pages, self.confidences[near], np.nan)

    def behind(self, entries: Sequence[Entry]) -> tuple[Ints, Floats]:
        """The topics of the pages that led to these, of those on none that of the queue; and how sure they
        are, which is no number where no page is known."""
        vias = np.array([entry.via or 0 for entry in entries], np.int64)
        queues = np.array([entry.queue for entry in entries], np.int64)
        sure = self.confidences_of(vias)
        if not len(self.pages):
            return queues, sure
        near = np.minimum(self.pages.searchsorted(vias), len(self.pages) - 1)
        return np.where((self.topics[near] != ROOT) & (sure > 0), self.topics[near], queues), sure


class Move(Struct, frozen=True, gc=False):
    """What waits, and where it waits from now on."""

    entry: Entry
    queue: TopicId
    rank: float


def recall(
    session: Session,
    book: Prospects,
    classifier: TreeClassifier,
    thoughts: Thoughts,
    library: Library,
    learns: Callable[[Ints], Ints] | None = None,
) -> None:
    """Write into the book what all pages say of the URLs that nothing has become of yet.

    Where an apprentice `learns` from these pages, the classifier has its weights afterwards, and the book
    goes by them.
    """
    pages, urls = urls_of_all_pages(session)
    outcomes = _outcomes(pages, urls, thoughts)
    waiting = Told(*open_urls(session, book.size), outcomes)
    here = learns(pages) if learns is not None else pages[:0]
    apprentice = Apprentice(session, pages[here], urls[here], outcomes)
    languages: dict[int, str] = {}
    for some in library.linked():
        sure = probabilities(thoughts.confidences_of(some.pages))
        book.note_hosts(some.keys, sure)
        for told in (waiting, apprentice.told):
            told.see(some.pages, sure, some.starts, some.targets)
        languages |= dict(zip(some.pages.tolist(), some.languages, strict=True))
    classifier.weights = apprentice.learn(session, book, voices_of(classifier), languages)
    attend(book, classifier)
    recollection = Recollection(book, waiting)
    _hear_anchors(session, recollection, waiting, languages)
    recollection.write(addresses(session, book.size))


def _outcomes(pages: Ints, urls: Ints, thoughts: Thoughts) -> Singles:
    """How likely the page at each URL is on the topic, by the URL's number; the last one is of none."""
    found = np.full(int(urls.max(initial=0)) + 2, np.nan, np.float32)
    found[urls] = probabilities(thoughts.confidences_of(pages))
    return found


def _hear_anchors(
    session: Session, recollection: Recollection, waiting: Told, languages: Mapping[int, str]
) -> None:
    """What the last link to each URL says."""
    places, pages, positions = waiting.last_links()
    links = list(zip(pages.tolist(), positions.tolist(), strict=True))
    said = anchors_at(session, links)
    by_language: dict[str, list[int]] = {}
    for at, (page, _) in enumerate(links):
        by_language.setdefault(languages[page], []).append(at)
    for language, some in by_language.items():
        recollection.hear(places[some], [said[links[at]] for at in some], language)


def opened(session: Session, policy: Bingo, thoughts: Thoughts) -> Iterator[tuple[PageId, Follow]]:
    """What is followed from pages that were on no topic before. The policy's book is written."""
    before = on_topic(session)
    fresh = {page: said for page, said in thoughts.on_topic() if page not in before}
    for page in opening_pages(session, sorted(fresh)):
        for follow in policy.steer_again(_visit(page), fresh[page.id]):
            yield page.id, follow


def moves(session: Session, policy: Bingo, thoughts: Thoughts, front: Collection[UrlId]) -> Iterator[Move]:
    """What waits elsewhere from now on, or at another rank; what is in `front` comes before the rest, if it
    is likely to be on the topic: what is there by mistake would have to be put back one by one."""
    after = None
    while found := frontier.all_waiting(session, _AT_ONCE, after):
        after = (found[-1].queue, found[-1].rank, found[-1].url_id)
        queues, ranks = policy.places_now(found, *thoughts.behind(found))
        for entry, queue, rank in zip(found, queues.tolist(), ranks.tolist(), strict=True):
            in_front = rank > LIKELY and entry.url_id in front
            placed = entry.rank if isnan(rank) else rank + FRONT * in_front
            if queue != entry.queue or abs(placed - entry.rank) > _SLIGHT:
                yield Move(entry, TopicId(queue), placed)


def _visit(page: LinkedPage) -> Visit:
    entry = Entry(page.url_id, page.url, page.key, ROOT, 0.0, page.depth, page.distance)
    links = tuple(Link(url, key, anchor, flags) for url, key, anchor, flags in page.links)
    return Visit(entry, Document(language=page.language, links=links))
