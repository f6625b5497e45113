"""How likely a site is relevant, by the pages read so far (SPEC W4).

Ester, Kriegel and Schubert (VLDB 2004), section 4.3.3. A site of a class draws its pages from the
distribution of that class, so the likelihoods of its pages are multiplied, here in log space. Each
is corrected for the error p_err of the page classifier, for both classes:

    Pr[p|C, p_err] = Pr[p|C] (1 - p_err) + Pr[p|other class] p_err

The prior is the share of relevant sites so far, smoothed. Examining ends when either class has
reached the threshold.
"""

from math import exp, log

from msgspec import Struct

MAX_ERROR = 0.5  # a page classifier that is wrong more often says nothing
_MIN_LIKELIHOOD = 1e-12


class SiteEvidence(Struct, frozen=True):
    """The log likelihoods of the pages of a site, for the target class and for the other."""

    target: float = 0.0
    other: float = 0.0
    pages: int = 0

    def with_page(self, confidence: float, error: float) -> "SiteEvidence":
        """Return the evidence with one more page, given its Pr[p|target]."""
        return SiteEvidence(
            self.target + log(max(corrected(confidence, error), _MIN_LIKELIHOOD)),
            self.other + log(max(corrected(1.0 - confidence, error), _MIN_LIKELIHOOD)),
            self.pages + 1,
        )

    def posterior(self, prior: float) -> float:
        """Return Pr[target|pages] for this prior probability of a relevant site."""
        odds = self.other - self.target + log((1.0 - prior) / prior)
        return 1.0 / (1.0 + exp(min(odds, 700.0)))


def corrected(confidence: float, error: float) -> float:
    """Return a page's likelihood for a class, corrected for the error of the page classifier.

    >>> round(corrected(1.0, 0.1), 2), round(corrected(0.6, 0.1), 2)
    (0.9, 0.58)
    """
    error = min(error, MAX_ERROR)
    return confidence * (1.0 - error) + (1.0 - confidence) * error


def smoothed_prior(relevant: int, examined: int) -> float:
    """Return the share of relevant sites so far, with one site of each class added.

    >>> smoothed_prior(0, 0), smoothed_prior(3, 4)
    (0.5, 0.6666666666666666)
    """
    return (relevant + 1) / (examined + 2)


def is_decided(posterior: float, threshold: float) -> bool:
    """Return whether either class has reached the threshold.

    >>> is_decided(0.95, 0.9), is_decided(0.05, 0.9), is_decided(0.5, 0.9)
    (True, True, False)
    """
    return max(posterior, 1.0 - posterior) >= threshold
