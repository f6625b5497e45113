"""Which words the pages on a topic mention, and other pages of the crawl do not.

What a topic is about is mentioned by its pages long before it is fetched: those on birds speak of kestrels.
So a link that is called by such a word is likely to lead to another page on the topic, though no example has
the word and nobody knows what it means. A word's lift is how much likelier a page that has it is on the topic
than any page of the crawl,

    lift(t) = ln ((S_t + m b) / (n_t + m) / b),

with n_t pages that have it, of which S_t are on the topic, the share b of all pages that are, and m pages of
that share added, as in an m-estimate (Cestnik 1990, "Estimating probabilities"). What it is worth is in
docs/quality.md, "How links are ranked".
"""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from motherlode.learning.matrix import Floats, Terms

MAX_WORDS = 50_000  # words that are kept, those of most pages
_ADDED = 2.0  # pages of the usual share
_TWICE = 2  # a word that one page alone has tells nothing


class Mentions(Struct, frozen=True):
    """The lifts of words: the numbers of their terms, which rise, and of each its lift."""

    terms: bytes = b""  # uint32
    lifts: bytes = b""  # float32

    def lookup(self) -> tuple[Terms, Floats]:
        return np.frombuffer(self.terms, np.uint32), np.frombuffer(self.lifts, np.float32).astype(np.float64)

    def is_valid(self) -> bool:
        """Whether it can be asked: models come out of files."""
        if len(self.terms) % 4 or len(self.lifts) != len(self.terms):
            return False
        terms, lifts = self.lookup()
        return bool((terms[1:] > terms[:-1]).all() and np.isfinite(lifts).all())


def learn_mentions(pages: Iterable[tuple[Terms, Floats]], share: float, most: int = MAX_WORDS) -> Mentions:
    """By the terms of pages, each with how likely its page is on the topic, some pages at a time; `share` is
    how likely any page is."""
    parts = list(pages)
    if not parts or share <= 0:
        return Mentions()
    found, places, having = np.unique(
        np.concatenate([terms for terms, _ in parts]), return_inverse=True, return_counts=True
    )
    on_topic = np.bincount(places, np.concatenate([sure for _, sure in parts]), len(found))
    often = np.argsort(-having, kind="stable")[:most]
    kept = np.sort(often[having[often] >= _TWICE])
    lifts = np.log((on_topic[kept] + _ADDED * share) / (having[kept] + _ADDED) / share)
    return Mentions(found[kept].astype(np.uint32).tobytes(), lifts.astype(np.float32).tobytes())
