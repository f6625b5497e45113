"""Read the list of results on a page: its records, the next page, or that nothing was found.

Groups of links are candidates for the title links of the records. A linear model scores them by
their words, places, regions and addresses, and by what other answers of the same portal repeat.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from motherlode.documents.result_lists.best_group import Evidence, Place, best_group, title_place
from motherlode.documents.result_lists.empty_answers import says_nothing_found
from motherlode.documents.result_lists.next_page import find_next_results
from motherlode.documents.result_lists.page_links import (
    LinkedAnswer,
    PageLink,
    link_page,
    without_template,
)
from motherlode.documents.result_lists.page_tree import PageTree, read_tree
from motherlode.documents.result_lists.regions import Region, regions_of
from motherlode.documents.result_lists.words import words_for

MAX_SNIPPET_CHARS: Final = 2_000
MAX_OTHER_LINKS: Final = 50  # of one record
MAX_OTHER_ANSWERS: Final = 5
MOST: Final = 0.5
TITLE_WORDS: Final = 3  # of a text that may be the title where a link has one word
MAX_PIECES: Final = 50
MAX_TITLE_CHARS: Final = 500
_LABEL: Final = re.compile(r"^\s*(?:title|titel|titre|título|titolo)\s*:\s*", re.IGNORECASE)
ADVERT_LEVELS: Final = 4  # elements around a title whose classes may say that it is an advert
LEAD_CHARS: Final = 40  # of a record, where a word may say so
_ADVERT_CLASS: Final = re.compile(r"sponsor|advert|\bads?\b|\bads?[-_]|promoted|werbung|anzeige")
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
    place: Place = ()  # of the titles, if they all stand at the same place


def read_result_list(
    html: str,
    url: str,
    query: str = "",
    others: Sequence[tuple[str, str]] = (),
    empty: tuple[str, str] | None = None,
    place: Place = (),
) -> ResultList:
    """Return the results on a page that answers a query.

    `others` are answers of the same portal to other queries, each as HTML and address; `empty` is
    its answer to a query that finds nothing, all links of which belong to the template. `place` is
    that of an earlier page of the same results.
    """
    few = others[:MAX_OTHER_ANSWERS]
    answers = tuple(link_page(read_tree(other), address) for other, address in few)
    page = link_page(read_tree(html), url, query, answers)
    if empty is None:
        return result_list_of(page, place=place)
    template = link_page(read_tree(empty[0]), empty[1])
    return result_list_of(page, without_template(page, template), place)


def result_list_of(
    page: LinkedAnswer, beyond_template: LinkedAnswer | None = None, place: Place = ()
) -> ResultList:
    """Return the results on a page that has been parsed.

    `beyond_template` is the page without the links that an empty answer has, too; if it has no
    other links, nothing was found.
    """
    candidates = page if beyond_template is None else beyond_template
    if beyond_template is not None and page.links and not beyond_template.links:
        return ResultList(nothing_found=True)
    links, features = best_group(candidates, Evidence(beyond_template is not None, place))
    is_list = _is_plausible(features)
    if says_nothing_found(page.tree, has_matches=is_list and features["region_has_query"] > 0):
        return ResultList(nothing_found=True)
    if not is_list:
        return ResultList((_whole_page(page),), is_whole_page=True)
    records = records_of(page, links)
    return ResultList(records, find_next_results(page), place=title_place(page.tree, links))


def _is_plausible(features: Mapping[str, float]) -> bool:
    """Return whether anything but the model speaks for a group: words, names, long titles."""
    if not features:
        return False
    if features["region_has_query"] > 0 or features["near_result"] > 0 or features["numbered"]:
        return True
    is_aside = features["in_aside_tag"] > MOST or features["near_aside"] > MOST
    return not is_aside and features["text_size"] * 60 >= MIN_TITLE_CHARS


def records_of(page: LinkedAnswer, titles: Sequence[PageLink]) -> tuple[ResultRecord, ...]:
    """Return the records around title links."""
    titles = _without_parts(titles)
    regions = regions_of(page.tree, [link.element for link in titles])
    places = [link.element for link in page.links]
    pairs = list(zip(titles, regions, strict=True))
    advertised = {title.element for title, region in pairs if _is_advert(page.tree, title, region)}
    if len(advertised) > MOST * len(pairs):  # then the word means something else here
        advertised = set()
    return tuple(
        _record(page, title, region, places)
        for title, region in pairs
        if title.element not in advertised
    )


def _without_parts(titles: Sequence[PageLink]) -> list[PageLink]:
    """Return titles without links such as "PDF", unless there are no others."""
    is_part = words_for("part").search
    named = [title for title in titles if not is_part(title.text.casefold())]
    return named or list(titles)


def _is_advert(tree: PageTree, title: PageLink, region: Region) -> bool:
    """Return whether a record says of itself that it is an advert, in a class or at its start."""
    around = (title.element, *tree.above(title.element)[:ADVERT_LEVELS])
    labels = " ".join(tree.labels[number] for number in around if number >= region.first)
    return bool(
        _ADVERT_CLASS.search(labels)
        or words_for("advert").search(tree.text(region.first, region.end, LEAD_CHARS).casefold())
    )


def _record(
    page: LinkedAnswer, title: PageLink, region: Region, places: Sequence[int]
) -> ResultRecord:
    text = page.tree.text(region.first, region.end, MAX_SNIPPET_CHARS)
    first, end = bisect_left(places, region.first), bisect_left(places, region.end)
    inside = (link.url for link in page.links[first : min(end, first + MAX_OTHER_LINKS)])
    return ResultRecord(
        link=title.target,
        title=_title_text(page.tree, title, region),
        snippet=" ".join(text.replace(title.text, " ", 1).split()),
        other_links=tuple(dict.fromkeys(url for url in inside if url != title.url)),
        original_link=title.url,
    )


def _title_text(tree: PageTree, title: PageLink, region: Region) -> str:
    """Return the title of a record: the text of its link, unless that is only an identifier."""
    if " " in title.text:
        return title.text
    pieces = tree.texts[tree.first_texts[region.first] : tree.text_end(region.end)]
    telling = (text for text in pieces[:MAX_PIECES] if len(text.split()) >= TITLE_WORDS)
    return _LABEL.sub("", next(telling, title.text))[:MAX_TITLE_CHARS]


def _whole_page(page: LinkedAnswer) -> ResultRecord:
    return ResultRecord(
        link=page.url,
        snippet=page.tree.own_text(0, MAX_SNIPPET_CHARS) if page.tree.tags else "",
        other_links=tuple(dict.fromkeys(link.target for link in page.links)),
        original_link=page.url,
    )
