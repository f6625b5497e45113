"""About which share of a topic's pages is right, estimated without labels (SPEC B9).

The mean probability of the pages on the topic. On `schools` and `rsites` it is off by 0.13 at the
median and by 0.26 or less on four of five topics, from 5 to 50 examples. The xi-alpha estimate of
the same planes is off by 0.3 on average and does not even tell good topics from bad ones. From
fewer than five examples nothing tells them apart, and there is no estimate (docs/quality.md,
"Estimates"). Pages that users gave as examples do not count, neither there nor here.
"""

from msgspec import Struct

from motherlode.records import MeanProbability

MIN_EXAMPLES = 5  # given by users; archetypes that they accepted do not count
MIN_PAGES = 5  # besides the examples
TYPICAL_ERROR = 0.25  # of four topics in five, at most


class PrecisionEstimate(Struct, frozen=True):
    """The estimated precision of a topic, from this many examples of users."""

    value: float
    examples: int

    @property
    def low(self) -> float:
        return max(0.0, self.value - TYPICAL_ERROR)

    @property
    def high(self) -> float:
        return min(1.0, self.value + TYPICAL_ERROR)

    def text(self) -> str:
        """Return the estimate in words.

        >>> PrecisionEstimate(0.874, 12).text()
        'about 0.9 (0.6 to 1.0), from 12 examples'
        """
        between = f"{self.low:.1f} to {self.high:.1f}"
        return f"about {self.value:.1f} ({between}), from {self.examples:,} examples"


def estimate_precision(mean: MeanProbability | None, examples: int) -> PrecisionEstimate | None:
    """Return the estimate by a topic's pages without its examples; None where nothing is known.

    >>> estimate_precision(MeanProbability(0.9, pages=40), 4) is None
    True
    >>> estimate_precision(MeanProbability(0.9, pages=4), 12) is None
    True
    """
    if mean is None or mean.pages < MIN_PAGES or examples < MIN_EXAMPLES:
        return None
    return PrecisionEstimate(round(mean.value, 3), examples)
