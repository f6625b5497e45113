"""The words of the generated web: WordNet's noun glosses, one branch of the ontology a topic."""

import re
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from motherlode.lab.cache import cache_directory, locked, put
from motherlode.lab.generated import wordnet
from motherlode.lab.generated.topics import TOPICS
from motherlode.records import LodeError

# The compiled lexicon of WordNet 3.0: the same words on every machine, or the same seed were another web.
DIGEST = "f100b40418496a2e9459"
# Lexicographer files of WordNet whose nouns make up pages on no topic: acts, ideas, talk, groups, people...
_THEMES = {
    "04": "acts",
    "09": "ideas",
    "10": "talk",
    "11": "events",
    "14": "groups",
    "18": "people",
    "28": "times",
}
_EXAMPLE = re.compile(r'"([^"]{20,120})"')
_REMARK = re.compile(r"\([^)]*\)\s*")
_LONGEST = 220


class Concept(Struct, frozen=True, array_like=True):
    """A noun: its names, and what it means."""

    names: tuple[str, ...]
    meaning: str


class Lexicon(Struct, frozen=True):
    """Concepts by topic and by theme, neighbours in the ontology side by side, and sentences of all kinds."""

    topics: dict[str, list[Concept]]
    themes: dict[str, list[Concept]]
    sentences: list[str]


class _Synset(Struct, frozen=True):
    lexfile: str
    names: tuple[str, ...]
    gloss: str
    narrower: tuple[str, ...]


@cache
def lexicon() -> Lexicon:
    """The lexicon, out of the cache or compiled from wherever WordNet is found."""
    kept = _kept()
    packed = _right_or_none(kept)
    if packed is None:  # a cache that cannot be written costs time, and nothing else
        with suppress(OSError), locked(kept.with_suffix(".lock")):
            packed = _right_or_none(kept) or _compile_into(kept)
    return _unpack(packed or _compiled())


def lexicon_is_here() -> bool:
    """Whether a generated web can be made without fetching anything."""
    return any(_content(path) for path in (_kept(), *wordnet.candidates()))


def _kept() -> Path:
    return cache_directory() / f"lexicon-{DIGEST}.msgpack"


def _right_or_none(kept: Path) -> bytes | None:
    packed = _content(kept)
    return packed if _digest(packed) == DIGEST else None


def _compile_into(kept: Path) -> bytes:
    packed = _compiled()
    with suppress(OSError):
        put(kept, packed)
    return packed


def _content(path: Path) -> bytes:
    """What is in a file; nothing, if there is none that can be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError):  # the second is for a name that no file can have
        return b""


def _compiled() -> bytes:
    for path in wordnet.candidates():
        if packed := _right(_content(path)):
            return packed
    packed = _right(wordnet.download())
    if packed is None:
        raise LodeError("The WordNet that was fetched is not version 3.0 as it was published.")
    return packed


def _right(nouns: bytes) -> bytes | None:
    """The lexicon compiled from the content of `data.noun`, if it is that of WordNet 3.0."""
    try:
        packed = msgspec.msgpack.encode(compile_lexicon(nouns.decode("latin-1")))
    except (ValueError, KeyError, IndexError):
        return None
    return packed if _digest(packed) == DIGEST else None


def _digest(packed: bytes) -> str:
    return blake2b(packed, digest_size=10).hexdigest()


def _unpack(packed: bytes) -> Lexicon:
    return msgspec.msgpack.decode(packed, type=Lexicon)


def compile_lexicon(nouns: str) -> Lexicon:
    """Topics, themes and sentences out of the text of `data.noun`."""
    synsets = dict(_synset(line) for line in nouns.splitlines() if line and line[0] != " ")
    topics = {path: _branch(synsets, root) for path, root in TOPICS.items()}
    taken = {offset for branch in topics.values() for offset in branch}
    themes: dict[str, list[str]] = {name: [] for name in _THEMES.values()}
    for offset, synset in synsets.items():
        if synset.lexfile in _THEMES and offset not in taken:
            themes[_THEMES[synset.lexfile]].append(offset)
    return Lexicon(
        {path: _concepts(synsets, branch) for path, branch in topics.items()},
        {name: _concepts(synsets, theme)[::3] for name, theme in themes.items()},
        _sentences(synsets),
    )


def _synset(line: str) -> tuple[str, _Synset]:
    """One line of the database (wndb(5WN)): offset, file, type, words, pointers, gloss."""
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    words = int(fields[3], 16)
    names = tuple(fields[4 + 2 * number].replace("_", " ") for number in range(words))
    pointers = fields[5 + 2 * words :]
    narrower = tuple(pointers[at + 1] for at in range(0, len(pointers) - 3, 4) if pointers[at] in ("~", "~i"))
    return fields[0], _Synset(fields[1], names, gloss.strip(), narrower)


def _branch(synsets: dict[str, _Synset], root: str) -> list[str]:
    """A concept and all narrower ones, depth first, so that neighbours are alike."""
    found: dict[str, None] = {}
    waiting = [root]
    while waiting:
        offset = waiting.pop()
        if offset not in found:
            found[offset] = None
            waiting.extend(reversed(synsets[offset].narrower))
    return list(found)


def _concepts(synsets: dict[str, _Synset], offsets: list[str]) -> list[Concept]:
    concepts = (Concept(synsets[offset].names, _meaning(synsets[offset].gloss)) for offset in offsets)
    return [concept for concept in concepts if 10 < len(concept.meaning) <= _LONGEST]  # noqa: PLR2004 - a few words


def _meaning(gloss: str) -> str:
    """The definition without its examples and remarks."""
    return _REMARK.sub("", gloss.partition('; "')[0].partition(': "')[0]).strip(" ;:")


def _sentences(synsets: dict[str, _Synset]) -> list[str]:
    """The examples of use, as sentences."""
    found = (example for synset in synsets.values() for example in _EXAMPLE.findall(synset.gloss))
    return [_as_sentence(example) for example in dict.fromkeys(found)]


def _as_sentence(example: str) -> str:
    example = example[0].upper() + example[1:].rstrip(" .")
    return example if example[-1] in "?!" else f"{example}."
