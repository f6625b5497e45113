"""Values out of JSON that strangers send: a value of another type is the same as none."""

from collections.abc import Mapping
from typing import Any


def value_at(value: Any, *path: str) -> Any:
    """Return the value at a path of keys; None if a step of it is missing."""
    for step in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def text_at(value: Any, *path: str) -> str:
    """Return the text at a path of keys; empty if there is none.

    >>> text_at({"a": {"b": "c"}}, "a", "b"), text_at({"a": 1}, "a", "b")
    ('c', '')
    """
    text = value_at(value, *path)
    return text if isinstance(text, str) else ""


def list_at(value: Any, *path: str) -> list[Any] | None:
    """Return the list at a path of keys; None if there is none."""
    values = value_at(value, *path)
    return values if isinstance(values, list) else None


def first_text(value: Any, *path: str) -> str:
    """Return the text at a path of keys, or the first of a list of texts there."""
    found = value_at(value, *path)
    texts = found if isinstance(found, list) else [found]
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")
