"""What a page says, in English: neighbouring concepts defined, and sentences of other things
between.
"""

from msgspec import Struct

from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import Concept, Lexicon

_FORMS = (
    "{name}: {meaning}.",
    "{name} stands for {meaning}.",
    "What is called {plain} is {meaning}.",
    "The word {plain} means {meaning}.",
    "{name}, in short: {meaning}.",
    "Of {plain} one may say: {meaning}.",
)
_TITLES = (
    "{a}",
    "{a} and {b}",
    "{a}: notes",
    "On {a}",
    "{a}, {b} and others",
    "A guide to {a}",
    "More on {a}",
)
_NOISE = 0.3  # the share of sentences that have nothing to do with the page


class Subject(Struct, frozen=True):
    """What a page is about: a run of concepts, neighbours in the ontology."""

    concepts: tuple[Concept, ...]


def subject(concepts: list[Concept], dice: Dice) -> Subject:
    """Some neighbours; a page has a dozen of them, a long one many more."""
    start = dice.below(len(concepts))
    length = dice.long_tailed(6, 60, 1.6)
    around = (concepts[start : start + 2 * length] or concepts)[: 2 * length]
    chosen = tuple(concept for concept in around if dice.chance(0.6)) or tuple(around[:1])
    return Subject(chosen[:length])


def title(subject: Subject, dice: Dice) -> str:
    first, second = subject.concepts[0], subject.concepts[-1]
    name = dice.pick(_TITLES).format(a=first.names[0], b=second.names[0])
    return name[0].upper() + name[1:]


def paragraphs(subject: Subject, lexicon: Lexicon, dice: Dice) -> list[str]:
    """The page's text: three to six sentences a paragraph."""
    sentences = []
    for concept in subject.concepts:
        sentences.append(_sentence(concept, dice))
        while dice.chance(_NOISE):
            sentences.append(dice.pick(lexicon.sentences))
    found = []
    while sentences:
        length = dice.between(3, 6)
        found.append(" ".join(sentences[:length]))
        sentences = sentences[length:]
    return found


def _sentence(concept: Concept, dice: Dice) -> str:
    name = concept.names[0]
    if len(concept.names) > 1 and dice.chance(0.4):
        name = f"{name} (also {concept.names[1]})"
    return dice.pick(_FORMS).format(
        name=name[0].upper() + name[1:], plain=name, meaning=concept.meaning
    )
