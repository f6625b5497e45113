"""Near duplicates (SPEC X3): a hash of 64 bits of which similar texts share most (Charikar, STOC
2002).

Every run of three terms votes on each bit. Texts that differ in a few words of many differ in a few
bits.
"""

import numpy as np

from motherlode.documents.text.tokens import Numbers

RUN = 3  # terms in a run
NEAR = 3  # bits in which near duplicates differ at most (Manku et al., WWW 2007)
VOTERS = 512  # runs that vote at most
_MANY = 2 * VOTERS  # runs of which not all are put in order
LEAST = 10  # terms; of less, nothing can be said
_ALL = 2**64 - 1


def fingerprint(sequence: Numbers) -> int:
    """The hash of a text, given as its terms in order; 0 for one that is too short to have any.

    Each run has a number of 64 bits, and votes once: what is repeated does not count more. Of many,
    the smallest vote: in texts that are nearly the same, those are nearly the same.
    """
    if len(sequence) < LEAST:
        return 0
    runs = len(sequence) - RUN + 1
    if (
        runs > _MANY
    ):  # they lie evenly: below this there are half as many again as are wanted, as a rule
        decided, voters = _vote(sequence, 3 * VOTERS * 2**63 // runs - 1)
        if voters == VOTERS:
            return decided or 1
    return _vote(sequence, _ALL)[0] or 1


def distance(one: int, other: int) -> int:
    """In how many bits two hashes differ."""
    return (one ^ other).bit_count()


def _vote(sequence: Numbers, most: int) -> tuple[int, int]:
    """What the runs decide whose numbers are not greater than the most, and how many of
    them voted.
    """
    from motherlode.documents.text.kernels import majority, runs  # noqa: PLC0415 - loaded where documents are read

    found = runs(sequence, RUN, np.uint64(most))
    found.sort()
    decided, voters = majority(found, VOTERS)
    return int(decided), voters
