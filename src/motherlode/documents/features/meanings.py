"""What a document is about, whichever words it says it in: the mean of its words' vectors (SPEC
X2).

Static embeddings, as of word2vec (Mikolov and others, 2013): words that are used alike have vectors
that point the same way. Ours are those that the package wordllama carries (MIT licence), of 32,000
pieces of words. Splitting a page into pieces would take three times as long as reading it; so the
words of WordNet, and the pieces that are words, are split once, and a table from the numbers of
their terms to vectors is kept in the cache.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from numba import njit
from scipy.sparse import csr_array

from motherlode.documents.text.terms import sequences_of
from motherlode.documents.text.tokens import Numbers
from motherlode.lexicon.compiler import Recipe, digest_of
from motherlode.records import LodeError

Vectors = npt.NDArray[np.float32]
Starts = npt.NDArray[np.int64]
Drawers = npt.NDArray[np.int32]
_Table = tuple[Drawers, Numbers, npt.NDArray[np.int8]]

DIGEST = "2d1e31a2eb0e2bd0f21a"
_PACKAGE = "wordllama"
_WEIGHTS = ("weights/l2_supercat_256.safetensors", "04d0efe195dd528aa6d5")
_PIECES = ("tokenizers/l2_supercat_tokenizer_config.json", "a257b3f993ab0a98f759")
_WORD = re.compile(r"[^\W\d_]{2,40}")
_BEGINS = "\N{LOWER ONE EIGHTH BLOCK}"  # marks a piece that begins a word
_BITS = 16  # of a term's number tell where in the table to look for it
_MOST = 127  # of a signed byte
_KNOWN = (
    0.5  # of a document's terms must be in the table: else it is in another language, or no text
)


class NoMeaningsError(LodeError):
    """The vectors of words cannot be had. Whoever can do without may go on."""


class Meanings:
    """The vectors of terms: their numbers in rising order, and a row of bytes for each."""

    def __init__(self, terms: Numbers, rows: npt.NDArray[np.int8], digest: str = "") -> None:
        self.digest = digest
        self._terms = terms
        self._rows = rows
        bounds = np.arange((1 << _BITS) + 1, dtype=np.int64) << (32 - _BITS)
        self._drawers = np.searchsorted(terms, bounds).astype(np.int32)

    def __len__(self) -> int:
        return len(self._terms)

    @property
    def width(self) -> int:
        return int(self._rows.shape[1])

    def vectors(self, starts: Starts, terms: Numbers, counts: Numbers) -> Vectors:
        """Of documents one after the other, of length one; 0 for one of whose terms too few are
        known.
        """
        found: Vectors = _vectors(starts, terms, counts, (self._drawers, self._terms, self._rows))
        return found

    def cosines(
        self, starts: Starts, terms: Numbers, directions: Vectors
    ) -> npt.NDArray[np.float64]:
        """How near the nearest of some directions is to each of some names, one after the other,
        which are a few terms each; no number for one of whose terms too few are known.
        """
        table = self._drawers, self._terms, self._rows
        found: npt.NDArray[np.float64] = _cosines(starts, terms, directions, table)
        return found


class _Packed(Struct, frozen=True):
    terms: bytes  # uint32, rising
    rows: bytes  # int8, all on one scale


@cache
def word_meanings() -> Meanings:
    """The table. Raises `NoMeaningsError` without the package, `NoWordNetError` without WordNet."""
    packed = msgspec.msgpack.decode(RECIPE.packed(), type=_Packed)
    terms = np.frombuffer(packed.terms, np.uint32)
    rows = np.frombuffer(packed.rows, np.int8).reshape(len(terms), -1)
    return Meanings(
        terms, rows.copy(), DIGEST
    )  # for what numpy allocates it asks for large pages of memory


def meanings_are_here() -> bool:
    """Whether the extra is installed, and the table can be had without fetching anything."""
    return find_spec(_PACKAGE) is not None and RECIPE.is_here()


def compile_meanings(nouns: str) -> bytes:
    """The table out of the text of `data.noun` and the package's vectors.

    The vector of a word is the sum of its pieces', as it would be in a text; that of a term the
    mean of the words that have this stem. The lengths stay: the less a word says, the shorter is
    its vector.
    """
    pieces, weights = _tokenizer(), _weights()
    whole = {piece[1:].casefold() for piece in pieces.get_vocab() if piece.startswith(_BEGINS)}
    words = sorted(
        {*_WORD.findall(nouns.replace("_", " ").casefold()), *filter(_WORD.fullmatch, whole)}
    )
    numbers = [int(found[0]) if len(found) == 1 else 0 for found in sequences_of(words)]
    split = [
        (number, ids) for number, ids in zip(numbers, _split(pieces, words), strict=True) if number
    ]
    terms, owners, having = np.unique(
        np.array([number for number, _ in split], np.uint32),
        return_inverse=True,
        return_counts=True,
    )
    places = np.repeat(owners, [len(ids) for _, ids in split])
    ids = np.concatenate([ids for _, ids in split])
    often = csr_array((np.ones(len(ids)), (places, ids)), shape=(len(terms), len(weights)))
    means = (often @ weights) / having[
        :, None
    ]  # sums of halves in doubles are exact on every machine
    scaled = np.rint(means * (_MOST / np.abs(means).max())).astype(np.int8)
    return msgspec.msgpack.encode(_Packed(terms.tobytes(), scaled.tobytes()))


RECIPE = Recipe("meanings", DIGEST, compile_meanings)


def _split(pieces: Any, words: Sequence[str]) -> list[list[int]]:
    """The pieces of each word, with or without a capital, whichever are fewer: names are known with
    one.
    """
    small = pieces.encode_batch(list(words), add_special_tokens=False)
    great = pieces.encode_batch([word.capitalize() for word in words], add_special_tokens=False)
    return [min(one.ids, other.ids, key=len) for one, other in zip(small, great, strict=True)]


def _tokenizer() -> Any:
    return _library("tokenizers").Tokenizer.from_str(_content(*_PIECES).decode("utf-8"))


def _weights() -> npt.NDArray[np.float64]:
    (rows,) = _library("safetensors.numpy").load(_content(*_WEIGHTS)).values()
    exact: npt.NDArray[np.float64] = rows.astype(np.float64)
    return exact


def _content(name: str, digest: str) -> bytes:
    """A file of the package. The package itself is not imported: it would load much that is not
    needed.
    """
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise NoMeaningsError(_unavailable())
    try:
        content = (Path(found.submodule_search_locations[0]) / name).read_bytes()
    except OSError as error:
        raise NoMeaningsError(
            f"{_PACKAGE} has no vectors of words that can be read: {error}."
        ) from error
    if digest_of(content) != digest:
        raise NoMeaningsError(
            f"The vectors of words in {_PACKAGE} are others than those of version 0.4."
        )
    return content


def _library(name: str) -> Any:
    """A library of the optional extra; it is wanted once, to make the table."""
    try:
        return import_module(name)
    except ImportError as error:
        raise NoMeaningsError(_unavailable()) from error


def _unavailable() -> str:
    return "What words mean is told by the 'semantic' extra: pip install 'motherlode[semantic]'."


@njit(cache=True)
def _place(term: int, drawers: Drawers, numbers: Numbers) -> int:
    """Where the table has a term; -1 if it does not."""
    drawer = term >> (32 - _BITS)
    low, high = drawers[drawer], drawers[drawer + 1]
    while low < high and numbers[low] < term:
        low += 1
    return low if low < high and numbers[low] == term else -1


@njit(cache=True)
def _add(row: npt.NDArray[np.int8], often: np.float32, total: Vectors) -> None:
    for column in range(len(total)):
        total[column] += often * np.float32(row[column])


@njit(cache=True, fastmath={"reassoc"})  # or no two could be added at once
def _product(one: Vectors, other: Vectors) -> np.float32:
    total = np.float32(0.0)
    for column in range(len(one)):
        total += one[column] * other[column]
    return total


@njit(cache=True)
def _vectors(starts: Starts, terms: Numbers, counts: Numbers, table: _Table) -> Vectors:
    """For each document, the sum of its words' vectors, brought to length one."""
    drawers, numbers, rows = table
    sums = np.zeros((len(starts) - 1, rows.shape[1]), np.float32)
    for document in range(len(sums)):
        total, known = sums[document], 0
        for place in range(starts[document], starts[document + 1]):
            row = _place(terms[place], drawers, numbers)
            if row >= 0:
                known += 1
                _add(rows[row], np.float32(counts[place]), total)
        square = _product(total, total)
        told = square > 0 and known >= _KNOWN * (starts[document + 1] - starts[document])
        total *= np.float32(1.0 / np.sqrt(square) if told else 0.0)
    return sums


@njit(cache=True)
def _cosines(
    starts: Starts, terms: Numbers, directions: Vectors, table: _Table
) -> npt.NDArray[np.float64]:
    drawers, numbers, rows = table
    found, total = np.full(len(starts) - 1, np.nan), np.empty(rows.shape[1], np.float32)
    for name in range(len(found)):
        total[:] = 0.0
        known = 0
        for place in range(starts[name], starts[name + 1]):
            row = _place(terms[place], drawers, numbers)
            if row >= 0:
                known += 1
                _add(rows[row], np.float32(1.0), total)
        square = _product(total, total)
        if square > 0 and known >= _KNOWN * (starts[name + 1] - starts[name]):
            best = -np.inf
            for direction in range(len(directions)):
                best = max(best, float(_product(total, directions[direction])))
            found[name] = best / np.sqrt(square)
    return found
