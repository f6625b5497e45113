"""A classifier for a tree of topics (BINGO!, sections 2.4 and 3.5; SPEC B7, B8, B19).

Each topic has one plane in each feature space. It separates the documents of the topic from those
of its siblings and of the parent's OTHERS. A document starts at the root. At each level it goes to
the accepting topic of highest confidence, or to that parent's OTHERS if none accepts it. Several
feature spaces decide by a voting rule. Where word meanings are known, they help the plane for
terms.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Self

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag
from motherlode.learning.calibration import probabilities
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.options import SETTINGS, SettingName, TrainingSettings, VotingRule
from motherlode.learning.plane_distances import Mask, PlaneDistances, combine_spaces
from motherlode.learning.planes import PlaneGroup, TopicPlane, fit_plane_groups, is_consistent
from motherlode.learning.scorer import BagBatch, Scorer
from motherlode.learning.site_profiles import Profiles
from motherlode.learning.term_evidence import (
    SEMANTIC,
    SITES,
    WHOLE_DOCUMENT,
    characteristic_terms,
    semantic_contribution,
    site_contribution,
    term_contributions_to,
)

VERSION = 3
ROOT = 1
DEFAULT = SETTINGS[SettingName.DEFAULT]


class TopicVerdict(Struct, frozen=True):
    """The topic of a document, and its confidence: the distance to the plane of that topic.

    With `others`, no topic below this one accepts the document. At the root, the confidence is then
    that of the nearest topic. The probability is calibrated; None if no topic accepts the document.
    """

    topic: int
    confidence: float
    others: bool = False
    probability: float | None = None


class TopicVerdicts(Struct, frozen=True):
    """Topic, confidence, OTHERS flag and probability of several documents, as arrays."""

    topics: Ints
    confidences: Floats
    others: Mask
    probabilities: Floats  # NaN: no topic accepts the document


class _PackedTree(Struct, frozen=True):
    version: int
    spaces: dict[str, tuple[PlaneGroup, ...]]
    rule: VotingRule
    meanings: str = ""


class TreeClassifier:
    """A classifier that is fitted on the documents of each topic and judges many documents at once.

    `meanings` is a table of word meanings; without it, words are compared as they are. A classifier
    that was fitted with a table needs it again after unpacking: `meanings_digest` names the table.
    """

    def __init__(
        self,
        settings: TrainingSettings = DEFAULT,
        spaces: Sequence[str] = (TERMS,),
        rule: VotingRule = VotingRule.WEIGHTED,
        meanings: Meanings | None = None,
    ) -> None:
        self.settings = settings
        self.spaces = spaces
        self.rule = rule
        self.meanings = meanings
        self.meanings_digest = meanings.digest if meanings is not None else ""

    def fit(
        self,
        parents: Mapping[int, int],
        documents: Mapping[int, Sequence[Sample]],
        others: Mapping[int, Sequence[Sample]] | None = None,
    ) -> Self:
        """Fit a plane for each topic and space.

        `parents` has the parent of each topic, `documents` the training documents of each topic,
        and `others` the documents of each parent's OTHERS.
        """
        subtrees = _documents_by_subtree(parents, documents)
        self.groups_: dict[str, tuple[PlaneGroup, ...]] = {
            space: tuple(
                group
                for parent in sorted(set(parents.values()))
                for group in fit_plane_groups(
                    parent,
                    {
                        topic: _bags_in_space(space, subtrees[topic])
                        for topic in parents
                        if parents[topic] == parent
                    },
                    _bags_in_space(space, (others or {}).get(parent, ())),
                    self.settings,
                    self.meanings if space == TERMS else None,
                )
            )
            for space in self.spaces
        }
        return self

    def judge(self, samples: Sequence[Sample]) -> list[TopicVerdict]:
        """Return the verdict for each document."""
        return self.judge_batches(make_batches(samples, self.groups_), len(samples))

    def judge_batches(self, batches: Mapping[str, BagBatch], count: int) -> list[TopicVerdict]:
        """Return the verdicts for the first `count` documents of prepared batches."""
        verdicts = self.judge_rows(batches, np.arange(count))
        columns = (
            verdicts.topics,
            verdicts.confidences,
            verdicts.others,
            verdicts.probabilities,
        )
        return [
            TopicVerdict(topic, confidence, others, None if isnan(probability) else probability)
            for topic, confidence, others, probability in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]

    def judge_rows(self, batches: Mapping[str, BagBatch], rows: Ints) -> TopicVerdicts:
        """Return topic, confidence, OTHERS flag and probability for the given rows, as arrays."""
        count = len(rows)
        verdicts = TopicVerdicts(
            np.full(count, ROOT), np.zeros(count), np.zeros(count, bool), np.full(count, np.nan)
        )
        pending = [(ROOT, np.arange(count))]
        while pending:
            parent, positions = pending.pop()
            decisions = self._decide_below(parent, batches, rows[positions])
            if decisions is None:
                continue
            topics, positive, confidences, offsets = decisions
            best = np.where(positive, confidences, -np.inf).argmax(axis=1)
            each = np.arange(len(positions))
            accepted = positive[each, best]
            verdicts.topics[positions] = np.where(accepted, topics[best], parent)
            verdicts.others[positions] = ~accepted
            # A document that is rejected below an accepted topic keeps that topic's confidence.
            updated = accepted | (parent == ROOT)
            nearest = np.where(accepted, best, confidences.argmax(axis=1))
            decisive = confidences[each, nearest]
            verdicts.confidences[positions[updated]] = decisive[updated]
            verdicts.probabilities[positions[accepted]] = probabilities(
                decisive[accepted], offsets[best[accepted]]
            )
            pending += [
                (int(topics[column]), positions[accepted & (best == column)])
                for column in np.unique(best[accepted])
            ]
        return verdicts

    def distances(self, samples: Sequence[Sample], parent: int = ROOT) -> dict[int, Floats]:
        """Return the confidence of each topic below a parent for each document, accepted or not."""
        batches = make_batches(samples, self.groups_)
        return self.distances_for_rows(batches, np.arange(len(samples)), parent)

    def distances_for_rows(
        self, batches: Mapping[str, BagBatch], rows: Ints, parent: int = ROOT
    ) -> dict[int, Floats]:
        """Return the confidence of each topic below a parent for rows of prepared batches."""
        decisions = self._decide_below(parent, batches, rows)
        if decisions is None:
            return {}
        topics, _, confidences, _ = decisions
        return {int(topic): confidences[:, column] for column, topic in enumerate(topics)}

    def topic_probabilities(
        self, samples: Sequence[Sample], parent: int = ROOT
    ) -> dict[int, Floats]:
        """Return the probability of each topic below a parent for each document."""
        batches = make_batches(samples, self.groups_)
        decisions = self._decide_below(parent, batches, np.arange(len(samples)))
        if decisions is None:
            return {}
        topics, _, confidences, offsets = decisions
        values = probabilities(confidences, offsets)
        return {int(topic): values[:, column] for column, topic in enumerate(topics)}

    def with_groups_of(self, other: "TreeClassifier", parents: Collection[int]) -> "TreeClassifier":
        """Return this classifier with the planes below these parents from another one."""
        combined = TreeClassifier(self.settings, self.spaces, self.rule)
        combined.__dict__.update(self.__getstate__())
        combined.groups_ = {
            space: (
                *(group for group in groups if group.parent not in parents),
                *(group for group in other.groups_.get(space, ()) if group.parent in parents),
            )
            for space, groups in self.groups_.items()
        }
        return combined

    def with_profiles(self, profiles: Profiles, topics: Sequence[int]) -> "TreeClassifier":
        """Return this classifier with the site profiles of these topics, all below the root."""

        def profiled_group(group: PlaneGroup) -> PlaneGroup:
            if group.parent != ROOT:
                return group
            indices = [topics.index(plane.topic) for plane in group.planes]
            return replace(group, profiles=profiles.only(indices))

        profiled = TreeClassifier(self.settings, self.spaces, self.rule)
        profiled.__dict__.update(self.__getstate__())
        profiled.groups_ = {
            space: tuple(map(profiled_group, groups)) if space == TERMS else groups
            for space, groups in self.groups_.items()
        }
        return profiled

    @property
    def parents(self) -> dict[int, int]:
        """The parent of each topic that has a plane."""
        groups = (group for groups in self.groups_.values() for group in groups)
        return {plane.topic: group.parent for group in groups for plane in group.planes}

    def planes(self, topic: int) -> dict[str, TopicPlane]:
        """Return the topic's plane in each space that has one."""
        return {
            space: plane for space in self.groups_ for _, plane in self._planes_in(space, topic)
        }

    def explain(self, sample: Sample, topic: int) -> list[tuple[str, int, float]]:
        """Return the part of each term in a document's distance from a plane, the largest first.

        Each entry is a space, a term and its part. The part of the document's meaning has the space
        `SEMANTIC` and the term `WHOLE_DOCUMENT`, and that of its site the space `SITES`.
        """
        contributions = [
            (space, term, part)
            for space in self.groups_
            for group, plane in self._planes_in(space, topic)
            for term, part in term_contributions_to(sample.get(space), group, plane)
        ]
        # Neither meaning nor site counts for a document without a known term.
        for group, plane in self._planes_in(TERMS, topic) if contributions else ():
            bag = sample.get(TERMS, _EMPTY_BAG)
            wholes = {SITES: site_contribution(bag, group, plane)}
            if self.meanings is not None:
                wholes[SEMANTIC] = semantic_contribution(bag, group, plane, self.meanings)
            contributions += [
                (space, WHOLE_DOCUMENT, part) for space, part in wholes.items() if part is not None
            ]
        return sorted(contributions, key=lambda contribution: -abs(contribution[2]))

    def characteristic(
        self,
        topic: int,
        space: str = TERMS,
        limit: int = 20,
    ) -> list[tuple[int, float]]:
        """Return the terms of highest positive weight for a topic, with their weights."""
        for group, plane in self._planes_in(space, topic):
            return characteristic_terms(group, plane, limit)
        return []

    def _planes_in(self, space: str, topic: int) -> Iterator[tuple[PlaneGroup, TopicPlane]]:
        """Yield the planes of a topic in a space, each with its group."""
        for group in self.groups_.get(space, ()):
            for plane in group.planes:
                if plane.topic == topic:
                    yield group, plane

    def pack(self) -> bytes:
        """Return the model as bytes, with its version."""
        packed = _PackedTree(
            version=VERSION,
            spaces=self.groups_,
            rule=self.rule,
            meanings=self.meanings_digest,
        )
        return msgspec.msgpack.encode(packed)

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Return the model that was packed.

        Raises `ValueError` for a model of another version, and for bytes that are not a model.
        """
        try:
            version = msgspec.msgpack.decode(packed, type=dict).get("version")
            if version != VERSION:
                raise ValueError(f"a model of version {version}; this Motherlode knows {VERSION}")
            model = msgspec.msgpack.decode(packed, type=_PackedTree)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"no model: {error}") from error
        groups = [group for groups in model.spaces.values() for group in groups]
        if not all(map(is_consistent, groups)):
            raise ValueError("no model: its features and weights do not belong together")
        tree = cls(spaces=tuple(model.spaces), rule=model.rule)
        tree.groups_ = model.spaces
        tree.meanings_digest = model.meanings
        return tree

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_scorers"}

    def plane_distances(
        self, parent: int, batches: Mapping[str, BagBatch], rows: Ints
    ) -> PlaneDistances | None:
        """Return the distances of documents from the planes below a parent; None without planes."""
        scorers = self._scorers_by_parent().get(parent)
        if not scorers or not len(rows):
            return None
        topics = np.unique(np.concatenate([scorer.topics for _, scorer in scorers]))
        spaces = tuple(dict.fromkeys(space for space, _ in scorers))
        distances = np.full((len(spaces), len(rows), len(topics)), np.nan)
        precisions = np.zeros((len(spaces), len(topics)))
        offsets = np.full((len(spaces), len(topics)), np.nan)
        for space, scorer in scorers:
            columns = np.searchsorted(topics, scorer.topics)
            row = spaces.index(space)
            distances[row][:, columns] = scorer.distances(batches[space], rows, self.meanings)
            precisions[row, columns] = scorer.precisions
            offsets[row, columns] = scorer.offsets
        return PlaneDistances(spaces, topics, distances, precisions, offsets)

    def _decide_below(
        self, parent: int, batches: Mapping[str, BagBatch], rows: Ints
    ) -> tuple[Ints, Mask, Floats, Floats] | None:
        """Return the topics below a parent, their decisions, confidences and offsets."""
        distances = self.plane_distances(parent, batches, rows)
        if distances is None:
            return None
        positive, confidences = combine_spaces(distances, self.rule)
        return distances.topics, positive, confidences, distances.mean_offsets()

    def _scorers_by_parent(self) -> dict[int, list[tuple[str, Scorer]]]:
        """Return the scorers, made at first use: they are large and are not pickled."""
        scorers: dict[int, list[tuple[str, Scorer]]] | None = self.__dict__.get("_scorers")
        if scorers is None:
            scorers = {}
            for space, groups in self.groups_.items():
                for group in groups:
                    if group.planes:
                        scorers.setdefault(group.parent, []).append((space, Scorer(group)))
            self._scorers = scorers
        return scorers


def make_batches(samples: Sequence[Sample], spaces: Iterable[str]) -> dict[str, BagBatch]:
    """Return a batch for each space, for any classifier that knows these spaces."""
    return {space: BagBatch.from_bags(_bags_in_space(space, samples)) for space in spaces}


def _bags_in_space(space: str, samples: Sequence[Sample]) -> list[Bag]:
    return [sample.get(space, _EMPTY_BAG) for sample in samples]


_EMPTY_BAG = Bag(np.array([], np.uint32), np.array([], np.uint32))


def _documents_by_subtree(
    parents: Mapping[int, int], documents: Mapping[int, Sequence[Sample]]
) -> dict[int, list[Sample]]:
    """Return the documents of each topic, including those of all topics below it."""
    by_topic: dict[int, list[Sample]] = {topic: [] for topic in parents}
    for topic, samples in documents.items():
        ancestor = topic
        while ancestor in by_topic:
            by_topic[ancestor] += samples
            ancestor = parents[ancestor]
    return by_topic
