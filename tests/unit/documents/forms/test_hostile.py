"""Hostile forms: bounds on everything, and work that grows with the page and not faster."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from motherlode.documents.forms import read_forms, submission_of
from motherlode.records import BadInputError

URL = "http://a.test/"
TOO_LARGE = "it has more fields, options or text than are read"
LONG = "a" * 1_000_000

# Pages by their size; each must cost twice as much when it is twice as long.
PAGES: dict[str, Callable[[int], str]] = {
    "fields": lambda n: "<form>" + "word <input name=a>" * n,
    "hidden": lambda n: "<form>" + "<input type=hidden name=a>" * n + "<input name=q>",
    "options": lambda n: "<form><select name=a>" + "<option value=1>x" * n,
    "menus": lambda n: "<form>" + "<select name=a><option>x<option>y</select>" * n,
    "groups of options": lambda n: (
        "<form><select name=a>" + "<optgroup disabled><option>a<div>" * n
    ),
    "radio buttons": lambda n: "<form>" + "<input type=radio name=a value=1>b" * n,
    "deep": lambda n: "<form>" + "<div>" * n + "<input name=q>" * n,
    "deep labels": lambda n: "<form>" + "<label>a " * n + "<input name=q>" * n,
    "deep fieldsets": lambda n: (
        "<form>" + "<fieldset><legend>a</legend>" * n + "<input name=q>" * n
    ),
    "deep tables": lambda n: "<form>" + "<button><table><td>a<input name=b>" * n,
    "labels of one field": lambda n: "<form>" + "<label for=x></label><input id=x name=q>" * n,
    "labels of each other": lambda n: (
        "<form>"
        + "".join(f"<div id=i{k} aria-labelledby=i{n - k}>" for k in range(n))
        + "".join(f"<input name=q aria-labelledby='i{k} i{k + 1} i1'>" for k in range(n))
    ),
    "lines": lambda n: "<form>" + "a<br>" * n + "<input name=q><input type=checkbox name=c>",
    "blank lines": lambda n: (
        "<form>" + "<br><p>" * n + "<input name=q><input type=checkbox name=c>"
    ),
    "forms": lambda n: "<form><input name=a></form>" * n,
    "forms in tables": lambda n: "<table>" + "<form><tr><td><input name=a></form>" * n,
    "orphans": lambda n: "<form></form>" + "<input name=a>x" * n,
    "headings": lambda n: "<form>" + "<h1>" * n + "x" + "<input name=a>" * n,
}


def work(html: str) -> int:
    """Return how many calls it takes to read a page's forms."""
    calls = 0

    def count(_frame: FrameType, _event: str, _argument: Any) -> None:
        nonlocal calls
        calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read_forms(html, URL)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("name", PAGES)
def test_twice_the_page_is_twice_the_work(name: str) -> None:
    page = PAGES[name]
    read_forms(page(2), URL)  # loads what it needs
    assert work(page(400)) <= 2.1 * work(page(200)) + 1000


@pytest.mark.parametrize("name", PAGES)
def test_no_page_brings_more_than_the_bounds(name: str) -> None:
    forms = read_forms(PAGES[name](6_000), URL)
    assert len(forms) <= 51
    assert all(len(form.fields) <= 1_000 for form in forms)
    assert all(len(field.options) <= 5_000 for form in forms for field in form.fields)
    assert all(len(field.label) <= 200 for form in forms for field in form.fields)


@pytest.mark.parametrize(
    "html",
    [
        "<form>" + "<input name=a>" * 10_000,
        "<form><select name=a>" + "<option>x" * 100_000,
        "<form>" + "<input type=checkbox name=a>" * 6_000,
        f"<form><input name={LONG}><input name=b value={LONG}><input name=c value={LONG}>",
        "<p><input name=a>" * 10_001 + "<form><input name=a></form>",
    ],
)
def test_a_form_that_is_not_read_as_a_whole_says_so(html: str) -> None:
    assert read_forms(html, URL)[0].problem == TOO_LARGE


def test_long_attributes_are_cut_where_they_are_words_and_kept_where_they_are_sent() -> None:
    (form,) = read_forms(
        f"<form title={LONG} id={LONG} class={LONG} onsubmit={LONG} accept-charset={LONG}>"
        f"<input name=q type={LONG} id={LONG} placeholder={LONG} value={LONG} maxlength={'9' * 500}>"
        f"<input type=submit value={LONG[:1000]} style={LONG}>",
        URL,
    )
    query, button = form.fields
    assert (len(form.title), len(form.name), form.problem) == (200, 200, "")
    assert (len(query.label), len(query.element_id), query.control) == (200, 200, "text")
    assert (query.value, query.max_length, len(button.label)) == (LONG, 0, 200)
    assert submission_of(form).url == f"{URL}?q={LONG}"


@pytest.mark.parametrize(
    "html",
    [
        "<form",
        "<form><input name=a",
        "</form><input name=q></form>",
        "<select><form><input name=q></form></select>",
        "<form><form><form></form></form></form><input name=q>",
        "<form action='http://[::1'><input name=q>",
        "<form action='\ud800'><input name=\ud800 value=\udfff>",
        "<form action=//><input name=q form=q id=q>",
        "<svg><form><input name=q></form></svg><math><input name=a></math>",
        "<form accept-charset='\0 utf-7 punycode'><input name='\0' value='\0'>",
        "<label id=a aria-labelledby=b for=b>x</label><label id=b aria-labelledby=a for=a><input id=b>",
        "<frameset><form><input name=q>",
        "<form action='data:text/html,x'><input type=file name=f>",
        "<form action='http://127.0.0.1/'><input name=q size=99999999999 maxlength=-1>",
    ],
)
def test_broken_forms_do_no_harm(html: str) -> None:
    for form in read_forms(html, URL, charset="nonsense"):
        if form.action:
            assert submission_of(form).url.startswith(("http://", "https://"))
        else:
            with pytest.raises(BadInputError, match=re.escape(form.problem)):
                submission_of(form)
