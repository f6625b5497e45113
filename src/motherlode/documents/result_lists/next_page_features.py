"""Features of a link by which the link to the next page of a list is known."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from motherlode.documents.result_lists.page_links import (
    LinkedAnswer,
    PageLink,
    base_of,
    urljoin_safely,
)
from motherlode.documents.result_lists.page_numbers import (
    is_number,
    numbered_next,
    page_steps,
)
from motherlode.documents.result_lists.page_tree import PageTree
from motherlode.documents.result_lists.words import words_for

MAX_ALONE_CHARS = 16  # of "next page" with arrows
MAX_SHORT_CHARS = 20
MIN_LONG_CHARS = 36
MAX_WORDS_CHARS = 60  # a longer text is no button
_PAGER = re.compile(
    r"pag(?:e[-_]?n|er|in|ing|e-?link|es\b|e-?num)|prevnext|prev[-_]next|page[-_ ]?nav"
)
_NEXT_NAME = re.compile(r"next|\bnxt|nachste|siguiente|suivant")
_ARROW_ICON = re.compile(r"(?:arrow|chevron|angle|caret)[-_]?(?:right|r\b|next|forward)")
_BACK_ICON = re.compile(r"(?:arrow|chevron|angle|caret)[-_]?(?:left|l\b|prev|back)")
_LETTER = re.compile(r"[^\W\d_]")
_PREVIOUS_NAME = re.compile(r"prev")
_POST = re.compile(r"single|slid|carousel|gallery|banner|month|calendar|\bcal\b|date[-_]")


def next_page_features(page: LinkedAnswer) -> Iterator[tuple[PageLink, dict[str, float]]]:
    """Yield the links that may lead to a further page, with their features by name."""
    steps = page_steps(page)
    least = min((step for step in steps.values() if step > 0), default=0)
    following = {link.url for link in numbered_next(page)}
    own = urlsplit_safely(page.url)
    hint = urljoin_safely(base_of(page.tree, page.url), page.tree.next_hint)
    for link in page.links:
        if is_number(link.text) or len(link.text) > MAX_WORDS_CHARS:
            continue
        features = _word_features(page.tree, link)
        step = steps.get(link.url, 0)
        host, path = urlsplit_safely(link.url)
        yield (
            link,
            {
                **features,
                **_step_features(step, least),
                "after_current": float(link.url in following),
                "other_host": float(host != own[0]),
                "same_path": float(path == own[1]),
                "same_page": float(link.url == page.url.partition("#")[0]),
                "hint": float(bool(page.tree.next_hint) and link.url == hint),
                "next_and_step": float(features["next"] > 0 and step > 0),
                "next_and_pager": float(features["next"] > 0 and features["pager"] > 0),
                "older_and_step": float(features["older"] > 0 and step > 0),
                "newer_and_step": float(features["newer"] > 0 and step > 0),
                "next_or_arrow": float(features["next"] + features["arrow"] > 0),
                "arrow_and_pager": float(features["arrow"] > 0 and features["pager"] > 0),
                "next_alone": float(features["next"] > 0 and len(link.text) <= MAX_ALONE_CHARS),
                "next_and_arrow": float(features["next"] > 0 and features["arrow"] > 0),
                "alone_and_after": float(
                    features["next"] > 0
                    and len(link.text) <= MAX_ALONE_CHARS
                    and (step > 0 or link.url in following)
                ),
                "hint_and_next": float(features["rel_next"] > 0 and features["next_name"] > 0),
                "arrow_and_step": float(features["arrow"] > 0 and step > 0),
            },
        )


def urlsplit_safely(url: str) -> tuple[str, str]:
    """Return host and path of an address; empty where it is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/")


def _word_features(tree: PageTree, link: PageLink) -> dict[str, float]:
    element = tree.elements[link.element]
    words = " ".join([link.text, *_hints(tree, link)])[:200].casefold()
    own, around = tree.labels[link.element], _labels_above(tree, link.element)
    near = f"{own} {around[0] if around else ''}"
    rel = (element.attr("rel") or "")[:100].casefold().split()
    text = link.text
    inner = " ".join(tree.labels[link.element : min(tree.ends[link.element], link.element + 4)])
    return {
        "next": float(bool(words_for("next").search(words))),
        "previous": float(bool(words_for("previous").search(words))),
        "older": float(bool(words_for("older").search(words))),
        "newer": float(bool(words_for("newer").search(words))),
        "more": float(bool(words_for("more").search(words))),
        "last": float(bool(words_for("last").search(words))),
        "first": float(bool(words_for("first").search(words))),
        "arrow": float(bool(words_for("next_arrow").search(text) or _ARROW_ICON.search(inner))),
        "double_arrow": float(bool(words_for("double_arrow").search(text))),
        "previous_arrow": float(
            bool(words_for("previous_arrow").search(text) or _BACK_ICON.search(inner))
        ),
        "rel_next": float("next" in rel),
        "rel_prev": float("prev" in rel or "previous" in rel),
        "next_name": float(bool(_NEXT_NAME.search(near))),
        "previous_name": float(bool(_PREVIOUS_NAME.search(own))),
        "pager": float(bool(_PAGER.search(" ".join([own, *around])))),
        "post": float(bool(_POST.search(" ".join([own, *around[:2]])))),
        "worded": float(bool(_LETTER.search(text))),
        "short": float(len(text) <= MAX_SHORT_CHARS),
        "long": float(len(text) >= MIN_LONG_CHARS),
    }


def _hints(tree: PageTree, link: PageLink) -> list[str]:
    element = tree.elements[link.element]
    return [(element.attr(name) or "")[:100] for name in ("title", "aria-label")]


def _labels_above(tree: PageTree, element: int) -> list[str]:
    numbers = [number for number in tree.above(element)[:4] if tree.tags[number] != "body"]
    return [tree.labels[number] for number in numbers]


def _step_features(step: int, least: int) -> dict[str, float]:
    return {
        "step_1": float(step == 1),
        "step_up": float(step > 1),
        "step_down": float(step < 0),
        "step_least": float(0 < step == least),
    }
