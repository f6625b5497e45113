"""Common vocabulary: one document a general domain, of what words mean and how they are used (SPEC
B16).

BINGO! took some 50 pages of everyday words from the top of a directory of the Web (section 3.1).
There is no such directory any more that everyone could have and that would be the same tomorrow;
WordNet can, and is.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec

from motherlode.lexicon.compiler import Recipe
from motherlode.lexicon.domains import DOMAINS
from motherlode.lexicon.nouns import Synset, as_sentence, branch, examples, meaning, read_nouns

DIGEST = "0464b255043bc095d098"
WORDS = 1_000  # of a document: from 400, average precision is 0.02 lower, from 2,000 hardly higher
_NAMES = 3
_Numbered = tuple[int, str]  # a place in the branch, and a paragraph


@cache
def common_vocabulary() -> dict[str, str]:
    """A text in English for each general domain. Raises `NoWordNetError` where WordNet cannot be
    had.
    """
    return msgspec.msgpack.decode(RECIPE.packed(), type=dict[str, str])


def vocabulary_is_here() -> bool:
    """Whether common vocabulary can be had without fetching anything."""
    return RECIPE.is_here()


def compile_vocabulary(nouns: str) -> dict[str, str]:
    """The texts out of the text of `data.noun`."""
    synsets = read_nouns(nouns)
    return {name: _document(_field(synsets, roots)) for name, roots in DOMAINS.items()}


def _packed(nouns: str) -> bytes:
    return msgspec.msgpack.encode(compile_vocabulary(nouns))


RECIPE = Recipe("vocabulary", DIGEST, _packed)


def _field(synsets: Mapping[str, Synset], roots: Sequence[str]) -> list[Synset]:
    """The concepts of a domain, those narrower than its roots and those of the fields that they
    name.

    Things with names of their own are left out: they are not common.
    """
    offsets = dict.fromkeys(
        offset for root in roots for offset in (*branch(synsets, root), *synsets[root].members)
    )
    return [synsets[offset] for offset in offsets if not synsets[offset].instance]


def _document(field: Sequence[Synset]) -> str:
    """A sample of a domain. Words with examples of use come first, as they are in use; others fill
    up.
    """
    used = [
        (place, _paragraph(synset)) for place, synset in enumerate(field) if examples(synset.gloss)
    ]
    taken = {place for place, _ in used}
    rest = [(place, _paragraph(synset)) for place, synset in enumerate(field) if place not in taken]
    chosen = list(_spread(used, WORDS))
    chosen += _spread(rest, WORDS - sum(map(_length, chosen)))
    return "\n".join(paragraph for _, paragraph in sorted(chosen))


def _paragraph(synset: Synset) -> str:
    """What is said of a concept: names, meaning, examples."""
    said = [as_sentence(example) for example in examples(synset.gloss)]
    return " ".join([f"{', '.join(synset.names[:_NAMES])}: {meaning(synset.gloss)}.", *said])


def _spread(paragraphs: Sequence[_Numbered], words: int) -> Iterator[_Numbered]:
    """Paragraphs of about so many words in all, at even distances, so that no corner is
    left out.
    """
    share = min(1.0, words / max(sum(map(_length, paragraphs)), 1))
    due = 1.0 - share  # the first is as likely to be taken as any other
    for paragraph in paragraphs:
        due += share
        if due >= 1.0:
            due -= 1.0
            yield paragraph


def _length(paragraph: _Numbered) -> int:
    return len(paragraph[1].split())
