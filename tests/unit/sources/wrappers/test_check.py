"""A changed form is noticed."""

import pytest

from motherlode.sources.wrappers.check import (
    MAX_CHANGES,
    FormState,
    compare_forms,
    fingerprint_of,
    form_of_today,
)
from support.labelled_forms import form_of

OLD = (
    "<form action='/find?v=1' method=post><input type=hidden name=token value=abc>"
    "<label>Title <input name=t></label><select name=y><option value=1>1990s<option value=2>2000s"
    "</select><input type=submit name=go value=Go></form>"
)
STORED = form_of(OLD)


def changed(*pairs: tuple[str, str]) -> str:
    html = OLD
    for before, after in pairs:
        assert before in html
        html = html.replace(before, after)
    return html


def test_the_same_form_is_the_same() -> None:
    assert compare_forms(STORED, form_of(OLD)).state == FormState.SAME


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("value=abc", "value=xyz", "the field token has another default"),
        ("name=t>", "name=t value=owls>", "the field t has another default"),
        (
            "<option value=1>1990s<option value=2>2000s",
            "<option value=2>2000s<option value=1 selected>1990s",
            "the options of y have another order",
        ),
        ("name=token", "name=t0ken", "it has other hidden fields or buttons"),
        ("name=go", "name=start", "it has other hidden fields or buttons"),
    ],
)
def test_defaults_tokens_and_orders_are_compatible(before: str, after: str, change: str) -> None:
    check = compare_forms(STORED, form_of(changed((before, after))))
    assert check.state == FormState.COMPATIBLE
    assert check.is_usable
    assert check.changes == (change,)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("/find", "/search", "it is sent to http://catalogue.test/search?v=1"),
        ("method=post", "method=get", "it is sent by GET"),
        ("name=t>", "name=title>", "the field t is gone"),
        ("<select", "<input name=isbn><select", "there is a new field isbn"),
        (">Title <", ">Author <", "the field t is called 'Author'"),
        ("<input name=t>", "<input name=t type=search>", "the field t is of the type search"),
        ("<input name=t>", "<input name=t maxlength=5>", "the field t takes other values"),
        ("<option value=1>1990s", "", "the field y has lost the option 1"),
        ("value=1>", "value=9>", "the field y has the new option 9"),
        ("2000s", "2010s", "options of the field y are called otherwise"),
    ],
)
def test_all_else_is_a_change(before: str, after: str, change: str) -> None:
    check = compare_forms(STORED, form_of(changed((before, after))))
    assert check.state == FormState.CHANGED
    assert not check.is_usable
    assert change in check.changes


def test_values_in_the_address_are_no_change() -> None:
    session = form_of(changed(("/find?v=1", "/find;jsessionid=42?v=2")))
    assert fingerprint_of(session) == fingerprint_of(STORED)


def test_changes_are_listed_up_to_a_number() -> None:
    many = form_of(
        "<form>" + "".join(f"<input name=f{n}>" for n in range(100)) + "<input type=submit></form>"
    )
    assert len(compare_forms(STORED, many).changes) == MAX_CHANGES


def test_the_form_is_found_where_it_has_moved() -> None:
    login = form_of(
        "<form action=/login><input name=user><input type=password name=p><input type=submit></form>"
    )
    moved = form_of(changed(("value=abc", "value=new")))
    assert form_of_today(STORED, (login, moved), 1) is moved
    assert form_of_today(STORED, (login,), 1) is None
    assert form_of_today(STORED, (), 1) is None


def test_of_two_equal_forms_the_one_in_its_place_counts() -> None:
    twins = (form_of(OLD), form_of(OLD))
    assert form_of_today(STORED, twins, 2) is twins[1]
    assert form_of_today(STORED, twins, 1) is twins[0]
