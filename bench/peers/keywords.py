"""The keywords of a topic, chosen by tf-idf from its seed pages; needs no other package."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

_WORD = re.compile(r"[^\W\d_]{4,}")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; shorter ones than four letters tell little.

    >>> words_of("An owl, two Owlets: snake_case!")
    ['owlets', 'snake', 'case']
    """
    return _WORD.findall(text.lower())


def choose_keywords(
    seed_texts: Sequence[str], background_texts: Iterable[str], number: int
) -> dict[str, float]:
    """Return the words with the highest mean tf-idf over the seed pages, best first, with it.

    Each seed page's weights are scaled to length 1, so that a long page does not decide alone.
    """
    documents = [set(words_of(text)) for text in (*background_texts, *seed_texts)]
    pages_with = Counter(word for document in documents for word in document)
    totals: Counter[str] = Counter()
    for text in seed_texts:
        totals.update(_tf_idf(Counter(words_of(text)), pages_with, len(documents)))
    best = sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))[:number]
    return {word: weight / len(seed_texts) for word, weight in best}


def _tf_idf(
    frequencies: Counter[str], pages_with: Mapping[str, int], pages: int
) -> dict[str, float]:
    weights = {
        word: (1 + math.log(frequency)) * math.log(pages / pages_with[word])
        for word, frequency in frequencies.items()
    }
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}


def keyword_share(words: Iterable[str], keywords: Mapping[str, float]) -> float:
    """Return the share of the keywords, by weight, that occur among the words."""
    total = sum(keywords.values())
    present = sum(keywords[word] for word in set(words) if word in keywords)
    return present / total if total else 0.0
