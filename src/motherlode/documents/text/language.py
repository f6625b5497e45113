"""The language of a text, told by its letters and their order (py3langid); what a page says comes
second.
"""

from functools import cache, lru_cache
from itertools import islice
from typing import Any

import numpy as np

from motherlode.documents.text.terms import function_words
from motherlode.documents.text.whitespace import tidy

_LEAST = 40  # characters; of less, nothing can be said
_ENOUGH = 300  # characters that are looked at
# characters that they are taken from: at the end of a long text there are lists of names
_BEGINNING = 10_000
_WORDS, _SHARE = (
    20,
    0.25,
)  # words, and the share of function words among them, that make a language clear
_REMEMBERED = 500  # samples
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
    """The language as two letters (ISO 639-1); what the page names, if the text is too short to
    tell.
    """
    sample = _prose(text)
    if len(sample) < _LEAST or not _has_letters(sample):
        return told
    found = _by_function_words(sample) or _by_letters(sample)
    return "no" if found == "nn" else found


@lru_cache(_REMEMBERED)
def _by_letters(sample: str) -> str:
    """What the model says; where there is no prose, pages of a site begin alike."""
    found: str = _identifier().classify(sample)[0]
    return found


def _has_letters(sample: str) -> bool:
    letters = filter(str.isalpha, sample)
    return next(islice(letters, _LEAST // 2 - 1, None), "") != ""


def _by_function_words(sample: str) -> str:
    """The language of which a good part of the words are function words; empty: none is clear.

    The model would say the same, ten times slower.
    """
    words = sample.casefold().split(None, 2 * _WORDS)[: 2 * _WORDS]
    if len(words) < _WORDS:
        return ""
    languages, counted = _languages_by_word(), dict[str, int]()
    for word in words:
        for name in languages.get(word.strip(".,;:!?()\"'"), ()):
            counted[name] = counted.get(name, 0) + 1
    name = max(counted, key=counted.__getitem__, default="")
    first = counted.pop(name, 0)
    return (
        name
        if first >= _SHARE * len(words) and first >= 2 * max(counted.values(), default=0)
        else ""
    )


@cache
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    """The languages in which a word is a function word."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in function_words().items():
        for word in words:
            found[word] = (*found.get(word, ()), name)
    return found


def _prose(text: str) -> str:
    """A sample of a text out of its longest blocks: menus and tables say little of a language."""
    if len(text) <= _ENOUGH:
        return tidy(text)
    blocks = text[:_BEGINNING].split("\n")
    longest = max(blocks, key=len)
    if len(longest) < _ENOUGH:
        longest = " ".join(sorted(blocks, key=len, reverse=True)[:5])
    return tidy(longest[:_ENOUGH])


@cache
def _identifier() -> Any:
    """The model: half a second to load, so it is loaded when it is first needed."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(LANGUAGES)
    identifier.nb_ptc = np.ascontiguousarray(
        identifier.nb_ptc
    )  # what is asked of a feature lies together
    return identifier
