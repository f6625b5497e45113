"""Read the list of results on a page: its records, the next page, or that nothing was found.

Groups of links are candidates for the title links of the records. A linear model scores them by
their words, places, regions and addresses, and by what other answers of the same portal repeat.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from motherlode.documents.result_lists.empty_answers import says_nothing_found
from motherlode.documents.result_lists.group_ranking import best_group
from motherlode.documents.result_lists.next_page import find_next_page
from motherlode.documents.result_lists.page_links import (
    LinkedAnswer,
    PageLink,
    link_page,
    without_template,
)
from motherlode.documents.result_lists.page_tree import read_tree
from motherlode.documents.result_lists.regions import Region, regions_of

MAX_SNIPPET_CHARS: Final = 2_000
MAX_OTHER_LINKS: Final = 50  # of one record
MAX_OTHER_ANSWERS: Final = 5
MOST: Final = 0.5
MIN_TITLE_CHARS: Final = 15  # on average, where neither words nor names speak for a list


class ResultRecord(Struct, frozen=True):
    """A result: the address behind its title link, and the address as the page has it."""

    link: str
    title: str = ""
    snippet: str = ""
    other_links: tuple[str, ...] = ()
    original_link: str = ""


class ResultList(Struct, frozen=True):
    """The records of a page. If no list stands out, the page as a whole is the only record."""

    records: tuple[ResultRecord, ...] = ()
    next_page: str = ""
    nothing_found: bool = False
    is_whole_page: bool = False


def read_result_list(
    html: str,
    url: str,
    query: str = "",
    others: Sequence[tuple[str, str]] = (),
    empty: tuple[str, str] | None = None,
) -> ResultList:
    """Return the results on a page that answers a query.

    `others` are answers of the same portal to other queries, each as HTML and address; `empty` is
    its answer to a query that finds nothing, all links of which belong to the template.
    """
    few = others[:MAX_OTHER_ANSWERS]
    answers = tuple(link_page(read_tree(other), address) for other, address in few)
    page = link_page(read_tree(html), url, query, answers)
    if empty is None:
        return result_list_of(page)
    template = link_page(read_tree(empty[0]), empty[1])
    return result_list_of(page, without_template(page, template))


def result_list_of(page: LinkedAnswer, beyond_template: LinkedAnswer | None = None) -> ResultList:
    """Return the results on a page that has been parsed.

    `beyond_template` is the page without the links that an empty answer has, too; if it has no
    other links, nothing was found.
    """
    candidates = page if beyond_template is None else beyond_template
    if beyond_template is not None and page.links and not beyond_template.links:
        return ResultList(nothing_found=True)
    links, features = best_group(candidates)
    is_list = _is_plausible(features)
    if says_nothing_found(page.tree, has_matches=is_list and features["region_has_query"] > 0):
        return ResultList(nothing_found=True)
    if not is_list:
        return ResultList((_whole_page(page),), is_whole_page=True)
    return ResultList(records_of(page, links), find_next_page(page))


def _is_plausible(features: Mapping[str, float]) -> bool:
    """Return whether anything but the model speaks for a group: words, names, long titles."""
    if not features:
        return False
    if features["region_has_query"] > 0 or features["near_result"] > 0:
        return True
    is_aside = features["in_aside_tag"] > MOST or features["near_aside"] > MOST
    return not is_aside and features["text_size"] * 60 >= MIN_TITLE_CHARS


def records_of(page: LinkedAnswer, titles: Sequence[PageLink]) -> tuple[ResultRecord, ...]:
    """Return the records around title links."""
    regions = regions_of(page.tree, [link.element for link in titles])
    places = [link.element for link in page.links]
    return tuple(
        _record(page, title, region, places) for title, region in zip(titles, regions, strict=True)
    )


def _record(
    page: LinkedAnswer, title: PageLink, region: Region, places: Sequence[int]
) -> ResultRecord:
    text = page.tree.text(region.first, region.end, MAX_SNIPPET_CHARS)
    first, end = bisect_left(places, region.first), bisect_left(places, region.end)
    inside = (link.url for link in page.links[first : min(end, first + MAX_OTHER_LINKS)])
    return ResultRecord(
        link=title.target,
        title=title.text,
        snippet=" ".join(text.replace(title.text, " ", 1).split()),
        other_links=tuple(dict.fromkeys(url for url in inside if url != title.url)),
        original_link=title.url,
    )


def _whole_page(page: LinkedAnswer) -> ResultRecord:
    return ResultRecord(
        link=page.url,
        snippet=page.tree.own_text(0, MAX_SNIPPET_CHARS) if page.tree.tags else "",
        other_links=tuple(dict.fromkeys(link.target for link in page.links)),
        original_link=page.url,
    )
