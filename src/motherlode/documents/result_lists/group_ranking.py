"""The best group of links on a page, by a linear model.

Besides the features of each group, the model has what compares it with the other groups of its
page, and products of two features.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from motherlode.documents.result_lists.group_features import distinct_links, group_features
from motherlode.documents.result_lists.link_groups import LinkGroup, link_groups
from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink
from motherlode.documents.result_lists.weights import weighted_sum, weights_of

# Features that also count as a fraction of the page's highest value.
_BESIDE_OTHERS: Final = (
    "text_size",
    "text_words",
    "text_mass",
    "text_is_heading",
    "text_is_bold",
    "text_has_query",
    "text_is_template",
    "region_share",
    "region_inner_share",
    "region_size",
    "region_has_query",
    "region_links",
    "span_share",
    "count",
    "own_title",
    "near_title",
    "near_result",
    "far_result",
    "url_has_title",
)
_PRODUCTS: Final = (
    ("text_is_heading", "count"),
    ("text_is_heading", "region_inner_share"),
    ("text_is_heading", "in_main"),
    ("text_size", "region_is_title"),
    ("text_is_picture", "url_again"),
    ("count_1", "near_result"),
    ("count_1", "far_result"),
    ("count_1", "text_is_heading"),
    ("count_1", "region_has_query"),
    ("count_1", "in_main"),
    ("count_2_4", "far_result"),
    ("near_title", "region_inner_share"),
    ("near_result", "text_is_heading"),
    ("near_aside", "text_is_heading"),
    ("far_box", "near_result"),
    ("region_inner_share", "region_has_query"),
    ("region_is_link", "text_is_long"),
    ("url_has_title", "text_size"),
    ("span_start", "region_inner_share"),
)


def with_relative_features(groups: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """Return the features of all groups of a page, with those that compare them."""
    massed = [
        {**features, "text_mass": min(features["text_size"] * features["count"], 3.0)}
        for features in groups
    ]
    highest = {
        name: max((features[name] for features in massed), default=0.0) for name in _BESIDE_OTHERS
    }
    return [
        {
            **features,
            **{f"top_{name}": features[name] / (top or 1.0) for name, top in highest.items()},
            **{f"{a}*{b}": features[a] * features[b] for a, b in _PRODUCTS},
        }
        for features in massed
    ]


def described_groups(page: LinkedAnswer) -> tuple[list[LinkGroup], list[dict[str, float]]]:
    """Return the groups of a page and all features of each."""
    groups = link_groups(page)
    return groups, with_relative_features([group_features(page, group) for group in groups])


def best_group(page: LinkedAnswer) -> tuple[list[PageLink], Mapping[str, float]]:
    """Return the title links of the best group, one to each target, and the group's features."""
    groups, features = described_groups(page)
    if not groups:
        return [], {}
    weights = weights_of("groups")
    best = max(range(len(groups)), key=lambda place: weighted_sum(features[place], weights))
    return distinct_links([page.links[member] for member in groups[best].members]), features[best]
