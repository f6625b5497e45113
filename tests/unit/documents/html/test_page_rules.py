"""What pages say to crawlers: <meta name=robots>, and rel=nofollow."""

import pytest

from motherlode.records import LinkFlag
from support.small_webs import page_read

LINK = '<a href="/x">x</a>'


def said(html: str, agent: str = "motherlode") -> tuple[bool, bool]:
    """Whether a page may be shown, and whether its link may be followed."""
    document = page_read("http://a.test/", "text/html; charset=utf-8", html.encode(), agent=agent)
    (link,) = document.links
    return not document.noindex, not link.flags & LinkFlag.NOFOLLOW


METAS = {
    "": (True, True),
    "<meta name=robots content=noindex>": (False, True),
    "<meta name=robots content=nofollow>": (True, False),
    '<META NAME="Robots" CONTENT="NOINDEX, NoFollow">': (False, False),
    "<meta name=robots content=none>": (False, False),
    "<meta name=robots content=all>": (True, True),
    "<meta name=robots content=noindex><meta name=robots content=nofollow>": (False, False),
    "<meta name=MotherLode content=noindex>": (False, True),
    "<meta name=motherlode content=index><meta name=robots content=nofollow>": (True, False),
    "<meta name=otherbot content=none>": (True, True),
    '<meta name="" content=none>': (True, True),
    "<meta content=none><meta name=robots>": (True, True),
    "<meta name=description content=noindex>": (True, True),
}


@pytest.mark.parametrize(("meta", "meant"), METAS.items())
def test_a_page_speaks_to_all_crawlers_and_to_us(meta: str, meant: tuple[bool, bool]) -> None:
    assert said(f"<head>{meta}</head>{LINK}") == meant


def test_a_crawler_without_a_name_is_spoken_to_as_all_are() -> None:
    assert said(f'<meta name="" content=none>{LINK}', agent="") == (True, True)
    assert said(f"<meta name=robots content=none>{LINK}", agent="") == (False, False)


@pytest.mark.parametrize(
    "rel", ["nofollow", "NoFollow", "external NOFOLLOW noopener", " nofollow "]
)
@pytest.mark.parametrize(
    "element", ['<a rel="{}" href="/x">x</a>', '<map><area rel="{}" href="/x"></map>']
)
def test_a_link_is_not_to_be_followed_however_that_is_spelled(element: str, rel: str) -> None:
    assert said(element.format(rel)) == (True, False)


@pytest.mark.parametrize("rel", ["", "follow", "no follow", "noopener"])
def test_a_link_that_says_something_else_is_followed(rel: str) -> None:
    assert said(f'<a rel="{rel}" href="/x">x</a>') == (True, True)
