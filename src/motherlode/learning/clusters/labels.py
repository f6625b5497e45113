"""Labels of clusters: the phrases that tell the documents of a cluster from all others.

The score of a phrase follows mutual information (SPEC B6): its share in the cluster, times the
logarithm of its ratio to the share elsewhere, where a share is the mean salience. A phrase that
stands mostly within a longer one is left out, as by the C-value (Frantzi, Ananiadou and Mima, IJDL
3, 2000).
"""

import math
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from motherlode.learning.clusters.salience import LabelledDocument, PhraseStatistics, Saliences

MAX_PHRASES = 8  # of a cluster
_MIN_DOCUMENTS = 2  # of a cluster that have the phrase
_FULL_COVERAGE = 0.3  # of a cluster's documents; a phrase of fewer is about some of them only
_LENGTH_BONUS = 0.2  # for each word beyond the first
_ABSORBED = 0.6  # of a phrase's weight, if a longer phrase with it has as much
_OVERLAP_PENALTY = 0.5  # for documents that an earlier phrase of the label covers
_ENOUGH_COVERAGE = 0.6  # of a cluster's documents that have the first phrase
_SECOND_SHARE = 0.4  # of the first phrase's score, from which on the second is worth its place
_MIN_ROOT_CHARS = 5
_ROOT_SHARE = 0.7  # of the shorter word
_CANDIDATES = 60  # with the best scores, from which a label is chosen


class ClusterLabel(Struct, frozen=True):
    """The phrases of a cluster, the best first; `name` has the one or two that it is called by."""

    phrases: tuple[str, ...] = ()
    name: tuple[str, ...] = ()


def cluster_labels(
    documents: Sequence[LabelledDocument], clusters: Sequence[int], number: int
) -> list[ClusterLabel]:
    """Return the labels of `number` clusters; `clusters` has the cluster of each document."""
    statistics = PhraseStatistics().fit(documents)
    members: list[set[int]] = [set() for _ in range(number)]
    for place, cluster in enumerate(clusters):
        members[cluster].add(place)
    return [_Labeller(statistics, own).label() if own else ClusterLabel() for own in members]


class _Labeller:
    """Finds the label of one cluster, against all other documents."""

    def __init__(self, statistics: PhraseStatistics, members: Collection[int]) -> None:
        self._statistics = statistics
        self._saliences = statistics.saliences_
        self._members = members
        self._hosts = len(self._hosts_of(members))

    def label(self) -> ClusterLabel:
        scores = {key: self._score(key) for key in self._saliences}
        best = sorted(
            (key for key in scores if scores[key] > 0), key=lambda key: (-scores[key], key)
        )
        candidates = [key for key in best[:_CANDIDATES] if not self._is_absorbed(key)]
        chosen = list(self._choose(candidates, scores))
        phrases = tuple(self._statistics.form(key) for key, _ in chosen)
        return ClusterLabel(phrases, phrases[: self._name_length(chosen)])

    def _name_length(self, chosen: Sequence[tuple[str, float]]) -> int:
        """Return 1 if the first phrase says nearly all, else 2."""
        if len(chosen) < 2:  # noqa: PLR2004 - there is no second phrase
            return len(chosen)
        (first, best), (_, second) = chosen[:2]
        is_covering = len(self._inside(first)) >= _ENOUGH_COVERAGE * len(self._members)
        return 1 if is_covering and second < _SECOND_SHARE * best else 2

    def _score(self, key: str) -> float:
        inside = self._inside(key)
        if len(inside) < min(_MIN_DOCUMENTS, len(self._members)):
            return 0.0
        size = len(self._members)
        coverage = min(1.0, len(inside) / (_FULL_COVERAGE * size))
        host_share = len(self._hosts_of(inside)) / self._hosts
        # Words that are seldom names are verbs and adjectives, as a rule.
        nameness = min(1.0, self._statistics.naming_[key] / len(self._saliences[key]))
        length = 1 + _LENGTH_BONUS * key.count(" ")
        share = self._weight(key) / size
        return share * self._contrast(key) * coverage * math.sqrt(host_share * nameness) * length

    def _contrast(self, key: str) -> float:
        """Return the logarithm of share here to share elsewhere; 1 if nothing is elsewhere."""
        others = len(self._statistics.hosts_) - len(self._members)
        if not others:
            return 1.0
        weight = self._weight(key)
        here = (weight + 0.5) / (len(self._members) + 1)
        elsewhere = (sum(self._saliences[key].values()) - weight + 0.5) / (others + 1)
        return max(math.log(here / elsewhere), 0.0)

    def _inside(self, key: str) -> list[int]:
        """Return the documents of the cluster that have a phrase."""
        return [place for place in self._saliences[key] if place in self._members]

    def _weight(self, key: str) -> float:
        return sum(self._saliences[key][place] for place in self._inside(key))

    def _hosts_of(self, places: Collection[int]) -> set[str]:
        return {self._statistics.hosts_[place] for place in places}

    def _is_absorbed(self, key: str) -> bool:
        """Return whether a phrase stands mostly within a longer one, as "War" in "World War II"."""
        least = _ABSORBED * self._weight(key)
        longer = self._statistics.longer_.get(key, ())
        return any(self._weight(other) >= least for other in longer if other in self._saliences)

    def _choose(self, keys: Sequence[str], scores: dict[str, float]) -> Iterator[tuple[str, float]]:
        """Yield unrelated phrases, preferring those of documents not covered before.

        With each comes its score beside the phrases before it.
        """
        covered: Saliences = {}
        remaining = list(keys)
        for _ in range(MAX_PHRASES):
            if not remaining:
                return
            gains = {key: scores[key] * self._gain(key, covered) for key in remaining}
            chosen = max(gains, key=gains.__getitem__)
            yield chosen, gains[chosen]
            for place, salience in self._saliences[chosen].items():
                covered[place] = max(salience, covered.get(place, 0.0))
            remaining = [key for key in remaining if not _are_related(key, chosen)]

    def _gain(self, key: str, covered: Saliences) -> float:
        """Return the share of a phrase's weight that counts beside the phrases chosen before."""
        saliences, inside = self._saliences[key], self._inside(key)
        lost = sum(saliences[place] * covered.get(place, 0.0) for place in inside)
        return 1 - _OVERLAP_PENALTY * lost / sum(saliences[place] for place in inside)


def _are_related(first: str, second: str) -> bool:
    """Return whether two phrases have a word in common, or words such as Buddhism and Buddhist."""
    return any(_have_same_root(word, other) for word in first.split() for other in second.split())


def _have_same_root(first: str, second: str) -> bool:
    shorter = min(len(first), len(second))
    root = max(_MIN_ROOT_CHARS, math.ceil(_ROOT_SHARE * shorter))
    return first == second or (shorter >= root and first[:root] == second[:root])
