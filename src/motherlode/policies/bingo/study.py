"""What a retraining learns from: archetypes, a new model, new judgements and new ranks.

It only reads, and runs in a process of its own. What it found is written in portions while the crawl
goes on (BINGO!, sections 2.6 and 3.2; SPEC B10 to B14).
"""

from collections.abc import Iterable, Sequence
from functools import cache, partial

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.links.mentions import Mentions, learn_mentions
from motherlode.learning.links.model import LinkModel
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.archetypes import (
    BASE_SET_PAGES,
    ArchetypeUpdate,
    NeighbourhoodOf,
    given_examples,
    update_archetypes,
    update_archetypes_2003,
    user_examples,
    without_new_subtopics,
)
from motherlode.policies.bingo.levels import level_planes
from motherlode.policies.bingo.link_weights import sample_followed
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.rescoring import (
    links_of_newly_accepted,
    requeued_entries,
    write_prospects,
)
from motherlode.policies.bingo.steering import Phase, policy_for, topic_probabilities
from motherlode.policies.registry import BINGO_2003
from motherlode.portal.config import Config
from motherlode.records import (
    ROOT,
    Example,
    Follow,
    Origin,
    PageId,
    Requeue,
    UrlId,
)
from motherlode.store import Session
from motherlode.store.queries.graph import targets_of
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.training.corpus import CorpusCache, PageCorpus, judge_batches
from motherlode.training.judgement_table import JudgementTable
from motherlode.training.link_analysis import NeighbourhoodLimits, neighbourhood
from motherlode.training.training_set import Trainer, TrainingSet, knows_topics, train
from motherlode.urls import host_of, registrable_domain

_ROUNDS = (
    100  # of link analysis: the best authorities stand by then, and exact scores are not wanted
)
_SAMPLE = (
    2_500  # pages that planes are levelled by, words looked for in, and link weights learned from
)


class StudyRequest(Struct, frozen=True):
    """The phase to train for, and whether archetypes are looked for."""

    phase: Phase
    archetypes: bool = True


class StudyResult(Struct, frozen=True):
    """What was found, to be written and adopted."""

    classifier: bytes
    links: bytes
    phase: Phase
    home: frozenset[str]
    added: list[Example]
    dropped: list[Example]
    judgements: JudgementTable
    moves: list[Requeue]
    follows: list[tuple[PageId, Follow]]  # links of pages that only the new model accepts
    prospects: Prospects | None
    wordless: str = ""


def study(
    session: Session, config: Config, request: StudyRequest, corpus_cache: CorpusCache | None = None
) -> StudyResult:
    """Look at everything that the crawl has found. Raises `BadInputError` where there is nothing to learn.

    `corpus_cache`: what is still there of the lesson before.
    """
    tree = TopicTree(topic_rows.all_topics(session))
    examples = topic_rows.examples_of(session)
    trainer = Trainer(session, tree, config.learning, corpus_cache)
    limits = NeighbourhoodLimits(BASE_SET_PAGES, rounds=_ROUNDS)
    read_targets = trainer.corpus.targets_from
    around = cache(partial(neighbourhood, session, tree, limits=limits, read_targets=read_targets))
    change = ArchetypeUpdate()
    if request.archetypes:
        by_policy = (
            update_archetypes_2003 if config.crawl.policy == BINGO_2003 else update_archetypes
        )
        change = by_policy(session, tree, examples, config, around, trainer)
    added, dropped = change.added, change.dropped
    gone = {one.id for one in dropped}
    examples = [one for one in examples if one.id not in gone] + added
    training_set, classifier = learned(session, tree, config, examples, trainer)
    home = home_of(tree, examples)
    thoughts = _thoughts(session, classifier, trainer.corpus)
    links = LinkModel(_mentions(trainer.corpus, thoughts))
    policy = policy_for(config.crawl, classifier, None, home, request.phase, links)
    if policy.prospects is not None:
        given = trainer.training_set(tuple(user_examples(examples))).example_pages
        learns = partial(sample_followed, step=trainer.corpus.sampling_step(_SAMPLE), given=given)
        wanted = config.crawl.apprentice and config.crawl.retrain
        write_prospects(
            session, policy, policy.prospects, thoughts, trainer.corpus, learns if wanted else None
        )
    front = _before_hubs(session, tree, config.crawl.hubs, around) if request.archetypes else set()
    return StudyResult(
        classifier.pack(),
        policy.links.pack(),
        request.phase,
        home,
        added,
        dropped,
        thoughts,
        list(requeued_entries(session, policy, thoughts, front)),
        list(links_of_newly_accepted(session, policy, thoughts)),
        policy.prospects,
        training_set.vocabulary_error,
    )


