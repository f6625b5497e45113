"""Hyperplanes between the topics below one parent, in one feature space (BINGO!, sections 2.3 and 2.4;
SPEC B6 to B9)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace
from scipy.sparse import csr_array

from motherlode.documents.meanings import Meanings, Vectors
from motherlode.documents.terms import Bag
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
from motherlode.learning.svm import LinearSvm
from motherlode.learning.xialpha import XiAlpha

_OTHERS = 0  # stands for the documents that belong to none of the topics
_FOLDS = 5
_FEW = 10  # documents, of which some can be left out in turn without taking long
_ENOUGH = 500  # features; where documents are so few or short that fewer are left, every term counts
_Mask = npt.NDArray[np.bool_]


class TopicPlane(Struct, frozen=True):
    """A topic's plane: weights for some of its group's features, and what xi-alpha says of it.

    `bias` and the weights are of the unit normal, so that the decision is a distance. `held_out` is
    the mean distance of documents of the topic that a plane was not trained on. `sense` is what the topic is
    about, where that is known.
    """

    topic: int
    feature_indices: bytes = field(name="places")  # uint32, rising: which features of the group
    weights: bytes  # float32
    bias: float
    examples: int
    error: float
    precision: float
    recall: float
    held_out: float = 0.0
    centroid: TopicCentroid | None = field(default=None, name="sense")


class PlaneGroup(Struct, frozen=True):
    """Topics below one parent that share their features. `rare` is the idf of every other term, `centre` what
    their OTHERS mean on average."""

    parent: int
    features: bytes  # uint32, rising
    idf: bytes  # float32
    unseen_idf: float = field(name="rare")
    planes: tuple[TopicPlane, ...] = field(name="nodes")
    others_mean: bytes = field(default=b"", name="centre")  # float32


def is_consistent(group: PlaneGroup) -> bool:
    """Whether the parts of a group fit together; compiled code trusts them."""
    if len(group.features) % 4 or len(group.idf) != len(group.features):
        return False
    features = np.frombuffer(group.features, np.uint32)
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
    """Planes for the topics below a parent that have documents, and others to be told from."""
    owned = [(topic, bag) for topic in sorted(documents) for bag in documents[topic]]
    owned += [(_OTHERS, bag) for bag in others]
    owned = [(topic, bag) for topic, bag in owned if len(bag)]  # one without terms teaches nothing
    bags = [bag for _, bag in owned]
    owners = np.array([topic for topic, _ in owned], np.int64)
    topics = [topic for topic in np.unique(owners).tolist() if topic != _OTHERS]
    if len(np.unique(owners)) < 2:  # noqa: PLR2004 - one kind of document cannot be told from another
        return
    vocabulary = _vocabulary(bags)
    counts = count_matrix(bags, vocabulary)
    chosen = {topic: _selected(counts, owners == topic, settings) for topic in np.unique(owners).tolist()}
    if settings.shared_features:
        features = np.unique(np.concatenate(list(chosen.values())))
        groups = [_group(parent, topics, (bags, owners), vocabulary[features], settings)]
    else:
        groups = [
            _group(parent, [topic], (bags, owners), vocabulary[chosen[topic]], settings) for topic in topics
        ]
    vectors = meaning_vectors(bags, meanings) if meanings is not None and settings.semantic_weight else None
    yield from groups if vectors is None else (_sensible(one, vectors, owners, settings) for one in groups)


def _vocabulary(bags: Sequence[Bag]) -> Terms:
    """Every term of some documents; numpy's own `unique` takes ten times as long for millions of pairs."""
    ordered = np.sort(np.concatenate([bag.terms for bag in bags]))
    fresh = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    vocabulary: Terms = ordered[fresh]
    return vocabulary


def _selected(counts: csr_array, mine: _Mask, settings: TrainingSettings) -> Ints:
    """The terms that tell these documents from the others."""
    own = counts[mine]
    together, frequencies = _totals(own)
    there = np.flatnonzero(together)  # a few of the vocabulary, where topics are many
    having = np.bincount(counts.indices, minlength=counts.shape[1])[there]
    wanted = frequencies[there]
    often = having >= settings.min_documents
    if often.sum() >= _ENOUGH:
        wanted[~often] = 0.0
    information = mutual_information(having, together[there], counts.shape[0], int(mine.sum()))
    best = select_terms(
        wanted, information, preselected=settings.preselected_terms, selected=settings.selected_terms
    )
    chosen: Ints = there[best]
    return chosen


def _totals(counts: csr_array) -> tuple[Ints, Floats]:
    """How many documents have each term, and how often they have it."""
    width = counts.shape[1]
    having = np.bincount(counts.indices, minlength=width)
    return having, np.bincount(counts.indices, counts.data, minlength=width).astype(np.float64)


