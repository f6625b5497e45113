"""What a reader comes upon, line by line and up to limits, so that no document grows while it is
read.
"""

import re
from collections.abc import Iterable

from motherlode.documents.extracts import Extract, Reference

MAX_TEXT = 10_000_000  # characters of a document
MAX_REFERENCES = 50_000
MAX_HEADINGS = 5_000
MAX_HREF = 4_000  # characters; longer ones are data, not addresses
MAX_ANCHOR = 200
MAX_TITLE = 1_000

# Halves of characters beyond U+FFFF, which cannot be stored, and controls, which some stores
# refuse.
_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")


def squeezed(text: str) -> str:
    """In one line, with single spaces, without characters that nobody can print."""
    if not text.isascii() and _SURROGATES.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # \x1c to \x1f count as blanks: they go after the words are split.
    return _CONTROLS.sub("", " ".join(text.split()))


class DocumentBuilder:
    """A document in the making: its title, language and description are set, the rest is added.

    Once it is `full`, no more text is taken, and a reader may stop.
    """

    def __init__(self) -> None:
        self.title = ""
        self.language = ""
        self.description = ""
        self.full = False
        self._lines: list[str] = []
        self._room = MAX_TEXT
        self._headings: list[str] = []
        self._references: list[Reference] = []

    def line(self, text: str) -> None:
        """A paragraph."""
        self._put(squeezed(text))

    def cells(self, cells: Iterable[str]) -> None:
        """A row of a table: its cells with tabs between them, less the empty ones."""
        if not self.full:
            self._put("\t".join(filter(None, map(squeezed, cells))))

    def heading(self, text: str) -> None:
        """A paragraph that is a heading."""
        text = squeezed(text)
        self._put(text)
        if text and len(self._headings) < MAX_HEADINGS:
            self._headings.append(text[:MAX_TITLE])

    def reference(self, href: str, anchor: str = "") -> None:
        """A link, unless it leads to nowhere else."""
        href = _CONTROLS.sub("", "".join(href.splitlines())).strip()
        if (
            href
            and href[0] != "#"
            and len(href) <= MAX_HREF
            and len(self._references) < MAX_REFERENCES
        ):
            # An anchor may be the text of a whole document that a broken link never ended.
            self._references.append(
                Reference(squeezed(href), squeezed(anchor[: 4 * MAX_ANCHOR])[:MAX_ANCHOR])
            )

    def extract(self) -> Extract:
        return Extract(
            text="\n".join(self._lines),
            title=squeezed(self.title[:MAX_TITLE]),
            language=squeezed(self.language[:MAX_ANCHOR]),
            description=squeezed(self.description[:MAX_TITLE]),
            headings=tuple(self._headings),
            references=tuple(self._references),
        )

    @property
    def empty(self) -> bool:
        return not (self._lines or self._references or self.title)

    def _put(self, text: str) -> None:
        if not text or self.full:
            return
        self.full = len(text) >= self._room
        self._lines.append(text[: self._room])
        self._room -= len(text) + 1
