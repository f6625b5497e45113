"""Where forms lead, how they are sent, and what stands against it."""

import pytest

from motherlode.documents.forms import Form, read_forms

URL = "http://a.test/dir/page?x=1"


def form(html: str) -> Form:
    return read_forms(html, URL)[0]


@pytest.mark.parametrize(
    ("html", "action"),
    [
        ("<form action=find>", "http://a.test/dir/find"),
        ("<form>", URL),
        ("<form action=''>", URL),
        ("<base href=http://b.test/c/><form action=find>", "http://b.test/c/find"),
        ("<base href=http://b.test/c/><form>", URL),
        (
            "<form action='/find;jsessionid=1?utm_source=x'>",
            "http://a.test/find;jsessionid=1?utm_source=x",
        ),
        ("<form action=a><button formaction=b>", "http://a.test/dir/b"),
        ("<form action=a><button type=button formaction=b></button>", "http://a.test/dir/a"),
    ],
)
def test_the_address_is_resolved_as_in_a_browser(html: str, action: str) -> None:
    assert form(html).action == action


@pytest.mark.parametrize(
    ("html", "method", "encoding"),
    [
        ("<form>", "get", "urlencoded"),
        ("<form method=nonsense enctype=nonsense>", "get", "urlencoded"),
        ("<form method=POST enctype=Multipart/Form-Data>", "post", "multipart"),
        ("<form method=post enctype=text/plain>", "post", "plain"),
        (
            "<form><input type=image formmethod=post formenctype=text/plain>",
            "post",
            "plain",
        ),
    ],
)
def test_method_and_encoding(html: str, method: str, encoding: str) -> None:
    assert (form(html).method, form(html).encoding) == (method, encoding)


@pytest.mark.parametrize(
    ("html", "charset"),
    [
        ("<form>", "utf-8"),
        ("<meta charset=ISO-8859-1><form>", "windows-1252"),
        ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><form>", "koi8-r"),
        ("<meta charset=koi8-r><form accept-charset='nonsense, big5 utf-8'>", "big5"),
        ("<meta charset=utf-16><form>", "utf-8"),
        ("<form accept-charset=iso-2022-kr>", "utf-8"),
    ],
)
def test_the_character_set_is_the_form_s_or_the_page_s(html: str, charset: str) -> None:
    assert form(html).charset == charset


def test_the_encoding_that_a_page_was_read_in_outranks_its_declaration() -> None:
    html = "<meta charset=koi8-r><form>"
    assert read_forms(html, URL, charset="cp932")[0].charset == "shift_jis"


@pytest.mark.parametrize(
    ("html", "action", "problem"),
    [
        ("<form action='mailto:x@y.test'>", "", "it leads to a mailto: address"),
        ("<form action=' javascript:go()'>", "", "it leads to a javascript: address"),
        ("<form action='http://'>", "", "its address cannot be read"),
        ("<form method=dialog>", URL, "it closes a dialog and sends nothing"),
        ("<form action=x><input type=file name=f>", "http://a.test/dir/x", "it asks for a file"),
        (f"<form action={'a' * 1_000_000}>", "", "its address cannot be read"),
    ],
)
def test_a_form_that_cannot_be_used_says_why(html: str, action: str, problem: str) -> None:
    assert (form(html).action, form(html).problem) == (action, problem)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<form action=x><input name=q>", False),  # Enter submits it
        ("<form action=x><input name=q><input name=r>", True),  # but not if there are two
        ("<form action=x><input name=q><input name=r><button>", False),
        ("<form action=x><select name=q></select>", True),
        ("<form action=x><input id=q><button>", True),  # nothing has a name
        ("<form action='javascript:go()'><input name=q>", True),
        ("<form action=x onsubmit='go(); return false;'><input name=q>", True),
        ("<form action=x onsubmit='if (!q) return false'><input name=q>", False),
        ("<form action=x onsubmit='return check()'><input name=q>", False),
        ("<form onsubmit='return go()'><input name=q>", True),
        ("<form><input name=q>", False),
    ],
)
def test_a_form_that_does_nothing_without_scripts_says_so(html: str, expected: bool) -> None:  # noqa: FBT001 - a case of a table
    assert form(html).needs_script is expected
