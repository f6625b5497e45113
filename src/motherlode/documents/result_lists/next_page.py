"""The link to the next page of a list, by a linear model of words, names and numbers."""

from typing import Final

from motherlode.documents.result_lists.next_page_features import next_page_features
from motherlode.documents.result_lists.page_links import LinkedAnswer
from motherlode.documents.result_lists.page_numbers import numbered_next
from motherlode.documents.result_lists.weights import weighted_sum, weights_of

MIN_SCORE: Final = -1.75  # log odds; chosen with the weights, leaving one site out


def find_next_page(page: LinkedAnswer, *, by_number: bool = True) -> str:
    """Return the address of the next page of a list; empty if there is none.

    Without a link that says "next", the number after the current page's serves, if `by_number`.
    """
    weights = weights_of("next_page")
    scores = [
        (weights["bias"] + weighted_sum(features, weights), link.url)
        for link, features in next_page_features(page)
    ]
    score, url = max(scores, default=(MIN_SCORE, ""), key=lambda pair: pair[0])
    if score > MIN_SCORE:
        return url
    return next((link.url for link in numbered_next(page)), "") if by_number else ""
