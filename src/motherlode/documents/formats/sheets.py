"""Excel's XML: rows of cells, sheet by sheet."""

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats.collector import MAX_TEXT, DocumentBuilder
from motherlode.documents.formats.fields import target_in_formula
from motherlode.documents.formats.loose_texts import gather_loose
from motherlode.documents.formats.markup import StopReading, local, prefixed, walk
from motherlode.documents.formats.ooxml import Office, Relations

MAX_SHEETS = 1_000
MAX_CELLS = 200_000  # cells of a sheet whose text is remembered for the links that they may have
_MAX_CELL = 32_767  # characters, which is Excel's own limit


def read_sheets(office: Office, gathered: DocumentBuilder) -> None:
    main = office.main_part("xl/workbook.xml")
    sheets = _sheets(office, main) if main else []
    sheets = sheets or [
        ("", name) for name in office.numbered(r"xl/worksheets/sheet(\d{1,9})\.xml")
    ]
    if not sheets and not main:
        raise UnreadableError("no workbook in it")
    strings = _strings(office, main)
    for name, part in sheets[:MAX_SHEETS]:
        gathered.heading(name)
        relations = office.relations(part)
        body = office.part(part)
        reading = _Sheet(gathered, strings, relations, linking=b"hyperlink" in body)
        walk(body, reading)
        reading.finish()
        for comments in office.related(relations, "comments"):
            gather_loose(office.part(comments), gathered)
        if gathered.full:
            break


class _Workbook:
    """The sheets: what they are called, and by which relations they are found."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if local(name) == "sheet" and len(self.sheets) < MAX_SHEETS:
            self.sheets.append((attributes.get("name", ""), prefixed(attributes, "id")))

    def end(self, _: str) -> None:
        pass

    def text(self, _: str) -> None:
        pass


def _sheets(office: Office, main: str) -> list[tuple[str, str]]:
    book, relations = _Workbook(), office.relations(main)
    walk(office.part(main), book)
    found = ((name, relations[key].target) for name, key in book.sheets if key in relations)
    return [(name, part) for name, part in found if part in office]


class _Strings:
    """The strings that cells name by number."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._data: list[str] = []
        self._room = 2 * MAX_TEXT
        self._taking = False
        self._spoken = 0  # how a word is spoken stands beside it

    def start(self, name: str, _: dict[str, str]) -> None:
        name = local(name)
        if name == "rPh":
            self._spoken += 1
        self._taking = name == "t" and not self._spoken

    def end(self, name: str) -> None:
        name = local(name)
        self._taking = False
        if name == "rPh":
            self._spoken -= 1
        elif name == "si":
            self.found.append("".join(self._data)[:_MAX_CELL])
            self._data = []

    def text(self, data: str) -> None:
        if self._taking:
            self._data.append(data)
            self._room -= len(data)
            if self._room < 0:
                raise StopReading


def _strings(office: Office, main: str) -> list[str]:
    parts = office.related(office.relations(main), "sharedStrings") or ["xl/sharedStrings.xml"]
    strings = _Strings()
    walk(office.part(parts[0]), strings)
    return strings.found


class _Sheet:
    def __init__(
        self, gathered: DocumentBuilder, strings: list[str], relations: Relations, *, linking: bool
    ) -> None:
        self._gathered = gathered
        self._strings = strings
        self._relations = relations
        self._linking = linking
        self._texts: dict[str, str] = {}
        self._row: list[str] = []
        self._size = 0
        self._cell = self._kind = self._taking = ""
        self._value: list[str] = []
        self._formula: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name == "c":
            self._cell, self._kind = attributes.get("r", ""), attributes.get("t", "n")
            self._value, self._formula = [], []
        elif name in ("v", "t", "f"):
            self._taking = name
        elif name == "rPh":
            self._kind = "rPh"  # what follows is how the word is spoken
        elif name == "hyperlink":
            self._link(attributes)

    def end(self, name: str) -> None:
        name = local(name)
        if name == self._taking:
            self._taking = ""
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self.finish()
            if self._gathered.full:
                raise StopReading

    def text(self, data: str) -> None:
        if self._taking == "f":
            self._formula.append(data)
        elif self._taking and self._kind != "rPh":
            self._value.append(data)

    def finish(self) -> None:
        """A row, whether it was ended or not."""
        if self._row:
            self._gathered.cells(self._row)
            self._row, self._size = [], 0

    def _end_cell(self) -> None:
        text = "".join(self._value)[:_MAX_CELL]
        if self._kind == "s":
            text = self._string(text)
        elif self._kind == "b":
            text = "TRUE" if text == "1" else "FALSE"
        elif self._kind == "e":
            text = ""
        # A cell of three letters may name a string of thirty thousand.
        if text and self._size < MAX_TEXT:
            self._row.append(text)
            self._size += len(text)
        if text and self._linking and len(self._texts) < MAX_CELLS:
            self._texts[self._cell] = text
        if self._formula:
            self._gathered.reference(target_in_formula("".join(self._formula)), text)

    def _string(self, number: str) -> str:
        number = number.strip()
        place = int(number) if number.isdecimal() and len(number) < 10 else len(self._strings)  # noqa: PLR2004 - digits
        return self._strings[place] if place < len(self._strings) else ""

    def _link(self, attributes: dict[str, str]) -> None:
        relation = self._relations.get(prefixed(attributes, "id"))
        if relation and relation.external:
            first = attributes.get("ref", "").partition(":")[0]
            self._gathered.reference(
                relation.target, self._texts.get(first) or attributes.get("display", "")
            )
