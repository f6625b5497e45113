"""Re-score all pages, link prospects and queued URLs with a new model.

Each retraining goes over the whole crawl. So it uses arrays, with a few bytes for a page or a URL.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import isnan

import numpy as np
from msgspec.structs import replace

from motherlode.learning.links.weights import LinkWeights
from motherlode.learning.matrix import Floats, Ints
from motherlode.policies import Visit
from motherlode.policies.bingo.kernels import Singles
from motherlode.policies.bingo.link_evidence import LinkSums, ProspectsWriter
from motherlode.policies.bingo.link_text import TextEvidence, text_evidence_of
from motherlode.policies.bingo.link_weights import LinkWeightLearner
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.steering import (
    FRONT_BONUS,
    MIN_FRONT_PROBABILITY,
    Bingo,
    topic_probabilities,
)
from motherlode.policies.follows import QUEUE
from motherlode.records import (
    Document,
    Entry,
    Follow,
    Link,
    PageId,
    QueueId,
    Requeue,
    UrlId,
)
from motherlode.records.learning import is_accepted
from motherlode.store import Session
from motherlode.store.queries.graph import LinkedPage, opening_pages
from motherlode.store.queries.link_targets import addresses, open_urls, urls_of_all_pages
from motherlode.store.queries.page_batches import anchors_at
from motherlode.store.tables import frontier
from motherlode.store.tables.judgements import on_topic
from motherlode.training.corpus import PageCorpus
from motherlode.training.judgement_table import JudgementTable

_BATCH_ENTRIES = 5_000
# Smaller changes are not written. With 0.02, one topic of seven lost a sixth.
_MIN_RANK_CHANGE = 0.002


def referrer_judgements(
    judgements: JudgementTable,
    entries: Sequence[Entry],
) -> tuple[Ints, Floats]:
    """Return the queue and confidence of the page that led to each entry.

    The queue is that of the page's topic, or the entry's own if the page is on no topic. If no page
    is known, the confidence is NaN.
    """
    vias = np.array([entry.via or 0 for entry in entries], np.int64)
    queues = np.array([entry.queue for entry in entries], np.int64)
    confidences = judgements.confidences_of(vias)
    if not len(judgements.pages):
        return queues, confidences
    nearest = np.minimum(judgements.pages.searchsorted(vias), len(judgements.pages) - 1)
    topics = judgements.topics[nearest]
    return np.where(is_accepted(topics, confidences), topics, queues), confidences


def write_prospects(
    session: Session,
    policy: Bingo,
    prospects: Prospects,
    judgements: JudgementTable,
    corpus: PageCorpus,
    select_sample: Callable[[Ints], Ints] | None = None,
) -> None:
    """Write the evidence of all pages on URLs that are not fetched yet into the prospects.

    `select_sample` returns the indices of the pages from which link weights are learned. Then the
    policy and the prospects use these weights.
    """

    def probabilities_of(pages: Ints) -> Floats:
        return topic_probabilities(judgements.confidences_of(pages))

    evidence = text_evidence_of(policy.classifier, policy.links.mentions)
    weights = fill_prospects(session, prospects, probabilities_of, evidence, corpus, select_sample)
    policy.links = replace(policy.links, weights=weights)


def fill_prospects(
    session: Session,
    prospects: Prospects,
    probabilities_of: Callable[[Ints], Floats],
    evidence: Sequence[TextEvidence],
    corpus: PageCorpus,
    select_sample: Callable[[Ints], Ints] | None = None,
) -> LinkWeights:
    """Fill the prospects with all links of a crawl, and return the weights of the evidence.

    `probabilities_of` returns the probability that each page is on the topic; NaN: not known.
    The weights are learned from the pages that `select_sample` selects.
    """
    pages, urls = urls_of_all_pages(session)
    outcomes = _outcomes(urls, probabilities_of(pages))
    waiting = LinkSums(*open_urls(session, prospects.size), outcomes)
    sampled = select_sample(pages) if select_sample is not None else pages[:0]
    learner = LinkWeightLearner(session, pages[sampled], urls[sampled], outcomes)
    languages: dict[int, str] = {}
    for batch in corpus.linked_pages():
        probabilities = probabilities_of(batch.pages)
        prospects.count_pages(batch.keys, probabilities)
        for sums in (waiting, learner.sums):
            sums.add_pages(batch.pages, probabilities, batch.starts, batch.targets)
        languages |= dict(zip(batch.pages.tolist(), batch.languages, strict=True))
    weights = learner.learn(session, prospects, evidence, languages)
    prospects.use_text_evidence(evidence, weights)
    writer = ProspectsWriter(prospects, waiting)
    _add_anchors(session, writer, waiting, languages)
    writer.write(addresses(session, prospects.size))
    return weights


def _outcomes(urls: Ints, probabilities: Floats) -> Singles:
    """Return the probability of the page at each URL, by URL number; NaN where there is no page.

    The last value is NaN, and stands for all larger numbers.
    """
    outcomes = np.full(int(urls.max(initial=0)) + 2, np.nan, np.float32)
    outcomes[urls] = probabilities
    return outcomes


def _add_anchors(
    session: Session, writer: ProspectsWriter, waiting: LinkSums, languages: Mapping[int, str]
) -> None:
    """Add the anchor text of the last link to each URL."""
    places, pages, positions = waiting.last_links()
    links = list(zip(pages.tolist(), positions.tolist(), strict=True))
    anchors = anchors_at(session, links)
    by_language: dict[str, list[int]] = {}
    for at, (page, _) in enumerate(links):
        by_language.setdefault(languages[page], []).append(at)
    for language, group in by_language.items():
        writer.add_anchors(places[group], [anchors[links[at]] for at in group], language)


def links_of_newly_accepted(
    session: Session, policy: Bingo, judgements: JudgementTable
) -> Iterator[tuple[PageId, Follow]]:
    """Yield the links to follow from pages that the new model accepts and the last one did not.

    The policy's prospects must have been written before.
    """
    before = on_topic(session)
    accepted = {page: judgement for page, judgement in judgements.accepted() if page not in before}
    for page in opening_pages(session, sorted(accepted)):
        for follow in policy.steer_again(_visit(page), accepted[page.id]):
            yield page.id, follow


def requeued_entries(
    session: Session, policy: Bingo, judgements: JudgementTable, front: Collection[UrlId]
) -> Iterator[Requeue]:
    """Yield the waiting entries whose queue, lane or rank changes.

    URLs in `front` come first if they are likely to be on the topic. Unlikely ones would have to
    be put back one by one.
    """
    after = None
    while entries := frontier.all_waiting(session, _BATCH_ENTRIES, after):
        after = entries[-1]
        queues, confidences = referrer_judgements(judgements, entries)
        lanes, ranks = policy.current_places(entries, confidences)
        rows = zip(entries, lanes.tolist(), queues.tolist(), ranks.tolist(), strict=True)
        for entry, lane, queue, rank in rows:
            in_front = rank > MIN_FRONT_PROBABILITY and entry.url_id in front
            new_rank = entry.rank if isnan(rank) else rank + FRONT_BONUS * in_front
            is_moved = (lane, queue) != (entry.lane, entry.queue)
            if is_moved or abs(new_rank - entry.rank) > _MIN_RANK_CHANGE:
                yield Requeue(entry, QueueId(queue), new_rank, lane)


def _visit(page: LinkedPage) -> Visit:
    entry = Entry(page.url_id, page.url, page.key, QUEUE, 0.0, page.depth, page.distance)
    links = tuple(Link(url, key, anchor, flags) for url, key, anchor, flags in page.links)
    return Visit(entry, Document(language=page.language, links=links))
