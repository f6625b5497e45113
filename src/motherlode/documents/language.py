"""The language of a text, told by its letters and their order (py3langid); what a page says comes second."""

from functools import cache
from typing import Any

from motherlode.documents.terms import function_words
from motherlode.documents.words import tidy

_LEAST = 40  # characters; of less, nothing can be said
_ENOUGH = 300  # characters that are looked at
_WORDS, _SHARE = 20, 0.25  # words, and the share of function words among them, that make a language clear
# Those that the Web is written in. The model knows more, and takes lists of names for them.
LANGUAGES = [
    "af",
    "ar",
    "az",
    "be",
    "bg",
    "bn",
    "bs",
    "ca",
    "cs",
    "cy",
    "da",
    "de",
    "el",
    "en",
    "eo",
    "es",
    "et",
    "eu",
    "fa",
    "fi",
    "fr",
    "ga",
    "gl",
    "gu",
    "he",
    "hi",
    "hr",
    "hu",
    "hy",
    "id",
    "is",
    "it",
    "ja",
    "ka",
    "kk",
    "km",
    "kn",
    "ko",
    "lt",
    "lv",
    "mk",
    "ml",
    "mn",
    "mr",
    "ms",
    "mt",
    "ne",
    "nl",
    "nn",
    "no",
    "pa",
    "pl",
    "pt",
    "ro",
    "ru",
    "si",
    "sk",
    "sl",
    "sq",
    "sr",
    "sv",
    "sw",
    "ta",
    "te",
    "th",
    "tl",
    "tr",
    "uk",
    "ur",
    "uz",
    "vi",
    "zh",
]


def language_of(text: str, told: str = "") -> str:
    """The language as two letters (ISO 639-1); what the page names, if the text is too short to tell."""
    sample = _prose(text)
    if len(sample) < _LEAST or sum(map(str.isalpha, sample)) < _LEAST // 2:
        return told
    found: str = _by_function_words(sample) or _identifier().classify(sample)[0]
    return "no" if found == "nn" else found


def _by_function_words(sample: str) -> str:
    """The language of which a good part of the words are function words; empty: none is clear.

    The model would say the same, ten times slower.
    """
    words = [word.strip(".,;:!?()\"'") for word in sample.casefold().split()[: 2 * _WORDS]]
    counted = sorted(
        ((len([w for w in words if w in known]), name) for name, known in function_words().items())
    )
    (second, _), (first, name) = counted[-2:]
    clear = len(words) >= _WORDS and first >= _SHARE * len(words) and first >= 2 * second
    return name if clear else ""


def _prose(text: str) -> str:
    """A sample of a text out of its longest blocks: menus and tables say little of a language."""
    if len(text) <= _ENOUGH:
        return tidy(text)
    blocks = sorted(text.split("\n"), key=len, reverse=True)
    sample, length = [], 0
    for block in blocks[:5]:
        sample.append(block[: _ENOUGH - length])
        length += len(sample[-1])
        if length >= _ENOUGH:
            break
    return tidy(" ".join(sample))


@cache
def _identifier() -> Any:
    """The model: half a second to load, so it is loaded when it is first needed."""
    import py3langid  # type: ignore[import-untyped]  # noqa: PLC0415

    py3langid.set_languages(LANGUAGES)
    return py3langid
