"""A classifier for a tree of topics (BINGO!, sections 2.4 and 3.5; SPEC B7, B8, B19).

Each topic has one plane in each feature space. It separates the documents of the topic from those
of its siblings and of the parent's OTHERS. A document starts at the root. At each level it goes to
the accepting topic of highest confidence, or to that parent's OTHERS if none accepts it. Several
feature spaces decide by a voting rule. Where word meanings are known, they help the plane for
terms.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag
from motherlode.learning.calibration import probabilities
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.meta import combined_confidence, decide
from motherlode.learning.options import SETTINGS, SettingName, TrainingSettings, VotingRule
from motherlode.learning.planes import PlaneGroup, TopicPlane, fit_plane_groups, is_consistent
from motherlode.learning.scorer import BagBatch, Scorer
from motherlode.learning.semantic import SemanticScorer

VERSION = 3
ROOT = 1
DEFAULT = SETTINGS[SettingName.DEFAULT]
UNKNOWN_CONFIDENCE = -1.0  # of a topic whose planes know no term of the document

SEMANTIC = "semantic"  # in place of a space: the meaning of a document
WHOLE_DOCUMENT = 0  # in place of a term number: all words together

Sample = Mapping[str, Bag]  # a document: its bag in each feature space
_Mask = npt.NDArray[np.bool_]


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
    others: _Mask
    probabilities: Floats  # NaN: no topic accepts the document


class PlaneDistances(Struct, frozen=True):
    """Distances of documents from the planes of the topics below one parent, in each space.

    The axes of `distances` are space, document and topic. A value is NaN where a space has no
    known term of the document, or no plane for the topic.
    """

    spaces: tuple[str, ...]
    topics: Ints
    distances: Floats
    precisions: Floats  # by space and topic, as estimated
    offsets: Floats  # by space and topic, for the probability

    def in_spaces(self, spaces: Sequence[str]) -> "PlaneDistances":
        """Return the distances in the given spaces only."""
        rows = [row for row, space in enumerate(self.spaces) if space in spaces]
        names = tuple(self.spaces[row] for row in rows)
        return PlaneDistances(
            names, self.topics, self.distances[rows], self.precisions[rows], self.offsets[rows]
        )

    def mean_offsets(self) -> Floats:
        """Return the offset of each topic: the mean of its spaces."""
        means: Floats = np.nanmean(self.offsets, axis=0)
        return means


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

    @property
    def parents(self) -> dict[int, int]:
        """The parent of each topic that has a plane."""
        groups = (group for groups in self.groups_.values() for group in groups)
        return {plane.topic: group.parent for group in groups for plane in group.planes}

    def planes(self, topic: int) -> dict[str, TopicPlane]:
        """Return the topic's plane in each space that has one."""
        return {
            space: plane
            for space, groups in self.groups_.items()
            for group in groups
            for plane in group.planes
            if plane.topic == topic
        }

    def explain(self, sample: Sample, topic: int) -> list[tuple[str, int, float]]:
        """Return the part of each term in a document's distance from a plane, the largest first.

        Each entry is a space, a term and its part. The part of the document's meaning has the space
        `SEMANTIC` and the term `WHOLE_DOCUMENT`.
        """
        contributions = [
            (space, term, part)
            for space, groups in self.groups_.items()
            for group in groups
            for plane in group.planes
            if plane.topic == topic
            for term, part in _term_contributions(sample.get(space), group, plane)
        ]
        if contributions:  # the meaning does not count for a document without a known term
            semantic = self._semantic_contributions(sample, topic)
            contributions += [(SEMANTIC, WHOLE_DOCUMENT, part) for part in semantic]
        return sorted(contributions, key=lambda contribution: -abs(contribution[2]))

    def characteristic(
        self,
        topic: int,
        space: str = TERMS,
        limit: int = 20,
    ) -> list[tuple[int, float]]:
        """Return the terms of highest positive weight for a topic, with their weights."""
        for group in self.groups_.get(space, ()):
            for plane in group.planes:
                if plane.topic == topic:
                    features = np.frombuffer(group.features, np.uint32)
                    terms = features[np.frombuffer(plane.feature_indices, np.uint32)]
                    weights = np.frombuffer(plane.weights, np.float32)
                    best = np.argsort(-weights, kind="stable")[:limit]
                    return [(int(terms[i]), float(weights[i])) for i in best if weights[i] > 0]
        return []

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

    def _semantic_contributions(self, sample: Sample, topic: int) -> list[float]:
        """Return the part of a document's meaning, for each plane that uses meanings."""
        if self.meanings is None:
            return []
        vectors = BagBatch.from_bags(_bags_in_space(TERMS, [sample])).vectors(self.meanings)
        return [
            float(SemanticScorer(group.others_mean, [plane.centroid]).contributions(vectors)[0, 0])
            for group in self.groups_.get(TERMS, ())
            for plane in group.planes
            if plane.topic == topic and plane.centroid is not None
        ]

    def _decide_below(
        self, parent: int, batches: Mapping[str, BagBatch], rows: Ints
    ) -> tuple[Ints, _Mask, Floats, Floats] | None:
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


def combine_spaces(plane_distances: PlaneDistances, rule: VotingRule) -> tuple[_Mask, Floats]:
    """Return the decisions and confidences of all spaces by document and topic (SPEC B19)."""
    if len(plane_distances.spaces) == 1:
        confidences = np.nan_to_num(plane_distances.distances[0], nan=UNKNOWN_CONFIDENCE)
        return confidences > 0, confidences
    positive = np.zeros(plane_distances.distances.shape[1:], bool)
    confidences = np.zeros(plane_distances.distances.shape[1:])
    for column in range(len(plane_distances.topics)):
        distances = plane_distances.distances[:, :, column]
        votes = np.where(np.isfinite(distances), np.where(distances > 0, 1, -1), 0)
        precisions = plane_distances.precisions[:, column].tolist()
        positive[:, column] = decide(votes, rule, precisions) > 0
        confidences[:, column] = combined_confidence(distances, precisions, rule)
    return positive, np.nan_to_num(confidences, nan=UNKNOWN_CONFIDENCE)


def _bags_in_space(space: str, samples: Sequence[Sample]) -> list[Bag]:
    return [sample.get(space, _EMPTY_BAG) for sample in samples]


_EMPTY_BAG = Bag(np.array([], np.uint32), np.array([], np.uint32))


def _term_contributions(
    bag: Bag | None,
    group: PlaneGroup,
    plane: TopicPlane,
) -> list[tuple[int, float]]:
    """Return the part of each known term in a document's distance from one plane."""
    if bag is None:
        return []
    features = np.frombuffer(group.features, np.uint32)
    idf = np.full(len(bag), group.unseen_idf)
    _, in_bag, in_group = np.intersect1d(
        bag.terms,
        features,
        assume_unique=True,
        return_indices=True,
    )
    idf[in_bag] = np.frombuffer(group.idf, np.float32)[in_group]
    values = (1.0 + np.log(bag.counts)) * idf
    length = float(np.linalg.norm(values)) or 1.0
    weights = np.zeros(len(features))
    indices = np.frombuffer(plane.feature_indices, np.uint32)
    weights[indices] = np.frombuffer(plane.weights, np.float32)
    parts = (values[in_bag] * weights[in_group] / length).tolist()
    terms = features[in_group].tolist()
    return [(term, part) for term, part in zip(terms, parts, strict=True) if part]


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
