"""What all pages of a crawl have said of URLs, gone over at each lesson: of those that wait, so that they are
ranked anew; and of those that were fetched, so that the crawl learns which links to believe."""

from collections.abc import Iterable, Sequence
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from motherlode.policies.bingo import compiled
from motherlode.policies.bingo.compiled import Floats, Keys, Singles
from motherlode.policies.bingo.names import Names, Voice, both
from motherlode.policies.bingo.prospects import Prospects, logit, told_near_by

_AT_ONCE = 10_000  # names that are asked about
_VOICES = 2  # by what names mean, and by who mentions them


class Told:
    """What is told of URLs by who links to them, added up as if a book had seen the pages one by one, but
    many times as fast.

    The pages are told the latest first. So the first link to a URL that comes is the last one that was seen,
    and only its words have to be read.
    """

    def __init__(self, numbers: Keys, keys: Keys, outcomes: Singles, own: Keys | None = None) -> None:
        """`numbers` are those by which pages name these URLs, rising. It takes 4 bytes for each up to the
        last, and 56 for each that is named. `outcomes`, by number: how likely the page at a URL is on the
        topic, and no number where there is none; for a number beyond, the last one. `own`: the pages at these
        URLs, if there are any: what they say of themselves does not count."""
        self.keys = keys
        self._places = np.full(int(numbers[-1]) + 2 if len(numbers) else 1, -1, np.int32)
        self._places[numbers] = np.arange(len(numbers))
        self._outcomes = outcomes
        self._own = np.zeros(len(numbers), np.int64) if own is None else own
        self.parents, self.sure = np.zeros((2, len(numbers)), np.float32)
        self.near = np.zeros((2, len(numbers)), np.float32)  # sum and number of the outcomes near by
        self._last = np.zeros((2, len(numbers)), np.int64)  # the page that names it last, and which link does
        self._seen = np.zeros(len(numbers), np.int64)  # the page that names it first

    def see(self, pages: Keys, sure: Floats, starts: Keys, targets: npt.NDArray[Any]) -> None:
        """Pages of these numbers, the latest last, on the topic with probability `sure` (no number where that
        is unknown: they do not count), lead to these URLs: each to those between its start and the next."""
        told = (self._places, self._own, self.parents, self.sure, self._seen, self._last)
        compiled.add_up(pages, sure, (starts, targets), told, self._outcomes, self.near)

    def last_links(self) -> tuple[Keys, Keys, Keys]:
        """Of each URL that is named: its place, the page whose link was seen last, and which link it is."""
        places = np.flatnonzero(self.parents)
        return places, self._last[0, places], self._last[1, places]

    def named(self, numbers: Keys) -> tuple[Keys, Keys]:
        """Which of these URLs are named: where among the numbers they stand, and their places."""
        places = self._places.take(numbers, mode="clip")  # the last place is of nothing
        there = np.flatnonzero(places >= 0)
        there = there[self.parents[places[there]] > 0]
        return there, places[there].astype(np.int64)


class Recollection:
    """Fills a book with what is told of the URLs that it is still about."""

    def __init__(self, book: Prospects, told: Told) -> None:
        self._book, self._told = book, told
        self._anchors = np.full(len(told.keys), nan)  # what the last link says

    def hear(self, places: Keys, anchors: Sequence[str], language: str) -> None:
        """What the last links to the URLs at these places say, on pages in this language."""
        for start in range(0, len(places), _AT_ONCE):
            said = self._book.names.anchors(anchors[start : start + _AT_ONCE], language or "en")
            self._anchors[places[start : start + _AT_ONCE]] = said

    def write(self, addresses: Iterable[tuple[Keys, Sequence[str]]]) -> None:
        """Into the book, with what these addresses say, which come with their numbers; of URLs that share a
        slot the latest has it."""
        told, book = self._told, self._book
        said = both(self._anchors, np.full(len(self._anchors), nan))
        for numbers, urls in addresses:
            there, places = told.named(numbers)
            here = book.names.addresses(told.keys[places], [urls[at] for at in there.tolist()].__getitem__)
            said[places] = both(self._anchors[places], here)
        known = told.parents > 0
        keys, parents, sure = told.keys[known], told.parents[known], told.sure[known]
        near = told_near_by(told.near[:, known], book.shares(keys, parents, sure))
        book.note(keys, parents, sure, said[known], book.weights.near * near)


def evidence_of(
    book: Prospects,
    told: Told,
    became: Floats,
    voices: Sequence[Voice],
    anchors: Sequence[tuple[str, str]],
    urls: Sequence[str],
) -> Floats:
    """What would be known of those pages that links lead to, which `became` so likely to be on the topic, if
    they were not here: a row for each, by each kind of evidence (`learning.links.weights.Weights`). Only the
    words that they mention are counted with theirs; that makes no difference (docs/quality.md).

    `anchors`: what the last link to each says, and in which language; `urls`: their addresses.
    """
    places = told.last_links()[0]
    keys = told.keys[places]
    shares = book.shares(keys, told.parents[places], told.sure[places], became)
    said = [_said(Names(voice), keys, anchors, urls) for voice in voices]
    silent = [np.zeros(len(places))] * (_VOICES - len(voices))
    return np.column_stack([logit(shares), *said, *silent, told_near_by(told.near[:, places], shares)])


def _said(names: Names, keys: Keys, anchors: Sequence[tuple[str, str]], urls: Sequence[str]) -> Floats:
    """What names say, by one voice."""
    said = np.full(len(keys), nan)
    by_language: dict[str, list[int]] = {}
    for at, (_, language) in enumerate(anchors):
        by_language.setdefault(language or "en", []).append(at)
    for language, some in by_language.items():
        said[some] = names.anchors([anchors[at][0] for at in some], language)
    return both(said, names.addresses(keys, urls.__getitem__))
