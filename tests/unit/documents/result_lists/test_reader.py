"""Lists of results of each design, read without knowing the site."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.result_lists import ResultList, read_result_list

URL = "http://a.test/find?q=owls"
NAVIGATION = "<nav><ul>" + "".join(
    f'<li><a href="/section/{n}">Section number {n}</a></li>' for n in range(30)
)
POPULAR = '<div class="popular"><h3>Popular</h3><ul>' + "".join(
    f'<li><a href="/top/{n}">Most read page {n}</a></li>' for n in range(8)
)
BEFORE = f"<header><a href='/'>Home</a></header>{NAVIGATION}</ul></nav><h1>Results for owls</h1>"
AFTER = (
    f"{POPULAR}</ul></div><p><a href='/find?q=owls&page=2'>Next</a></p>"
    "<footer><a href='/imprint'>Imprint</a> <a href='/privacy'>Privacy</a></footer>"
)
TITLES = [f"Paper {word} on owls" for word in ("one", "two", "three", "four", "five", "six")]
SNIPPET = "It says in some words how owls hunt mice at night, and where."


def link(number: int) -> str:
    return f'<a href="/doc/{number}">{TITLES[number]}</a>'


def table(number: int) -> str:
    author = f'<a href="/person/{number}">A. Nyone</a>'
    return f"<tr><td>{number}.</td><td>{link(number)}</td><td>{author}</td><td>{SNIPPET}</td></tr>"


def siblings(number: int) -> str:
    return f"<h3>{link(number)}</h3><p>{SNIPPET}</p><p><a href='/cache/{number}'>Cached</a></p>"


def card(number: int) -> str:
    picture = f'<a href="/doc/{number}"><img src="x.png" alt=""></a>'
    return (
        f'<div class="card">{picture}<div class="card-title">{link(number)}</div>'
        f'<p>{SNIPPET}</p><a href="/share/{number}">Share</a></div>'
    )


def item(number: int) -> str:
    return f'<li class="item{number}">{link(number)}<br>{SNIPPET}</li>'


def definition(number: int) -> str:
    return f"<dt>{link(number)}</dt><dd>{SNIPPET}</dd>"


def with_advert(number: int) -> str:
    advert = '<div class="advert"><a href="http://ads.test/">Buy a telescope now</a></div>'
    return f'<div class="hit"><h3>{link(number)}</h3><p>{SNIPPET}</p></div>' + advert * (number % 2)


DESIGNS = {
    "table": ("<table>", table, "</table>"),
    "list": ('<ol class="results">', item, "</ol>"),
    "definition list": ("<dl>", definition, "</dl>"),
    "cards": ('<div class="cards">', card, "</div>"),
    "several siblings": ("<div id='content'>", siblings, "</div>"),
    "adverts between": ("<div id='content'>", with_advert, "</div>"),
}


def answer(design: str, count: int = 6) -> ResultList:
    opening, record, closing = DESIGNS[design]
    records = "".join(map(record, range(count)))
    return read_result_list(f"{BEFORE}{opening}{records}{closing}{AFTER}", URL, "owls")


@pytest.mark.parametrize("design", DESIGNS)
def test_the_records_of_each_design_are_read(design: str) -> None:
    records = answer(design).records
    assert [record.link for record in records] == [f"http://a.test/doc/{n}" for n in range(6)]
    assert [record.title for record in records] == TITLES


@pytest.mark.parametrize("design", DESIGNS)
def test_a_snippet_is_that_of_its_own_record(design: str) -> None:
    records = answer(design).records
    assert all("hunt mice" in record.snippet for record in records[:-1])
    assert not any(TITLES[number + 1] in records[number].snippet for number in range(5))


def test_other_links_of_a_record_stay_with_it() -> None:
    records = answer("several siblings").records
    assert [record.other_links for record in records[:-1]] == [
        (f"http://a.test/cache/{number}",) for number in range(5)
    ]


@pytest.mark.parametrize("design", DESIGNS)
def test_the_next_page_is_found(design: str) -> None:
    assert answer(design).next_page == "http://a.test/find?q=owls&page=2"


def test_redirects_of_the_portal_are_resolved_and_kept() -> None:
    hits = "".join(
        f'<div class="result"><h3><a href="/url?q=http%3A%2F%2Fb.test%2F{n}&sa=1">'
        f"{TITLES[n]}</a></h3><p>{SNIPPET}</p></div>"
        for n in range(4)
    )
    records = read_result_list(f"{BEFORE}<div>{hits}</div>{AFTER}", URL, "owls").records
    assert [record.link for record in records] == [f"http://b.test/{n}" for n in range(4)]
    assert records[0].original_link == "http://a.test/url?q=http%3A%2F%2Fb.test%2F0&sa=1"


@pytest.mark.parametrize(
    "sentence",
    [
        "Your search for owls did not match any documents.",
        "No results found for owls.",
        "Keine Treffer",
        "Aucun résultat",
        "Ничего не найдено",
        "没有找到",
    ],
)
def test_an_empty_answer_is_recognised(sentence: str) -> None:
    result = read_result_list(f"{NAVIGATION}</ul></nav><p>{sentence}</p>", URL, "owls")
    assert result.nothing_found
    assert result.records == ()


def test_a_record_that_says_no_results_is_no_empty_answer() -> None:
    page = f"{BEFORE}<ol class='results'><li>{link(0)} No results yet</li>{item(1)}{item(2)}</ol>"
    assert not read_result_list(page, URL, "owls").nothing_found


def test_a_page_without_a_list_is_one_record() -> None:
    result = read_result_list("<p>Welcome. <a href='/a'>In</a></p>", URL, "owls")
    assert result.is_whole_page
    assert [record.link for record in result.records] == [URL]
    assert result.records[0].other_links == ("http://a.test/a",)


PAGE = BEFORE + "".join(map(card, range(6))) + AFTER


@given(st.randoms(use_true_random=False), st.text(max_size=30))
def test_nothing_raises_on_broken_pages(chance: random.Random, query: str) -> None:
    pieces = [PAGE[n : n + 40] for n in range(0, len(PAGE), 40)]
    chance.shuffle(pieces)
    read_result_list("".join(pieces[: chance.randrange(60)]), URL, query)


@given(st.text(max_size=300), st.text(max_size=60))
def test_nothing_raises_on_any_text(html: str, reference: str) -> None:
    read_result_list(f"{html}<a href='{reference}'>owls of the night</a>{html}", URL, "owls")


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000 + "<a href=/x>owls</a>",
        "".join(f"<p><a href=/{n}>owls {n}</a></p>" for n in range(50_000)),
        f"<a href=/x class='{'c ' * 300_000}'>owls</a>",
        "<ul>" + "".join(f"<li class=c{n} id=i{n}><a href=/{n}>{n}</a>" for n in range(20_000)),
    ],
    ids=["deep", "wide", "attribute", "numbers"],
)
def test_hostile_pages_are_read_in_part(html: str) -> None:
    assert isinstance(read_result_list(html, URL, "owls"), ResultList)
