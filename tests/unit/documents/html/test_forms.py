"""Forms: their targets, their fields, and what a person reads beside them."""

import pytest

from motherlode.documents.html.reader import read_html
from motherlode.records import Field, Form
from motherlode.urls import UrlRules


def forms(html: str) -> tuple[Form, ...]:
    return read_html(html, "http://a.test/dir/page", UrlRules()).forms


def field(html: str) -> Field:
    ((found,),) = (form.fields for form in forms(f"<form>{html}</form>"))
    return found


SEARCH = """<form action="/find" method=POST>
<label for=q>What  to find</label> <input id=q name=q value="owls" placeholder="never shown">
<label>Where <select name=where><option value=e>Europe<option selected>Asia</select></label>
<label for=kind>Kind <select id=kind name=kind><option>Barn</option><option>Snowy</option></select></label>
<label>Note <textarea name=note> as it
comes</textarea></label>
<label><input type=checkbox name=live value=1> Only <b>living</b> ones</label>
<input type=hidden name=token value="a=b&amp;c">
<input name=page aria-label="Page" type=NUMBER>
<button name=go value=1>Go!</button><input type=submit value="No name"><fieldset disabled></fieldset>
</form>"""


def test_a_form_is_told_with_its_fields_and_labels() -> None:
    assert forms(SEARCH) == (
        Form(
            "http://a.test/find",
            "post",
            (
                Field("q", "text", "What to find", "owls"),
                Field("where", "select", "Where", "Asia", (("e", "Europe"), ("Asia", "Asia"))),
                Field("kind", "select", "Kind", "", (("Barn", "Barn"), ("Snowy", "Snowy"))),
                Field("note", "textarea", "Note", " as it\ncomes"),
                Field("live", "checkbox", "Only living ones", "1"),
                Field("token", "hidden", "", "a=b&c"),
                Field("page", "number", "Page"),
                Field("go", "button", "", "1"),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("html", "label"),
    [
        ("<input name=n title='By title'>", "By title"),
        ("<input name=n placeholder=Hint title=Title>", "Hint"),
        ("<label></label><input name=n aria-label=Aria placeholder=Hint>", "Aria"),
        ("<label for=n></label><input id=n name=n title=Title>", "Title"),
        ("<label for=other>Other</label><input id=n name=n>", ""),
        ("<label for>For nobody</label><input name=n>", ""),
        ("<label for=n>One</label><label for=n>Two</label><input id=n name=n>", "Two"),
        ("<label>Around <input name=n></label>", "Around"),
        ("<label>" + "word " * 100 + "<input name=n></label>", "word " * 40),
    ],
)
def test_a_field_is_labelled_by_what_comes_nearest(html: str, label: str) -> None:
    assert field(html).label == label


def test_targets_are_resolved_and_what_cannot_be_fetched_is_left_out() -> None:
    html = (
        "<form action=find></form><form action='mailto:x@y'></form><form></form>"
        "<form method=dialog></form>"
    )
    assert [(form.action, form.method) for form in forms(html)] == [
        ("http://a.test/dir/find", "get"),
        ("http://a.test/dir/page", "get"),
        ("http://a.test/dir/page", "get"),
    ]


def test_there_is_an_end_to_forms_fields_and_choices() -> None:
    assert len(forms("<form action=x></form>" * 60)) == 50
    (form,) = forms("<form>" + "<input name=a>" * 200 + "</form>")
    assert len(form.fields) == 100
    assert len(field("<select name=a>" + "<option>x" * 600 + "</select>").options) == 500


def test_choices_are_no_text_and_fields_outside_forms_belong_to_none() -> None:
    found = read_html(
        "<p>Pick <select name=a><option>one</select><input name=b>", "http://a.test/", UrlRules()
    )
    assert (found.text, found.forms) == ("Pick", ())
