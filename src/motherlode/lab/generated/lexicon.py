"""The words of the generated web: WordNet's noun glosses, one branch of the ontology a topic."""

from collections.abc import Iterable, Mapping
from functools import cache

import msgspec
from msgspec import Struct

from motherlode.lab.generated.topics import TOPICS
from motherlode.lexicon.compiler import Recipe
from motherlode.lexicon.nouns import Synset, as_sentence, branch, examples, meaning, read_nouns

# The compiled lexicon of WordNet 3.0: the same words on every machine, or the same seed were
# another web.
DIGEST = "f100b40418496a2e9459"
# Lexicographer files of WordNet whose nouns make up pages on no topic: acts, ideas, talk, groups,
# people...
_THEMES = {
    "04": "acts",
    "09": "ideas",
    "10": "talk",
    "11": "events",
    "14": "groups",
    "18": "people",
    "28": "times",
}
_LONGEST = 220


class Concept(Struct, frozen=True, array_like=True):
    """A noun: its names, and what it means."""

    names: tuple[str, ...]
    meaning: str


class Lexicon(Struct, frozen=True):
    """Concepts by topic and by theme, neighbours in the ontology side by side, and sentences of all
    kinds.
    """

    topics: dict[str, list[Concept]]
    themes: dict[str, list[Concept]]
    sentences: list[str]


@cache
def lexicon() -> Lexicon:
    """The lexicon, out of the cache or compiled from wherever WordNet is found."""
    return msgspec.msgpack.decode(RECIPE.packed(), type=Lexicon)


def lexicon_is_here() -> bool:
    """Whether a generated web can be made without fetching anything."""
    return RECIPE.is_here()


def compile_lexicon(nouns: str) -> Lexicon:
    """Topics, themes and sentences out of the text of `data.noun`."""
    synsets = read_nouns(nouns)
    topics = {path: branch(synsets, root) for path, root in TOPICS.items()}
    taken = {offset for offsets in topics.values() for offset in offsets}
    themes: dict[str, list[str]] = {name: [] for name in _THEMES.values()}
    for offset, synset in synsets.items():
        if synset.lexfile in _THEMES and offset not in taken:
            themes[_THEMES[synset.lexfile]].append(offset)
    return Lexicon(
        {path: _concepts(synsets, offsets) for path, offsets in topics.items()},
        {name: _concepts(synsets, offsets)[::3] for name, offsets in themes.items()},
        _sentences(synsets.values()),
    )


def _packed(nouns: str) -> bytes:
    return msgspec.msgpack.encode(compile_lexicon(nouns))


RECIPE = Recipe("lexicon", DIGEST, _packed)


def _concepts(synsets: Mapping[str, Synset], offsets: Iterable[str]) -> list[Concept]:
    concepts = (
        Concept(synsets[offset].names, meaning(synsets[offset].gloss)) for offset in offsets
    )
    return [concept for concept in concepts if 10 < len(concept.meaning) <= _LONGEST]  # noqa: PLR2004 - a few words


def _sentences(synsets: Iterable[Synset]) -> list[str]:
    """The examples of use, as sentences."""
    found = (example for synset in synsets for example in examples(synset.gloss))
    return [as_sentence(example) for example in dict.fromkeys(found)]
