"""Word's XML: paragraphs in their order, then notes and comments."""

import re
from collections.abc import Callable  # noqa: TC003 - as all others are imported

from motherlode.documents.encoding import decode
from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats.collector import MAX_ANCHOR, DocumentBuilder
from motherlode.documents.formats.fields import MAX_CODE, target_of
from motherlode.documents.formats.fragments import gather_html
from motherlode.documents.formats.loose_texts import gather_loose
from motherlode.documents.formats.markup import StopReading, any_prefix, local, prefixed, walk
from motherlode.documents.formats.ooxml import Office, Relations
from motherlode.documents.formats.paragraphs import Paragraphs

_NOTES = ("footnotes", "endnotes", "comments")
# Said twice (a fallback), said no more (moved, deleted), or not said (how a word is spoken).
_SILENT = frozenset({"Fallback", "moveFrom", "del", "pPrChange", "rPrChange", "rt"})
_LETTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_NOT = frozenset({"0", "false", "off"})
_HEADING = re.compile(r"heading [1-9]|title", re.IGNORECASE)
_PAGES = (".htm", ".html", ".xhtml")
_MAX_FIELDS = 1_000  # fields in fields
_LEVELS = 9


def read_word(office: Office, gathered: DocumentBuilder) -> None:
    main = office.main_part("word/document.xml")
    if not main:
        raise UnreadableError("no document in it")
    relations = office.relations(main)
    headings = _Styles()
    for part in office.related(relations, "styles"):
        walk(office.part(part), headings)
    if not office.part(main):
        raise UnreadableError("a broken document")
    for part in (main, *office.related(relations, *_NOTES)):
        reading = _WordReader(office, gathered, office.relations(part), headings.found)
        walk(office.part(part), reading)
        reading.finish()
    for part in office.related(relations, "diagramData"):
        gather_loose(office.part(part), gathered)


class _Styles:
    """Which styles are headings: their names are English in every Word, their
    identifiers are not.
    """

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._style = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name == "style":
            self._style = any_prefix(attributes, "styleId")
        elif name == "name" and _HEADING.fullmatch(any_prefix(attributes, "val")):
            self.found.add(self._style)

    def end(self, _: str) -> None:
        pass

    def text(self, _: str) -> None:
        pass


class _WordField:
    __slots__ = ("code", "coding", "shown")

    def __init__(self) -> None:
        self.coding = True  # its code is being read, not yet what is shown for it
        self.code = ""
        self.shown = ""

    def say(self, text: str) -> None:
        if self.coding and len(self.code) < MAX_CODE:
            self.code += text
        elif not self.coding and len(self.shown) < 4 * MAX_ANCHOR:
            self.shown += text


class _WordReader:
    def __init__(
        self, office: Office, gathered: DocumentBuilder, relations: Relations, headings: set[str]
    ) -> None:
        self._office = office
        self._gathered = gathered
        self._relations = relations
        self._headings = headings
        self._paragraphs = Paragraphs(gathered)
        self._fields: list[_WordField] = []
        self._depth = self._silent = 0
        self._heading = self._hidden = self._in_run = False
        self._taking = ""  # the element whose text is taken
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "p": self._start_paragraph,
            "r": self._start_run,
            "t": lambda _: self._take("t"),
            "instrText": lambda _: self._take("instrText"),
            "pStyle": self._style,
            "outlineLvl": self._level,
            "vanish": self._vanish,
            "hyperlink": lambda attributes: self._paragraphs.begin_link(self._target(attributes)),
            "fldSimple": lambda told: self._paragraphs.begin_link(
                target_of(any_prefix(told, "instr"))
            ),
            "fldChar": self._field,
            "hlinkClick": lambda attributes: self._gathered.reference(self._target(attributes)),
            "altChunk": self._chunk,
        }

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        self._depth += 1
        if self._silent:
            return
        if name in _SILENT:
            self._silent = self._depth
        elif name in self._starts:
            self._starts[name](attributes)
        # Among the properties of a paragraph a tab is a place, not a letter.
        elif name in _LETTERS and self._in_run:
            self._say(_LETTERS[name])

    def end(self, name: str) -> None:
        if not self._silent:
            self._end(local(name))
        elif self._silent == self._depth:
            self._silent = 0
        self._depth -= 1
        if self._gathered.full:
            raise StopReading

    def text(self, data: str) -> None:
        if self._taking == "t" and not self._hidden:
            self._say(data)
        elif self._taking == "instrText" and self._fields:
            self._fields[-1].say(data)

    def finish(self) -> None:
        """With what a broken document never ended."""
        while self._fields:
            self._end_field()
        while self._paragraphs:
            self._gathered.line(self._paragraphs.end())

    def _end(self, name: str) -> None:
        if name == self._taking:
            self._taking = ""
        elif name == "p":
            text = self._paragraphs.end()
            self._gathered.heading(text) if self._heading else self._gathered.line(text)
            self._heading = False
        elif name == "r":
            self._in_run = self._hidden = False
        elif name in ("hyperlink", "fldSimple"):
            self._paragraphs.end_link()

    def _take(self, name: str) -> None:
        self._taking = name

    def _say(self, text: str) -> None:
        field = self._fields[-1] if self._fields else None
        if field:
            field.say(text)
        if not field or not field.coding:
            self._paragraphs.say(text)

    def _start_paragraph(self, _: dict[str, str]) -> None:
        self._heading = False
        self._paragraphs.begin()

    def _start_run(self, _: dict[str, str]) -> None:
        self._in_run, self._hidden = True, False

    def _style(self, attributes: dict[str, str]) -> None:
        self._heading = self._heading or any_prefix(attributes, "val") in self._headings

    def _level(self, attributes: dict[str, str]) -> None:
        level = any_prefix(attributes, "val")
        self._heading = self._heading or (
            level.isdecimal() and len(level) == 1 and int(level) < _LEVELS
        )

    def _vanish(self, attributes: dict[str, str]) -> None:
        # Outside a run it is the end of the paragraph that is hidden, which says nothing.
        self._hidden = self._in_run and any_prefix(attributes, "val").lower() not in _NOT

    def _target(self, attributes: dict[str, str]) -> str:
        relation = self._relations.get(prefixed(attributes, "id"))
        return relation.target if relation and relation.external else ""

    def _field(self, attributes: dict[str, str]) -> None:
        kind = any_prefix(attributes, "fldCharType")
        if kind == "begin" and len(self._fields) < _MAX_FIELDS:
            self._fields.append(_WordField())
        elif kind == "separate" and self._fields:
            self._fields[-1].coding = False
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        field = self._fields.pop()
        self._gathered.reference(target_of(field.code), field.shown)
        if self._fields:
            self._fields[-1].say(field.shown)

    def _chunk(self, attributes: dict[str, str]) -> None:
        """A web page that Word would take in."""
        relation = self._relations.get(prefixed(attributes, "id"))
        if relation and not relation.external and relation.target.lower().endswith(_PAGES):
            gather_html(decode(self._office.part(relation.target)), self._gathered)
