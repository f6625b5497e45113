"""The topic tree as a classifier (BINGO!, sections 2.4 and 3.5; SPEC B7, B8, B19).

Each topic has a plane of its own, in every feature space, between its documents and those of its siblings and
of their parent's OTHERS. A document goes down from the root: at each level to the topic that is surest of it
among those that say yes, or, where none does, to the OTHERS of that parent. Where there are several spaces,
they decide together. Where it is known what words mean, the plane for terms is helped by it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.meanings import Meanings
from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import Bag
from motherlode.learning.links.mentions import Mentions
from motherlode.learning.links.weights import LinkWeights
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.meta import combined_confidence, decide
from motherlode.learning.options import SETTINGS, SettingName, TrainingSettings, VotingRule
from motherlode.learning.planes import PlaneGroup, TopicPlane, fit_plane_groups, is_consistent
from motherlode.learning.scorer import BagBatch, Scorer
from motherlode.learning.semantic import SemanticScorer

VERSION = 3
ROOT = 1
DEFAULT = SETTINGS[SettingName.DEFAULT]
UNKNOWN_CONFIDENCE = -1.0  # how sure of a document a topic is whose planes have no term of it

SEMANTIC = "semantic"  # in place of a space's name: what a document is about
WHOLE_DOCUMENT = 0  # in place of a term's number: all words together

Sample = Mapping[str, Bag]  # a document in each feature space


class TopicVerdict(Struct, frozen=True):
    """Where a document goes, and how sure that is: the distance to the plane of its topic.

    With `others`, no topic below this one wants it; at the root, the confidence is the nearest topic's.
    """

    topic: int
    confidence: float
    others: bool = False


class TopicVerdicts(Struct, frozen=True):
    """The same of several documents, as arrays."""

    topics: Ints
    confidences: Floats
    others: npt.NDArray[np.bool_]


class PlaneDistances(Struct, frozen=True):
    """How far documents are from the planes of the topics below one parent, in each space.

    By space, document and topic; no number, where a space knows nothing of the document or the topic.
    """

    spaces: tuple[str, ...]
    topics: Ints
    distances: Floats
    precisions: Floats  # by space and topic, as estimated

    def in_spaces(self, spaces: Sequence[str]) -> "PlaneDistances":
        """The same in some of the spaces."""
        kept = [place for place, space in enumerate(self.spaces) if space in spaces]
        names = tuple(self.spaces[place] for place in kept)
        return PlaneDistances(names, self.topics, self.distances[kept], self.precisions[kept])


class _Packed(Struct, frozen=True):
    version: int
    spaces: dict[str, tuple[PlaneGroup, ...]]
    rule: VotingRule
    meanings: str = ""
    mentions: Mentions = Mentions()
    weights: LinkWeights = LinkWeights()


class TreeClassifier:
    """Fitted on the documents of each topic; judges any number of documents at once.

    `meanings` tells what words mean; without it, terms are terms. One that was fitted with it and unpacked
    is to be given it again: `wanted` is the digest of the table. `mentions` is what a crawl that judged by it
    makes of words, `weights` what it has learned of links; they judge nothing themselves.
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
        self.mentions = Mentions()
        self.weights = LinkWeights()

    def fit(
        self,
        parents: Mapping[int, int],
        documents: Mapping[int, Sequence[Sample]],
        others: Mapping[int, Sequence[Sample]] | None = None,
    ) -> Self:
        """`parents` names the parent of each topic, `documents` have the topics' own training documents,
        `others` those of each parent's OTHERS."""
        gathered = _gathered(parents, documents)
        self.groups_: dict[str, tuple[PlaneGroup, ...]] = {
            space: tuple(
                group
                for parent in sorted(set(parents.values()))
                for group in fit_plane_groups(
                    parent,
                    {topic: _in(space, gathered[topic]) for topic in parents if parents[topic] == parent},
                    _in(space, (others or {}).get(parent, ())),
                    self.settings,
                    self.meanings if space == TERMS else None,
                )
            )
            for space in self.spaces
        }
        return self

    def judge(self, samples: Sequence[Sample]) -> list[TopicVerdict]:
        """Where each document goes."""
        return self.judge_batches(make_batches(samples, self.groups_), len(samples))

    def judge_batches(self, batches: Mapping[str, BagBatch], count: int) -> list[TopicVerdict]:
        """The same for so many documents that were made ready before."""
        said = self.judge_rows(batches, np.arange(count))
        found = zip(said.topics.tolist(), said.confidences.tolist(), said.others.tolist(), strict=True)
        return [TopicVerdict(*one) for one in found]

    def judge_rows(self, batches: Mapping[str, BagBatch], rows: Ints) -> "TopicVerdicts":
        """The same for some of them, as arrays."""
        said = TopicVerdicts(np.full(len(rows), ROOT), np.zeros(len(rows)), np.zeros(len(rows), bool))
        waiting = [(ROOT, np.arange(len(rows)))]
        while waiting:
            parent, places = waiting.pop()
            asked = self._ask(parent, batches, rows[places])
            if asked is None:
                continue
            topics, positive, sure = asked
            best = np.where(positive, sure, -np.inf).argmax(axis=1)
            each = np.arange(len(places))
            yes = positive[each, best]
            said.topics[places] = np.where(yes, topics[best], parent)
            said.others[places] = ~yes
            told = yes | (parent == ROOT)  # below a topic that wants it, it is as sure as that topic is
            nearest = np.where(yes, best, sure.argmax(axis=1))
            said.confidences[places[told]] = sure[each, nearest][told]
            waiting += [(int(topics[one]), places[yes & (best == one)]) for one in np.unique(best[yes])]
        return said

    def distances(self, samples: Sequence[Sample], parent: int = ROOT) -> dict[int, Floats]:
        """How sure each topic below a parent is of each document, whatever is decided."""
        return self.distances_for_rows(make_batches(samples, self.groups_), np.arange(len(samples)), parent)

    def distances_for_rows(
        self, batches: Mapping[str, BagBatch], rows: Ints, parent: int = ROOT
    ) -> dict[int, Floats]:
        """The same for some documents of those that were made ready before."""
        asked = self._ask(parent, batches, rows)
        return {} if asked is None else {int(topic): asked[2][:, at] for at, topic in enumerate(asked[0])}

    def planes(self, topic: int) -> dict[str, TopicPlane]:
        """A topic's plane in each space that has one."""
        return {
            space: plane
            for space, groups in self.groups_.items()
            for group in groups
            for plane in group.planes
            if plane.topic == topic
        }

    def explain(self, sample: Sample, topic: int) -> list[tuple[str, int, float]]:
        """What each term of a document, in each space, adds to its distance from a topic's plane, the most
        telling first; and what it adds that the document is about the same (`SEMANTIC`, `WHOLE_DOCUMENT`)."""
        found = [
            (space, term, part)
            for space, groups in self.groups_.items()
            for group in groups
            for plane in group.planes
            if plane.topic == topic
            for term, part in _parts(sample.get(space), group, plane)
        ]
        if found:  # else nothing is known of the document, whatever it is about
            found += [(SEMANTIC, WHOLE_DOCUMENT, part) for part in self._near(sample, topic)]
        return sorted(found, key=lambda one: -abs(one[2]))

    def characteristic(self, topic: int, space: str = TERMS, number: int = 20) -> list[tuple[int, float]]:
        """The terms that speak most for a topic, with their weights."""
        for group in self.groups_.get(space, ()):
            for plane in group.planes:
                if plane.topic == topic:
                    features = np.frombuffer(group.features, np.uint32)
                    places = np.frombuffer(plane.feature_indices, np.uint32)
                    weights = np.frombuffer(plane.weights, np.float32)
                    best = np.argsort(-weights, kind="stable")[:number]
                    return [(int(features[places[at]]), float(weights[at])) for at in best if weights[at] > 0]
        return []

    def pack(self) -> bytes:
        """The model as bytes, with its version."""
        packed = _Packed(VERSION, self.groups_, self.rule, self.meanings_digest, self.mentions, self.weights)
        return msgspec.msgpack.encode(packed)

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """The model again. Raises `ValueError` for one of another version, or for what is no model."""
        try:
            version = msgspec.msgpack.decode(packed, type=dict).get("version")
            if version != VERSION:
                raise ValueError(f"a model of version {version}; this Motherlode knows {VERSION}")
            model = msgspec.msgpack.decode(packed, type=_Packed)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"no model: {error}") from error
        sound = all(is_consistent(group) for groups in model.spaces.values() for group in groups)
        if not sound or not model.mentions.is_valid() or not model.weights.is_valid():
            raise ValueError("no model: its features and weights do not belong together")
        tree = cls(spaces=tuple(model.spaces), rule=model.rule)
        tree.groups_ = model.spaces
        tree.meanings_digest = model.meanings
        tree.mentions = model.mentions
        tree.weights = model.weights
        return tree

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_scorers"}

    def plane_distances(
        self, parent: int, batches: Mapping[str, BagBatch], rows: Ints
    ) -> "PlaneDistances | None":
        """How far documents are from the planes below a parent; None, where there are none."""
        scorers = self._ready().get(parent)
        if not scorers or not len(rows):
            return None
        topics = np.unique(np.concatenate([one.topics for _, one in scorers]))
        spaces = tuple(dict.fromkeys(space for space, _ in scorers))
        distances = np.full((len(spaces), len(rows), len(topics)), np.nan)
        precisions = np.zeros((len(spaces), len(topics)))
        for space, scorer in scorers:
            columns = np.searchsorted(topics, scorer.topics)
            distances[spaces.index(space)][:, columns] = scorer.distances(batches[space], rows, self.meanings)
            precisions[spaces.index(space), columns] = scorer.precisions
        return PlaneDistances(spaces, topics, distances, precisions)

    def _near(self, sample: Sample, topic: int) -> list[float]:
        """What it adds to a document's distance that it is about the same as a topic, where that is known."""
        if self.meanings is None:
            return []
        vectors = BagBatch.from_bags(_in(TERMS, [sample])).vectors(self.meanings)
        return [
            float(SemanticScorer(group.others_mean, [plane.centroid]).parts(vectors)[0, 0])
            for group in self.groups_.get(TERMS, ())
            for plane in group.planes
            if plane.topic == topic and plane.centroid is not None
        ]

    def _ask(
        self, parent: int, batches: Mapping[str, BagBatch], rows: Ints
    ) -> tuple[Ints, npt.NDArray[np.bool_], Floats] | None:
        """The topics below a parent, whether each wants each document, and how sure that is."""
        apart = self.plane_distances(parent, batches, rows)
        return None if apart is None else (apart.topics, *combine_spaces(apart, self.rule))

    def _ready(self) -> dict[int, list[tuple[str, Scorer]]]:
        """Scorers by parent, made when they are first wanted: they are large, and not what is kept."""
        made: dict[int, list[tuple[str, Scorer]]] | None = self.__dict__.get("_scorers")
        if made is None:
            made = {}
            for space, groups in self.groups_.items():
                for group in groups:
                    if group.planes:
                        made.setdefault(group.parent, []).append((space, Scorer(group)))
            self._scorers = made
        return made


