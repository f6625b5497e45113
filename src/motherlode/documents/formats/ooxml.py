"""DOCX, PPTX, XLSX and their variants: packages of XML parts that relations hold together."""

import posixpath
import re
from collections.abc import Callable
from urllib.parse import unquote

from msgspec import Struct

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats.collector import MAX_TITLE, DocumentBuilder
from motherlode.documents.formats.kinds import OLE_MAGIC, ZIP, kind_of_zip
from motherlode.documents.formats.markup import StopReading, local, walk
from motherlode.documents.formats.zip_files import Package

MAX_RELATIONS = 100_000  # of a part


class Relation(Struct, frozen=True):
    """From a part to another part, or to an address elsewhere; `kind` is the last word
    of its type.
    """

    kind: str
    target: str
    external: bool


Relations = dict[str, Relation]
Read = Callable[["Office", DocumentBuilder], None]


class Office:
    """A package, and what its parts are to each other."""

    def __init__(self, body: bytes) -> None:
        self._package = Package(body)
        self.names = self._package.names

    def part(self, name: str) -> bytes:
        return self._package.part(name)

    def __contains__(self, name: str) -> bool:
        return name in self._package

    def relations(self, part: str = "") -> Relations:
        """Of a part, by their names; with no part, of the whole package."""
        folder, name = posixpath.split(part)
        reading = _Relations(folder)
        walk(self.part(posixpath.join(folder, "_rels", f"{name}.rels")), reading)
        return reading.found

    def main_part(self, usual: str) -> str:
        """The part that everything hangs from."""
        told = [rel.target for rel in self.relations().values() if rel.kind == "officeDocument"]
        return next((name for name in (*told, usual) if name in self), "")

    def related(self, relations: Relations, *kinds: str) -> list[str]:
        """The parts that a part has relations of these kinds to."""
        return [rel.target for rel in relations.values() if rel.kind in kinds and not rel.external]

    def numbered(self, pattern: str) -> list[str]:
        """Parts whose names fit, by the numbers in them: where no list of parts can be read."""
        found = ((re.fullmatch(pattern, name), name) for name in self.names)
        return [name for _, name in sorted((int(fits[1]), name) for fits, name in found if fits)]


class _Relations:
    def __init__(self, folder: str) -> None:
        self.found: Relations = {}
        self._folder = folder

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if local(name) != "Relationship":
            return
        if len(self.found) >= MAX_RELATIONS:
            raise StopReading
        external = attributes.get("TargetMode", "").lower() == "external"
        target = attributes.get("Target", "")
        kind = attributes.get("Type", "").rpartition("/")[2]
        self.found[attributes.get("Id", "")] = Relation(
            kind, target if external else self._inside(target), external
        )

    def end(self, _: str) -> None:
        pass

    def text(self, _: str) -> None:
        pass

    def _inside(self, target: str) -> str:
        target = unquote(target.replace("\\", "/")).partition("#")[0]
        return posixpath.normpath(posixpath.join("/", self._folder, target)).lstrip("/")


_FIELDS = {"title": "title", "language": "language", "description": "description"}


class _Properties:
    """What a document says of itself."""

    def __init__(self, gathered: DocumentBuilder) -> None:
        self._gathered = gathered
        self._field = ""

    def start(self, name: str, _: dict[str, str]) -> None:
        self._field = _FIELDS.get(local(name), "")

    def end(self, _: str) -> None:
        self._field = ""

    def text(self, data: str) -> None:
        said = getattr(self._gathered, self._field) if self._field else ""
        if self._field and len(said) < MAX_TITLE:
            setattr(self._gathered, self._field, said + data)


def read_docx(raw: Raw) -> Extract:
    from motherlode.documents.formats.word import read_word  # noqa: PLC0415 - loaded when it is wanted

    return _read(raw, read_word)


def read_pptx(raw: Raw) -> Extract:
    from motherlode.documents.formats.slides import read_slides  # noqa: PLC0415 - loaded when it is wanted

    return _read(raw, read_slides)


def read_xlsx(raw: Raw) -> Extract:
    from motherlode.documents.formats.sheets import read_sheets  # noqa: PLC0415 - loaded when it is wanted

    return _read(raw, read_sheets)


def read_office(raw: Raw) -> Extract:
    """Whichever of them it is."""
    kind = kind_of_zip(raw.body)
    if kind == ZIP:
        raise UnreadableError("an archive, not a document")
    if "presentation" in kind or "powerpoint" in kind:
        return read_pptx(raw)
    return read_xlsx(raw) if "sheet" in kind or "excel" in kind else read_docx(raw)


def _read(raw: Raw, read: Read) -> Extract:
    from motherlode.documents.formats.legacy_office import read_by_undoc, read_legacy  # noqa: PLC0415 - they need each other

    if raw.body.startswith(OLE_MAGIC):
        return read_legacy(raw)
    gathered = DocumentBuilder()
    try:
        office = Office(raw.body)
        for part in office.related(office.relations(), "core-properties") or ["docProps/core.xml"]:
            walk(office.part(part), _Properties(gathered))
        read(office, gathered)
    except UnreadableError as broken:
        try:
            return read_by_undoc(raw.body)
        except UnreadableError:
            raise broken from None
    return gathered.extract()
