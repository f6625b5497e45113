"""Portals that a person might make of a web's topics, drawn by chance, and what they learn from."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import SPACES, TERMS, Sample, Surroundings
from motherlode.documents.text.terms import Bag, unpack
from motherlode.lab.generated.dice import Dice
from motherlode.lab.labels import within
from motherlode.lab.learned.pages import LabelledPages
from motherlode.learning.counterexamples import common_documents
from motherlode.learning.matrix import Ints
from motherlode.learning.tree import ROOT
from motherlode.lexicon import common_vocabulary
from motherlode.records import UsageError
from motherlode.topics.virtual import virtual_document

TREE, ONE, FOUR = "tree", "one", "four"
KINDS = (TREE, ONE, FOUR)
_PORTALS = {ONE: 8, FOUR: 2}  # drawn at each turn, so that both have eight topics
_SIZES = {ONE: 1, FOUR: 4}


class Draw(Struct, frozen=True):
    """What portals are drawn by."""

    examples: tuple[int, ...] = (2, 5, 10, 20)
    repeat: int = 3
    seed: int = 1
    least: int = 40  # labelled pages of a topic that is taken
    topics: int | None = None  # at most so many, by chance
    kinds: tuple[str, ...] = KINDS


class SampledPortal(Struct, frozen=True):
    """Topics by their paths, the pages drawn as examples of each, and those that nobody learns
    from.

    `parents` has a number for each path, those between a topic and the root included.
    """

    kind: str
    examples: dict[str, tuple[int, ...]]
    unseen: Ints
    numbers: dict[str, int]
    parents: dict[int, int]

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(self.examples)

    def line(self, topic: str) -> list[int]:
        """The numbers from below the root down to a topic."""
        found, here = [], self.numbers[topic]
        while here != ROOT:
            found.append(here)
            here = self.parents[here]
        return found[::-1]


class Lesson(Struct, frozen=True):
    """What a classifier is fitted on: the first few examples of each topic, and OTHERS of each
    parent.
    """

    parents: dict[int, int]
    documents: dict[int, list[Sample]]
    others: dict[int, list[Sample]]


def topics_of(pages: LabelledPages, draw: Draw) -> list[str]:
    """The topics that have enough pages of their own."""
    if draw.least <= max(draw.examples):
        raise UsageError(
            f"Of {draw.least} pages, {max(draw.examples)} examples leave none to judge; take "
            "larger topics."
        )
    counts: dict[str, int] = {}
    for page in pages.pages:
        for topic in page.topics:
            counts[topic] = counts.get(topic, 0) + 1
    found = sorted(topic for topic, count in counts.items() if count >= draw.least)
    if not found:
        raise UsageError(f"No topic of this web has {draw.least} labelled pages.")
    dice = Dice("topics", draw.seed)
    while draw.topics is not None and len(found) > draw.topics:
        found.pop(dice.below(len(found)))
    return found


def portals(pages: LabelledPages, draw: Draw) -> Iterator[SampledPortal]:
    """Every portal of a draw: at each turn one tree of all topics, and some of one topic and of
    four.
    """
    topics = topics_of(pages, draw)
    for turn in range(draw.repeat):
        for kind in draw.kinds:
            for place in range(_PORTALS.get(kind, 1)):
                dice = Dice("portal", draw.seed, turn, kind, place)
                chosen = topics if kind == TREE else _apart(topics, _SIZES[kind], dice)
                if chosen:
                    yield _portal(kind, chosen, pages, max(draw.examples), dice)


def number_of_portals(draw: Draw) -> int:
    """How many there are at most."""
    return draw.repeat * sum(_PORTALS.get(kind, 1) for kind in draw.kinds)


def lesson(
    portal: SampledPortal, pages: LabelledPages, number: int, spaces: Collection[str]
) -> Lesson:
    """What a portal learns from so many examples a topic."""
    documents = {
        portal.numbers[topic]: pages.samples(places[:number])
        for topic, places in portal.examples.items()
    }
    others = {}
    for parent in sorted(set(portal.parents.values())):
        below = [topic for topic, above in portal.parents.items() if above == parent]
        gathered = [_under(topic, portal.parents, documents) for topic in below]
        others[parent] = _common(
            [[sample[TERMS] for sample in found] for found in gathered], spaces
        )
    return Lesson(portal.parents, documents, others)


def _apart(topics: Sequence[str], number: int, dice: Dice) -> list[str]:
    """Topics of which none lies within another; none, if there are not so many."""
    left = list(topics)
    chosen: list[str] = []
    while left and len(chosen) < number:
        topic = left.pop(dice.below(len(left)))
        if not any(within(topic, other) or within(other, topic) for other in chosen):
            chosen.append(topic)
    return chosen if len(chosen) == number else []


def _portal(
    kind: str, topics: Sequence[str], pages: LabelledPages, number: int, dice: Dice
) -> SampledPortal:
    examples: dict[str, tuple[int, ...]] = {}
    taken: set[int] = set()
    for topic in topics:
        left = [place for place in pages.labelled(topic) if place not in taken]
        drawn = tuple(left.pop(dice.below(len(left))) for _ in range(min(number, len(left))))
        taken.update(drawn)
        examples[topic] = drawn
    unseen = np.array([place for place in range(len(pages)) if place not in taken], np.int64)
    numbers, parents = _numbered(topics) if kind == TREE else _beside(topics)
    return SampledPortal(kind, examples, unseen, numbers, parents)


def _beside(topics: Sequence[str]) -> tuple[dict[str, int], dict[int, int]]:
    """Topics one beside the other, whatever their paths are."""
    numbers = {topic: ROOT + 1 + place for place, topic in enumerate(topics)}
    return numbers, dict.fromkeys(numbers.values(), ROOT)


def _numbered(topics: Sequence[str]) -> tuple[dict[str, int], dict[int, int]]:
    """Topics in the tree that their paths make."""
    numbers: dict[str, int] = {}
    parents: dict[int, int] = {}
    for topic in topics:
        above, steps = ROOT, topic.split("/")
        for end in range(1, len(steps) + 1):
            path = "/".join(steps[:end])
            if path not in numbers:
                numbers[path] = ROOT + 1 + len(numbers)
                parents[numbers[path]] = above
            above = numbers[path]
    return numbers, parents


def _under(
    topic: int, parents: Mapping[int, int], documents: Mapping[int, Sequence[Sample]]
) -> list[Sample]:
    """The documents of a topic and of all below it."""
    found = list(documents.get(topic, ()))
    for child, above in parents.items():
        if above == topic:
            found += _under(child, parents, documents)
    return found


def _common(topics: Sequence[Sequence[Bag]], spaces: Collection[str]) -> list[Sample]:
    """Common vocabulary that is close to none of the topics."""
    samples = _vocabulary(tuple(sorted(spaces)))
    near = common_documents({name: sample[TERMS] for name, sample in samples.items()}, topics)
    return [samples[name] for name in near]


@cache
def _vocabulary(spaces: tuple[str, ...]) -> dict[str, Sample]:
    """Common vocabulary in each space; nothing links to it, and it has no address."""
    documents = {name: virtual_document(name, [text]) for name, text in common_vocabulary().items()}
    return {
        name: {
            TERMS: unpack(document.vectors[TERMS]),
            **{
                space: SPACES[space](document, Surroundings()) for space in spaces if space != TERMS
            },
        }
        for name, document in documents.items()
    }
