"""The densest part of a page, as Daffodil's recommender finds lists of results (`density-2004`).

Theobald and Klas, "BINGO! and Daffodil: personalized exploration of digital libraries and web
sources" (2004), section 5.3:

    density(s, q) = (alpha f . q + beta links(s)) / |f|

for a subtree s, where f counts its terms, q those of the query, and |f| is the number of terms.
Taken literally the densest subtree is a single link. So candidates are containers: tables, lists,
and elements with siblings of the same kind inside. The root is returned if none has a query word.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink

MIN_REPEATED: Final = 3  # children of one kind that make a container
_CONTAINERS = frozenset({"table", "tbody", "dl", "ul", "ol"})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class DensityOptions:
    """Weights of query matches and of links; both 1, as the paper gives no values."""

    alpha: float = 1.0
    beta: float = 1.0


def densest_links(page: LinkedAnswer, options: DensityOptions | None = None) -> list[PageLink]:
    """Return the links in the densest container; all links if none has a word of the query."""
    first, end = densest_range(page, options or DensityOptions())
    return [link for link in page.links if first <= link.element < end]


def densest_range(page: LinkedAnswer, options: DensityOptions) -> tuple[int, int]:
    """Return the elements of the densest container, as the first and the one behind the last."""
    tree = page.tree
    matches, terms = [0], [0]
    for text in tree.texts:
        words = _WORD.findall(text.casefold())
        terms.append(terms[-1] + len(words))
        matches.append(matches[-1] + sum(word in page.words for word in words))
    counts = Counter(link.element for link in page.links)
    links = [0, *accumulate(counts[number] for number in range(len(tree.tags)))]
    best, result = 0.0, (0, len(tree.tags))
    for number in _containers(page):
        start, stop = tree.first_texts[number], tree.last_texts[number]
        hits, size = matches[stop] - matches[start], terms[stop] - terms[start]
        inside = links[tree.ends[number]] - links[number]
        density = (options.alpha * hits + options.beta * inside) / max(size, 1)
        if hits and inside >= MIN_REPEATED and density > best:
            best, result = density, (number, tree.ends[number])
    return result


def _containers(page: LinkedAnswer) -> list[int]:
    tree = page.tree
    kinds = Counter(zip(tree.parents, tree.tags, tree.classes, strict=True))
    repeating = {parent for (parent, _, _), count in kinds.items() if count >= MIN_REPEATED}
    return [
        number
        for number, tag in enumerate(tree.tags)
        if number and (tag in _CONTAINERS or number in repeating)
    ]
