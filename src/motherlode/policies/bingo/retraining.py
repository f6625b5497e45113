"""What a crawl teaches: archetypes, a new model, and what that makes of all pages and of all that waits.

It only reads, takes as long as it takes, and runs in a process of its own. What it finds is handed over and
kept bit by bit while the crawl goes on (BINGO!, sections 2.6 and 3.2; SPEC B10 to B14).
"""

from collections.abc import Iterable, Sequence
from functools import cache, partial

import numpy as np
from msgspec import Struct

from motherlode.documents.spaces import TERMS
from motherlode.learning.links.mentions import Mentions, learn_mentions
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.archetypes import BASE, Around, Joining, joining, joining_2003, own_of
from motherlode.policies.bingo.levels import level
from motherlode.policies.bingo.link_weights import followed
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.rescoring import Move, Thoughts, moves, opened, recall
from motherlode.policies.bingo.steering import Phase, policy_for, probabilities
from motherlode.policies.options import PolicyName
from motherlode.portal.config import Config
from motherlode.records import (
    ROOT,
    Example,
    Follow,
    Origin,
    PageId,
    UrlId,
)
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.graph import targets_of
from motherlode.topics import TopicTree
from motherlode.training.corpus import Library, Shelf, judged
from motherlode.training.link_analysis import Extent, neighbourhood
from motherlode.training.training_set import Desk, Syllabus, can_tell, learn
from motherlode.urls import host_of, registrable_domain

_ROUNDS = 100  # of link analysis: the best authorities stand by then, and exact scores are not wanted
_SAMPLE = 2_500  # pages that planes are levelled by, words looked for in, and an apprentice learns from


class Assignment(Struct, frozen=True):
    """What to study: for which phase, and whether archetypes are looked for."""

    phase: Phase
    archetypes: bool = True


class Insight(Struct, frozen=True):
    """What was found out, to be kept and adopted."""

    packed: bytes
    phase: Phase
    home: frozenset[str]
    added: list[Example]
    dropped: list[Example]
    thoughts: Thoughts
    moves: list[Move]
    opened: list[tuple[PageId, Follow]]  # links of pages that are on a topic by the new model only
    prospects: Prospects | None
    precision: float | None
    wordless: str = ""


def study(session: Session, config: Config, assignment: Assignment, shelf: Shelf | None = None) -> Insight:
    """Look at everything that the crawl has found. Raises `BadInputError` where there is nothing to learn.

    `shelf`: what is still there of the lesson before.
    """
    tree = TopicTree(topic_rows.all_topics(session))
    examples = topic_rows.examples_of(session)
    desk = Desk(session, tree, config.learning, shelf)
    extent, leading = Extent(BASE, rounds=_ROUNDS), desk.library.targets_from
    around = cache(partial(neighbourhood, session, tree, extent=extent, leading=leading))
    change = Joining()
    if assignment.archetypes:
        by_policy = joining_2003 if config.crawl.policy is PolicyName.BINGO_2003 else joining
        change = by_policy(session, tree, examples, config, around, desk)
    added, dropped = change.added, change.dropped
    gone = {one.id for one in dropped}
    examples = [one for one in examples if one.id not in gone] + added
    syllabus, classifier = learned(session, tree, config, examples, desk)
    home = home_of(tree, examples)
    thoughts = _thoughts(session, classifier, desk.library)
    classifier.mentions = _mentions(desk.library, thoughts)
    policy = policy_for(config.crawl, classifier, None, home, assignment.phase)
    if policy.prospects is not None:
        given = desk.syllabus(tuple(own_of(examples))).shown
        learns = partial(followed, every=desk.library.every_so_many(_SAMPLE), given=given)
        wanted = config.crawl.apprentice and config.crawl.retrain
        recall(session, policy.prospects, classifier, thoughts, desk.library, learns if wanted else None)
    front = _before_hubs(session, tree, config.crawl.hubs, around) if assignment.archetypes else set()
    return Insight(
        classifier.pack(),
        assignment.phase,
        home,
        added,
        dropped,
        thoughts,
        list(moves(session, policy, thoughts, front)),
        list(opened(session, policy, thoughts)),
        policy.prospects,
        estimated_precision(classifier),
        syllabus.wordless,
    )


def learned(
    session: Session,
    tree: TopicTree,
    config: Config,
    examples: Sequence[Example],
    desk: Desk | None = None,
    *,
    offline: bool = False,
) -> tuple[Syllabus, TreeClassifier]:
    """What a crawl learns from these examples: how much is on a topic is for the person's own to say."""
    options = config.learning
    desk = desk or Desk(session, tree, options, offline=offline)
    syllabus, classifier = learn(session, tree, options, examples=examples, desk=desk)
    if config.crawl.policy is PolicyName.BINGO_2003:
        return syllabus, classifier
    own = desk.taught(tuple(own_of(examples)))
    if not can_tell(own):
        return syllabus, classifier
    pages = desk.library.read(options.spaces, desk.library.every_so_many(_SAMPLE))
    return syllabus, level(classifier, own, tree, pages)


def _thoughts(session: Session, classifier: TreeClassifier, library: Library) -> Thoughts:
    return Thoughts.together(judged(session, library.read(tuple(classifier.groups_)), classifier))


def _mentions(library: Library, thoughts: Thoughts) -> Mentions:
    """What the crawl makes of words: by its pages, or by a sample of them, if they are many."""
    sure = probabilities(thoughts.confidences)
    parts = []
    for read in library.read((TERMS,), library.every_so_many(_SAMPLE)):
        rows, batch = read.asked, read.batches[TERMS]
        here = np.nan_to_num(probabilities(thoughts.confidences_of(read.pages[rows])))
        parts.append((batch.terms_of(rows), here.repeat(np.diff(batch.starts)[rows])))
    return learn_mentions(parts, float(sure.mean()) if len(sure) else 0.0)


def home_of(tree: TopicTree, examples: Iterable[Example]) -> frozenset[str]:
    """The domains of the examples that a person gave."""
    own = (one for one in examples if one.origin is not Origin.ARCHETYPE and not tree[one.topic].is_others)
    return frozenset(registrable_domain(host_of(one.url)) for one in own if one.url)


def estimated_precision(classifier: TreeClassifier) -> float | None:
    """What xi-alpha expects of the topics below the root, on the average of the spaces and topics of which it
    expects anything: of few examples it may say nothing at all, which is 0."""
    found = [
        plane.precision
        for groups in classifier.groups_.values()
        for group in groups
        if group.parent == ROOT
        for plane in group.planes
        if plane.precision
    ]
    return sum(found) / len(found) if found else None


def _before_hubs(session: Session, tree: TopicTree, number: int, around: Around) -> set[UrlId]:
    """What the best hubs of each topic link to: it comes first (SPEC B10)."""
    front: set[UrlId] = set()
    for topic in tree if number else ():
        if not topic.is_others:
            front |= targets_of(session, around(topic.id).hubs(number))
    return front
