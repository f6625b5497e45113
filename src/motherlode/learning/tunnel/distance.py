"""The distance of a page from its nearest nugget ancestor (equations 2 and 3; SPEC T4).

A page whose correlation with a centroid reaches the threshold is a nugget, and a dud otherwise.
The distance of a nugget is 0, also that of a seed, which counts as a nugget whatever it scores.
The links of a page are followed while its distance does not exceed the cutoff C.

Plain (equation 2): a dud has 1 + the distance of its parent.

Adaptive (equation 3): a dud has  parent + (1 - c) exp(2 parent / C),  where c is its correlation.
As printed, without the parent and bounded by 1, no distance could ever reach a cutoff of 20.
"""

from math import exp


def plain_distance(correlation: float, parent: float, threshold: float) -> float:
    """Return the number of duds in a row that end with this page.

    >>> plain_distance(0.1, parent=3.0, threshold=0.5), plain_distance(0.5, 3.0, 0.5)
    (4.0, 0.0)
    """
    return 0.0 if correlation >= threshold else parent + 1.0


def adaptive_distance(correlation: float, parent: float, threshold: float, cutoff: float) -> float:
    """Return a distance that grows faster the worse the page is and the farther its parent.

    >>> round(adaptive_distance(0.0, parent=10.0, threshold=0.5, cutoff=20.0), 3)
    12.718
    """
    if correlation >= threshold:
        return 0.0
    growth = exp(2.0 * parent / cutoff) if cutoff else 1.0
    return parent + (1.0 - correlation) * growth
