"""The model by which pages are judged: the centroids of all subjects, and the threshold (SPEC T2, T3)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import Struct

from motherlode.documents.features.meanings import NoMeaningsError, word_meanings
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import spell
from motherlode.learning.matrix import Floats
from motherlode.learning.tree import Sample
from motherlode.learning.tunnel.centroids import Centroids, unpack_centroids
from motherlode.records import ROOT, Document, Judgement, Model, ModelId, TopicId
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import TermContribution

VERSION = 1
_ON_THE_THRESHOLD = 1e-9  # a page on the threshold is a nugget, and a margin above 0 says so


class _Packed(Struct, frozen=True):
    centroids: bytes
    threshold: float


@dataclass(frozen=True, slots=True)
class CentroidModel:
    """Centroids with the threshold of nuggets, and the number of the stored model."""

    centroids: Centroids
    threshold: float
    id: ModelId | None = None

    @property
    def spaces(self) -> tuple[str, ...]:
        return (TERMS,)

    @property
    def subjects(self) -> list[int]:
        """The topic numbers of the subjects, in the order of the correlations."""
        return [int(subject) for subject in self.centroids.subjects]

    def correlations(self, samples: Sequence[Sample]) -> Floats:
        """Return the correlation of each page with each subject."""
        return self.centroids.correlations([sample[TERMS] for sample in samples])

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        """Return the nearest subject of each page, with its correlation as the score."""
        return [self.judgement_of(row) for row in self.correlations(samples)]

    def judgement_of(self, correlations: Floats) -> Judgement:
        """Return the judgement of a page with these correlations; of equals the first subject."""
        nearest = int(np.argmax(correlations)) if len(correlations) else 0
        score = float(correlations[nearest]) if len(correlations) else 0.0
        topic = TopicId(int(self.centroids.subjects[nearest])) if score > 0.0 else ROOT
        margin = score - self.threshold or _ON_THE_THRESHOLD
        return Judgement(topic, margin, self.id, score)

    def explain(
        self, sample: Sample, judgement: Judgement, document: Document
    ) -> list[TermContribution]:
        """Return the terms that make up a page's correlation, the largest part first."""
        if judgement.topic not in self.centroids.subjects:
            return []
        parts = self.centroids.contributions(sample[TERMS], judgement.topic)
        text = f"{document.title}\n{document.text}"
        words = spell({term for term, _ in parts}, text, document.language)
        return [TermContribution(TERMS, words.get(term, f"#{term}"), part) for term, part in parts]

    def pack(self) -> bytes:
        return msgspec.msgpack.encode(_Packed(self.centroids.pack(), self.threshold))


def load_centroid_model(model: Model, tree: TopicTree) -> CentroidModel | None:
    """Return a stored model, ready to be used.

    None for a model of another version, and for one with a subject that was removed.
    """
    try:
        packed = msgspec.msgpack.decode(model.packed, type=_Packed)
        centroids = unpack_centroids(packed.centroids)
    except (msgspec.DecodeError, ValueError):
        return None
    if centroids.packed.meanings_digest:
        with suppress(NoMeaningsError):  # correlations by words alone are lower, and in order
            centroids = Centroids(centroids.packed, word_meanings())
    existing = {int(topic.id) for topic in tree}
    return (
        CentroidModel(centroids, packed.threshold, model.id)
        if existing.issuperset(centroids.packed.subjects)
        else None
    )
