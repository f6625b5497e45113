"""About which share of a topic's pages is right, estimated without labels (SPEC B9).

The mean probability of the pages on the topic. On `schools` and `rsites` it is off by 0.13 at the
median and by 0.26 or less on four of five topics, from 5 to 50 examples. The xi-alpha estimate of
the same planes is off by 0.3 on average and does not even tell good topics from bad ones. From
fewer than five examples nothing tells them apart, and there is no estimate (docs/quality.md,
"Estimates").
"""

from msgspec import Struct

MIN_EXAMPLES = 5  # of users
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


def estimate_precision(mean_probability: float | None, examples: int) -> PrecisionEstimate | None:
    """Return the estimate by the mean probability of a topic's pages; None where nothing is known.

    >>> estimate_precision(0.9, 4) is None
    True
    """
    if mean_probability is None or examples < MIN_EXAMPLES:
        return None
    return PrecisionEstimate(round(mean_probability, 3), examples)
