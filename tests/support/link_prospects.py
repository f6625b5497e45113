"""Links and their expected ranks, for tests."""

from motherlode.documents.text.terms import bag_of
from motherlode.policies.bingo.kernels import PRIOR_PARENTS, PRIOR_PROBABILITY
from motherlode.policies.bingo.prospects import Prospects
from motherlode.records import Link
from motherlode.urls import address, url_key


def link(url: str, anchor: str = "") -> Link:
    canonical = address(url)
    return Link(canonical.url, canonical.key, anchor)


def add_page(
    prospects: Prospects, probability: float, *links: Link, host: str = "parents.test"
) -> list[float]:
    """Add a page with these links, and return their ranks."""
    ranks = prospects.add_page(probability, url_key("", host), prospects.score_links(links))
    return [float(rank) for rank in ranks]


def share(*parents: float, host_share: float = PRIOR_PROBABILITY) -> float:
    """Return the share of a URL by the probabilities of its parents."""
    return (sum(parents) + PRIOR_PARENTS * host_share) / (len(parents) + PRIOR_PARENTS)


def term_of(word: str) -> int:
    return int(bag_of(word).terms[0])