def _group(
    parent: int,
    topics: Sequence[int],
    training: tuple[Sequence[Bag], Ints],
    features: Terms,
    settings: TrainingSettings,
) -> PlaneGroup:
    bags, owners = training
    counts = count_matrix(bags, features)
    idf = idf_weights(counts)
    rare = float(np.log1p(len(bags))) if settings.full_length else 0.0
    rows = unit_rows(counts, idf, squares_outside(bags, counts) * rare**2 if settings.full_length else None)
    planes = tuple(_fit_plane(topic, rows, owners, settings) for topic in topics)
    return PlaneGroup(parent, features.tobytes(), idf.astype(np.float32).tobytes(), rare, planes)


def _sensible(group: PlaneGroup, vectors: Vectors, owners: Ints, settings: TrainingSettings) -> PlaneGroup:
    """The group with what its topics are about."""
    centre = mean_vector(vectors[owners == _OTHERS])
    if centre is None:
        return group
    planes = [
        replace(
            plane,
            centroid=fit_centroid(
                vectors[owners == plane.topic],
                centre,
                _strangers(owners, plane.topic),
                settings.semantic_weight,
            ),
        )
        for plane in group.planes
    ]
    return replace(group, planes=tuple(planes), others_mean=centre.tobytes())


def _strangers(owners: Ints, topic: int) -> float:
    """The share of OTHERS in what a topic is told from."""
    return float((owners[owners != topic] == _OTHERS).mean())


def _fit_plane(topic: int, rows: csr_array, owners: Ints, settings: TrainingSettings) -> TopicPlane:
    mine = owners == topic
    labels = np.where(mine, 1, -1)
    machine = LinearSvm(settings.cost, tolerance=settings.tolerance).fit(rows, labels)
    told = XiAlpha().fit(labels, machine.duals_, machine.slacks_)
    length = float(np.linalg.norm(machine.weights_)) or 1.0
    examples = int(mine.sum())
    held_out = shift = 0.0
    if settings.shift_prior is not None:
        held_out = _held_out(rows, labels, machine, settings)
        shift = _shift(held_out, examples / (examples + settings.shift_prior), _strangers(owners, topic))
    places = _largest(machine.weights_, settings.max_weights)
    return TopicPlane(
        topic,
        places.astype(np.uint32).tobytes(),
        (machine.weights_[places] / length).astype(np.float32).tobytes(),
        machine.bias_ / length - shift,
        examples,
        told.error_,
        told.precision_,
        told.recall_,
        held_out,
    )


def _shift(held_out: float, trust: float, strangers: float) -> float:
    """How far the plane is moved: towards where unseen documents of the topic lie, by so much of the way.

    If they lie outside, it comes to meet them, or they would all be lost. If they lie inside, it stands where
    training put it as far as that was told by siblings, and is moved as far as by `strangers`, the share of
    OTHERS in what the topic is told from: those say little of where the pages lie that have to be kept out.
    """
    return held_out * trust * (strangers if held_out > 0 else 1.0)


def _held_out(rows: csr_array, labels: Ints, machine: LinearSvm, settings: TrainingSettings) -> float:
    """Where documents of the topic lie, on average, if the plane does not know them.

    Training puts its plane midway between the topic and the others it is shown. But those are a few, and
    often of another kind (common vocabulary is no web page), so where the rest of the Web lies remains
    unknown. Where unseen pages of the topic lie can be found out, and the plane is moved towards them.

    With few documents, some are left out in turn. With more, what each adds to its own distance, by its dual
    variable, is taken off: on real pages that comes within 0.02 of leaving one out from 10 documents on.
    """
    own = np.flatnonzero(labels > 0)
    if len(own) > _FEW:
        mine = rows[own]
        squares = np.asarray(mine.multiply(mine).sum(axis=1)).ravel()
        length = float(np.linalg.norm(machine.weights_)) or 1.0
        return float(np.mean(machine.decision(mine) - machine.duals_[own] * squares)) / length
    distances: list[float] = []
    for fold in np.array_split(own, min(len(own), _FOLDS)):
        rest = np.ones(len(labels), bool)
        rest[fold] = False
        if len(fold) < len(own):
            without = LinearSvm(settings.cost, tolerance=settings.tolerance).fit(rows[rest], labels[rest])
            distances += without.confidence(rows[fold]).tolist()
    return float(np.mean(distances)) if distances else 0.0


def _largest(weights: Floats, number: int) -> Ints:
    """The places of the weights that matter most, in rising order."""
    best = np.argsort(-np.abs(weights), kind="stable")[:number]
    places: Ints = np.sort(best[weights[best] != 0]).astype(np.int64)
    return places
