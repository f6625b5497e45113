"""How good a ranked list is where pages are more or less right: nDCG, average precision, reciprocal
rank.
"""

from collections.abc import Collection, Mapping, Sequence
from math import log2
from statistics import fmean

from msgspec import Struct

RIGHT, NEAR = 2, 1  # grades; any other page has 0
FEW, MANY = 10, 100  # places that nDCG looks at


class Quality(Struct, frozen=True):
    """The figures of a list, or the means of several, from 0 to 1.

    `ndcg_10`, `ndcg_100`: Järvelin and Kekäläinen 2002 with gains of 2^grade - 1 and a discount of
    log2(1 + place), over the best order that there could be. `map` and `mrr` go by the pages that
    are right alone: the mean of the precisions where each stands, 0 for one that is not found; and
    one over the first place.
    """

    ndcg_10: float
    ndcg_100: float
    map: float
    mrr: float


def quality(ranked: Sequence[str], grades: Mapping[str, int]) -> Quality:
    """The figures of a list, by the grades of all pages that could have been in it."""
    gains = [2 ** grades.get(url, 0) - 1 for url in ranked]
    ideal = sorted((2**grade - 1 for grade in grades.values()), reverse=True)
    right = {url for url, grade in grades.items() if grade >= RIGHT}
    places = [place for place, url in enumerate(ranked, start=1) if url in right]
    return Quality(
        ndcg_10=_share(_gained(gains[:FEW]), _gained(ideal[:FEW])),
        ndcg_100=_share(_gained(gains[:MANY]), _gained(ideal[:MANY])),
        map=_share(sum(found / place for found, place in enumerate(places, start=1)), len(right)),
        mrr=1 / places[0] if places else 0.0,
    )


def mean_quality(several: Collection[Quality]) -> Quality:
    return Quality(
        ndcg_10=fmean(one.ndcg_10 for one in several),
        ndcg_100=fmean(one.ndcg_100 for one in several),
        map=fmean(one.map for one in several),
        mrr=fmean(one.mrr for one in several),
    )


def _gained(gains: Sequence[int]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, start=1))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
