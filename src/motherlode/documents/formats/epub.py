"""EPUB: the chapters of a book in the order in which they are read."""

import posixpath
from urllib.parse import unquote

from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats.collector import MAX_TITLE, DocumentBuilder
from motherlode.documents.formats.markup import any_prefix, local, walk
from motherlode.documents.formats.zip_files import Package
from motherlode.documents.html.reader import read_html
from motherlode.urls import UrlRules

MAX_CHAPTERS = 2_000
_MAX_CHAPTER = 10 * 2**20  # bytes, as of any web page
_INSIDE = (
    "http://book.invalid/"  # where chapters are while they are read; links to there are inner ones
)
_PAGES = (".xhtml", ".html", ".htm")
_FIELDS = {"title": "title", "language": "language", "description": "description"}


def read_epub(raw: Raw) -> Extract:
    package = Package(raw.body)
    book = _book(package)
    gathered = DocumentBuilder()
    gathered.title = book.told.get("title", "")
    gathered.language = book.told.get("language", "")
    gathered.description = book.told.get("description", "")
    chapters = book.chapters(package)
    if not chapters:
        raise UnreadableError("no chapters in the book")
    for chapter in chapters[:MAX_CHAPTERS]:
        _read_chapter(package, chapter, gathered)
        if gathered.full:
            break
    return gathered.extract()


class _Container:
    """Where the description of the book is."""

    def __init__(self) -> None:
        self.path = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if local(name) == "rootfile":
            self.path = self.path or any_prefix(attributes, "full-path")

    def end(self, _: str) -> None:
        pass

    def text(self, _: str) -> None:
        pass


class _EpubPackage:
    """The description of a book: its files, and in which order they are read."""

    def __init__(self, path: str) -> None:
        self.told: dict[str, str] = {}
        self._folder = posixpath.dirname(path)
        self._files: dict[str, str] = {}
        self._spine: list[str] = []
        self._field = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        self._field = _FIELDS.get(name, "") if name not in self.told else ""
        if name == "item":
            self._files[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref":
            self._spine.append(attributes.get("idref", ""))

    def end(self, _: str) -> None:
        self._field = ""

    def text(self, data: str) -> None:
        said = self.told.get(self._field, "")
        if self._field and len(said) < MAX_TITLE:
            self.told[self._field] = said + data

    def chapters(self, package: Package) -> list[str]:
        """Names of parts; without any order that can be followed, all pages by name."""
        paths = (inside(self._folder, self._files.get(name, "")) for name in self._spine)
        named = list(dict.fromkeys(path for path in paths if path in package))
        return named or sorted(name for name in package.names if name.endswith(_PAGES))


def _book(package: Package) -> _EpubPackage:
    container = _Container()
    walk(package.part("META-INF/container.xml"), container)
    path = container.path
    if path not in package:
        path = next((name for name in package.names if name.endswith(".opf")), "")
    book = _EpubPackage(unquote(path))
    walk(package.part(path), book)
    return book


def inside(folder: str, href: str) -> str:
    """The part that a reference names, seen from a folder of the package.

    >>> inside("OPS/text", "../images/a%20b.png#top")
    'OPS/images/a b.png'
    """
    path = unquote(href.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/") if path else ""


def _read_chapter(package: Package, path: str, gathered: DocumentBuilder) -> None:
    html = decode(package.part(path)[:_MAX_CHAPTER])
    document = read_html(html, _INSIDE + path, UrlRules())
    headings = set(document.headings)
    for line in document.text.split("\n"):
        gathered.heading(line) if line in headings else gathered.line(line)
    for link in document.links:
        if not link.url.startswith(_INSIDE):
            gathered.reference(link.url, link.anchor)
