"""The study of a retraining: choose archetypes, train new models, judge and rank again.

A study only reads, in a process of its own. Its results are written in portions while the crawl
goes on (BINGO!, sections 2.6 and 3.2; SPEC B10 to B14).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.links.mentions import Mentions, learn_mentions
from motherlode.learning.links.model import LinkModel
from motherlode.learning.matrix import Ints
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
from motherlode.policies.bingo.levels import hand_down, level_planes
from motherlode.policies.bingo.link_weights import sample_followed
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.rescoring import (
    links_of_newly_accepted,
    requeued_entries,
    write_prospects,
)
from motherlode.policies.bingo.site_profiles import profiles_of_crawl
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
from motherlode.training.trainer import Trainer, knows_topics, train
from motherlode.training.training_set import TrainingSet, children_of, documents_below
from motherlode.urls import host_of, registrable_domain

_HITS_ROUNDS = 100  # enough for the best authorities; exact scores are not needed
_SAMPLE_PAGES = 2_500  # from which levels, mentions of words and link weights are learned


class StudyRequest(Struct, frozen=True):
    """The phase to train for, and whether archetypes are looked for."""

    phase: Phase
    archetypes: bool = True


class StudyResult(Struct, frozen=True):
    """The results of a study, to be stored and adopted.

    `added` and `dropped` are archetypes. `follows` are links of pages that only the new model
    accepts. `wordless` is the reason why there is no common vocabulary.
    """

    classifier: bytes
    links: bytes
    phase: Phase
    home: frozenset[str]
    added: list[Example]
    dropped: list[Example]
    judgements: JudgementTable
    moves: list[Requeue]
    follows: list[tuple[PageId, Follow]]
    prospects: Prospects | None
    wordless: str = ""


def study(
    session: Session, config: Config, request: StudyRequest, corpus_cache: CorpusCache | None = None
) -> StudyResult:
    """Learn from all pages of the crawl: new models, archetypes, judgements and ranks.

    `corpus_cache` has the pages that the last study has read. Raises `BadInputError` if there is
    nothing to learn from.
    """
    tree = TopicTree(topic_rows.all_topics(session))
    examples = topic_rows.examples_of(session)
    trainer = Trainer(session, tree, config.learning, corpus_cache)
    limits = NeighbourhoodLimits(BASE_SET_PAGES, rounds=_HITS_ROUNDS)
    read_targets = trainer.corpus.targets_from
    neighbourhood_of = cache(
        partial(neighbourhood, session, tree, limits=limits, read_targets=read_targets)
    )
    change = ArchetypeUpdate()
    if request.archetypes:
        is_of_paper = config.crawl.policy == BINGO_2003
        update = update_archetypes_2003 if is_of_paper else update_archetypes
        change = update(session, tree, examples, config, neighbourhood_of, trainer)
    added, dropped = change.added, change.dropped
    dropped_ids = {example.id for example in dropped}
    examples = [example for example in examples if example.id not in dropped_ids] + added
    training_set, classifier = learn_levelled_topics(session, tree, config, examples, trainer)
    home = home_of(tree, examples)
    judgements = _judge_pages(session, classifier, trainer.corpus)
    links = LinkModel(_learn_mentions(trainer.corpus, judgements))
    policy = policy_for(config, classifier, None, home, request.phase, links)
    if policy.prospects is not None:
        select_sample = _apprentice_sample(config, trainer, examples)
        write_prospects(
            session, policy, policy.prospects, judgements, trainer.corpus, select_sample
        )
    front: set[UrlId] = set()
    if request.archetypes:
        front = _targets_of_hubs(session, tree, config.bingo.hubs, neighbourhood_of)
    return StudyResult(
        classifier=classifier.pack(),
        links=policy.links.pack(),
        phase=request.phase,
        home=home,
        added=added,
        dropped=dropped,
        judgements=judgements,
        moves=list(requeued_entries(session, policy, judgements, front)),
        follows=list(links_of_newly_accepted(session, policy, judgements)),
        prospects=policy.prospects,
        wordless=training_set.vocabulary_error,
    )


def _apprentice_sample(
    config: Config, trainer: Trainer, examples: Sequence[Example]
) -> Callable[[Ints], Ints] | None:
    """Return the function that selects the pages from which link weights are learned.

    None if the apprentice is off.
    """
    if not (config.bingo.apprentice and config.bingo.retrain):
        return None
    given = trainer.training_set(tuple(user_examples(examples))).example_pages
    return partial(sample_followed, step=trainer.corpus.sampling_step(_SAMPLE_PAGES), given=given)


def learn_levelled_topics(
    session: Session,
    tree: TopicTree,
    config: Config,
    examples: Sequence[Example],
    trainer: Trainer,
) -> tuple[TrainingSet, TreeClassifier]:
    """Return what a crawl learns from these examples; given ones say how far a topic reaches.

    Topics that were made of clusters are told apart by a classifier of their own, so they change
    nothing of the topics above them. The planes of bingo-2003 stay as they are.
    """
    training_set, classifier = _learn_levelled(session, tree, config, examples, trainer)
    older = without_new_subtopics(examples, tree)
    if len(older) == len(examples) or config.crawl.policy == BINGO_2003:
        return training_set, classifier
    kept = {(example.topic, example.url) for example in older}
    new = {example.topic for example in examples if (example.topic, example.url) not in kept}
    parents = {int(tree[topic].parent or ROOT) for topic in new}
    _, of_older = _learn_levelled(session, tree, config, older, trainer)
    return training_set, of_older.with_groups_of(classifier, parents)


def _learn_levelled(
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
    if config.bingo.sites:
        topics = sorted(topic for topic, parent in classifier.parents.items() if parent == ROOT)
        example_pages = _example_pages(trainer, examples, topics)
        profiles = profiles_of_crawl(trainer.corpus, _SAMPLE_PAGES, example_pages)
        classifier = classifier.with_profiles(profiles, topics)
        own = tuple(of_user.with_profiles(profiles, topics) for of_user in own)
    pages = trainer.corpus.batches(options.spaces, trainer.corpus.sampling_step(_SAMPLE_PAGES))
    levelled = level_planes(classifier, own, tree, pages)
    return training_set, hand_down(levelled, only_subtopics(training_set))


def only_subtopics(training_set: TrainingSet) -> dict[int, int]:
    """Return the sub-topics that all examples of the topic above belong to, higher topics first.

    Nothing tells such a topic from its sub-topic, unless a user gave counterexamples below it.
    """
    parents, documents = training_set.parents, training_set.documents
    found: dict[int, int] = {}
    pending = list(children_of(ROOT, parents))
    while pending:
        topic = pending.pop(0)
        below = children_of(topic, parents)
        pending += below
        with_documents = [child for child in below if documents_below(child, parents, documents)]
        others = training_set.others.get(topic)
        if (
            len(with_documents) == 1
            and not documents.get(topic)
            and not (others is not None and others.user)
        ):
            found[topic] = with_documents[0]
    return found


def _judge_pages(
    session: Session, classifier: TreeClassifier, corpus: PageCorpus
) -> JudgementTable:
    """Return the judgements of all pages by a classifier."""
    return JudgementTable.together(
        judge_batches(session, corpus.batches(tuple(classifier.groups_)), classifier)
    )


def _example_pages(
    trainer: Trainer, examples: Sequence[Example], topics: Iterable[int]
) -> list[list[PageId]]:
    """Return the pages that the user gave as examples of each topic and of topics below it."""
    given = trainer.training_set(tuple(given_examples(examples)))
    return [
        [
            document.page
            for document in documents_below(topic, given.parents, given.documents)
            if document.page is not None
        ]
        for topic in topics
    ]


def _learn_mentions(corpus: PageCorpus, judgements: JudgementTable) -> Mentions:
    """Return how often words occur in pages on the topics, from a sample of the pages."""
    probabilities = topic_probabilities(judgements.confidences)
    parts = []
    for batch in corpus.batches((TERMS,), corpus.sampling_step(_SAMPLE_PAGES)):
        rows, terms = batch.selected, batch.batches[TERMS]
        confidences = judgements.confidences_of(batch.pages[rows])
        page_probabilities = np.nan_to_num(topic_probabilities(confidences))
        counts = np.diff(terms.starts)[rows]
        parts.append((terms.terms_of(rows), page_probabilities.repeat(counts)))
    return learn_mentions(parts, float(probabilities.mean()) if len(probabilities) else 0.0)


def home_of(tree: TopicTree, examples: Iterable[Example]) -> frozenset[str]:
    """Return the domains of the user's examples of topics."""
    urls = (
        example.url
        for example in examples
        if example.origin is not Origin.ARCHETYPE and not tree[example.topic].is_others
    )
    return frozenset(registrable_domain(host_of(url)) for url in urls if url)


def _targets_of_hubs(
    session: Session, tree: TopicTree, hubs: int, neighbourhood_of: NeighbourhoodOf
) -> set[UrlId]:
    """Return the targets of the best hubs of each topic, which come first (SPEC B10)."""
    targets: set[UrlId] = set()
    for topic in tree if hubs else ():
        if not topic.is_others:
            targets |= targets_of(session, neighbourhood_of(topic.id).hubs(hubs))
    return targets
