"""What the styles in a page hide is no text; what a script will show is."""

import pytest

from motherlode.documents.html.reader import read_html
from motherlode.records import Document
from motherlode.urls import UrlRules

WORDS = "The barn owl hunts at night, by ear alone, over open meadows and fields, and eats mice and voles."


def page(css: str, element: str, more: str = "", attributes: str = "") -> Document:
    html = (
        f"<!DOCTYPE html><style{attributes}>{css}</style>{more}<h1>Owls</h1><p>{WORDS}</p>{element}"
    )
    return read_html(html, "http://owls.test/", UrlRules())


HIDING = {
    ".x{display:none}": "<div class='a x'>secret</div>",
    "#x{visibility:hidden}": "<div id=x>secret</div>",
    "aside{display:none}": "<aside>secret</aside>",
    "div.x{color:red;display : None !important}": "<div class=x>secret</div>",
    "i#x { DISPLAY:NONE; }": "<i id=x>secret</i>",
    "b, .y , .x{display:none}": "<div class=x><p>secret</div>",
    "<!-- .x{display:none} -->": "<div class=x>secret</div>",
    "@import url(a.css); .x{display:none}": "<div class=x>secret</div>",
    "/* @media { */ .x /* { */ {display:none}": "<div class=x>secret</div>",
    "@media print{b{color:red}} .x{display:none}": "<div class=x>secret</div>",
    ".x{display:none;visibility:hidden}": "<div class=x>secret<div class=x>secret</div></div>",
}


@pytest.mark.parametrize(("css", "element"), HIDING.items())
def test_what_a_simple_rule_hides_is_no_text(css: str, element: str) -> None:
    found = page(css, f"{element}<p>The end.")
    assert "secret" not in found.text
    assert "secret" not in found.main
    assert found.text.startswith(f"Owls\n{WORDS}")
    assert found.text.endswith("The end.")


def test_links_in_what_is_hidden_are_links() -> None:
    found = page(".x{display:none}", "<div class=x>secret <a href=/x>way</a></div>")
    assert [(link.url, link.anchor, link.context) for link in found.links] == [
        ("http://owls.test/x", "way", "")
    ]


SHOWN = [
    ".y{display:none}",
    ".x{display:block}",
    ".x{overflow:hidden;list-style:none;backface-visibility:hidden}",
    ".js .x{display:none}",
    "body > .x, .x:hover, .x.y, .x::after, .x *, *, [class]{display:none}",
    "@media print{.x{display:none}}",
    "@media (max-width:100px){b{color:red} .x{display:none}}",
    "@supports (display:grid){.x{display:none}}",
    "/* .x{display:none} */",
    ".y{color:red} /* .x{display:none}",
    ".x{display:none} .x.open{display:block}",
    ".x{display:none} div.x{display:block}",
    ".x{display:none} .menu:hover .x{visibility:visible}",
    ".x{display:none} @media screen{.x{display:flex}}",
    "display:none",
    ".x{color:red} [style*='display:none'] {margin:0}",
    ".x{display:none}" + " " * 200_000,
    ".x{content:'}'} } .x{display:none}",
    "html,body{display:none}",
]


@pytest.mark.parametrize("css", SHOWN)
def test_what_is_hidden_under_conditions_or_shown_elsewhere_is_text(css: str) -> None:
    assert "shown" in page(css, "<div class=x>shown</div>").text


@pytest.mark.parametrize(
    "more",
    [
        "<style>.x{display:block}</style>",
        "<script>$('.x').slideDown()</script>",
        "<script>for (e of getElementsByClassName('x')) e.hidden = 0</script>",
    ],
)
def test_what_another_style_or_a_script_speaks_of_is_text(more: str) -> None:
    assert "shown" in page(".x{display:none}", "<div class=x>shown</div>", more).text
    assert (
        "secret"
        not in page(".x{display:none}", "<div class=x>secret</div>", more.replace("x", "xy")).text
    )


def test_slides_that_a_script_shows_in_turn_are_text() -> None:
    slides = "<div id=gallery><div><p class=x>shown</p></div></div><p class=x>secret</p>"
    for script in ("new Gallery($('gallery'))", 'show("#gallery")'):
        found = page(".x{display:none}", slides, f"<script>{script}</script>")
        assert ("shown" in found.text, "secret" in found.text) == (True, False)


@pytest.mark.parametrize("attributes", [" media=print", " media='(max-width: 100px)'"])
def test_styles_for_other_media_hide_nothing(attributes: str) -> None:
    assert "shown" in page(".x{display:none}", "<p class=x>shown", attributes=attributes).text


@pytest.mark.parametrize(
    "attributes", [" media=all", " media=' Screen '", " media", " type=text/css"]
)
def test_styles_for_screens_do(attributes: str) -> None:
    assert "secret" not in page(".x{display:none}", "<p class=x>secret", attributes=attributes).text


def test_styles_for_those_without_scripts_hide_nothing() -> None:
    style = "<noscript><style>.x{display:none}</style></noscript>"
    assert "shown" in page("", "<p class=x>shown", style).text


def test_what_says_itself_that_it_is_shown_is_text() -> None:
    assert "shown" in page(".x{display:none}", "<p class=x style='display: block'>shown").text


def test_a_page_that_is_mostly_hidden_is_one_that_a_script_will_show() -> None:
    half = "<p class=x>" + "secret " * 5
    assert "secret" not in page(".x{display:none}", half).text
    assert "secret" in page(".x{display:none}", "<p class=x>" + WORDS + " secret " * 5).text
    parts = "".join(f"<p class={name}>{WORDS[:60]}" for name in "xyz")
    assert (
        page(".x{display:none} .y{display:none} .z{display:none}", parts).text.count(WORDS[:60])
        == 4
    )


def test_hostile_styles_end_in_time() -> None:
    deep = "<div class=x id=a>" * 20_000
    many = "".join(f".x{number}{{display:none}}" for number in range(20_000))
    for css in (
        many,
        "{" * 200_000 + "display:none" * 10_000,
        ".x{display:none}" + ".x " * 100_000,
    ):
        found = page(css, f"{deep}words", "<script>'a' 'b'</script>")
        assert WORDS in found.text
