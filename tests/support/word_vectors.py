"""A small table of what words mean, for tests: three directions and no more."""

from functools import cache

import numpy as np

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.text.terms import sequence_of

_ABOUT = {
    (100, 5, 0): "owl hawk heron sparrow finch feather nest wing plumage bird",
    (0, 100, 5): "court judge law case hotel flight holiday sea",
    (5, 0, 100): "onion soup salt butter",
}
WORDS = {word: row for row, words in _ABOUT.items() for word in words.split()}


@cache
def tiny() -> Meanings:
    numbered = sorted((int(sequence_of(word)[0]), row) for word, row in WORDS.items())
    return Meanings(
        np.array([number for number, _ in numbered], np.uint32),
        np.array([row for _, row in numbered], np.int8),
        "tiny",
    )
