"""Labels: what a person reads beside a field."""

import pytest

from motherlode.documents.forms import read_forms


def label(html: str, name: str = "n") -> str:
    (form,) = read_forms(f"<form action=/x>{html}</form>", "http://a.test/")
    return next(field.label for field in form.fields if field.name == name)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<label for=n>Own</label><input id=n name=n aria-label=Aria placeholder=Hint>", "Own"),
        ("<label>Around <input name=n></label>", "Around"),
        ("<label></label><input name=n aria-label=Aria placeholder=Hint>", "Aria"),
        ("<b id=x>By</b> <i id=y>id</i> far <input name=n aria-labelledby='x y' title=T>", "By id"),
        ("<input name=n placeholder=Hint title=Title>", "Hint"),
        ("<input name=n title='By title'>", "By title"),
        ("<label for=n></label><input id=n name=n title=Title>", "Title"),
        ("<label for=n>One</label><label for=n>Two</label><input id=n name=n>", "One"),
        ("<label for=n></label><label for=n>Two</label><input id=n name=n>", "Two"),
        ("<label for>For nobody</label><input name=n>", "For nobody"),
        ("<label>" + "word " * 100 + "<input name=n></label>", ("word " * 40).strip()),
    ],
)
def test_a_field_is_labelled_by_its_own_word_first(html: str, expected: str) -> None:
    assert label(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("Author: <input name=a> Title: <input name=n>", "Title"),
        ("<b>Title</b> of it <input name=n>", "Title of it"),
        (
            "<table><tr><td>Author<td><input name=a><tr><td>Title *<td><input name=n></table>",
            "Title",
        ),
        ("<table><tr><th>Title<tr><td><input name=n></table>", "Title"),
        ("<dl><dt>Author<dd><input name=a><dt>Title<dd><input name=n></dl>", "Title"),
        ("<div><div>Title</div><div><div><input name=n></div></div></div>", "Title"),
        ("Help text<br>Title<br><input name=n>", "Title"),
        ("Title <input type=hidden name=h><input name=n>", "Title"),
        ("Title <input name=a> <input name=n>", ""),
        ("Title <span style='display: none'>secret</span><input name=n>", "Title"),
        ("Title <script>var x</script><input name=n>", "Title"),
        ("Between <select name=s><option>never</select> and <input name=n>", "and"),
        ("word " * 50 + "<input name=n>", ""),  # a text, no label
        (" - <input name=n>", ""),
        ("<input name=n value='Your words'>", "Your words"),
        ("<input name=n value=2026>", ""),
    ],
)
def test_else_by_the_words_before_it(html: str, expected: str) -> None:
    assert label(html) == expected


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("before <input type=KIND name=n value=1> after<br>later", "after"),
        ("<input type=KIND name=m> other <input type=KIND name=n> after", "after"),
        ("<table><tr><td><input type=KIND name=n><td>After<tr><td>x</table>", "After"),
        ("<table><tr><td>Before<td><input type=KIND name=n><tr><td>x</table>", "Before"),
        ("<input type=KIND name=n id=i> after <label for=i>Own</label>", "Own"),
    ],
)
def test_a_choice_is_labelled_by_the_words_behind_it(kind: str, html: str, expected: str) -> None:
    assert label(html.replace("KIND", kind)) == expected


def test_several_choices_have_the_words_before_them_where_there_is_no_legend() -> None:
    html = "Kind: <input type=radio name=n value=1> Book <input type=radio name=n value=2> Paper"
    assert label(html) == "Kind"
    assert label(f"<div role=radiogroup aria-label=Sort>{html}</div>") == "Sort"


def test_a_button_is_labelled_by_what_it_shows() -> None:
    assert label("x <button name=n>Find <b>it</b></button>") == "Find it"
    assert label("x <input type=submit name=n value=Send>") == "Send"
    assert label("x <input type=image name=n alt=Go value=1>") == "Go"
    assert label("x <input type=submit name=n>") == ""
