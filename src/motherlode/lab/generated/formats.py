"""Real documents from text, the same bytes whenever they are made.

The libraries that write them are the `lab` extra and are loaded by the first document that needs
them. They stamp the time into files and archives; whatever they stamp is set or overwritten here.
"""

import re
import string
import tarfile
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from gzip import GzipFile
from html import escape
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from motherlode.records import LodeError

KINDS: dict[str, str] = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "txt": "text/plain",
    "zip": "application/zip",
    "gz": "application/gzip",
    "tgz": "application/gzip",
}

THEN = datetime(2001, 1, 1, tzinfo=UTC)
AUTHOR = "Motherlode"
BREAKS = re.compile(r"[\t\n\r\x85\u2028\u2029]+")
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 595, 842, 72
FONT = "Helvetica"
PARAGRAPHS_A_SLIDE = 2
LAYOUTS = ("Title Only", "Title and Content")


class Manuscript(msgspec.Struct, frozen=True):
    """What a document is made from; the links are pairs of a URL and its text."""

    title: str
    paragraphs: tuple[str, ...]
    links: tuple[tuple[str, str], ...] = ()


def make(kind: str, manuscript: Manuscript) -> bytes:
    """The document of that kind, one of `KINDS`."""
    if kind not in MAKERS:
        raise LodeError(
            f"No document of kind '{kind}' can be made: choose one of {', '.join(KINDS)}."
        )
    return MAKERS[kind](_clean(manuscript))


def _clean(manuscript: Manuscript) -> Manuscript:
    """Without the characters that XML forbids, and without line breaks inside a paragraph."""
    return Manuscript(
        _printable(manuscript.title),
        tuple(map(_printable, manuscript.paragraphs)),
        tuple((_printable(url), _printable(anchor)) for url, anchor in manuscript.links),
    )


def _printable(text: str) -> str:
    return UNPRINTABLE.sub("", BREAKS.sub(" ", text))


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        maker = name.partition(".")[0]
        raise LodeError(
            f"Using {maker} needs the 'lab' extra: pip install 'motherlode[lab]'."
        ) from error


def _text(manuscript: Manuscript) -> bytes:
    links = (f"{anchor}: {url}" for url, anchor in manuscript.links)
    return ("\n\n".join((manuscript.title, *manuscript.paragraphs, *links)) + "\n").encode()


def _html(manuscript: Manuscript) -> bytes:
    title = escape(manuscript.title)
    paragraphs = [f"<p>{escape(text)}</p>" for text in manuscript.paragraphs]
    links = [
        f'<p><a href="{escape(url)}">{escape(anchor)}</a></p>' for url, anchor in manuscript.links
    ]
    head = (
        "<!DOCTYPE html>\n<html>\n<head><meta "
        f'charset="utf-8"><title>{title}</title></head>\n<body>'
    )
    return "\n".join(
        [head, f"<h1>{title}</h1>", *paragraphs, *links, "</body>\n</html>\n"]
    ).encode()


class _Sheets:
    """Lines of text on as many pages of a PDF as they need."""

    def __init__(self, canvas: Any, split: Callable[..., list[str]]) -> None:
        self.canvas = canvas
        self.split = split
        self.height: float = PAGE_HEIGHT - MARGIN

    def write(self, text: str, size: int, url: str = "") -> None:
        """A paragraph, wrapped; every line of it leads to the URL if there is one."""
        # The standard fonts are encoded as windows-1252 and show nothing else.
        shown = text.encode("windows-1252", "replace").decode("windows-1252")
        for line in self.split(shown, FONT, size, PAGE_WIDTH - 2 * MARGIN):
            self._line(line, size, url)
        self.height -= size

    def _line(self, line: str, size: int, url: str) -> None:
        if self.height < MARGIN:
            self.canvas.showPage()
            self.height = PAGE_HEIGHT - MARGIN
        self.canvas.setFont(FONT, size)
        self.canvas.drawString(MARGIN, self.height, line)
        if url:
            right = MARGIN + self.canvas.stringWidth(line, FONT, size)
            self.canvas.linkURL(url, (MARGIN, self.height - 2, right, self.height + size))
        self.height -= size * 1.3


