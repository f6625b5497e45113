"""Forms as they are read off a page: fields, defaults, options, and which form a control is of."""

import pytest

from motherlode.documents.forms import Form, FormField, FormOption, FormPurpose, read_forms
from motherlode.documents.html.reader import read_html
from motherlode.urls import UrlRules

URL = "http://a.test/dir/page"

SEARCH = """<h2>Find birds</h2><form id=finder action="/find" method=POST>
<label for=q>What  to find</label> <input id=q name=q value="owls" placeholder="Words">
<label>Where <select name=where><option value=e>Europe<option selected>Asia</select></label>
<label for=kind>Kind <select id=kind name=kind><option>Barn</option><option>Snowy</option></select>
</label>
<label>Note <textarea name=note maxlength=80> as it
comes</textarea></label>
<label><input type=checkbox name=live value=1 checked> Only <b>living</b> ones</label>
<input type=hidden name=token value="a=b&amp;c">
<input name=page aria-label="Page" type=NUMBER required>
<button name=go value=1>Go!</button><input type=submit value="No name"><button type=reset>x</button>
</form>"""


def forms(html: str) -> tuple[Form, ...]:
    return read_forms(html, URL)


def fields(html: str) -> tuple[FormField, ...]:
    (form,) = forms(f"<form>{html}</form>")
    return form.fields


def test_a_form_is_read_with_its_fields_labels_and_defaults() -> None:
    (form,) = forms(SEARCH)
    assert (form.action, form.method, form.encoding) == ("http://a.test/find", "post", "urlencoded")
    assert (form.name, form.title, form.problem) == ("finder", "Find birds", "")
    assert (form.purpose, form.query_field, form.needs_script) == (FormPurpose.SEARCH, "q", False)
    assert form.fields == (
        FormField(
            name="q",
            control="text",
            label="What to find",
            value="owls",
            placeholder="Words",
            element_id="q",
        ),
        FormField(
            name="where",
            control="select",
            label="Where",
            value="Asia",
            options=(FormOption("e", "Europe"), FormOption("Asia", "Asia", is_selected=True)),
        ),
        FormField(
            name="kind",
            control="select",
            label="Kind",
            value="Barn",  # a drop-down menu always has one selected
            options=(FormOption("Barn", "Barn", is_selected=True), FormOption("Snowy", "Snowy")),
            element_id="kind",
        ),
        FormField(
            name="note", control="textarea", label="Note", value=" as it\ncomes", max_length=80
        ),
        FormField(
            name="live",
            control="checkbox",
            label="Only living ones",
            value="1",
            options=(FormOption("1", "Only living ones", is_selected=True),),
        ),
        FormField(name="token", control="hidden", value="a=b&c"),
        FormField(name="page", control="number", label="Page", is_required=True),
        FormField(name="go", control="submit", label="Go!", value="1"),
        FormField(name="", control="submit", label="No name", value="No name"),
    )


def test_forms_are_read_only_where_a_page_is_read_in_full() -> None:
    assert read_html(SEARCH, URL, UrlRules()).forms == forms(SEARCH)
    assert read_html(SEARCH, URL, UrlRules(), in_full=False).forms == ()


def test_radio_buttons_of_one_name_are_one_field() -> None:
    (field,) = fields(
        "<fieldset><legend>Kind:</legend><input type=radio name=k value=a checked> Book"
        "<input type=radio name=k value=b checked> Paper <input type=radio name=k>Any</fieldset>"
    )
    assert (field.label, field.value, field.is_multiple) == ("Kind:", "b", False)
    assert [(option.value, option.label, option.is_selected) for option in field.options] == [
        ("a", "Book", False),
        ("b", "Paper", True),
        ("on", "Any", False),
    ]


