"""Words of forms: their tokens, and what they mean in any language (`form_words.toml`)."""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOKEN = re.compile(r"[^\W\d_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
# Scripts that set no blanks between words, or hang endings onto them.
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MAX_CHARS = 500
_MAX_TOKENS = 40


def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text or an identifier, folded; 40 at most.

    >>> tokens("txtSearchBox_1 Où?")
    ('txt', 'search', 'box', 'ou')
    """
    spaced = _CAMEL.sub(" ", text[:_MAX_CHARS])
    return tuple(_TOKEN.findall(_folded(spaced))[:_MAX_TOKENS])


def meanings(text: str) -> tuple[str, ...]:
    """Return what words of a text or an identifier mean, in alphabetical order.

    >>> meanings("Buscar en el boletín")
    ('mailing', 'search')
    """
    return _meanings(text[:_MAX_CHARS])


@lru_cache(4096)
def _meanings(text: str) -> tuple[str, ...]:
    spaced = f" {' '.join(tokens(text))} "
    return tuple(name for name, pattern in _patterns().items() if pattern.search(spaced))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return an expression for the words of each meaning."""
    text = (files("motherlode.documents.forms") / "form_words.toml").read_text("utf-8")
    lists = tomllib.loads(text)
    return {
        name: re.compile("|".join(map(_pattern, lists[name].split()))) for name in sorted(lists)
    }


def _pattern(word: str) -> str:
    """Return an expression for a word; stars stand for anything before or behind it."""
    letters = " ".join(_TOKEN.findall(_folded(word)))
    if _UNSPACED.search(letters):
        return letters
    before = "" if word.startswith("*") else " "
    return before + letters + ("" if word.endswith("*") else "(?= )")


def _folded(text: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
