"""The topic tree as a classifier (BINGO!, section 2.4; SPEC B7, B8).

Each topic has a hyperplane of its own between its documents and those of its siblings and of their parent's
OTHERS. A document goes down from the root: at each level to the topic that is surest of it, or, where none
says yes, to the OTHERS of that parent. All topics of a level are asked at once, by one product of sparse
matrices.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.sparse import csr_array

from motherlode.documents.terms import Bag
from motherlode.learning.matrix import Floats, Terms, counts_of, idf_of, weighted
from motherlode.learning.selection import PRESELECTED, SELECTED, mutual_information, select
from motherlode.learning.svm import LinearSvm
from motherlode.learning.xialpha import XiAlpha

VERSION = 1
ROOT = 1
_Small = npt.NDArray[np.float32]


class Node(Struct, frozen=True):
    """A topic's classifier: its features with their idf and weights, and what xi-alpha says of it.

    `bias` and the weights are of the unit normal, so that the decision is a distance.
    """

    topic: int
    parent: int
    features: bytes  # uint32, rising
    idf: bytes  # float32
    weights: bytes  # float32
    bias: float
    examples: int
    error: float
    precision: float
    recall: float


class Verdict(Struct, frozen=True):
    """Where a document goes, and how sure that is: the distance to the hyperplane of its topic.

    With `others`, the topic is the parent whose topics all said no, and the confidence the nearest one's.
    """

    topic: int
    confidence: float
    others: bool = False


class TreeClassifier:
    """Fitted on the documents of each topic; judges any number of documents at once."""

    def __init__(
        self,
        cost: float = 1.0,
        *,
        preselected: int = PRESELECTED,
        selected: int = SELECTED,
        tolerance: float = 1e-2,
    ) -> None:
        self.cost = cost
        self.preselected = preselected
        self.selected = selected
        self.tolerance = tolerance

    def fit(
        self,
        parents: Mapping[int, int],
        documents: Mapping[int, Sequence[Bag]],
        others: Mapping[int, Sequence[Bag]] | None = None,
    ) -> Self:
        """`parents` names the parent of each topic, `documents` have the topics' own training documents,
        `others` those of each parent's OTHERS."""
        gathered = _gathered(parents, documents)
        self.nodes_: tuple[Node, ...] = tuple(
            node
            for parent in sorted(set(parents.values()))
            for node in self._siblings(parent, parents, gathered, (others or {}).get(parent, ()))
        )
        self._levels_ = _levels(self.nodes_)
        return self

    def judge(self, bags: Sequence[Bag]) -> list[Verdict]:
        """Where each document goes."""
        place = np.full(len(bags), ROOT)
        sure = np.zeros(len(bags))
        stopped = np.zeros(len(bags), bool)
        for level in self._levels_:
            distances = level.distances(bags)
            distances[level.parents[None, :] != place[:, None]] = -np.inf
            distances[stopped] = -np.inf
            best = distances.argmax(axis=1)
            found = distances[np.arange(len(bags)), best]
            asked = found > -np.inf
            yes = asked & (found > 0)
            place[yes] = level.topics[best[yes]]
            stopped |= asked & ~yes
            sure[asked] = found[asked]
        return [
            Verdict(int(topic), float(value), bool(other))
            for topic, value, other in zip(place, sure, stopped, strict=True)
        ]

    def explain(self, bag: Bag, topic: int) -> list[tuple[int, float]]:
        """What each term of a document adds to its distance from a topic's plane, the most telling first."""
        node = next(node for node in self.nodes_ if node.topic == topic)
        features, idf, weights = _arrays(node)
        row = weighted(counts_of([bag], features), idf.astype(float))
        parts = row.data * weights[row.indices]
        order = np.argsort(-np.abs(parts), kind="stable")
        return [(int(features[row.indices[place]]), float(parts[place])) for place in order]

    def pack(self) -> bytes:
        """The model as bytes, with its version."""
        return msgspec.msgpack.encode((VERSION, self.nodes_))

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """The model again. Raises `ValueError` for one of another version."""
        version, *_ = msgspec.msgpack.decode(packed)
        if version != VERSION:
            raise ValueError(f"a model of version {version}; this Motherlode knows {VERSION}")
        tree = cls()
        _, tree.nodes_ = msgspec.msgpack.decode(packed, type=tuple[int, tuple[Node, ...]])
        tree._levels_ = _levels(tree.nodes_)
        return tree

    def _siblings(
        self,
        parent: int,
        parents: Mapping[int, int],
        documents: Mapping[int, Sequence[Bag]],
        others: Sequence[Bag],
    ) -> Iterator[Node]:
        """A classifier for each topic under a parent that has documents, and others to be told from."""
        topics = sorted(topic for topic, above in parents.items() if above == parent and documents.get(topic))
        bags = [bag for topic in topics for bag in documents[topic]] + list(others)
        owners = np.array([topic for topic in topics for _ in documents[topic]] + [0] * len(others))
        vocabulary = (
            np.unique(np.concatenate([bag.terms for bag in bags])) if bags else np.array([], np.uint32)
        )
        counts = counts_of(bags, vocabulary)
        for topic in topics:
            mine = owners == topic
            if not mine.all():
                yield self._node(topic, parent, counts, vocabulary, mine)

    def _node(
        self, topic: int, parent: int, counts: csr_array, vocabulary: Terms, mine: npt.NDArray[np.bool_]
    ) -> Node:
        chosen = self._selected(counts, mine)
        rows = counts[:, chosen]
        idf = idf_of(rows)
        vectors = weighted(rows, idf)
        labels = np.where(mine, 1, -1)
        machine = LinearSvm(self.cost, tolerance=self.tolerance).fit(vectors, labels)
        told = XiAlpha().fit(labels, machine.duals_, machine.slacks_)
        length = float(np.linalg.norm(machine.weights_)) or 1.0
        return Node(
            topic,
            parent,
            vocabulary[chosen].tobytes(),
            idf.astype(np.float32).tobytes(),
            (machine.weights_ / length).astype(np.float32).tobytes(),
            machine.bias_ / length,
            int(mine.sum()),
            told.error_,
            told.precision_,
            told.recall_,
        )

    def _selected(self, counts: csr_array, mine: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """The terms that tell these documents from the others."""
        own = counts[mine]
        width = counts.shape[1]
        having = np.bincount(counts.indices, minlength=width)
        together = np.bincount(own.indices, minlength=width)
        frequencies = np.bincount(own.indices, own.data, minlength=width).astype(float)
        information = mutual_information(having, together, counts.shape[0], int(mine.sum()))
        return select(frequencies, information, preselected=self.preselected, selected=self.selected)


class _Level:
    """The topics of one depth, side by side in matrices: features by topics."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.topics = np.array([node.topic for node in nodes])
        self.parents = np.array([node.parent for node in nodes])
        arrays = [_arrays(node) for node in nodes]
        self.features = np.unique(np.concatenate([features for features, _, _ in arrays]))
        rows = np.concatenate([np.searchsorted(self.features, features) for features, _, _ in arrays])
        columns = np.repeat(np.arange(len(nodes)), [len(features) for features, _, _ in arrays])
        idf = np.concatenate([idf for _, idf, _ in arrays]).astype(float)
        weights = np.concatenate([weights for _, _, weights in arrays]).astype(float)
        shape = (len(self.features), len(nodes))
        self._weighing = csr_array((idf * weights, (rows, columns)), shape=shape)
        self._lengths = csr_array((idf**2, (rows, columns)), shape=shape)
        self._biases = np.array([node.bias for node in nodes])

    def distances(self, bags: Sequence[Bag]) -> Floats:
        """How far each document is on the side of each topic. One without a single feature is at the bias."""
        rows = counts_of(bags, self.features)
        rows.data = 1.0 + np.log(rows.data)
        values = (rows @ self._weighing).toarray()
        rows.data **= 2
        lengths = np.sqrt((rows @ self._lengths).toarray())
        found: Floats = (
            np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0) + self._biases
        )
        return found


def _levels(nodes: Sequence[Node]) -> list[_Level]:
    """The topics by their depth, from the top."""
    levels, above = [], {ROOT}
    while here := [node for node in nodes if node.parent in above]:
        levels.append(_Level(here))
        above = {node.topic for node in here}
    return levels


def _gathered(parents: Mapping[int, int], documents: Mapping[int, Sequence[Bag]]) -> dict[int, list[Bag]]:
    """The documents of each topic with those of all topics below it."""
    found: dict[int, list[Bag]] = {topic: [] for topic in parents}
    for topic, bags in documents.items():
        here = topic
        while here in found:
            found[here] += bags
            here = parents[here]
    return found


def _arrays(node: Node) -> tuple[Terms, _Small, _Small]:
    return (
        np.frombuffer(node.features, np.uint32),
        np.frombuffer(node.idf, np.float32),
        np.frombuffer(node.weights, np.float32),
    )
