"""The labelled pages of a web, in every feature space."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.documents.features.spaces import PAIRS, SPACES, TERMS, Sample, Surroundings
from motherlode.documents.text.terms import Bag, unpack
from motherlode.fetch.content_codings import decoded
from motherlode.lab.generated.dice import Dice
from motherlode.lab.labels import Labels, within
from motherlode.lab.web import LabWeb
from motherlode.learning.scorer import BagBatch
from motherlode.records import BadInputError, Document

Mask = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]  # is told how much of how much is done

MOST = 20_000  # pages that are read, those with labels first
_ANCHORS = 100  # links to a page whose words are read
_NEIGHBOURS = 20  # pages before it and behind it, each
_MAX_BODY = 50 * 2**20
_ITSELF = frozenset({TERMS, PAIRS})  # the spaces that need nothing but the page


class LabelledPage(Struct, frozen=True):
    """A page, the topics that it is labelled with, and its terms in each space."""

    url: str
    topics: frozenset[str]
    sample: Sample


class LabelledPages:
    """Pages by number, in the order of their URLs."""

    def __init__(self, pages: Iterable[LabelledPage]) -> None:
        self.pages = tuple(pages)

    def __len__(self) -> int:
        return len(self.pages)

    def samples(self, places: Iterable[int]) -> list[Sample]:
        return [self.pages[place].sample for place in places]

    def labelled(self, topic: str) -> list[int]:
        """The pages that have exactly this label."""
        return [place for place, page in enumerate(self.pages) if topic in page.topics]

    def on(self, topic: str) -> Mask:
        """Whether each page is on a topic or one of its sub-topics."""
        return np.array(
            [any(within(path, topic) for path in page.topics) for page in self.pages], bool
        )

    @cached_property
    def batches(self) -> dict[str, BagBatch]:
        """All pages, ready to be judged in each space; every method judges them."""
        spaces = self.pages[0].sample if self.pages else ()
        return {
            space: BagBatch.from_bags([page.sample[space] for page in self.pages])
            for space in spaces
        }


def silent(_done: int, _everything: int) -> None:
    """Tell nobody."""


def read_pages(
    web: LabWeb, labels: Labels, spaces: Collection[str], told: Progress = silent
) -> LabelledPages:
    """The labelled pages of a web.

    What links say and what is next to a page is known as far as pages are read: where a space wants
    to know it, those without labels are read, too.
    """
    topics_of = dict(labels.items())
    if not topics_of:
        raise BadInputError("There are no labels in this web, so nothing can be learned from it.")
    chosen = _chosen(topics_of)
    if not set(spaces) <= _ITSELF:
        chosen += [url for url in web.urls() if url not in topics_of][: max(MOST - len(chosen), 0)]
    readings = _Readings(chosen, spaces)
    for done, url in enumerate(chosen):
        told(done, len(chosen))
        readings.add(url, document_at(web, url), labelled=url in topics_of)
    told(len(chosen), len(chosen))
    return LabelledPages(
        LabelledPage(url, topics_of[url], readings.sample(url))
        for url in sorted(topics_of)
        if url in readings
    )


def _chosen(topics_of: Mapping[str, object]) -> list[str]:
    """All labelled pages, or so many of them by chance."""
    urls = sorted(topics_of)
    dice = Dice("labelled pages")
    while len(urls) > MOST:
        urls.pop(dice.below(len(urls)))
    return urls


def document_at(web: LabWeb, url: str) -> Document | None:
    said = web.answer(url)
    if said is None or said.status != 200:  # noqa: PLR2004 - a document
        return None
    try:
        body = decoded(said.body, said.header("content-encoding"), _MAX_BODY)
    except ValueError:
        return None
    return analyse_one(Raw(url, body, content_type=said.header("content-type")))


class _Readings:
    """What was read so far; texts are not kept."""

    def __init__(self, known: Iterable[str], spaces: Collection[str]) -> None:
        self._known = frozenset(known)
        self._spaces = spaces
        self._languages: dict[str, str] = {}
        self._samples: dict[str, dict[str, Bag]] = {}
        self._terms: dict[str, Bag] = {}
        self._anchors: defaultdict[str, list[str]] = defaultdict(list)
        self._before: defaultdict[str, list[str]] = defaultdict(list)
        self._behind: dict[str, list[str]] = {}

    def __contains__(self, url: str) -> bool:
        return url in self._samples

    def add(self, url: str, document: Document | None, *, labelled: bool) -> None:
        if document is None:
            return
        self._terms[url] = unpack(document.vectors[TERMS])
        self._link(url, document)
        if labelled:
            self._languages[url] = document.language
            self._samples[url] = {
                space: SPACES[space](document, Surroundings(url))
                for space in self._spaces
                if space in _ITSELF and space != TERMS
            }

    def sample(self, url: str) -> dict[str, Bag]:
        """A labelled page in each space, when all have been read."""
        around = dict.fromkeys((*self._before[url], *self._behind[url]))
        neighbours = tuple(self._terms[one] for one in around if one in self._terms)
        surroundings = Surroundings(url, tuple(self._anchors[url]), neighbours)
        bare = Document(language=self._languages[url])
        made = {TERMS: self._terms[url], **self._samples[url]}
        return {
            space: made[space] if space in made else SPACES[space](bare, surroundings)
            for space in self._spaces
        }

    def _link(self, url: str, document: Document) -> None:
        targets = [link for link in document.links if link.url in self._known and link.url != url]
        self._behind[url] = list(dict.fromkeys(link.url for link in targets))[:_NEIGHBOURS]
        for link in targets:
            if link.anchor and len(self._anchors[link.url]) < _ANCHORS:
                self._anchors[link.url].append(link.anchor)
        for target in dict.fromkeys(link.url for link in targets):
            if len(self._before[target]) < _NEIGHBOURS:
                self._before[target].append(url)


def bags_in(space: str, samples: Sequence[Sample]) -> list[Bag]:
    """Documents in one space; one that is not known there is empty."""
    return [sample.get(space, EMPTY) for sample in samples]


EMPTY = Bag(np.array([], np.uint32), np.array([], np.uint32))