def learned(
    session: Session,
    tree: TopicTree,
    config: Config,
    examples: Sequence[Example],
    trainer: Trainer | None = None,
    *,
    offline: bool = False,
) -> tuple[TrainingSet, TreeClassifier]:
    """Return what a crawl learns from these examples: how far a topic reaches is for given ones to say.

    Topics that were made of clusters are told apart by a classifier of their own, so they change
    nothing of the topics above them.
    """
    trainer = trainer or Trainer(session, tree, config.learning, offline=offline)
    training_set, classifier = _learned(session, tree, config, examples, trainer)
    older = without_new_subtopics(examples, tree)
    if len(older) == len(examples) or config.crawl.policy == BINGO_2003:
        return training_set, classifier
    kept = {(example.topic, example.url) for example in older}
    new = {example.topic for example in examples if (example.topic, example.url) not in kept}
    parents = {int(tree[topic].parent or ROOT) for topic in new}
    _, of_older = _learned(session, tree, config, older, trainer)
    return training_set, of_older.with_groups_of(classifier, parents)


def _learned(
    session: Session,
    tree: TopicTree,
    config: Config,
    examples: Sequence[Example],
    trainer: Trainer,
) -> tuple[TrainingSet, TreeClassifier]:
    options = config.learning
    training_set, classifier = train(session, tree, options, examples=examples, trainer=trainer)
    if config.crawl.policy == BINGO_2003:
        return training_set, classifier
    own = trainer.classifiers_without_marks(tuple(given_examples(examples)))
    if not all(map(knows_topics, own)):
        return training_set, classifier
    pages = trainer.corpus.batches(options.spaces, trainer.corpus.sampling_step(_SAMPLE))
    return training_set, level_planes(classifier, own, tree, pages)


def _thoughts(session: Session, classifier: TreeClassifier, corpus: PageCorpus) -> JudgementTable:
    return JudgementTable.together(
        judge_batches(session, corpus.batches(tuple(classifier.groups_)), classifier)
    )


def _mentions(corpus: PageCorpus, thoughts: JudgementTable) -> Mentions:
    """What the crawl makes of words: by its pages, or by a sample of them, if they are many."""
    sure = topic_probabilities(thoughts.confidences)
    parts = []
    for batch in corpus.batches((TERMS,), corpus.sampling_step(_SAMPLE)):
        rows, terms = batch.selected, batch.batches[TERMS]
        here = np.nan_to_num(topic_probabilities(thoughts.confidences_of(batch.pages[rows])))
        parts.append((terms.terms_of(rows), here.repeat(np.diff(terms.starts)[rows])))
    return learn_mentions(parts, float(sure.mean()) if len(sure) else 0.0)


def home_of(tree: TopicTree, examples: Iterable[Example]) -> frozenset[str]:
    """The domains of the examples that a person gave."""
    own = (
        one
        for one in examples
        if one.origin is not Origin.ARCHETYPE and not tree[one.topic].is_others
    )
    return frozenset(registrable_domain(host_of(one.url)) for one in own if one.url)


def _before_hubs(
    session: Session, tree: TopicTree, number: int, around: NeighbourhoodOf
) -> set[UrlId]:
    """What the best hubs of each topic link to: it comes first (SPEC B10)."""
    front: set[UrlId] = set()
    for topic in tree if number else ():
        if not topic.is_others:
            front |= targets_of(session, around(topic.id).hubs(number))
    return front
