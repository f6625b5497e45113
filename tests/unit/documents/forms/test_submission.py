"""Submissions, byte for byte as the HTML and URL standards derive them."""

from collections.abc import Mapping, Sequence

import pytest

from motherlode.documents.forms import Form, Submission, read_forms, submission_of
from motherlode.documents.forms import submission as submissions
from motherlode.records import BadInputError

URL = "http://a.test/dir/page"


def form(html: str, attributes: str = "action=/find") -> Form:
    return read_forms(f"<form {attributes}>{html}</form>", URL)[0]


def query(html: str, values: Mapping[str, str | Sequence[str]] | None = None) -> str:
    submission = submission_of(form(html), values)
    assert (submission.method, submission.body, submission.content_type) == ("GET", b"", "")
    return submission.url.removeprefix("http://a.test/find?")


def test_a_get_replaces_the_query_of_the_address() -> None:
    sent = submission_of(form("<input name=q>", "action='/find?old=1'"), {"q": "barn owl"})
    assert sent == Submission("http://a.test/find?q=barn+owl", "GET")
    assert submission_of(form("<p>", "action='/find?old=1'")).url == "http://a.test/find?"


def test_a_post_keeps_it_and_sends_a_body() -> None:
    sent = submission_of(form("<input name=q>", "action='/find?old=1' method=post"), {"q": "a&b"})
    assert sent == Submission(
        "http://a.test/find?old=1", "POST", b"q=a%26b", "application/x-www-form-urlencoded"
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<input name=q value=x><input value=unnamed><input name=e>", "q=x&e="),
        ("<input type=hidden name=t value='a=b'><input name=q>", "t=a%3Db&q="),
        ("<input name=q disabled><fieldset disabled><input name=r></fieldset><input name=s>", "s="),
        ("<input type=checkbox name=a><input type=checkbox name=b checked>", "b=on"),
        ("<input type=checkbox name=a value=1 checked><input type=checkbox name=a value=2 checked>", "a=1&a=2"),
        ("<input type=radio name=r value=1><input type=radio name=r value=2>", ""),
        ("<input type=radio name=r value=1><input type=radio name=r value=2 checked>", "r=2"),
        ("<select name=m><option>a<option value=z>b</select>", "m=a"),
        ("<select name=m><option disabled selected>a<option>b</select>", ""),
        ("<select name=m multiple><option selected>a<option>b<option selected>c</select>", "m=a&m=c"),
        ("<textarea name=t>\na\nb</textarea>", "t=a%0D%0Ab"),
        ("<input name=a><input name=a value=2>", "a=&a=2"),
        ("<input type=file name=f>", "f="),
        ("<input type=hidden name=_charset_>", "_charset_=UTF-8"),
        ("<input type=button name=b value=1><input type=reset name=r>", ""),
    ],
)  # fmt: skip
def test_what_nobody_changed_is_sent_as_the_page_has_it(html: str, expected: str) -> None:
    assert query(html) == expected


@pytest.mark.parametrize(
    ("html", "values", "expected"),
    [
        ("<button name=go value=1>Go</button><button name=no value=2>", {}, "go=1"),
        ("<button>Go</button><button name=no value=2>", {}, ""),  # the first has no name
        ("<button disabled name=go value=1></button><button name=no value=2>", {}, "no=2"),
        ("<button name=go value=1></button><button name=no value=2>", {"no": "2"}, "no=2"),
        ("<button name=b value=1></button><button name=b value=2>", {"b": "2"}, "b=2"),
        ("<input type=image name=go>", {}, "go.x=0&go.y=0"),
        ("<input type=image>", {}, "x=0&y=0"),
    ],
)
def test_the_button_that_submits_is_sent_too(
    html: str, values: dict[str, str], expected: str
) -> None:
    assert query(html, values) == expected