def make_batches(samples: Sequence[Sample], spaces: Iterable[str]) -> dict[str, BagBatch]:
    """Documents, ready to be judged by any classifier that knows these spaces."""
    return {space: BagBatch.from_bags(_in(space, samples)) for space in spaces}


def combine_spaces(apart: PlaneDistances, rule: VotingRule) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Whether each topic wants each document, and how sure that is, by all spaces (SPEC B19)."""
    if len(apart.spaces) == 1:
        sure = np.nan_to_num(apart.distances[0], nan=UNKNOWN_CONFIDENCE)
        return sure > 0, sure
    positive = np.zeros(apart.distances.shape[1:], bool)
    sure = np.zeros(apart.distances.shape[1:])
    for at in range(len(apart.topics)):
        distances = apart.distances[:, :, at]
        verdicts = np.where(np.isfinite(distances), np.where(distances > 0, 1, -1), 0)
        weights = apart.precisions[:, at].tolist()
        positive[:, at] = decide(verdicts, rule, weights) > 0
        sure[:, at] = combined_confidence(distances, weights, rule)
    return positive, np.nan_to_num(sure, nan=UNKNOWN_CONFIDENCE)


def _in(space: str, samples: Sequence[Sample]) -> list[Bag]:
    return [sample.get(space, _EMPTY) for sample in samples]


_EMPTY = Bag(np.array([], np.uint32), np.array([], np.uint32))


def _parts(bag: Bag | None, group: PlaneGroup, plane: TopicPlane) -> list[tuple[int, float]]:
    """What each term adds to a document's distance from one plane."""
    if bag is None:
        return []
    features = np.frombuffer(group.features, np.uint32)
    idf = np.full(len(bag), group.unseen_idf)
    _, mine, theirs = np.intersect1d(bag.terms, features, assume_unique=True, return_indices=True)
    idf[mine] = np.frombuffer(group.idf, np.float32)[theirs]
    values = (1.0 + np.log(bag.counts)) * idf
    length = float(np.linalg.norm(values)) or 1.0
    weights = np.zeros(len(features))
    weights[np.frombuffer(plane.feature_indices, np.uint32)] = np.frombuffer(plane.weights, np.float32)
    parts = values[mine] * weights[theirs] / length
    return [(int(features[at]), float(part)) for at, part in zip(theirs, parts, strict=True) if part]


def _gathered(
    parents: Mapping[int, int], documents: Mapping[int, Sequence[Sample]]
) -> dict[int, list[Sample]]:
    """The documents of each topic with those of all topics below it."""
    found: dict[int, list[Sample]] = {topic: [] for topic in parents}
    for topic, samples in documents.items():
        here = topic
        while here in found:
            found[here] += samples
            here = parents[here]
    return found
