"""Which values a form is filled with."""

import pytest

from motherlode.sources.wrappers.assignment import assigned_values
from motherlode.sources.wrappers.attributes import PersonName, PortalQuery
from motherlode.sources.wrappers.matching import matching_of
from motherlode.sources.wrappers.vocabulary import Vocabulary
from support.labelled_forms import form_of

WORDS = Vocabulary()
DOE = PortalQuery(
    title="Workflow models",
    authors=(PersonName("Doe", "John"), PersonName("Roe", "Jane")),
    year=1997,
    abstract="All about models",
)
MENU = "<select name=idx><option value=kw>Keyword<option value=ti>Title<option value=au>Author</select>"
FORMS = {
    "author, title, year": "<form>Author <input name=a> Title <input name=t> Year <input name=y><input type=submit></form>",
    "names apart": "<form>First name <input name=f> Last name <input name=l> Title <input name=t><input type=submit></form>",
    "two authors": "<form><input name=author1><input name=author2><input name=title><input type=submit></form>",
    "one box": "<form><input name=q><input type=submit></form>",
    "box and title": "<form>Search <input name=q> Title <input name=t><input type=submit></form>",
    "menu and box": f"<form>{MENU}<input name=q><input type=submit></form>",
    "two menus": f"<form>{MENU}<input name=q>{MENU.replace('idx', 'idx2')}<input name=q2><input type=submit></form>",
    "abstract alone": "<form>Abstract <input name=ab> Publisher <input name=p><input type=submit></form>",
    "year and box": "<form>Search <input name=q> Year <input name=y><input type=submit></form>",
}


def assigned(form_name: str, subject: PortalQuery) -> dict[str, str]:
    form = form_of(FORMS[form_name])
    return assigned_values(form, matching_of(form, WORDS), subject)


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("author, title, year", {"a": "John Doe", "t": "Workflow models", "y": "1997"}),
        ("names apart", {"f": "John", "l": "Doe", "t": "Workflow models"}),
        ("two authors", {"author1": "John Doe", "author2": "Jane Roe", "title": "Workflow models"}),
        ("one box", {"q": "Workflow models"}),
        ("box and title", {"t": "Workflow models"}),
        ("menu and box", {"idx": "ti", "q": "Workflow models"}),
        ("two menus", {"idx": "ti", "q": "Workflow models", "idx2": "au", "q2": "John Doe"}),
        ("abstract alone", {"ab": "All about models"}),
        ("year and box", {"q": "Workflow models", "y": "1997"}),
    ],
)
def test_an_object_in_each_kind_of_form(form: str, values: dict[str, str]) -> None:
    assert assigned(form, DOE) == values


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("author, title, year", {"t": "barn owls"}),
        ("one box", {"q": "barn owls"}),
        ("box and title", {"q": "barn owls"}),
        ("menu and box", {"q": "barn owls"}),
        ("abstract alone", {"ab": "barn owls"}),
    ],
)
def test_free_words_in_each_kind_of_form(form: str, values: dict[str, str]) -> None:
    assert assigned(form, PortalQuery(query="barn owls")) == values


def test_a_form_is_not_asked_for_what_it_has_no_field_for() -> None:
    assert assigned("names apart", PortalQuery(year=1997)) == {}
    assert assigned("author, title, year", PortalQuery(year=1997)) == {}
    assert assigned("one box", PortalQuery()) == {}


def test_an_abstract_is_no_condition_beside_a_title() -> None:
    form = form_of("<form>Title <input name=t> Abstract <input name=ab><input type=submit></form>")
    assert assigned_values(form, matching_of(form, WORDS), DOE) == {"t": "Workflow models"}