@pytest.mark.parametrize(
    ("html", "values", "expected"),
    [
        ("<input name=q value=old>", {"q": "new"}, "q=new"),
        ("<input name=q>", {"q": "two\r\nlines"}, "q=twolines"),
        ("<textarea name=q></textarea>", {"q": "a\rb\nc\r\nd"}, "q=a%0D%0Ab%0D%0Ac%0D%0Ad"),
        ("<input name=q><input name=q><input name=q value=3>", {"q": ["1", "2"]}, "q=1&q=2&q=3"),
        ("<select name=m><option value=1>One<option value=2>Two</select>", {"m": "2"}, "m=2"),
        ("<select name=m><option value=1>One<option value=2>Two</select>", {"m": "two"}, "m=2"),
        ("<select name=m multiple><option selected>a<option>b</select>", {"m": ["b"]}, "m=b"),
        ("<select name=m multiple><option selected>a<option>b</select>", {"m": []}, ""),
        ("<input type=checkbox name=c checked>", {"c": []}, ""),
        ("<input type=checkbox name=c value=1>", {"c": "1"}, "c=1"),
        ("<input type=hidden name=c value=0><input type=checkbox name=c value=1>", {"c": "1"}, "c=0&c=1"),
        ("<input type=hidden name=h value=0>", {"h": "1"}, "h=1"),
    ],
)  # fmt: skip
def test_chosen_values_take_the_place_of_defaults(
    html: str, values: dict[str, str | list[str]], expected: str
) -> None:
    assert query(html, values) == expected


@pytest.mark.parametrize(
    ("html", "values", "message"),
    [
        ("<input name=q>", {"r": "1"}, "no field 'r'"),
        ("<input name=q disabled>", {"q": "1"}, "no field 'q'"),
        ("<input name=q>", {"q": ["1", "2"]}, "fewer values"),
        ("<select name=m><option>a</select>", {"m": "b"}, "no option 'b'"),
        ("<select name=m><option>a<option>b</select>", {"m": ["a", "b"]}, "one value only"),
        ("<input type=radio name=r value=1>", {"r": "2"}, "no option '2'"),
        ("<input name=q>", {"q": "x" * 100_001}, "longer than"),
    ],
)
def test_values_that_the_form_does_not_take_are_refused(
    html: str, values: dict[str, str | list[str]], message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        submission_of(form(html), values)


def test_a_form_that_leads_nowhere_is_refused_with_its_reason() -> None:
    with pytest.raises(BadInputError, match="it leads to a mailto: address"):
        submission_of(form("<input name=q>", "action=mailto:x@y.test"))


@pytest.mark.parametrize(
    ("charset", "text", "expected"),
    [
        ("utf-8", "é 日~*-._!'()", "%C3%A9+%E6%97%A5%7E*-._%21%27%28%29"),
        ("latin1", "é €", "%E9+%80"),  # browsers mean windows-1252
        ("iso-8859-1", "日", "%26%2326085%3B"),
        ("koi8-r", "да", "%C4%C1"),
        ("shift_jis", "日", "%93%FA"),
        ("gbk", "日", "%C8%D5"),
        ("utf-8", "\ud800", "%EF%BF%BD"),
    ],
)
def test_text_is_sent_in_the_form_s_character_set(charset: str, text: str, expected: str) -> None:
    asked = form("<input name=q>", f"action=/find accept-charset={charset}")
    assert submission_of(asked, {"q": text}).url == f"http://a.test/find?q={expected}"


def test_multipart_has_a_part_for_each_entry() -> None:
    html = "<input name='a\"b' value=é><textarea name=t>x\ny</textarea><input type=file name=f>"
    asked = form(html, "action=/find method=post enctype=multipart/form-data")
    sent = submission_of(asked)
    kind, _, boundary = sent.content_type.partition("; boundary=")
    assert kind == "multipart/form-data"
    assert sent.body.decode() == (
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="a%22b"\r\n\r\né\r\n'
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="t"\r\n\r\nx\r\ny\r\n'
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="f"; filename=""\r\n'
        "Content-Type: application/octet-stream\r\n\r\n\r\n"
        f"--{boundary}--\r\n"
    )
    assert submission_of(asked) == sent


def test_a_boundary_stands_in_no_part() -> None:
    first = submissions._boundary([b"x"])
    assert submissions._boundary([b"x" + first]) not in b"x" + first
    part = b"a" * 40
    assert submissions._boundary([part]) not in part


def test_plain_text_has_a_line_for_each_entry() -> None:
    asked = form(
        "<input name=a value='b c'><input name=d>", "action=/ method=post enctype=text/plain"
    )
    assert submission_of(asked) == Submission(
        "http://a.test/", "POST", b"a=b c\r\nd=\r\n", "text/plain"
    )
