"""Hyperplanes that separate the topics below one parent, in one feature space (BINGO!, sections 2.3
and 2.4; SPEC B6 to B9)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace
from scipy.sparse import csr_array

from motherlode.documents.features.meanings import Meanings, Vectors
from motherlode.documents.text.terms import Bag
from motherlode.learning.calibration import PlaneSurroundings
from motherlode.learning.feature_selection import mutual_information, select_terms
from motherlode.learning.matrix import (
    Floats,
    Ints,
    Terms,
    count_matrix,
    idf_weights,
    meaning_vectors,
    squares_outside,
    unit_rows,
)
from motherlode.learning.options import TrainingSettings
from motherlode.learning.semantic import TopicCentroid, fit_centroid, mean_vector, widths_match
from motherlode.learning.site_profiles import Profiles
from motherlode.learning.svm import LinearSvm
from motherlode.learning.xialpha import XiAlpha

_OTHERS = 0  # the owner of documents that belong to none of the topics
_HELD_OUT_FOLDS = 5
_MAX_CROSS_VALIDATED = 10  # documents; with more, fitting again for each fold takes too long
_MIN_FREQUENT_TERMS = 500  # with fewer (few or short documents), rare terms count as well
_Mask = npt.NDArray[np.bool_]


class TopicPlane(Struct, frozen=True):
    """A topic's plane: weights for some of its group's features, and the estimates of xi-alpha.

    `bias` and the weights belong to the unit normal, so that the decision value is a distance.
    `held_out` is the mean distance of documents of the topic that the plane was not trained on.
    `centroid` is the meaning of the topic, where it is known. `surroundings` say where the pages of
    a crawl lie, for probabilities.
    """

    topic: int
    feature_indices: bytes = field(name="places")  # uint32, ascending, into the group
    weights: bytes  # float32
    bias: float
    examples: int
    error: float
    precision: float
    recall: float
    held_out: float = 0.0
    centroid: TopicCentroid | None = field(default=None, name="sense")
    surroundings: PlaneSurroundings = PlaneSurroundings()


class PlaneGroup(Struct, frozen=True):
    """Planes of topics below one parent that share their features.

    `unseen_idf` is the idf of every other term, `others_mean` the mean vector of their OTHERS.
    `profiles` are those of the sites of each plane's topic, or none.
    """

    parent: int
    features: bytes  # uint32, ascending
    idf: bytes  # float32
    unseen_idf: float = field(name="rare")
    planes: tuple[TopicPlane, ...] = field(name="nodes")
    others_mean: bytes = field(default=b"", name="centre")  # float32
    profiles: Profiles = Profiles()


def is_consistent(group: PlaneGroup) -> bool:
    """Return whether the parts of a group fit together; compiled code relies on it."""
    if len(group.features) % 4 or len(group.idf) != len(group.features):
        return False
    features = np.frombuffer(group.features, np.uint32)
    if not group.profiles.is_valid() or len(group.profiles.topics) not in (0, len(group.planes)):
        return False
    if not widths_match(group.others_mean, [plane.centroid for plane in group.planes]):
        return False
    return bool((features[1:] > features[:-1]).all()) and all(
        0 <= plane.topic < 2**63
        and len(plane.feature_indices) % 4 == 0
        and len(plane.weights) == len(plane.feature_indices)
        and bool((np.frombuffer(plane.feature_indices, np.uint32) < len(features)).all())
        for plane in group.planes
    )


def fit_plane_groups(
    parent: int,
    documents: Mapping[int, Sequence[Bag]],
    others: Sequence[Bag],
    settings: TrainingSettings,
    meanings: Meanings | None = None,
) -> Iterator[PlaneGroup]:
    """Yield the planes of the topics that have documents and other documents to compare with."""
    owned = [(topic, bag) for topic in sorted(documents) for bag in documents[topic]]
    owned += [(_OTHERS, bag) for bag in others]
    owned = [(topic, bag) for topic, bag in owned if len(bag)]  # an empty document teaches nothing
    bags = [bag for _, bag in owned]
    owners = np.array([topic for topic, _ in owned], np.int64)
    topics = [topic for topic in np.unique(owners).tolist() if topic != _OTHERS]
    if len(np.unique(owners)) < 2:  # noqa: PLR2004 - one class has nothing to be separated from
        return
    vocabulary = _vocabulary(bags)
    counts = count_matrix(bags, vocabulary)
    features_of: dict[int, Ints] = {}
    for owner in np.unique(owners).tolist():
        features_of[owner] = _select_features(counts, owners == owner, settings)
    training = (bags, owners)
    if settings.shared_features:
        features = np.unique(np.concatenate(list(features_of.values())))
        groups = [_fit_group(parent, topics, training, vocabulary[features], settings)]
    else:
        groups = [
            _fit_group(parent, [topic], training, vocabulary[features_of[topic]], settings)
            for topic in topics
        ]
    if meanings is not None and settings.semantic_weight:
        vectors = meaning_vectors(bags, meanings)
        groups = [_with_centroids(group, vectors, owners, settings) for group in groups]
    yield from groups


def _vocabulary(bags: Sequence[Bag]) -> Terms:
    """Return each term once; `numpy.unique` takes ten times as long for millions of terms."""
    ordered = np.sort(np.concatenate([bag.terms for bag in bags]))
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    vocabulary: Terms = ordered[is_first]
    return vocabulary


def _select_features(counts: csr_array, is_own: _Mask, settings: TrainingSettings) -> Ints:
    """Return the terms that best separate the own documents from the others."""
    documents_in_topic, frequencies = _term_totals(counts[is_own])
    present = np.flatnonzero(documents_in_topic)  # a small part of the vocabulary with many topics
    documents = np.bincount(counts.indices, minlength=counts.shape[1])[present]
    frequencies = frequencies[present]
    is_frequent = documents >= settings.min_documents
    if is_frequent.sum() >= _MIN_FREQUENT_TERMS:
        frequencies[~is_frequent] = 0.0
    information = mutual_information(
        documents, documents_in_topic[present], counts.shape[0], int(is_own.sum())
    )
    best = select_terms(
        frequencies,
        information,
        preselected=settings.preselected_terms,
        selected=settings.selected_terms,
    )
    features: Ints = present[best]
    return features


def _term_totals(counts: csr_array) -> tuple[Ints, Floats]:
    """Return how many documents have each term, and how often they have it in total."""
    width = counts.shape[1]
    documents = np.bincount(counts.indices, minlength=width)
    return documents, np.bincount(counts.indices, counts.data, minlength=width).astype(np.float64)


def _fit_group(
    parent: int,
    topics: Sequence[int],
    training: tuple[Sequence[Bag], Ints],
    features: Terms,
    settings: TrainingSettings,
) -> PlaneGroup:
    bags, owners = training
    counts = count_matrix(bags, features)
    idf = idf_weights(counts)
    unseen_idf = float(np.log1p(len(bags))) if settings.full_length else 0.0
    outside = squares_outside(bags, counts) * unseen_idf**2 if settings.full_length else None
    rows = unit_rows(counts, idf, outside)
    return PlaneGroup(
        parent=parent,
        features=features.tobytes(),
        idf=idf.astype(np.float32).tobytes(),
        unseen_idf=unseen_idf,
        planes=tuple(_fit_plane(topic, rows, owners, settings) for topic in topics),
    )


def _with_centroids(
    group: PlaneGroup, vectors: Vectors, owners: Ints, settings: TrainingSettings
) -> PlaneGroup:
    """Return the group with the meaning of each topic; unchanged if OTHERS has no vectors."""
    others_mean = mean_vector(vectors[owners == _OTHERS])
    if others_mean is None:
        return group
    planes = [
        replace(
            plane,
            centroid=fit_centroid(
                vectors[owners == plane.topic],
                others_mean,
                _others_share(owners, plane.topic),
                settings.semantic_weight,
            ),
        )
        for plane in group.planes
    ]
    return replace(group, planes=tuple(planes), others_mean=others_mean.tobytes())


def _others_share(owners: Ints, topic: int) -> float:
    """Return the share of OTHERS among the documents that a topic is separated from."""
    return float((owners[owners != topic] == _OTHERS).mean())


def _fit_plane(topic: int, rows: csr_array, owners: Ints, settings: TrainingSettings) -> TopicPlane:
    is_own = owners == topic
    labels = np.where(is_own, 1, -1)
    svm = LinearSvm(settings.cost, tolerance=settings.tolerance).fit(rows, labels)
    estimates = XiAlpha().fit(labels, svm.duals_, svm.slacks_)
    length = float(np.linalg.norm(svm.weights_)) or 1.0
    examples = int(is_own.sum())
    held_out = shift = 0.0
    if settings.shift_prior is not None:
        held_out = _held_out_distance(rows, labels, svm, settings)
        trust = examples / (examples + settings.shift_prior)
        shift = _plane_shift(held_out, trust, _others_share(owners, topic))
    indices = _largest_weights(svm.weights_, settings.max_weights)
    return TopicPlane(
        topic=topic,
        feature_indices=indices.astype(np.uint32).tobytes(),
        weights=(svm.weights_[indices] / length).astype(np.float32).tobytes(),
        bias=svm.bias_ / length - shift,
        examples=examples,
        error=estimates.error_,
        precision=estimates.precision_,
        recall=estimates.recall_,
        held_out=held_out,
    )


def _plane_shift(held_out: float, trust: float, others_share: float) -> float:
    """Return how far the plane moves towards unseen documents of the topic.

    If these lie outside, the plane moves out by `trust` of the way; else they would all be lost. If
    they lie inside, it moves in by less, in proportion to `others_share`. Siblings put the plane
    where it belongs, but OTHERS says little about where the pages lie that must be kept out.
    """
    return held_out * trust * (others_share if held_out > 0 else 1.0)


def _held_out_distance(
    rows: csr_array,
    labels: Ints,
    svm: LinearSvm,
    settings: TrainingSettings,
) -> float:
    """Return the mean distance of the topic's documents from a plane that was fitted without them.

    Training puts the plane midway between the topic and the other training documents. These are
    few and often of another kind (common vocabulary is no web page), so it stays unknown where the
    rest of the Web lies. It can be estimated where unseen pages of the topic lie, and the plane is
    moved towards them.

    With few documents, this is cross-validation. With more, what each document adds to its own
    distance, by its dual variable, is subtracted. On real pages that comes within 0.02 of leaving
    one out, from 10 documents on.
    """
    own = np.flatnonzero(labels > 0)
    if len(own) > _MAX_CROSS_VALIDATED:
        own_rows = rows[own]
        squares = np.asarray(own_rows.multiply(own_rows).sum(axis=1)).ravel()
        length = float(np.linalg.norm(svm.weights_)) or 1.0
        return float(np.mean(svm.decision(own_rows) - svm.duals_[own] * squares)) / length
    distances: list[float] = []
    for fold in np.array_split(own, min(len(own), _HELD_OUT_FOLDS)):
        rest = np.ones(len(labels), bool)
        rest[fold] = False
        if len(fold) < len(own):
            refitted = LinearSvm(settings.cost, tolerance=settings.tolerance)
            refitted.fit(rows[rest], labels[rest])
            distances += refitted.confidence(rows[fold]).tolist()
    return float(np.mean(distances)) if distances else 0.0


def _largest_weights(weights: Floats, number: int) -> Ints:
    """Return the indices of the largest weights by absolute value, ascending, without zeros."""
    best = np.argsort(-np.abs(weights), kind="stable")[:number]
    indices: Ints = np.sort(best[weights[best] != 0]).astype(np.int64)
    return indices
