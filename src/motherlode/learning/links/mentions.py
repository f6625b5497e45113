"""The words that pages on a topic mention more often than other pages of the crawl.

Pages on a topic mention its subjects long before their own pages are fetched: pages on birds speak
of kestrels. So a link with such a word in its anchor text is likely to lead to another page on the
topic, even if no example has the word and its meaning is unknown. The lift of a word says how much
likelier a page with it is on the topic than any page of the crawl,

    lift(t) = ln ((S_t + m b) / (n_t + m) / b),

where n_t pages have the word and S_t of them are on the topic, b is the share of all pages that
are, and m pages of that share are added, as in an m-estimate (Cestnik 1990, "Estimating
probabilities"). The gain is in docs/quality.md, "How links are ranked".
"""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from motherlode.learning.matrix import Floats, Terms

MAX_WORDS = 50_000  # the words on most pages are kept
_PRIOR_PAGES = 2.0  # m in the formula
_MIN_PAGES = 2  # a word on a single page is no evidence


class Mentions(Struct, frozen=True):
    """The lifts of words, in the ascending order of their term numbers."""

    terms: bytes = b""  # uint32
    lifts: bytes = b""  # float32

    def lookup(self) -> tuple[Terms, Floats]:
        """Return the terms and their lifts as arrays."""
        lifts = np.frombuffer(self.lifts, np.float32).astype(np.float64)
        return np.frombuffer(self.terms, np.uint32), lifts

    def is_valid(self) -> bool:
        """Return whether the arrays fit together; models are read from files."""
        if len(self.terms) % 4 or len(self.lifts) != len(self.terms):
            return False
        terms, lifts = self.lookup()
        return bool((terms[1:] > terms[:-1]).all() and np.isfinite(lifts).all())


def learn_mentions(
    pages: Iterable[tuple[Terms, Floats]],
    share: float,
    limit: int = MAX_WORDS,
) -> Mentions:
    """Return the lifts of the words of pages.

    `pages` come in parts: the terms of several pages, and for each term the probability that its
    page is on the topic. `share` is the mean probability of all pages.
    """
    parts = list(pages)
    if not parts or share <= 0:
        return Mentions()
    words, word_of, page_counts = np.unique(
        np.concatenate([terms for terms, _ in parts]), return_inverse=True, return_counts=True
    )
    probabilities = np.concatenate([probabilities for _, probabilities in parts])
    on_topic = np.bincount(word_of, probabilities, len(words))
    frequent = np.argsort(-page_counts, kind="stable")[:limit]
    selected = np.sort(frequent[page_counts[frequent] >= _MIN_PAGES])
    smoothed = (on_topic[selected] + _PRIOR_PAGES * share) / (page_counts[selected] + _PRIOR_PAGES)
    lifts = np.log(smoothed / share)
    return Mentions(words[selected].astype(np.uint32).tobytes(), lifts.astype(np.float32).tobytes())
