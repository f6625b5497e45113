"""`density-2004` on a page whose densities are counted by hand."""

from motherlode.documents.result_lists.density import DensityOptions, densest_links
from motherlode.documents.result_lists.page_links import LinkedAnswer, link_page
from motherlode.documents.result_lists.page_tree import read_tree

MENU = "<ul>" + "".join(f"<li><a href='/m{n}'>menu</a></li>" for n in range(4)) + "</ul>"
HITS = "<ol>" + "".join(f"<li><a href='/d{n}'>barn owl</a></li>" for n in range(4)) + "</ol>"


def page(html: str, query: str) -> LinkedAnswer:
    return link_page(read_tree(html), "http://a.test/", query)


def texts(answer: LinkedAnswer, options: DensityOptions | None = None) -> list[str]:
    return [link.text for link in densest_links(answer, options)]


def test_the_list_with_words_of_the_query_is_densest() -> None:
    """(8 + 4) / 8 = 1.5 in the list of hits; the menu has no word of the query."""
    assert texts(page(MENU + HITS, "barn owl")) == ["barn owl"] * 4


def test_the_root_is_returned_without_a_match() -> None:
    assert len(texts(page(MENU + HITS, "heron"))) == 8


def test_links_and_matches_are_weighed() -> None:
    """Matches alone: 3 of 6 terms in the menu, 3 of 3 in the list behind it."""
    menu = "<ul>" + "<li><a href='/m'>owl menu</a></li>" * 3 + "</ul>"
    hits = "<ol>" + "<li><a href='/d'>owl</a></li>" * 3 + "</ol>"
    assert texts(page(menu + hits, "owl"), DensityOptions(1.0, 0.0)) == ["owl"] * 3
