"""The language of a text, told by its letters and their order (py3langid); what a page says comes second."""

from functools import cache
from typing import Any

from motherlode.documents.words import tidy

_LEAST = 40  # characters; of less, nothing can be said
_ENOUGH = 400  # characters that are looked at
_SKIP = 200  # a text begins with names and dates


def language_of(text: str, told: str = "") -> str:
    """The language as two letters (ISO 639-1); what the page names, if the text is too short to tell."""
    text = tidy(text[_SKIP : _SKIP + _ENOUGH] if len(text) > 2 * _SKIP else text)
    if len(text) < _LEAST:
        return told
    found: str = _identifier().classify(text)[0]
    return found


@cache
def _identifier() -> Any:
    """The model: half a second to load, so it is loaded when it is first needed."""
    import py3langid  # type: ignore[import-untyped]  # noqa: PLC0415

    return py3langid
