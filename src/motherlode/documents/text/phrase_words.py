"""The lists of words that name no subject, in `phrase_words.toml`."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def never_in_phrases() -> frozenset[str]:
    """Return the words of citations and menus, which no phrase has."""
    return _words("never")


def nothing_alone() -> frozenset[str]:
    """Return the words that may be part of a phrase, but name nothing without another word."""
    return _words("alone")


def never_at_ends() -> frozenset[str]:
    """Return the words that no phrase begins or ends with."""
    return _words("ends")


def articles() -> frozenset[str]:
    """Return the articles of several languages."""
    return _words("articles")


@cache
def reference_headings() -> frozenset[str]:
    """Return the headings above lists of references and links."""
    return frozenset(_lists()["reference_headings"])


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_lists()[name].casefold().split())


@cache
def _lists() -> dict[str, Any]:
    text = (files("motherlode.documents.text") / "phrase_words.toml").read_text("utf-8")
    return tomllib.loads(text)
