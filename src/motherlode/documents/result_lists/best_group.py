"""The best group of links on a page, by a linear model.

Besides the features of each group, the model has what compares it with the other groups of its
page, and products of two features.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from motherlode.documents.result_lists.group_features import (
    distinct_links,
    group_features,
)
from motherlode.documents.result_lists.link_groups import LinkGroup, link_groups
from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink
from motherlode.documents.result_lists.page_tree import PageTree
from motherlode.documents.result_lists.weights import weighted_sum, weights_of

NUMBERED_BONUS: Final = 6.0  # log odds
PLACE_BONUS: Final = 4.0
PLACE_LEVELS: Final = 3
NUMBER_CHARS: Final = 12
_NUMBER: Final = re.compile(r"\D{0,3}(\d{1,6})\s*[.):\]]\s*$")

Place = tuple[str, ...]
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


def described_groups(
    page: LinkedAnswer, *more: LinkGroup
) -> tuple[list[LinkGroup], list[dict[str, float]]]:
    """Return the groups of a page, and more that are given, and all features of each."""
    groups = [*link_groups(page), *more]
    return groups, with_relative_features([group_features(page, group) for group in groups])


class Evidence(Struct, frozen=True):
    """What is known of a portal beyond one page: its template is left out, where its titles were.

    `place` is that of the titles on an earlier page of the same results, by `title_place`.
    """

    is_without_template: bool = False
    place: Place = ()


NO_EVIDENCE = Evidence()


def best_group(
    page: LinkedAnswer, evidence: Evidence = NO_EVIDENCE
) -> tuple[list[PageLink], Mapping[str, float]]:
    """Return the title links of the best group, one to each target, and the group's features.

    Running numbers before links tell titles only where the lists of the template are left out.
    """
    groups, features = described_groups(page)
    numbers = numbered_links(page) if evidence.is_without_template else ()
    if numbers and numbers not in {group.members for group in groups}:
        groups, features = described_groups(page, LinkGroup(numbers, "numbered"))
    if not groups:
        return [], {}
    weights = weights_of("groups")
    links = [distinct_links([page.links[number] for number in group.members]) for group in groups]
    scores = [
        weighted_sum(values, weights)
        + NUMBERED_BONUS * (group.members == numbers)
        + PLACE_BONUS * (title_place(page.tree, titles) == evidence.place != ())
        for group, titles, values in zip(groups, links, features, strict=True)
    ]
    best = scores.index(max(scores))
    is_numbered = float(groups[best].members == numbers)
    return links[best], {**features[best], "numbered": is_numbered}


def title_place(tree: PageTree, titles: Sequence[PageLink]) -> Place:
    """Return the elements around titles with their classes, if they are the same for all."""
    places = {
        tuple(
            f"{tree.tags[number]}.{tree.classes[number]}"
            for number in (title.element, *tree.above(title.element)[:PLACE_LEVELS])
        )
        for title in titles
    }
    return places.pop() if len(places) == 1 else ()


def numbered_links(page: LinkedAnswer) -> tuple[int, ...]:
    """Return the numbers of the links before which a running number such as `3.` stands."""
    members: list[int] = []
    last = 0
    for number, link in enumerate(page.links):
        text = page.tree.texts[max(page.tree.first_texts[link.element] - 1, 0)]
        match = _NUMBER.match(text) if len(text) <= NUMBER_CHARS else None
        if match and (not members or int(match[1]) == last + 1):
            members.append(number)
            last = int(match[1])
    return tuple(members)
