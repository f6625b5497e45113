"""LaTeX in bibliographic fields: to plain text, and back as far as BibTeX needs it."""

import re
from functools import cache

from pylatexenc.latex2text import LatexNodes2Text

MAX_CHARS = 100_000
_SPECIAL = re.compile(r"[\\{}$~^_%&#]|--|``|''")
_COMMANDS = re.compile(r"\\|\$")
_BOXES = re.compile(r"\\(?:mbox|hbox|mathrm|mathit|mathbf|text|textrm)\b")
_RAISED = re.compile(r"(?:\{\})?[\^_](?=\s*[{\w\\])")
_MATH = re.compile(r"(?<!\\)\$[^$]{0,2000}\$|\\\(.{0,2000}?\\\)")
_BLANKS = re.compile(r"\s+")
_ESCAPES = {character: f"\\{character}" for character in "%&#_$"} | {
    "{": r"\{",
    "}": r"\}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_ACCENTS_ALONE = {ord("\u02c6"): "^", ord("\u02dc"): "~"}  # what the decoder makes of them
_TO_ESCAPE = re.compile(r"[%&#_$~^{}\\]")
_DASHES = (("---", "\u2014"), ("--", "\u2013"), ("``", "\u201c"), ("''", "\u201d"))


def plain_text(text: str) -> str:
    """Return a field without LaTeX and without braces, in one line.

    >>> plain_text("{\\\\'E}tude of {DNA} \\\\& \\\\textit{E. coli}")
    'Étude of DNA & E. coli'
    """
    if _SPECIAL.search(text):
        text = _decoded(text[:MAX_CHARS])
    return _BLANKS.sub(" ", text.replace("\u00a0", " ")).strip()


def _decoded(text: str) -> str:
    if not _COMMANDS.search(text):  # most fields have braces alone
        for written, character in _DASHES:
            text = text.replace(written, character)
        return text.translate({ord("{"): None, ord("}"): None, ord("~"): " "})
    try:
        decoded: str = _decoder().latex_to_text(_MATH.sub(_flat, text))
    except (ValueError, IndexError, KeyError, TypeError, RecursionError):
        decoded = text  # what the decoder cannot read stays as it is written
    return decoded.translate(_ACCENTS_ALONE)


def _flat(formula: re.Match[str]) -> str:
    """Return a formula without raised and lowered parts, as text has none."""
    return _RAISED.sub("", _BOXES.sub("", formula[0]))


@cache
def _decoder() -> LatexNodes2Text:
    return LatexNodes2Text(math_mode="text", strict_latex_spaces=False, keep_comments=True)


def escaped(text: str) -> str:
    """Return plain text as BibTeX reads it back.

    >>> escaped("Q&A: 100% {sure}")
    'Q\\\\&A: 100\\\\% \\\\{sure\\\\}'
    """
    return _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], text)
