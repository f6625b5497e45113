"""Feature spaces (SPEC B18; BINGO!, section 3.5): each a function from a document, and what is
known of its neighbours, to a sparse vector.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.text.terms import Bag, bag_of, count, sequence_of
from motherlode.documents.text.tokens import Numbers
from motherlode.records import Document

TERMS, PAIRS, ANCHORS, NEIGHBOURS, URLS = "terms", "pairs", "anchors", "neighbours", "urls"

WINDOW = 4  # a term pairs with this many that follow it
TOP_TERMS = 10  # of a neighbour
_MIX = np.int64(0x9E3779B1)
_WORD_BITS = np.int64(0xFFFFFFFF)
_PARTS = re.compile(r"[^\W\d_]+")
# What links say that says nothing of where they lead.
_STOP_PHRASES = re.compile(
    r"\b(?:click here|read more|learn more|find out more|more info(?:rmation)?|see more|view more"
    r"|show more|continue reading|go to|full text|next page|previous page|back to top|home ?page"
    r"|skip to content|main page|web ?site|download|here|home|next|previous|back|more|top|link"
    r"|print|login|log in|sign in|contact(?: us)?|about(?: us)?|help|search|menu|site ?map"
    r"|hier klicken|weiterlesen|mehr|zurück|startseite"
    r"|cliquez ici|lire la suite|en savoir plus|accueil|suite|haga clic aquí|leer más|inicio"
    r"|clicca qui|leggi tutto"
    r"|clique aqui|saiba mais|leia mais|lees meer|klik hier)\b",
    re.IGNORECASE,
)
SILENT_PARTS = frozenset(
    {
        "http",
        "https",
        "www",
        "html",
        "htm",
        "php",
        "asp",
        "aspx",
        "jsp",
        "index",
        "cgi",
        "com",
        "org",
        "net",
    }
)


Wide = npt.NDArray[np.int64]
Sample = Mapping[str, Bag]  # a document: its bag in each feature space


class Surroundings(Struct, frozen=True):
    """What is known of a page besides itself: what links to it say, and the terms of pages next to
    it.
    """

    url: str = ""
    anchors: tuple[str, ...] = ()
    neighbours: tuple[Bag, ...] = ()


Space = Callable[[Document, Surroundings], Bag]


def terms(document: Document, _surroundings: Surroundings = Surroundings()) -> Bag:  # noqa: B008 - frozen
    """Single terms of title and text."""
    return bag_of(f"{document.title}\n{document.text}", document.language)


def pairs(document: Document, _surroundings: Surroundings = Surroundings()) -> Bag:  # noqa: B008 - frozen
    """Two terms that stand near each other, in whichever order."""
    sequence = sequence_of(f"{document.title}\n{document.text}", document.language).astype(np.int64)
    found = [
        _paired(sequence[:-step], sequence[step:])
        for step in range(1, WINDOW + 1)
        if step < len(sequence)
    ]
    return count(np.concatenate(found)) if found else count(np.array([], np.uint32))


def anchors(document: Document, surroundings: Surroundings) -> Bag:
    """What the links that lead here say, stop phrases left out."""
    said = "\n".join(_STOP_PHRASES.sub(" ", anchor) for anchor in surroundings.anchors)
    return bag_of(said, document.language)


def neighbours(_document: Document, surroundings: Surroundings) -> Bag:
    """The most frequent terms of the pages next to this one; each neighbour counts a term once."""
    tops = [_top(bag) for bag in surroundings.neighbours if len(bag)]
    return count(np.concatenate(tops)) if tops else count(np.array([], np.uint32))


def url_tokens(document: Document, surroundings: Surroundings) -> Bag:
    """The words in the address itself."""
    said = unquote(surroundings.url)
    parts = (part for part in _PARTS.findall(said) if part.lower() not in SILENT_PARTS)
    return bag_of(" ".join(parts), document.language)


SPACES: dict[str, Space] = {
    TERMS: terms,
    PAIRS: pairs,
    ANCHORS: anchors,
    NEIGHBOURS: neighbours,
    URLS: url_tokens,
}


def combined(names: Sequence[str]) -> Space:
    """Several spaces as one: a term of one space is another than the same term of the next."""
    parts = [(place, SPACES[name]) for place, name in enumerate(names)]

    def space(document: Document, surroundings: Surroundings) -> Bag:
        bags = [(place, part(document, surroundings)) for place, part in parts]
        numbers = np.concatenate([_salted(bag, place) for place, bag in bags])
        counts = np.concatenate([bag.counts for _, bag in bags])
        kept, first = np.unique(numbers, return_inverse=True)
        return Bag(kept, np.bincount(first, counts, len(kept)).astype(np.uint32))

    return space


def _paired(one: Wide, other: Wide) -> Numbers:
    low, high = np.minimum(one, other), np.maximum(one, other)
    return ((low * _MIX + high) & _WORD_BITS).astype(np.uint32)


def _top(bag: Bag) -> Numbers:
    best = np.argsort(-bag.counts.astype(np.int64), kind="stable")[:TOP_TERMS]
    return bag.terms[best]


def _salted(bag: Bag, place: int) -> Numbers:
    """The numbers of a space's terms, told apart from those of the others; the first
    keeps its own.
    """
    return ((bag.terms.astype(np.int64) + place * _MIX) & _WORD_BITS).astype(np.uint32)
