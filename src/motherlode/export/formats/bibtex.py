"""BibTeX: an @misc entry for each page, for reference managers and LaTeX.

Text is escaped so that braces balance and no character is taken for a command. URLs stay as they
are, apart from characters that no URL may have: reference managers read them as they stand.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import BinaryIO

from motherlode.export.records import MemberRecord, PageRecord, Shelf
from motherlode.export.text_cleaner import label, plain, whole
from motherlode.urls import host_of

_COMMANDS = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
}
_CHOICES = {"accept": "accepted by a user", "move": "moved by a user", "pin": "pinned by a user"}
_SPECIAL = re.compile(r"[\\{}~^&%$#_]")
_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")
_NOT_IN_URLS = re.compile(r'[\s{}\\"<>]')


def write_bibtex(shelves: Iterable[Shelf], out: BinaryIO) -> int:
    """Write an entry for each page of each topic, and return their number."""
    number = 0
    for shelf in shelves:
        for page in shelf.pages:
            out.write(_entry(page, shelf.path).encode())
            number += 1
    return number


def escaped(text: str) -> str:
    """Return a text on one line, in which no character means anything to BibTeX or LaTeX.

    >>> print(escaped("50% {owls} & R_2 @home"))
    50\\% \\textbraceleft{}owls\\textbraceright{} \\& R\\_2 @home
    """
    return _SPECIAL.sub(lambda found: _COMMANDS[found[0]], label(text))


def _entry(page: PageRecord | MemberRecord, path: tuple[str, ...]) -> str:
    fields = {
        "title": f"{{{escaped(page.title) or escaped(page.url)}}}",
        "url": _url(page.url),
        "note": _note(page),
        "keywords": escaped("/".join(path)).replace(",", ";"),
        "urldate": "" if page.fetched_at is None else _day(page.fetched_at),
    }
    lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{_key(page.url)},\n{''.join(lines)}}}\n\n"


def _note(page: PageRecord | MemberRecord) -> str:
    if not isinstance(page, MemberRecord):
        return ""
    merit = "" if page.merit is None else f"Figure of merit {page.merit:.3f}"
    return "; ".join(filter(None, (merit, _CHOICES.get(page.choice, ""))))


def _key(url: str) -> str:
    """Return a key that is the same in every export, and another one for every URL."""
    host = _NOT_IN_KEYS.sub("-", host_of(url).lower()).strip("-")[:40] or "page"
    return f"{host}-{blake2b(whole(url).encode(), digest_size=5).hexdigest()}"


def _url(url: str) -> str:
    return _NOT_IN_URLS.sub(lambda found: f"%{ord(found[0]):02X}", plain(url))


def _day(moment: float) -> str:
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""
