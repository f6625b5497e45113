"""What `ordinal` knows of links: the probability that each leads to a page of level 0.

The formula is that of `policies.bingo.prospects`: the pages that link to a URL, its host, its
name, and the links near by. Here the probability of a page comes from w.x, and the words of a name
are compared with the examples.
"""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.links.mentions import Mentions, learn_mentions
from motherlode.learning.links.weights import LinkWeights
from motherlode.learning.matrix import Floats, Ints
from motherlode.policies.bingo.link_text import (
    MeaningEvidence,
    MentionEvidence,
    TextEvidence,
    WeightEvidence,
)
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.rescoring import fill_prospects
from motherlode.policies.ordinal.model import OrdinalModel
from motherlode.records import QueueId, Requeue
from motherlode.store.session import Session
from motherlode.store.tables import frontier
from motherlode.training.corpus import PageCorpus

SAMPLE_PAGES = 2_500  # from which mentions of words and link weights are learned
_MIN_RANK_CHANGE = 0.002  # smaller changes of ranks are not written
_BATCH_ENTRIES = 5_000


class LinkKnowledge(Struct, frozen=True):
    """The prospects of links, and what is needed to score their texts after a transfer."""

    prospects: Prospects
    mentions: Mentions = Mentions()
    weights: LinkWeights = LinkWeights()

    def use(self, model: OrdinalModel) -> None:
        """Score the texts of links by this model from now on."""
        self.prospects.use_text_evidence(text_evidence(model, self.mentions), self.weights)


def text_evidence(model: OrdinalModel, mentions: Mentions) -> list[TextEvidence]:
    """Return the kinds of evidence of link texts: by words, and by mentions if there are any."""
    space = model.space
    by_words: TextEvidence
    if space.meanings is not None and space.directions.any():
        mean = np.frombuffer(space.packed.example_meanings, np.float32)
        rows = mean.reshape(len(space.packed.subjects), -1)
        by_words = MeaningEvidence(space.meanings, list(rows))
    else:
        best = space.centroids.max(axis=0) * space.idf
        used = np.flatnonzero(best)
        weights = zip(space.terms[used].tolist(), best[used].tolist(), strict=True)
        by_words = WeightEvidence(dict(weights))
    return [by_words, MentionEvidence(mentions)] if mentions.terms else [by_words]


def learn_links(
    session: Session,
    model: OrdinalModel,
    corpus: PageCorpus,
    judged: tuple[Ints, Floats],
    examples: Ints,
) -> LinkKnowledge:
    """Return what all links of a crawl say; `judged` are all pages with their probabilities.

    Link weights are learned from pages that a link led to, not from the examples.
    """
    pages, probabilities = judged

    def probabilities_of(wanted: Ints) -> Floats:
        at = np.minimum(np.searchsorted(pages, wanted), max(len(pages) - 1, 0))
        known = pages[at] == wanted if len(pages) else np.zeros(len(wanted), bool)
        return np.where(known, probabilities[at] if len(pages) else np.nan, np.nan)

    step = corpus.sampling_step(SAMPLE_PAGES)
    mentions = _mentions(corpus, step, judged)
    knowledge = LinkKnowledge(Prospects(), mentions)
    weights = fill_prospects(
        session,
        knowledge.prospects,
        probabilities_of,
        text_evidence(model, mentions),
        corpus,
        lambda numbers: np.flatnonzero((numbers % step == 0) & ~np.isin(numbers, examples)),
    )
    return LinkKnowledge(knowledge.prospects, mentions, weights)


def _mentions(corpus: PageCorpus, step: int, judged: tuple[Ints, Floats]) -> Mentions:
    """Return how often words occur in pages of level 0, from a sample of the pages."""
    pages, probabilities = judged
    if not len(pages):
        return Mentions()
    parts = []
    for batch in corpus.batches((TERMS,), step):
        rows, terms = batch.selected, batch.batches[TERMS]
        counts = np.diff(terms.starts)[rows]
        at = np.searchsorted(pages, batch.pages[rows])
        parts.append((terms.terms_of(rows), probabilities[at].repeat(counts)))
    return learn_mentions(parts, float(probabilities.mean()))


def changed_ranks(session: Session, prospects: Prospects) -> Iterator[Requeue]:
    """Yield the waiting URLs whose rank has changed."""
    after = None
    while entries := frontier.all_waiting(session, _BATCH_ENTRIES, after):
        after = entries[-1]
        ranks = prospects.ranks([entry.key for entry in entries]).tolist()
        for entry, rank in zip(entries, ranks, strict=True):
            if abs(rank - entry.rank) > _MIN_RANK_CHANGE:  # never true of NaN: not known
                yield Requeue(entry, QueueId(entry.queue), rank, entry.lane)
