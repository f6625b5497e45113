"""Judgements of many pages as arrays: a few bytes per page, for models that judge a whole crawl."""

from collections.abc import Collection, Iterable, Iterator
from math import isnan

import numpy as np
from msgspec import Struct

from motherlode.learning.matrix import Floats, Ints
from motherlode.records import Judgement, MeanProbability, PageId, TopicId
from motherlode.records.learning import is_accepted
from motherlode.training.corpus import JudgedBatch


class JudgementTable(Struct, frozen=True):
    """Topic, confidence and probability of each page, in the order of page numbers."""

    pages: Ints
    topics: Ints
    confidences: Floats
    probabilities: Floats  # NaN: unknown

    @classmethod
    def of(cls, judgements: Iterable[tuple[PageId, Judgement]]) -> "JudgementTable":
        """Make a table of pairs that come in the order of page numbers."""
        rows = np.array(
            [
                (
                    page,
                    judgement.topic,
                    judgement.confidence,
                    np.nan if judgement.probability is None else judgement.probability,
                )
                for page, judgement in judgements
            ],
        )
        rows = rows.reshape(-1, 4)
        pages, topics = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
        return cls(pages, topics, rows[:, 2].copy(), rows[:, 3].copy())

    @classmethod
    def together(cls, batches: Iterable[JudgedBatch]) -> "JudgementTable":
        """Join batches that come in the order of page numbers."""
        columns = [
            (batch.pages, batch.topics, batch.confidences, batch.probabilities) for batch in batches
        ]
        if not columns:
            return cls.of([])
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def __iter__(self) -> Iterator[tuple[PageId, Judgement]]:
        columns = (self.pages, self.topics, self.confidences, self.probabilities)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for page, topic, confidence, probability in rows:
            known = None if isnan(probability) else probability
            yield PageId(page), Judgement(TopicId(topic), confidence, probability=known)

    def accepted(self) -> "JudgementTable":
        """Return the rows of pages that are on a topic."""
        rows = is_accepted(self.topics, self.confidences)
        return JudgementTable(
            self.pages[rows], self.topics[rows], self.confidences[rows], self.probabilities[rows]
        )

    def mean_probabilities(
        self, without: Collection[PageId] = ()
    ) -> dict[TopicId, MeanProbability]:
        """Return the mean probability of the pages on each topic, where it is known.

        The pages in `without` are left out.
        """
        accepted = self.accepted()
        known = ~np.isnan(accepted.probabilities) & ~np.isin(accepted.pages, list(without))
        topics, values = accepted.topics[known], accepted.probabilities[known]
        return {
            TopicId(topic): MeanProbability(
                float(values[topics == topic].mean()), int((topics == topic).sum())
            )
            for topic in np.unique(topics).tolist()
        }

    def confidences_of(self, pages: Ints) -> Floats:
        """Return the confidence in each of these pages; NaN for one without a judgement."""
        if not len(self.pages):
            return np.full(len(pages), np.nan)
        nearest = np.minimum(self.pages.searchsorted(pages), len(self.pages) - 1)
        return np.where(self.pages[nearest] == pages, self.confidences[nearest], np.nan)
