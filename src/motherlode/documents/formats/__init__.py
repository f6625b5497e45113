"""Formats besides HTML: one module a family, each a function from `Raw` to `Extract`.

A reader raises `UnreadableError` and nothing else, and is loaded for the first document it reads.
"""

from collections.abc import Callable
from importlib import import_module

from motherlode.documents.extracts import Extract, Raw

Reader = Callable[[Raw], Extract]

_OFFICE = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."

# From a type to the module and the function that read it.
_READERS = {
    "text/plain": "text.read_text",
    "text/markdown": "text.read_markdown",
    "text/x-markdown": "text.read_markdown",
    "text/csv": "text.read_csv",
    "text/tab-separated-values": "text.read_csv",
    "text/xml": "xml.read_xml",
    "application/xml": "xml.read_xml",
    "application/x-fictionbook": "xml.read_xml",
    "application/x-fictionbook+xml": "xml.read_xml",
    "application/pdf": "pdf.read_pdf",
    "application/x-pdf": "pdf.read_pdf",
    "application/postscript": "postscript.read_postscript",
    "application/x-postscript": "postscript.read_postscript",
    "application/eps": "postscript.read_postscript",
    "application/x-eps": "postscript.read_postscript",
    "application/rtf": "rtf.read_rtf",
    "text/rtf": "rtf.read_rtf",
    "application/epub+zip": "epub.read_epub",
    "application/msword": "legacy_office.read_legacy",
    "application/vnd.ms-word": "legacy_office.read_legacy",
    "application/vnd.ms-excel": "legacy_office.read_legacy",
    "application/vnd.ms-powerpoint": "legacy_office.read_legacy",
    "application/x-ole-storage": "legacy_office.read_legacy",
    "application/x-ooxml-encrypted": "legacy_office.read_legacy",  # it says why it cannot be read
    "application/zip": "containers.read_container",
    "application/x-zip": "containers.read_container",
    "application/x-zip-compressed": "containers.read_container",
    "application/zip-compressed": "containers.read_container",
    "application/gzip": "containers.read_container",
    "application/x-gzip": "containers.read_container",
    "application/bzip2": "containers.read_container",
    "application/x-bzip2": "containers.read_container",
    "application/xz": "containers.read_container",
    "application/x-xz": "containers.read_container",
    "application/tar": "containers.read_container",
    "application/x-tar": "containers.read_container",
    "application/gtar": "containers.read_container",
    "application/x-gtar": "containers.read_container",
    "application/x-compressed-tar": "containers.read_container",
}
# Families whose every variant (template, macros, show) is built alike; the first that fits counts.
_FAMILIES = (
    (f"{_OFFICE}wordprocessingml.", "ooxml.read_docx"),
    (f"{_OFFICE}presentationml.", "ooxml.read_pptx"),
    (f"{_OFFICE}spreadsheetml.", "ooxml.read_xlsx"),
    ("application/vnd.ms-word.", "ooxml.read_docx"),
    ("application/vnd.ms-powerpoint.", "ooxml.read_pptx"),
    ("application/vnd.ms-excel.", "ooxml.read_xlsx"),
    (_ODF, "opendocument.read_opendocument"),
)
_PAGES = frozenset({"application/xhtml+xml"})


def reader_for(mime: str) -> Reader | None:
    """What reads documents of this type; None for HTML, which is read elsewhere, and for what
    nothing reads.

    >>> reader_for("application/pdf").__name__
    'read_pdf'
    >>> reader_for("image/png")
    """
    mime = mime.lower()
    name = _READERS.get(mime) or _family(mime)
    if not name:
        return None
    module, _, function = name.partition(".")
    reader: Reader = getattr(import_module(f"{__name__}.{module}"), function)
    return reader


def _family(mime: str) -> str:
    for prefix, name in _FAMILIES:
        if mime.startswith(prefix):
            return name
    return "xml.read_xml" if mime.endswith("+xml") and mime not in _PAGES else ""
