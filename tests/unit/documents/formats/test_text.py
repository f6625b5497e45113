"""Plain text, Markdown and tables as text."""

import pytest

from motherlode.documents.formats.collector import MAX_TEXT
from support.document_files import links, read


def test_lines_of_a_paragraph_are_put_together_and_blank_lines_part_them() -> None:
    extract = read("text/plain", "A first\r\nparagraph.\r\n \r\n\r\nA second  one.\n\fA page.")
    assert extract.text == "A first paragraph.\nA second one.\nA page."
    assert extract.title == ""


def test_addresses_in_running_text_are_links_without_the_punctuation_around_them() -> None:
    text = 'See http://a.example/x, (https://b.example/y_(z)) and "HTTP://c.example/?q=1&r=2".\nhttp://a.example/x'
    assert [href for href, _ in links(read("text/plain", text))] == [
        "http://a.example/x",
        "https://b.example/y_(z)",
        "HTTP://c.example/?q=1&r=2",
    ]


def test_the_header_tells_the_encoding_of_a_text() -> None:
    extract = read("text/plain", "погода".encode("koi8-r"), "text/plain; charset=koi8-r")
    assert extract.text == "погода"


def test_characters_that_nobody_can_print_are_left_out() -> None:
    assert read("text/plain", b"a\x00b \x07c\x1b\xc2\x85d").text == "ab c d"


MARKDOWN = """---
layout: page
---
Weather
=======

Rain in [the *north*](http://example.org/north "a title") and
[the south][S]; see <http://example.org/auto> or http://example.org/bare.

## Maps ##

* ![a map](map.png) one
* [![a picture](p.png)](/pictured)

| Day | Rain |
|-----|------|
| Mon | [much](much.html) |

```
[no link](http://example.org/code)
```
Escaped \\*stars\\*, snake_case &amp; <a href="raw.html">raw</a> **bold**.

[s]: <south.html> 'South'
"""


def test_markdown_says_what_it_says_without_its_marks() -> None:
    extract = read("text/markdown", MARKDOWN)
    assert extract.title == "Weather"
    assert extract.headings == ("Weather", "Maps")
    assert extract.text.split("\n") == [
        "Weather",
        "Rain in the north and the south; see http://example.org/auto or http://example.org/bare.",
        "Maps",
        "a map one",
        "a picture",
        "Day\tRain",
        "Mon\tmuch",
        "[no link](http://example.org/code)",
        "Escaped *stars*, snake_case & raw bold.",
    ]


def test_markdown_links_stand_in_their_order_with_their_texts() -> None:
    assert links(read("text/markdown", MARKDOWN)) == [
        ("http://example.org/north", "the north"),
        ("south.html", "the south"),
        ("http://example.org/auto", ""),
        ("http://example.org/bare", ""),
        ("/pictured", "a picture"),
        ("much.html", "much"),
        ("raw.html", ""),
    ]


def test_the_lines_before_a_markdown_text_may_name_its_title() -> None:
    assert read("text/markdown", '---\ntitle: "A: b"\n---\n# C\n').title == "A: b"


def test_the_rows_of_a_table_are_lines_whatever_parts_the_cells() -> None:
    assert (
        read("text/csv", 'a,"b, c"\n1,,http://example.org/\n').text
        == "a\tb, c\n1\thttp://example.org/"
    )
    assert read("text/csv", "a;b\nc;d,e\nf;g").text == "a\tb\nc\td,e\nf\tg"
    assert read("text/tab-separated-values", "a\tb\nc\td").text == "a\tb\nc\td"
    assert links(read("text/csv", "a,http://example.org/x\n")) == [("http://example.org/x", "")]


def test_a_quote_that_is_never_closed_costs_no_row() -> None:
    rows = "".join(f"row {number},x\n" for number in range(40_000))
    lines = read("text/csv", f'a,b\nc,"d\n{rows}').text.split("\n")
    assert lines[0] == "a\tb"
    assert lines[-1] == "row 39999\tx"
    assert len(lines) == 40_002


BLOCKS = ["> ```\na\n", "> <?\na\n", "> <div>\na\n"]  # markdown-it-py takes quadratic time
PIECES = r"""[ ]( [a]( < <http:// http:// * _ ` # | ![ \ [a][ ( ) http://a) " ,"""


@pytest.mark.parametrize(
    "piece", [*PIECES.split(), " ", "\n", " \n", "[a](b ", '[a](b "', "- ", "> ", *BLOCKS]
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    for mime in ("text/plain", "text/markdown", "text/csv"):
        read(mime, text)


def test_a_document_grows_no_longer_than_its_limit() -> None:
    extract = read("text/plain", b"word\n\n" * (MAX_TEXT // 4))
    assert MAX_TEXT - 10 <= len(extract.text) <= MAX_TEXT
