"""How sure a page's topic is, as users see it: the same figures and words in all outputs."""

from math import floor
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from motherlode.learning.calibration import Certainty, certainty

_ROUNDING_ERROR = 1e-9  # so that 0.29, which is a little less in binary, stays 0.29


class Assessed(Struct, frozen=True, kw_only=True):
    """A record that says how sure the topic of a page is.

    `certainty` and `confidence` follow from the two other fields. A page on no topic has the
    margin of the nearest topic, and no probability.
    """

    margin: Annotated[
        float | None,
        Meta(description="How far inside its topic the page lies; above 0 it is accepted."),
    ]
    probability: Annotated[
        float | None,
        Meta(
            description=(
                "The probability that the page is on its topic; null: it is on none, or unknown."
            )
        ),
    ]
    certainty: Annotated[
        Certainty | None,
        Meta(description="The probability in a word; null if there is none."),
    ] = None
    confidence: Annotated[float | None, Meta(description="The older name of `margin`.")] = None

    def __post_init__(self) -> None:
        word = None if self.probability is None else certainty(self.probability)
        force_setattr(self, "certainty", word)
        force_setattr(self, "confidence", self.margin)


def certainty_text(probability: float | None) -> str:
    """Return a probability with its word; empty if it is unknown.

    >>> certainty_text(0.724), certainty_text(None)
    ('likely (0.72)', '')
    """
    if probability is None:
        return ""
    return f"{certainty(probability)} ({probability_text(probability)})"


def probability_text(probability: float) -> str:
    """Return a probability with two digits, cut and not rounded.

    So it agrees with its word, and `1.00` is only what a user said: no model is so sure.

    >>> probability_text(0.724), probability_text(0.849), probability_text(0.998)
    ('0.72', '0.84', '0.99')
    """
    percent = floor(100 * probability + _ROUNDING_ERROR)
    return f"{(percent if probability == 1.0 else min(percent, 99)) / 100:.2f}"


def topic_text(topic: str, probability: float | None, none: str = "no topic") -> str:
    """Return the topic of a page and how sure it is; an empty topic is called `none`.

    >>> topic_text("owls", 0.724), topic_text("owls", None), topic_text("", None)
    ('owls, likely (0.72)', 'owls', 'no topic')
    """
    if not topic:
        return none
    return topic if probability is None else f"{topic}, {certainty_text(probability)}"


def margin_text(margin: float | None) -> str:
    """Return a margin as experts read it.

    >>> margin_text(0.3104), margin_text(None)
    ('margin +0.310', 'margin unknown')
    """
    return f"margin {'unknown' if margin is None else f'{margin:+.3f}'}"
