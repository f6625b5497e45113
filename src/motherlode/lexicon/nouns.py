"""WordNet's nouns: what each means, and which are narrower than another (wndb(5WN))."""

import re
from collections.abc import Mapping

from msgspec import Struct

_EXAMPLE = re.compile(r'"([^"]{20,120})"')
_REMARK = re.compile(r"\([^)]*\)\s*")
_NARROWER = ("~", "~i")
_INSTANCE = "@i"
_MEMBER = "-c"


class Synset(Struct, frozen=True):
    """A concept: its names, what it means, the narrower ones, and the nouns of the field that it
    names.

    An instance is one thing with a name of its own, such as a city.
    """

    lexfile: str
    names: tuple[str, ...]
    gloss: str
    narrower: tuple[str, ...]
    members: tuple[str, ...] = ()
    instance: bool = False


def read_nouns(nouns: str) -> dict[str, Synset]:
    """The concepts in the text of `data.noun`, by their offsets."""
    return dict(_synset(line) for line in nouns.splitlines() if line and line[0] != " ")


def branch(synsets: Mapping[str, Synset], root: str) -> list[str]:
    """A concept and all narrower ones, depth first, so that neighbours are alike."""
    found: dict[str, None] = {}
    waiting = [root]
    while waiting:
        offset = waiting.pop()
        if offset not in found:
            found[offset] = None
            waiting.extend(reversed(synsets[offset].narrower))
    return list(found)


def meaning(gloss: str) -> str:
    """The definition without its examples and remarks.

    >>> meaning('(music) the rate of speed; "play it at a slow tempo"')
    'the rate of speed'
    """
    return _REMARK.sub("", gloss.partition('; "')[0].partition(': "')[0]).strip(" ;:")


def examples(gloss: str) -> list[str]:
    """The examples of use that are long enough to be sentences, as they stand.

    >>> examples('a large sum; "a bundle"; "she made a bundle selling real estate"')
    ['she made a bundle selling real estate']
    """
    return _EXAMPLE.findall(gloss)


def as_sentence(example: str) -> str:
    """An example of use with a capital and a full stop.

    >>> as_sentence("she made a bundle")
    'She made a bundle.'
    """
    example = example[0].upper() + example[1:].rstrip(" .")
    return example if example[-1] in "?!" else f"{example}."


def _synset(line: str) -> tuple[str, Synset]:
    """One line of the database: offset, file, type, words, pointers, gloss."""
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    words = int(fields[3], 16)
    names = tuple(fields[4 + 2 * number].replace("_", " ") for number in range(words))
    pointers = fields[5 + 2 * words :]
    places = range(
        0, len(pointers) - 3, 4
    )  # each has a kind, an offset, a part of speech, and the words
    narrower = tuple(pointers[at + 1] for at in places if pointers[at] in _NARROWER)
    members = tuple(
        pointers[at + 1] for at in places if pointers[at] == _MEMBER and pointers[at + 2] == "n"
    )
    instance = any(pointers[at] == _INSTANCE for at in places)
    return fields[0], Synset(fields[1], names, gloss.strip(), narrower, members, instance)
