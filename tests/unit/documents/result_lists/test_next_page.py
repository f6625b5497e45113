"""The link to the next page among other links of a list."""

import pytest

from motherlode.documents.result_lists.next_page import find_next_page
from motherlode.documents.result_lists.page_links import link_page
from motherlode.documents.result_lists.page_numbers import page_steps
from motherlode.documents.result_lists.page_tree import read_tree

URL = "http://a.test/find?q=owls&page=3"


def next_of(html: str, *, by_number: bool = True) -> str:
    return find_next_page(link_page(read_tree(html), URL), by_number=by_number)


def pager(*links: str) -> str:
    return f'<div class="pagination">{" ".join(links)}</div>'


def to(page: int, text: str, besides: str = "") -> str:
    return f'<a href="?q=owls&page={page}" {besides}>{text}</a>'


@pytest.mark.parametrize(
    "word", ["Next", "next page »", "Nächste Seite", "Suivant", "下一页", "&rsaquo;"]
)
def test_next_is_known_by_words_and_arrows(word: str) -> None:
    html = pager(to(2, "«"), to(2, "2"), "<b>3</b>", to(4, "4"), to(4, word), to(9, "9"))
    assert next_of(html).endswith("page=4")


def test_a_relation_is_enough() -> None:
    html = pager(to(2, "", 'rel="prev"'), to(4, "", 'rel="next" class="next"'))
    assert next_of(html).endswith("page=4")


def test_numbers_serve_where_no_link_says_next() -> None:
    html = f"<p>{to(1, '1')} {to(2, '2')} <b>3</b> {to(4, '4')} {to(5, '5')}</p>"
    assert next_of(html).endswith("page=4")
    assert next_of(html, by_number=False) == ""


def test_the_last_page_has_no_next() -> None:
    assert next_of(pager(to(1, "1"), to(2, "2"), "<b>3</b>")) == ""


def test_articles_are_no_next_pages() -> None:
    assert next_of("<ul><li><a href='/1'>Owls of today</a><li><a href='/2'>Herons</a></ul>") == ""


def test_steps_are_differences_of_the_one_number_that_changes() -> None:
    page = link_page(read_tree(to(4, "4") + to(1, "1") + "<a href='/x/7/y/8'>x</a>"), URL)
    assert [page_steps(page).get(link.url) for link in page.links] == [1, -2, None]