def _pdf(manuscript: Manuscript) -> bytes:
    file = BytesIO()
    canvas = _library("reportlab.pdfgen.canvas").Canvas(
        file, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), invariant=1, pageCompression=1
    )
    canvas.setTitle(manuscript.title)
    canvas.setAuthor(AUTHOR)
    sheets = _Sheets(canvas, _library("reportlab.lib.utils").simpleSplit)
    sheets.write(manuscript.title, 18)
    for text in manuscript.paragraphs:
        sheets.write(text, 11)
    for url, anchor in manuscript.links:
        sheets.write(anchor, 11, quote(url, safe=string.punctuation))
    canvas.save()
    return file.getvalue()


def _docx(manuscript: Manuscript) -> bytes:
    document = _library("docx").Document(BytesIO(_docx_template()))
    _describe(document.core_properties, manuscript.title)
    document.add_heading(manuscript.title, level=0)
    for text in manuscript.paragraphs:
        document.add_paragraph(text)
    for url, anchor in manuscript.links:
        _add_docx_link(document.add_paragraph(), url, anchor)
    return _saved(document)


def _add_docx_link(paragraph: Any, url: str, anchor: str) -> None:
    """A hyperlink, which python-docx reads but cannot write: a run in an element that names a
    relation.
    """
    relation = _library("docx.opc.constants").RELATIONSHIP_TYPE.HYPERLINK
    link = _library("docx.oxml").OxmlElement("w:hyperlink")
    name = paragraph.part.relate_to(url, relation, is_external=True)
    link.set(_library("docx.oxml.ns").qn("r:id"), name)
    link.append(paragraph.add_run(anchor)._r)
    paragraph._p.append(link)


@cache
def _docx_template() -> bytes:
    """The library's template without its hundred table styles, their second copy, and its
    thumbnail.

    They are nine tenths of it, and would be read and written again for every document.
    """
    document = _library("docx").Document()
    table = _library("docx.enum.style").WD_STYLE_TYPE.TABLE
    for style in [
        style for style in document.styles if style.type == table and not style.element.default
    ]:
        style.delete()
    _drop_relations(document.part.rels, "stylesWithEffects", "customXml")
    _drop_relations(document.part.package.rels, "thumbnail")
    return _saved(document)


@cache
def _pptx_template() -> bytes:
    """The library's template with only the layouts that are used here."""
    slides = _library("pptx").Presentation()
    for layout in [layout for layout in slides.slide_layouts if layout.name not in LAYOUTS]:
        slides.slide_layouts.remove(layout)
    return _saved(slides)


def _drop_relations(relations: dict[str, Any], *kinds: str) -> None:
    for name in [name for name, relation in relations.items() if relation.reltype.endswith(kinds)]:
        del relations[name]


def _pptx(manuscript: Manuscript) -> bytes:
    slides = _library("pptx").Presentation(BytesIO(_pptx_template()))
    _describe(slides.core_properties, manuscript.title)
    layouts = {layout.name: layout for layout in slides.slide_layouts}
    cover, content = (layouts[name] for name in LAYOUTS)
    slides.slides.add_slide(cover).shapes.title.text = manuscript.title
    plain = [("", text) for text in manuscript.paragraphs]
    for start in range(0, len(plain), PARAGRAPHS_A_SLIDE):
        _add_slide(slides, content, plain[start : start + PARAGRAPHS_A_SLIDE])
    if manuscript.links:
        _add_slide(slides, content, manuscript.links)
    return _saved(slides)


