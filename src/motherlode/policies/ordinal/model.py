"""The model by which pages are judged: their level, by the number of thresholds below w.x."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy.special import expit

from motherlode.documents.features.meanings import Meanings, NoMeaningsError, word_meanings
from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag, spell
from motherlode.learning.matrix import Floats
from motherlode.learning.ordinal.page_space import PackedSpace, PageSpace
from motherlode.learning.ordinal.regression import places_of
from motherlode.lexicon import NoWordNetError
from motherlode.records import ROOT, Document, Judgement, Model, ModelId, TopicId
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import (
    MAX_TERMS,
    JudgementReasons,
    LevelMargins,
    TermContribution,
)

VERSION = 2
STEEPNESS = 6.0  # log-odds for a page as far below the first threshold as half of level 0
ON_THE_THRESHOLD = 1e-9  # a page on a threshold is of the lower level; a margin above 0 says so


class PackedLevels(Struct, frozen=True):
    """A model as bytes, for the store."""

    space: PackedSpace
    accepted: int
    weights: bytes  # float64: w, of each compared term and of the nearness
    unit: float  # from the first threshold down to the median page of level 0
    thresholds: tuple[float, ...]
    levels: tuple[int, ...]  # the first of the layers that each level of the model joins
    sizes: dict[int, int]  # pages of each layer
    clusters: bytes  # float32, the centres
    cluster_levels: tuple[int, ...]
    cluster_sizes: tuple[int, ...]
    examples: dict[bytes, int]  # the topic of each example of the user, by the digest of its terms
    version: int = VERSION


class NearestCluster(Struct, frozen=True):
    """A cluster of training pages near a page: its level, its pages, and the cosine."""

    level: int
    pages: int
    cosine: float


@dataclass(frozen=True)
class OrdinalModel:
    """Levels of pages. Which topic a page is nearest to, the examples say."""

    packed: PackedLevels
    id: ModelId | None = None
    tree: TopicTree | None = None

    @cached_property
    def space(self) -> PageSpace:
        return PageSpace(self.packed.space, meanings_of(self.packed.space))

    @cached_property
    def weights(self) -> Floats:
        return np.frombuffer(self.packed.weights, np.float64)

    @cached_property
    def thresholds(self) -> Floats:
        return np.array(self.packed.thresholds)

    @property
    def spaces(self) -> tuple[str, ...]:
        return (TERMS,)

    @property
    def topics(self) -> frozenset[TopicId]:
        return frozenset(map(TopicId, self.packed.space.subjects))

    @property
    def is_outdated(self) -> bool:
        """Whether a topic was removed since."""
        return self.tree is not None and not self.topics <= {topic.id for topic in self.tree}

    def values(self, samples: Sequence[Sample]) -> Floats:
        """Return w.x of each page; a page without any known term is beyond the last threshold."""
        rows = self.space.rows([sample[TERMS] for sample in samples])
        values = np.asarray(rows @ self.weights, np.float64)
        is_empty = np.diff(rows[:, :-1].indptr) == 0
        return np.where(is_empty, self.thresholds[-1] + 1.0, values)

    def probabilities(self, values: Floats) -> Floats:
        """Return the probability that each page is of level 0, by its w.x."""
        probabilities: Floats = expit(STEEPNESS * (self.thresholds[0] - values) / self.packed.unit)
        return probabilities

    def placed_values(self, samples: Sequence[Sample]) -> Floats:
        """Return w.x of each page; that of a user's example is at most the first threshold.

        So an example is of level 0 and accepted, whatever the model has learned.
        """
        values = self.values(samples)
        is_example = np.array([self.is_example(sample) for sample in samples], bool)
        return np.where(is_example, np.minimum(values, self.thresholds[0]), values)

    def is_example(self, sample: Sample) -> bool:
        """Return whether a page has the terms of an example of the user."""
        return term_digest(sample[TERMS]) in self.packed.examples

    def level_of(self, value: float) -> int:
        """Return the level of a page with this w.x."""
        return self.packed.levels[int(places_of(np.array([value]), self.thresholds)[0])]

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        """Return a judgement of each page: its margin is how far inside the accepted levels."""
        if not samples:
            return []
        nearness = self.space.nearness([sample[TERMS] for sample in samples])
        values = self.placed_values(samples).tolist()
        judgements = [self.judgement_of(*pair) for pair in zip(values, nearness, strict=True)]
        for place, sample in enumerate(samples):
            topic = self.packed.examples.get(term_digest(sample[TERMS]))
            if topic is not None:
                judgements[place] = replace(judgements[place], topic=TopicId(topic))
        return judgements

    def judgement_of(self, value: float, nearness: Floats) -> Judgement:
        """Return the judgement of a page with this w.x and this nearness to each topic."""
        margin = self.margin_of(value)
        nearest = TopicId(self.packed.space.subjects[int(np.argmax(nearness))])
        judgement = Judgement(nearest, margin, self.id, value)
        return judgement if judgement.is_accepted else replace(judgement, topic=ROOT)

    def margin_of(self, value: float) -> float:
        """Return how far a page is inside the accepted levels."""
        return (self.accepted_threshold - value) or ON_THE_THRESHOLD

    @property
    def accepted_threshold(self) -> float:
        """The threshold above the last accepted level."""
        place = sum(level <= self.packed.accepted for level in self.packed.levels) - 1
        return float(self.thresholds[min(place, len(self.thresholds) - 1)])

    def levels_in_words(self) -> str:
        """Return how many pages each level was learned from, and which levels were too thin."""
        sizes = self.packed.sizes
        pages = ", ".join(f"{sizes[level]:,} of level {level}" for level in sorted(sizes))
        words = f"levels learned from pages: {pages}"
        joined = [level for level in sorted(sizes) if level not in self.packed.levels]
        if joined:
            named = " and ".join(map(str, joined))
            words += f"; too thin and joined to a neighbour: {named}"
        return words

    def nearest_clusters(self, sample: Sample, number: int = 3) -> list[NearestCluster]:
        """Return the clusters of training pages that are nearest to a page."""
        rows = self.space.rows([sample[TERMS]])
        centres = np.frombuffer(self.packed.clusters, np.float32).reshape(-1, len(self.weights))
        lengths = np.maximum(np.linalg.norm(centres, axis=1), 1e-12)
        own = max(float(np.linalg.norm(rows.data)), 1e-12)
        cosines = np.asarray(rows @ centres.T)[0] / (own * lengths)
        order = np.argsort(-cosines, kind="stable")[:number]
        return [
            NearestCluster(
                self.packed.levels[self.packed.cluster_levels[at]],
                self.packed.cluster_sizes[at],
                float(cosines[at]),
            )
            for at in order.tolist()
        ]

    def explain(self, sample: Sample, document: Document) -> JudgementReasons:
        """Return the level of a page, w.x against the thresholds, and the terms behind it."""
        (judgement,) = self.judge([sample])
        value = judgement.own_score
        about = self._path(judgement.topic)
        margins = {about or "levels": judgement.confidence}
        parts = self._parts(sample)[:MAX_TERMS]
        text = f"{document.title}\n{document.text}"
        words = spell({term for term, _ in parts}, text, document.language)
        return JudgementReasons(
            topic=about if judgement.is_accepted else "",
            margin=judgement.confidence,
            probability=None,
            others=False,
            steps=(LevelMargins("", margins, margins),),
            about=about,
            terms=tuple(
                TermContribution(TERMS, words.get(term, f"#{term}"), part) for term, part in parts
            ),
            details=tuple(self._details(sample, value)),
        )

    def _details(self, sample: Sample, value: float) -> Iterator[str]:
        """Yield the level of a page, its w.x against the thresholds, and the nearest clusters."""
        thresholds = ", ".join(f"{threshold:.3f}" for threshold in self.packed.thresholds)
        levels = ", ".join(map(str, self.packed.levels))
        if self.is_example(sample):
            own = float(self.values([sample])[0])
            yield f"it is of level 0, because it is an example; its w.x is {own:.3f}"
        else:
            yield f"it is of level {self.level_of(value)}: its w.x is {value:.3f}"
        yield f"the thresholds between levels {levels} are {thresholds}"
        part, nearness = self._nearness_part(sample)
        yield (
            f"its nearness to the examples is {nearness:.2f} (0: like any page; 1: as like them as "
            f"they are to each other), which brings it {part:.3f} nearer"
        )
        clusters = [
            f"{cluster.pages} of level {cluster.level} (cosine {cluster.cosine:.2f})"
            for cluster in self.nearest_clusters(sample)
        ]
        if clusters:
            yield f"the nearest clusters of training pages: {', '.join(clusters)}"

    def _nearness_part(self, sample: Sample) -> tuple[float, float]:
        """Return what the nearness of a page takes from w.x, and the nearness."""
        nearness = float(self.space.nearness([sample[TERMS]]).max(initial=-np.inf))
        return -nearness * self.packed.space.nearness * float(self.weights[-1]), nearness

    def _parts(self, sample: Sample) -> list[tuple[int, float]]:
        """Return the terms of a page with what each takes from w.x, by size."""
        rows = self.space.rows([sample[TERMS]])[:, :-1]
        terms = self.space.compared_terms
        parts = -rows.data * self.weights[rows.indices]
        order = np.argsort(-np.abs(parts), kind="stable")
        return [(int(terms[rows.indices[at]]), float(parts[at])) for at in order if parts[at]]

    def _path(self, topic: TopicId) -> str:
        return "/".join(self.tree.path(topic)) if self.tree is not None and topic != ROOT else ""

    def pack(self) -> bytes:
        return msgspec.msgpack.encode(self.packed)


def load_ordinal_model(model: Model, tree: TopicTree, *, complete: bool) -> OrdinalModel:  # noqa: ARG001
    """Return a stored model, ready to be used. Raises `ValueError` if it cannot be."""
    try:
        packed = msgspec.msgpack.decode(model.packed, type=PackedLevels)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"no levels: {error}") from error
    if packed.version != VERSION:
        raise ValueError(f"levels of version {packed.version}; this one knows {VERSION}")
    loaded = OrdinalModel(packed, model.id, tree)
    if loaded.is_outdated:
        raise ValueError("a topic was removed since")
    return loaded


def meanings_of(space: PackedSpace) -> Meanings | None:
    """Return the word meanings that a space was fitted with; None if they are not here."""
    if not space.meanings_digest:
        return None
    try:
        return word_meanings()
    except (NoMeaningsError, NoWordNetError):
        return None


def term_digest(bag: Bag) -> bytes:
    """Return a short digest of the terms of a page and how often each occurs."""
    return blake2b(bag.pack(), digest_size=16).digest()
