"""The model by which pages are judged: the centroids of all subjects, and the threshold (SPEC T2,
T3).
"""

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import Struct

from motherlode.documents.features.meanings import NoMeaningsError, word_meanings
from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import spell
from motherlode.learning.matrix import Floats
from motherlode.learning.tunnel.centroids import Centroids, unpack_centroids
from motherlode.records import ROOT, Document, Judgement, Model, ModelId, TopicId
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import (
    MAX_TERMS,
    JudgementReasons,
    LevelMargins,
    TermContribution,
)

VERSION = 1
_ON_THE_THRESHOLD = 1e-9  # a page on the threshold is a nugget, and a margin above 0 says so


class _PackedModel(Struct, frozen=True):
    centroids: bytes
    threshold: float


@dataclass(frozen=True, slots=True)
class CentroidModel:
    """Centroids with the threshold of nuggets, and the number of the stored model."""

    centroids: Centroids
    threshold: float
    id: ModelId | None = None
    tree: TopicTree | None = None  # of the portal, to name subjects

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

    @property
    def topics(self) -> frozenset[TopicId]:
        """The subjects that it knows."""
        return frozenset(map(TopicId, self.centroids.packed.subjects))

    @property
    def is_outdated(self) -> bool:
        """Whether a subject was removed since."""
        return self.tree is not None and not self.topics <= {topic.id for topic in self.tree}

    def explain(self, sample: Sample, document: Document) -> JudgementReasons:
        """Return the judgement of a page with the correlations and terms behind it."""
        (correlations,) = self.correlations([sample])
        judgement = self.judgement_of(correlations)
        path = self._path(judgement.topic)
        margins = {
            self._path(TopicId(int(subject))): float(correlation) - self.threshold
            for subject, correlation in zip(self.centroids.subjects, correlations, strict=True)
        }
        highest = dict(sorted(margins.items(), key=lambda pair: (-pair[1], pair[0])))
        terms = self.terms_for(sample, judgement.topic, document)[:MAX_TERMS]
        return JudgementReasons(
            topic=path if judgement.is_accepted else "",
            margin=judgement.confidence,
            probability=None,
            others=False,
            steps=(LevelMargins("", highest, highest),),
            about=path,
            terms=tuple(terms),
        )

    def terms_for(
        self, sample: Sample, topic: TopicId, document: Document
    ) -> list[TermContribution]:
        """Return the terms that make up a page's correlation, the largest part first."""
        if topic not in self.topics:
            return []
        parts = self.centroids.contributions(sample[TERMS], topic)
        text = f"{document.title}\n{document.text}"
        words = spell({term for term, _ in parts}, text, document.language)
        return [TermContribution(TERMS, words.get(term, f"#{term}"), part) for term, part in parts]

    def _path(self, topic: TopicId) -> str:
        return "/".join(self.tree.path(topic)) if self.tree is not None and topic != ROOT else ""

    def pack(self) -> bytes:
        return msgspec.msgpack.encode(_PackedModel(self.centroids.pack(), self.threshold))


def load_centroid_model(model: Model, tree: TopicTree, *, complete: bool) -> CentroidModel:
    """Return a stored model, ready to be used.

    Raises `ValueError` for a model of another version, and for one with a subject that was removed.
    """
    try:
        packed = msgspec.msgpack.decode(model.packed, type=_PackedModel)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"no centroids: {error}") from error
    centroids = unpack_centroids(packed.centroids)
    if centroids.packed.meanings_digest:
        # Without meanings, correlations are lower, and still in order.
        with nullcontext() if complete else suppress(NoMeaningsError):
            centroids = Centroids(centroids.packed, word_meanings())
    loaded = CentroidModel(centroids, packed.threshold, model.id, tree)
    if loaded.is_outdated:
        raise ValueError("a subject was removed since")
    return loaded
