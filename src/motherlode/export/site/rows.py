"""What is shown of a page: one line of a list, on the pages of topics and sites and among what is
found.
"""

import re

from motherlode.export.text_cleaner import label, plain
from motherlode.search.snippets import cut_snippet
from motherlode.training.certainty import Assessed
from motherlode.training.topic_profile import PageCard
from motherlode.urls import host_of

TITLE = 160  # characters
_SENTENCE = 60  # characters of a line that says something
_END = re.compile(r"[.!?\u061f\u0964\u3002\uff01\uff1f](?:\W|$)")  # of a sentence
_LINES = 40  # in which one is looked for
_LOOKED_AT = 2_000  # characters of a line


class SiteRow(Assessed, frozen=True, array_like=True):
    """A page in a list. Nothing in it steers what shows it."""

    url: str
    title: str
    excerpt: str
    host: str
    language: str
    fetched_at: float
    topic: int  # by its place among the site's topics
    merit: float | None = None  # of a member of a collection


def row_of(card: PageCard, topic: int) -> SiteRow:
    return SiteRow(
        url=plain(card.url),
        title=named(card.title, card.url),
        excerpt=_beginning(card),
        host=plain(host_of(card.url)),
        language=card.language if card.language.isascii() and card.language.isalpha() else "",
        fetched_at=card.fetched_at,
        margin=card.margin,
        probability=card.probability,
        topic=topic,
        merit=card.merit,
    )


def named(title: str, url: str) -> str:
    """A page's title, or its address where it has none; of a length to look at."""
    return brief(title) or brief(url)


def brief(text: str, most: int = TITLE) -> str:
    """A text on one line, cut with an ellipsis."""
    line = label(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _beginning(card: PageCard) -> str:
    """How a page's text begins: with its first line of some length that is not the title again.

    A line with a sentence in it is better than one without, which may be a menu.
    """
    title = card.title.strip()
    lines = [one[:_LOOKED_AT].strip() for one in card.text.split("\n", _LINES)[:_LINES]]
    saying = [one for one in lines if one and one != title]
    long = [one for one in saying if len(one) >= _SENTENCE]
    chosen = next((one for one in long if _END.search(one)), long[0] if long else " ".join(saying))
    return cut_snippet(" ".join(plain(chosen).split()), ()).text
