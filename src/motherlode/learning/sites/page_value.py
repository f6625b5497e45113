"""What one more page of an examined site is worth (ours, for SPEC W4).

A verdict of probability p is wrong with a variance of p (1 - p), and the n pages read so far share
it, so that each further page says less:

    value = p (1 - p) / n

It is on one scale with the rank of an unexamined site, which is the probability that its first page
finds a relevant one. The better of the two is read. A verdict that is sure has no such value: after
one page it is below that of the threshold t, t (1 - t).
"""


def page_value(probability: float, pages: int) -> float:
    """Return the value of one more page of a site, of which so many were read.

    >>> page_value(0.5, 1), page_value(0.5, 2), round(page_value(0.9, 1), 3)
    (0.25, 0.125, 0.09)
    """
    return probability * (1.0 - probability) / pages


def sure_value(threshold: float) -> float:
    """Return the value of one more page of a site that is just decided after its first page."""
    return page_value(threshold, 1)
