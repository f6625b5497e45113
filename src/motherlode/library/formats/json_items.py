"""Lists of items in JSON, also one that was cut off or is wrapped in an object."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

_MARKUP = re.compile(r"</?(?:i|b|sc|sub|sup|span|em|strong|p|jats:\w+)\b[^<>]*>", re.IGNORECASE)
_LISTS = ("items", "references", "records", "data")


def items_in(text: str) -> tuple[list[Any], tuple[str, ...]]:
    """Return the items of a JSON text, and a problem if it is broken."""
    try:
        value = msgspec.json.decode(text.lstrip("\ufeff"))
    except (msgspec.DecodeError, RecursionError) as error:
        return [], (f"The file is no JSON: {error}.",)
    if isinstance(value, dict):
        lists = (value[name] for name in _LISTS if isinstance(value.get(name), list))
        value = next(lists, [value] if value.get("type") or value.get("itemType") else [])
    return (value, ()) if isinstance(value, list) else ([], ("The file holds no list of items.",))


def shape_problems(items: Sequence[Any]) -> list[str]:
    """Return a sentence for each item that is no object of JSON."""
    return [
        f"Item {number} is no object with fields."
        for number, item in enumerate(items, start=1)
        if not isinstance(item, dict)
    ]


def plain_markup(text: str) -> str:
    """Return a title or an abstract without the few tags that citation styles know.

    >>> plain_markup('On <i>E. coli</i> in <span class="nocase">pH</span> < 7')
    'On E. coli in pH < 7'
    """
    return " ".join(_MARKUP.sub("", text).split()) if "<" in text else text
