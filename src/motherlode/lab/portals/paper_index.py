"""The search engine that all portals share: fields of papers, ranked by BM25.

Formula: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), equation 3.15.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log

from motherlode.lab.portals.records import AuthorName, PaperRecord, parse_author

K1 = 1.2
B = 0.75
MIN_SHARE = 0.5  # of the weight of a query's words, that a paper must have
MAX_QUERY_WORDS = 50
TEXT_ATTRIBUTES = ("any", "title", "venue", "keywords")
NAME_ATTRIBUTES = ("author", "first_name", "last_name")
ATTRIBUTES = (*TEXT_ATTRIBUTES, *NAME_ATTRIBUTES, "year", "kind", "full_text", "sort")
_WORD = re.compile(r"[^\W_]+")
_YEARS = re.compile(r"\s*(\d{4})(?:\s*-\s*(\d{4}))?\s*")


class PaperIndex:
    """Finds papers by their attributes; equal queries give equal results, in equal order."""

    def __init__(self, papers: Sequence[PaperRecord]) -> None:
        self.papers = papers
        self._fields = {
            name: _FieldIndex([_text(paper, name) for paper in papers]) for name in TEXT_ATTRIBUTES
        }
        self._names = [[_words_of_name(name) for name in paper.authors] for paper in papers]

    def search(self, query: Mapping[str, str]) -> list[PaperRecord]:
        """Return the papers that fit every attribute of the query; none for an empty query."""
        wanted = {name: text.strip() for name, text in query.items() if text.strip()}
        if not set(wanted) - {"sort"}:
            return []
        scores = dict.fromkeys(range(len(self.papers)), 0.0)
        for name in TEXT_ATTRIBUTES:
            if name in wanted:
                field_scores = self._fields[name].scores(wanted[name])
                scores = {r: scores[r] + score for r, score in field_scores.items() if r in scores}
        rows = [row for row in scores if self._fits(row, wanted)]
        order = wanted.get("sort", "relevance")
        rows.sort(key=lambda row: (*_sort_key(self.papers[row], order), -scores[row], row))
        return [self.papers[row] for row in rows]

    def _fits(self, row: int, wanted: Mapping[str, str]) -> bool:
        """Whether a paper has the names, the years and the kind that are wanted."""
        paper = self.papers[row]
        return (
            ("year" not in wanted or _is_in_years(paper.year, wanted["year"]))
            and wanted.get("kind", paper.kind) == paper.kind
            and ("full_text" not in wanted or paper.has_full_text)
            and (not set(NAME_ATTRIBUTES) & set(wanted) or self._has_author(row, wanted))
        )

    def _has_author(self, row: int, wanted: Mapping[str, str]) -> bool:
        """Whether one author of a paper has all the names that are wanted."""
        both, first, last = (
            words(wanted.get(name, "")) for name in ("author", "first_name", "last_name")
        )
        return any(
            _name_has(first_words + last_words, both)
            and _name_has(first_words, first)
            and _name_has(last_words, last)
            for first_words, last_words in self._names[row]
        )


class _FieldIndex:
    """For each word, the texts that have it and how often."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        lengths = []
        for row, text in enumerate(texts):
            counts = Counter(words(text))
            lengths.append(counts.total())
            for word, count in counts.items():
                self._counts[word][row] = count
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._norms = [K1 * (1 - B + B * length / mean) for length in lengths]

    def scores(self, text: str) -> dict[int, float]:
        """Return the BM25 of the texts that have enough of the words, by weight."""
        query_words = list(dict.fromkeys(words(text)))[:MAX_QUERY_WORDS]
        weights = {word: self._weight(word) for word in query_words}
        scores: dict[int, float] = defaultdict(float)
        shares: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for row, count in self._counts.get(word, {}).items():
                scores[row] += weight * count * (K1 + 1) / (count + self._norms[row])
                shares[row] += weight
        least = MIN_SHARE * sum(weights.values())
        return {row: score for row, score in scores.items() if shares[row] >= least}

    def _weight(self, word: str) -> float:
        present = len(self._counts.get(word, {}))
        return log(1 + (len(self._norms) - present + 0.5) / (present + 0.5))


def words(text: str) -> list[str]:
    """Return the words of a text, without accents and case.

    >>> words("Müller, J.: Owls!")
    ['muller', 'j', 'owls']
    """
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in apart if not unicodedata.combining(char))
    return _WORD.findall(text.casefold())


def _text(paper: PaperRecord, attribute: str) -> str:
    keywords = " ".join(paper.keywords)
    match attribute:
        case "title":
            return paper.title
        case "venue":
            return paper.venue
        case "keywords":
            return f"{keywords} {paper.title}"
    authors = " ".join(paper.authors)
    return f"{paper.title} {paper.title} {authors} {paper.venue} {keywords} {paper.abstract}"


def _words_of_name(author: str) -> tuple[list[str], list[str]]:
    name: AuthorName = parse_author(author)
    return words(name.first), words(name.last)


def _name_has(name_words: Sequence[str], wanted: Iterable[str]) -> bool:
    """Whether every word is in a name; an initial stands for any first name that begins so."""
    return all(
        any(have == want or (1 in (len(have), len(want)) and have[0] == want[0])
            for have in name_words)
        for want in wanted
    )  # fmt: skip


def _is_in_years(year: int, wanted: str) -> bool:
    """Whether a year is the one that is wanted, or in a range such as 1960-1969."""
    match = _YEARS.fullmatch(wanted)
    return match is not None and int(match[1]) <= year <= int(match[2] or match[1])


def _sort_key(paper: PaperRecord, order: str) -> tuple[int | str, ...]:
    match order:
        case "year":
            return (-paper.year,)
        case "title":
            return (paper.title.casefold(),)
    return ()
