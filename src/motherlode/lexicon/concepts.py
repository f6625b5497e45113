"""The concepts of WordNet's nouns with what is broader, compiled once into the cache.

Things with names of their own, such as cities, are left out: no field of a form is called after
them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec
from msgspec import Struct

from motherlode.lexicon.compiler import Recipe
from motherlode.lexicon.nouns import Synset, read_nouns

DIGEST = "e9a657ac3c9f4d2969e5"
MAX_WORD_CHARS = 60
# The endings of regular plurals with what they stand for, as morphy(7WN) detaches them.
PLURALS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


class ConceptGraph(Struct, frozen=True, array_like=True):
    """Concepts known by their places, as they lie in the cache.

    `offsets` are those of WordNet 3.0; `broader` are the concepts directly above each, and
    `narrower_counts` says how many lie anywhere below it. `by_name` leads from a noun in lower
    case to its meanings.
    """

    offsets: tuple[int, ...]
    broader: tuple[tuple[int, ...], ...]
    narrower_counts: tuple[int, ...]
    by_name: dict[str, tuple[int, ...]]


class Concepts:
    """Looks up nouns, and what is broader than a concept."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._graph = graph
        self._places = {offset: place for place, offset in enumerate(graph.offsets)}
        self._ancestors: dict[int, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self._graph.offsets)

    def meanings(self, noun: str) -> tuple[int, ...]:
        """Return the concepts that a noun, or what it is the plural of, may stand for."""
        if len(noun) > MAX_WORD_CHARS:
            return ()
        by_name, noun = self._graph.by_name, noun.lower()
        for form in (noun, *singulars(noun)):
            if form in by_name:
                return by_name[form]
        return ()

    def place_of(self, offset: int) -> int:
        """Return the place of the concept at an offset of WordNet 3.0."""
        return self._places[offset]

    def narrower_count(self, concept: int) -> int:
        """Return how many concepts lie anywhere below one."""
        return self._graph.narrower_counts[concept]

    def ancestors(self, concept: int) -> frozenset[int]:
        """Return a concept and all that are broader."""
        if concept not in self._ancestors:
            self._ancestors[concept] = frozenset(_ancestors(self._graph.broader, concept))
        return self._ancestors[concept]


def singulars(noun: str) -> list[str]:
    """Return what a regular plural may be the plural of, the likeliest first.

    >>> singulars("libraries"), singulars("indexes")
    (['librarie', 'library'], ['indexe', 'index'])
    """
    return [
        noun.removesuffix(ending) + singular
        for ending, singular in PLURALS
        if noun.endswith(ending) and len(noun) > len(ending) + 1
    ]


@cache
def noun_concepts() -> Concepts:
    """Return the concepts of WordNet 3.0. Raises `NoWordNetError` where it cannot be had."""
    return Concepts(msgspec.msgpack.decode(RECIPE.packed(), type=ConceptGraph))


def concepts_are_here() -> bool:
    """Whether the concepts can be had without fetching anything."""
    return RECIPE.is_here()


def compile_concepts(nouns: str) -> ConceptGraph:
    """Return the concepts in the text of `data.noun`."""
    synsets = {
        offset: synset for offset, synset in read_nouns(nouns).items() if not synset.instance
    }
    places = {offset: place for place, offset in enumerate(synsets)}
    broader = _broader(synsets, places)
    return ConceptGraph(
        tuple(map(int, synsets)), broader, tuple(_narrower_counts(broader)), _by_name(synsets)
    )


def _packed(nouns: str) -> bytes:
    return msgspec.msgpack.encode(compile_concepts(nouns))


RECIPE = Recipe("concepts", DIGEST, _packed)


def _broader(
    synsets: Mapping[str, Synset], places: Mapping[str, int]
) -> tuple[tuple[int, ...], ...]:
    above: list[list[int]] = [[] for _ in synsets]
    for place, synset in enumerate(synsets.values()):
        for narrower in synset.narrower:
            if narrower in places:
                above[places[narrower]].append(place)
    return tuple(map(tuple, above))


def _narrower_counts(broader: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield for each concept how many others lie below it, each counted once."""
    counts = [0] * len(broader)
    for concept in range(len(broader)):
        for ancestor in _ancestors(broader, concept):
            counts[ancestor] += 1
    yield from (count - 1 for count in counts)


def _by_name(synsets: Mapping[str, Synset]) -> dict[str, tuple[int, ...]]:
    places: dict[str, dict[int, None]] = {}
    for place, synset in enumerate(synsets.values()):
        for name in synset.names:
            places.setdefault(name.lower(), {})[place] = None
    return {name: tuple(found) for name, found in sorted(places.items())}


def _ancestors(broader: Sequence[Sequence[int]], concept: int) -> set[int]:
    reached = {concept}
    waiting = [concept]
    while waiting:
        for above in broader[waiting.pop()]:
            if above not in reached:
                reached.add(above)
                waiting.append(above)
    return reached