def _add_slide(slides: Any, layout: Any, texts: Sequence[tuple[str, str]]) -> None:
    """A slide of texts, each with the URL it leads to or none, under the number of the slide."""
    slide = slides.slides.add_slide(layout)
    slide.shapes.title.text = str(len(slides.slides))
    frame = slide.placeholders[1].text_frame
    for place, (url, text) in enumerate(texts):
        run = (frame.add_paragraph() if place else frame.paragraphs[0]).add_run()
        run.text = text
        if url:
            run.hyperlink.address = url


def _describe(properties: Any, title: str) -> None:
    """Set what Word and PowerPoint files say of themselves."""
    properties.title = title
    properties.author = properties.last_modified_by = AUTHOR
    properties.comments = ""
    properties.created = properties.modified = THEN
    properties.revision = 1


def _odt(manuscript: Manuscript) -> bytes:
    odfdo = _library("odfdo")
    document = odfdo.Document("text")
    meta = document.meta
    meta.title, meta.creator, meta.initial_creator = manuscript.title, AUTHOR, AUTHOR
    meta.creation_date = meta.date = THEN.replace(tzinfo=None)
    body = document.body
    body.clear()
    body.append(odfdo.Header(1, manuscript.title))
    for text in manuscript.paragraphs:
        body.append(odfdo.Paragraph(text))
    for url, anchor in manuscript.links:
        paragraph = odfdo.Paragraph()
        paragraph.append(odfdo.Link(url, text=anchor))
        body.append(paragraph)
    return _saved(document)


def _saved(document: Any) -> bytes:
    """The document's archive, packed again without the time and the attributes of this machine's
    files.
    """
    file = BytesIO()
    document.save(file)
    with ZipFile(file) as archive:
        members = [
            (info.filename, archive.read(info), info.compress_type)
            for info in archive.infolist()
            if not info.is_dir()
        ]
    return _packed(members)


def _packed(members: Iterable[tuple[str, bytes, int]]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, content, compression in members:
            info = ZipInfo(name)  # of 1980-01-01, unless told otherwise
            info.compress_type = compression
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return file.getvalue()


def _zip(manuscript: Manuscript) -> bytes:
    """A third of the text in each of three files; the links in those that can have some."""
    parts = _split(manuscript, 3)
    links = manuscript.links
    page = msgspec.structs.replace(parts[1], links=links[::2])
    paper = msgspec.structs.replace(parts[2], links=links[1::2])
    contents = {"readme.txt": _text(parts[0]), "page.html": _html(page), "paper.docx": _docx(paper)}
    return _packed((name, content, ZIP_DEFLATED) for name, content in contents.items())


def _split(manuscript: Manuscript, count: int) -> list[Manuscript]:
    """The text in that many parts of the same title, none with links."""
    texts = manuscript.paragraphs
    cuts = [len(texts) * place // count for place in range(count + 1)]
    return [Manuscript(manuscript.title, texts[cuts[i] : cuts[i + 1]]) for i in range(count)]


def _gz(manuscript: Manuscript) -> bytes:
    return _gzipped(_html(manuscript))


def _tgz(manuscript: Manuscript) -> bytes:
    file = BytesIO()
    first, second = _split(manuscript, 2)
    contents = {
        "one.txt": first,
        "two.txt": msgspec.structs.replace(second, links=manuscript.links),
    }
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, part in contents.items():
            content = _text(part)
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.mtime = int(THEN.timestamp())
            archive.addfile(info, BytesIO(content))
    return _gzipped(file.getvalue())


def _gzipped(content: bytes) -> bytes:
    """Without name and time. Not by `gzip.compress`, whose header differs between versions of
    Python.
    """
    file = BytesIO()
    with GzipFile("", "wb", fileobj=file, mtime=0) as archive:
        archive.write(content)
    return file.getvalue()


MAKERS: dict[str, Callable[[Manuscript], bytes]] = {
    "pdf": _pdf,
    "docx": _docx,
    "pptx": _pptx,
    "odt": _odt,
    "txt": _text,
    "zip": _zip,
    "gz": _gz,
    "tgz": _tgz,
}