def test_checkboxes_of_one_name_are_one_field_and_several_may_be_chosen() -> None:
    year, owls = fields(
        "<input type=checkbox name=y value=1 checked>One<input type=checkbox name=y value=2 checked>Two"
        "<input type=checkbox name=owls>Owls"
    )
    assert (year.is_multiple, year.defaults) == (True, ("1", "2"))
    assert (owls.is_multiple, owls.defaults, owls.label) == (False, (), "Owls")


@pytest.mark.parametrize(
    ("attributes", "defaults"),
    [
        ("", ("c",)),  # the last that is selected
        ("multiple", ("b", "c")),
        ("size=4", ("c",)),
    ],
)
def test_what_a_menu_sends_without_a_choice(attributes: str, defaults: tuple[str, ...]) -> None:
    options = "<option>a<option selected>b<option selected>c"
    (field,) = fields(f"<select name=m {attributes}>{options}</select>")
    assert field.defaults == defaults


def test_a_menu_without_a_selected_option_starts_with_the_first_that_may_be_chosen() -> None:
    (menu,) = fields("<select name=m><option disabled>-<option value=1>One</select>")
    (grouped,) = fields(
        "<select name=m><optgroup disabled><option>-</optgroup><option label=Uno>1</select>"
    )
    (box,) = fields("<select name=m size=3><option>1<option>2</select>")
    assert (menu.defaults, grouped.defaults, box.defaults) == (("1",), ("1",), ())
    assert grouped.options[1].label == "Uno"


def test_what_a_fieldset_disables_is_disabled() -> None:
    inside, outside, itself = fields(
        "<fieldset disabled><input name=a></fieldset><input name=b><input name=c disabled>"
    )
    assert (inside.is_disabled, outside.is_disabled, itself.is_disabled) == (True, False, True)


# Which form a control belongs to


def names(html: str) -> list[tuple[str, ...]]:
    return [tuple(field.name for field in form.fields) for form in forms(html)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<input name=a form=f><form id=f><input name=b></form><input name=c form=f>", ["abc"]),
        ("<form id=f><input name=a form=g><input name=b></form><form id=g></form>", ["b", "a"]),
        # A table lets no form in: the parser's form pointer says what is in it.
        (
            "<table><form><tr><td><input name=a><td><input name=b></form></table><input name=c>",
            ["ab", "c"],
        ),
        (
            "<div><form action=x><input name=a></div><input name=b></form><input name=c>",
            ["ab", "c"],
        ),
        ("<form><input name=a><form><input name=b></form><input name=c>", ["ab", "c"]),
        ("<template><form><input name=a></form></template><form><input name=b></form>", ["b"]),
    ],
)
def test_each_control_is_of_the_form_that_browsers_give_it_to(
    html: str, expected: list[str]
) -> None:
    assert names(html) == [tuple(form) for form in expected]


def test_fields_outside_of_forms_are_a_form_that_needs_a_script() -> None:
    (form,) = forms("<input id=search placeholder=Search><button>Go</button>")
    assert form.needs_script
    assert (form.action, form.problem) == ("", "its fields stand outside of any form")
    assert forms("<button>Menu</button><input type=hidden name=a>") == ()


def test_a_page_without_fields_has_no_forms() -> None:
    assert forms("<p>Search form</p>") == ()


# Titles


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<h2>Out</h2><form aria-label=Own><h3>In</h3><input name=a></form>", "Own"),
        ("<h2>Out</h2><form><h3>In</h3><input name=a></form>", "In"),
        ("<form><fieldset><legend>Catalogue</legend><input name=a></fieldset></form>", "Catalogue"),
        ("<h2>Find a book</h2><p>Type words.</p><form><input name=a></form>", "Find a book"),
        ("<h2>Far</h2>" + "<p>word</p>" * 9 + "<form><input name=a></form>", ""),
        ("<form><input name=a></form><h2>Behind</h2>", ""),
        ("<b id=t>By id</b><form aria-labelledby=t><input name=a></form>", "By id"),
    ],
)
def test_a_form_is_called_by_its_own_word_or_the_nearest_heading(html: str, title: str) -> None:
    assert forms(html)[0].title == title
