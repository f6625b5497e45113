"""The link to the next page of a list, by a linear model of words, names and numbers."""

from collections.abc import Mapping
from typing import Final

from motherlode.documents.result_lists.next_page_features import next_page_features
from motherlode.documents.result_lists.page_links import LinkedAnswer
from motherlode.documents.result_lists.page_numbers import numbered_next
from motherlode.documents.result_lists.weights import weighted_sum, weights_of

MIN_SCORE: Final = -1.75  # log odds; chosen with the weights, leaving one site out
MIN_RESULT_SCORE: Final = -3.5  # of a page that is known to be a list of results


def find_next_results(page: LinkedAnswer) -> str:
    """Return the address of the next page of results; empty if there is none.

    On such a page less is asked of a link than on any page: "next" alone will do, and to the same
    address with other parameters "more" or an arrow. A wrong page has no new records.
    """
    scored = _scored_links(page)
    score, url, _ = max(scored, default=(MIN_RESULT_SCORE, "", {}), key=lambda entry: entry[0])
    if score > MIN_RESULT_SCORE:
        return url
    going_on = [entry for entry in scored if _goes_on(entry[2])]
    if going_on:
        return max(going_on, key=lambda entry: entry[0])[1]
    return next((link.url for link in numbered_next(page)), "")


def _goes_on(features: Mapping[str, float]) -> bool:
    leads_on = features["next"] or features["more"] or features["arrow"]
    leads_back = features["previous"] or features["previous_arrow"] or features["step_down"]
    is_same_list = features["same_path"] and not features["same_page"]
    is_button = features["next_alone"] and not features["other_host"]
    return bool(((leads_on and is_same_list) or is_button) and not leads_back)


def find_next_page(page: LinkedAnswer, *, by_number: bool = True) -> str:
    """Return the address of the next page of a list; empty if there is none.

    Without a link that says "next", the number after the current page's serves, if `by_number`.
    """
    scored = _scored_links(page)
    score, url, _ = max(scored, default=(MIN_SCORE, "", {}), key=lambda entry: entry[0])
    if score > MIN_SCORE:
        return url
    return next((link.url for link in numbered_next(page)), "") if by_number else ""


def _scored_links(page: LinkedAnswer) -> list[tuple[float, str, Mapping[str, float]]]:
    weights = weights_of("next_page")
    return [
        (weights["bias"] + weighted_sum(features, weights), link.url, features)
        for link, features in next_page_features(page)
    ]
