"""Policies over many topics: what each finds on the average, beside one that the others are
measured by.
"""

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from motherlode.lab.trials.comparison import ComparisonRow
from motherlode.lab.trials.measures import found_at


class SummaryLine(Struct, frozen=True):
    """A policy after so many pages: relevant pages, the mean over topics of their ratio to the
    measure's, and on how many of the topics it was ahead of that, with a draw counted half."""

    policy: str
    pages: int
    relevant: float
    ratio: float
    ahead: float
    topics: int


def summary(rows: Sequence[ComparisonRow], at: Sequence[int], against: str) -> list[SummaryLine]:
    """One line a policy and number of pages. Topics on which the measure finds nothing have no
    ratio.
    """
    by = {(row.policy, row.topic): row.curve for row in rows}
    policies = list(dict.fromkeys(row.policy for row in rows))
    topics = list(dict.fromkeys(row.topic for row in rows))
    lines = []
    for policy in policies:
        for pages in at:
            pairs = [
                (found_at(by[policy, topic], pages), found_at(by[against, topic], pages))
                for topic in topics
            ]
            ratios = [mine / theirs for mine, theirs in pairs if theirs]
            ahead = [
                1.0 if mine > theirs else 0.5 if mine == theirs else 0.0 for mine, theirs in pairs
            ]
            lines.append(
                SummaryLine(
                    policy,
                    pages,
                    fmean(mine for mine, _ in pairs),
                    fmean(ratios) if ratios else 0.0,
                    fmean(ahead),
                    len(topics),
                )
            )
    return lines
