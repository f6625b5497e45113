"""Markdown: what it says and where it leads, not how it looks."""

import re
from html import unescape

from motherlode.documents.extracts import Extract
from motherlode.documents.formats.collector import DocumentBuilder
from motherlode.documents.formats.urls import trimmed

# Every repetition is bounded or cannot overlap with what follows: no text takes more than linear
# time.
_FRONT = re.compile(r"\s*---[^\S\n]*\n(.{0,20000}?)\n(?:---|\.\.\.)[^\S\n]*(?:\n|$)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title[^\S\n]*:[^\S\n]*(.+)$", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[^\S\n]+(.*)|$)")
_CLOSING = re.compile(r"(?:^|\s)#+\s*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*$")
_RULE = re.compile(r"[\s*_|:+=-]*$")
_ITEM = re.compile(r"\s*(?:>\s?|[-+*]\s+|\d{1,9}[.)]\s+)")
_DEFINITION = re.compile(r" {0,3}\[([^\[\]\n]{1,500})\]:[^\S\n]*<?([^\s<>]{1,4000})>?")
_IMAGE = re.compile(r"!\[([^\[\]]{0,1000})\](?:\([^()]{0,4000}\)|\[[^\[\]]{0,500}\])")
_LINK = re.compile(
    r"""
    (?<!\\)\[(?P<text>(?:[^\[\]\\]|\\.){0,2000})\]
      (?:\(\s{0,9}(?:<(?P<pointed>[^<>\n]{0,4000})>|(?P<plain>(?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){0,4000}))
           (?:\s{1,9}(?:"[^"]{0,1000}"|'[^']{0,1000}'))?\s{0,9}\)
        |\[(?P<label>[^\[\]\n]{0,500})\])
    | <(?P<auto>https?://[^\s<>]{1,4000})>
    | (?P<bare>https?://[^\s<>"'`{}|\\^\[\]]{2,2000})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,1000}>")
_ANCHOR = re.compile(
    r"""<a\s[^<>]{0,1000}?href\s{0,9}=\s{0,9}["']([^"'<>]{1,4000})""", re.IGNORECASE
)
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|~~|`+|(?<!\w)_{1,3}|_{1,3}(?!\w))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def read_marked(text: str) -> Extract:
    """The title is the first heading, or what the lines before the text say it is."""
    reading = _MarkdownReader(text)
    return reading.read()


class _MarkdownReader:
    def __init__(self, text: str) -> None:
        self.gathered = DocumentBuilder()
        front = _FRONT.match(text)
        if front:
            title = _FRONT_TITLE.search(front[1])
            self.gathered.title = title[1].strip().strip("\"'") if title else ""
            text = text[front.end() :]
        self._lines = text.split("\n")
        self._labels: dict[str, str] = {}
        self._paragraph: list[str] = []

    def read(self) -> Extract:
        for line in self._lines:
            if found := _DEFINITION.match(line):
                self._labels.setdefault(_label(found[1]), found[2])
        fenced = ""
        for line in self._lines:
            fenced = self._line(line, fenced)
            if self.gathered.full:
                break
        self._end()
        return self.gathered.extract()

    def _line(self, line: str, fenced: str) -> str:
        """Take a line; the fence in which the next one stands, if in any."""
        fence = _FENCE.match(line)
        if fence and fenced in ("", fence[1]):
            self._end()
            return "" if fenced else fence[1]
        if fenced:
            self.gathered.line(line)
        else:
            self._marked(line)
        return fenced

    def _marked(self, line: str) -> None:
        if not line.strip() or _DEFINITION.match(line):
            self._end()
        elif heading := _HEADING.match(line):
            self._end()
            self._heading(_CLOSING.sub("", heading[2] or ""))
        elif self._paragraph and _UNDERLINE.match(line):
            text, self._paragraph = " ".join(self._paragraph), []
            self._heading(text)
        elif line.lstrip().startswith("|"):
            self._end()
            self._row(line)
        elif not _RULE.match(line):
            self._running(line)

    def _heading(self, marked: str) -> None:
        text = self._plain(marked)
        self.gathered.heading(text)
        self.gathered.title = self.gathered.title or text

    def _row(self, line: str) -> None:
        if not _RULE.match(line):
            self.gathered.cells(self._plain(cell) for cell in line.strip().strip("|").split("|"))

    def _running(self, line: str) -> None:
        item = _ITEM.match(line)
        if item:
            self._end()
        self._paragraph.append(line[item.end() :] if item else line)

    def _end(self) -> None:
        """Of a paragraph."""
        if self._paragraph:
            self.gathered.line(self._plain("\n".join(self._paragraph)))
            self._paragraph = []

    def _plain(self, marked: str) -> str:
        """Without marks; its links are taken."""
        if "](" in marked or "][" in marked or "://" in marked or "<a" in marked.lower():
            # A picture that is a link has its text for an anchor.
            for found in _ANCHOR.finditer(marked):
                self.gathered.reference(unescape(found[1]))
            marked = _LINK.sub(self._linked, _IMAGE.sub(r"\1", _TAG.sub(_kept, marked)))
        return _unmarked(marked)

    def _linked(self, found: re.Match[str]) -> str:
        if url := found["auto"]:
            self.gathered.reference(url)
            return f" {url} "
        if bare := found["bare"]:
            self.gathered.reference(trimmed(bare))
            return bare
        text, label = found["text"], found["label"]
        target = found["pointed"] or found["plain"] or ""
        if label is not None:
            target = self._labels.get(_label(label or text), "")
        self.gathered.reference(_ESCAPED.sub(r"\1", unescape(target)), _unmarked(text))
        return text


def _kept(tag: re.Match[str]) -> str:
    """A tag says nothing, but a link may look like one."""
    return tag[0] if "://" in tag[0][:10] else ""


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _unmarked(marked: str) -> str:
    plain = _EMPHASIS.sub("", _TAG.sub("", marked))
    return unescape(_ESCAPED.sub(r"\1", plain))
