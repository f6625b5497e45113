"""Near duplicates (SPEC X3): a hash of 64 bits of which similar texts share most (Charikar, STOC 2002).

Every run of three terms votes on each bit. Texts that differ in a few words of many differ in a few bits.
"""

import numpy as np
import numpy.typing as npt

from motherlode.documents.pieces import Numbers
from motherlode.documents.terms import borders_of

RUN = 3  # terms in a run
NEAR = 3  # bits in which near duplicates differ at most (Manku et al., WWW 2007)
VOTERS = 512  # runs that vote at most
_MANY = 2 * VOTERS  # runs of which not all are put in order
LEAST = 10  # terms; of less, nothing can be said
_BYTE = 255
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)


def fingerprint(sequence: Numbers) -> int:
    """The hash of a text, given as its terms in order; 0 for one that is too short to have any."""
    if len(sequence) < LEAST:
        return 0
    runs = _hashed(sequence)
    majority = _votes(runs) > len(runs) // 2
    return int(np.packbits(majority).view(np.uint64)[0]) or 1


def _votes(runs: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """How many of the runs have each bit set. Eight bits are counted in one number, as far as bytes go."""
    bits = np.unpackbits(runs.view(np.uint8)).view(np.uint64).reshape(-1, 8)
    sums = np.add.reduceat(bits, range(0, len(bits), _BYTE), axis=0)
    votes: npt.NDArray[np.uint16] = np.add.reduce(sums.view(np.uint8), axis=0, dtype=np.uint16)
    return votes


def distance(one: int, other: int) -> int:
    """In how many bits two hashes differ."""
    return (one ^ other).bit_count()


def _hashed(sequence: Numbers) -> npt.NDArray[np.uint64]:
    """A number of 64 bits for each run, each once: what is repeated does not count more.

    Of many, the smallest: in texts that are nearly the same, those are nearly the same.
    """
    terms = sequence.astype(np.uint64)
    runs = len(terms) - RUN + 1
    mixed = terms[:runs].copy()
    for step in range(1, RUN):
        mixed *= _ODD
        mixed += terms[step : runs + step]
    mixed ^= mixed >> _SHIFT
    mixed *= _MIX
    mixed ^= mixed >> _SHIFT
    if runs > _MANY:  # they lie evenly: below this there are half as many again as are wanted, as a rule
        voters = _smallest(mixed.compress(mixed < np.uint64(3 * VOTERS * 2**63 // runs)))
        if len(voters) == VOTERS:
            return voters
    return _smallest(mixed)


def _smallest(mixed: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The smallest of some numbers, each once."""
    mixed.sort()
    voters: npt.NDArray[np.uint64] = mixed[borders_of(mixed)[:-1][:VOTERS]]
    return voters
