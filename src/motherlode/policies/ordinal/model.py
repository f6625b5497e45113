"""The model by which pages are judged: their level, by the number of thresholds below w.x."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag, spell
from motherlode.learning.matrix import Floats, Ints, Terms, count_matrix, idf_weights, unit_rows
from motherlode.learning.options import CentroidWeighting
from motherlode.learning.ordinal.grid_search import OrdinalGridSearch, mean_level_error
from motherlode.learning.ordinal.layers import level_sizes, merged_levels
from motherlode.learning.ordinal.regression import places_of
from motherlode.learning.tunnel.centroids import Centroids, fit_centroids, unpack_centroids
from motherlode.records import ROOT, BadInputError, Document, Judgement, Model, ModelId, TopicId
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import (
    MAX_TERMS,
    JudgementReasons,
    LevelMargins,
    TermContribution,
)

VERSION = 1
MAX_CLUSTERS = 20  # of a level
MIN_PAGES_WITH_TERM = 2
NORMS = (1.0, 3.0, 10.0, 30.0)
ETAS = (0.1, 0.5, 0.9)
ON_THE_THRESHOLD = 1e-9  # a page on a threshold is of the lower level; a margin above 0 says so


class TrainingPages(Struct, frozen=True):
    """Pages to learn from: those that show each topic, and pages of all levels."""

    examples: dict[int, list[Bag]]  # by topic, with pages that are like them
    user_examples: dict[int, list[Bag]]  # by topic: the examples alone
    bags: list[Bag]
    levels: list[int]


class PackedLevels(Struct, frozen=True):
    """A model as bytes, for the store."""

    centroids: bytes
    accepted: int
    terms: bytes  # uint32, ascending
    idf: bytes  # float64
    weights: bytes  # float64: w
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
    """Levels of pages. Topics have centroids, which tell topics apart and rank links."""

    packed: PackedLevels
    id: ModelId | None = None
    tree: TopicTree | None = None

    @cached_property
    def centroids(self) -> Centroids:
        return unpack_centroids(self.packed.centroids)

    @cached_property
    def terms(self) -> Terms:
        return np.frombuffer(self.packed.terms, np.uint32)

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
        return frozenset(TopicId(int(topic)) for topic in self.centroids.subjects)

    @property
    def is_outdated(self) -> bool:
        """Whether a topic was removed since."""
        return self.tree is not None and not self.topics <= {topic.id for topic in self.tree}

    def values(self, samples: Sequence[Sample]) -> Floats:
        """Return w.x of each page; a page without any known term is beyond the last threshold."""
        counts = count_matrix([sample[TERMS] for sample in samples], self.terms)
        rows = unit_rows(counts, np.frombuffer(self.packed.idf, np.float64))
        values = np.asarray(rows @ self.weights, np.float64)
        is_empty = np.diff(rows.indptr) == 0
        return np.where(is_empty, self.thresholds[-1] + 1.0, values)

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
        correlations = self.centroids.correlations([sample[TERMS] for sample in samples])
        values = self.placed_values(samples).tolist()
        judgements = [self.judgement_of(*pair) for pair in zip(values, correlations, strict=True)]
        for place, sample in enumerate(samples):
            topic = self.packed.examples.get(term_digest(sample[TERMS]))
            if topic is not None:
                judgements[place] = replace(judgements[place], topic=TopicId(topic))
        return judgements

    def judgement_of(self, value: float, correlations: Floats) -> Judgement:
        """Return the judgement of a page with this w.x and these correlations with the topics."""
        margin = self.margin_of(value)
        nearest = TopicId(int(self.centroids.subjects[int(np.argmax(correlations))]))
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
        rows = unit_rows(
            count_matrix([sample[TERMS]], self.terms), np.frombuffer(self.packed.idf, np.float64)
        )
        centres = np.frombuffer(self.packed.clusters, np.float32).reshape(-1, len(self.terms))
        lengths = np.maximum(np.linalg.norm(centres, axis=1), 1e-12)
        cosines = np.asarray(rows @ centres.T)[0] / lengths
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
        clusters = [
            f"{cluster.pages} of level {cluster.level} (cosine {cluster.cosine:.2f})"
            for cluster in self.nearest_clusters(sample)
        ]
        yield f"the nearest clusters of training pages: {', '.join(clusters)}"

    def _parts(self, sample: Sample) -> list[tuple[int, float]]:
        """Return the terms of a page with what each takes from w.x, by size."""
        rows = unit_rows(
            count_matrix([sample[TERMS]], self.terms), np.frombuffer(self.packed.idf, np.float64)
        )
        parts = -rows.data * self.weights[rows.indices]
        order = np.argsort(-np.abs(parts), kind="stable")
        return [(int(self.terms[rows.indices[at]]), float(parts[at])) for at in order if parts[at]]

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


def fit_levels(
    pages: TrainingPages, *, accepted: int, features: int, min_level_pages: int
) -> OrdinalModel:
    """Learn levels from pages. Raises `BadInputError` if there are fewer than two levels."""
    layers = np.array(pages.levels, np.int64)
    sizes = level_sizes(layers)
    merged = merged_levels(sizes, min_level_pages)
    levels = np.array([merged[level] for level in layers.tolist()], np.int64)
    if len(set(merged.values())) < 2:  # noqa: PLR2004 - a threshold lies between two levels
        raise BadInputError(
            "There are no pages that link to the examples, so there are no levels to learn from. "
            "ordinal.edge_files in lode.toml names files of links, and ordinal.portals other "
            "portals; policy ordinal needs neither."
        )
    terms = _features(pages.bags, features)
    counts = count_matrix(pages.bags, terms)
    idf = idf_weights(counts)
    rows = unit_rows(counts, idf)
    search = OrdinalGridSearch(
        etas=ETAS, norms=NORMS, max_clusters=MAX_CLUSTERS, measure=mean_level_error
    ).fit(rows, levels)
    model = search.model_
    clusters = model.clusters_
    assert model.weights_ is not None  # noqa: S101 - the kernel is linear
    first = {place: min(layer for layer in merged if merged[layer] == place) for place in levels}
    return OrdinalModel(
        PackedLevels(
            centroids=fit_centroids(pages.examples, CentroidWeighting.LOG, None).pack(),
            accepted=accepted,
            terms=terms.tobytes(),
            idf=idf.tobytes(),
            weights=model.weights_.tobytes(),
            thresholds=tuple(model.thresholds_.tolist()),
            levels=tuple(first[place] for place in model.levels_.tolist()),
            sizes=sizes,
            clusters=clusters.centres.astype(np.float32).tobytes(),
            cluster_levels=tuple(clusters.levels.tolist()),
            cluster_sizes=tuple(clusters.sizes.tolist()),
            examples={
                term_digest(bag): topic
                for topic, bags in sorted(pages.user_examples.items(), reverse=True)
                for bag in bags
                if len(bag)
            },
        )
    )


def term_digest(bag: Bag) -> bytes:
    """Return a short digest of the terms of a page and how often each occurs."""
    return blake2b(bag.pack(), digest_size=16).digest()


def _features(bags: Sequence[Bag], most: int) -> Terms:
    """Return the terms of the most pages, ascending."""
    terms = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    known, counts = np.unique(terms, return_counts=True)
    least = MIN_PAGES_WITH_TERM if len(bags) > MIN_PAGES_WITH_TERM else 1
    shared: Ints = np.flatnonzero(counts >= least)
    best = shared[np.argsort(-counts[shared], kind="stable")[:most]]
    return known[np.sort(best)]
