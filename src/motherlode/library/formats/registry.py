"""The reference formats, each with its signs; a format is loaded when it is used."""

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import cast

from motherlode.documents.encoding import decode
from motherlode.library.formats.kind import Reader, ReadResult, ReferenceFormat, Writer
from motherlode.records import BadInputError, UsageError
from motherlode.records.library import LibraryObject

_ROOM = "motherlode.library.formats"
LOOK_CHARS = 20_000
FORMATS = (
    ReferenceFormat(
        name="bibtex",
        title="BibTeX",
        suffixes=(".bib", ".bibtex"),
        reader=f"{_ROOM}.bibtex:read_bibtex",
        writer=f"{_ROOM}.bibtex_writer:write_bibtex",
    ),
    ReferenceFormat(
        name="biblatex",
        title="BibLaTeX",
        suffixes=(".biblatex",),
        reader=f"{_ROOM}.bibtex:read_bibtex",
        writer=f"{_ROOM}.bibtex_writer:write_biblatex",
    ),
    ReferenceFormat(
        name="ris",
        title="RIS",
        suffixes=(".ris",),
        reader=f"{_ROOM}.ris:read_ris",
        writer=f"{_ROOM}.ris:write_ris",
    ),
    ReferenceFormat(
        name="csl-json",
        title="CSL-JSON",
        suffixes=(".json", ".csljson"),
        reader=f"{_ROOM}.csl_json:read_csl_json",
        writer=f"{_ROOM}.csl_json:write_csl_json",
    ),
    ReferenceFormat(
        name="zotero-json",
        title="Zotero or Better BibTeX JSON",
        suffixes=(),
        reader=f"{_ROOM}.zotero_json:read_zotero_json",
    ),
    ReferenceFormat(
        name="zotero-rdf",
        title="Zotero RDF",
        suffixes=(".rdf",),
        reader=f"{_ROOM}.zotero_rdf:read_zotero_rdf",
    ),
    ReferenceFormat(
        name="endnote",
        title="EndNote, tagged (refer)",
        suffixes=(".enw", ".refer"),
        reader=f"{_ROOM}.endnote_tagged:read_endnote",
        writer=f"{_ROOM}.endnote_tagged:write_endnote",
    ),
    ReferenceFormat(
        name="endnote-xml",
        title="EndNote XML",
        suffixes=(),
        reader=f"{_ROOM}.endnote_xml:read_endnote_xml",
        writer=f"{_ROOM}.endnote_xml:write_endnote_xml",
    ),
    ReferenceFormat(
        name="medline",
        title="MEDLINE (PubMed, nbib)",
        suffixes=(".nbib", ".medline"),
        reader=f"{_ROOM}.medline:read_medline",
    ),
    ReferenceFormat(
        name="mods", title="MODS XML", suffixes=(".mods",), reader=f"{_ROOM}.mods:read_mods"
    ),
    ReferenceFormat(
        name="office-xml",
        title="Bibliography of Microsoft Word",
        suffixes=(),
        reader=f"{_ROOM}.office_xml:read_office_xml",
    ),
    ReferenceFormat(
        name="cff",
        title="Citation File Format",
        suffixes=(".cff",),
        reader=f"{_ROOM}.cff:read_cff",
    ),
    ReferenceFormat(name="ovid", title="Ovid", suffixes=(), reader=f"{_ROOM}.ovid:read_ovid"),
    ReferenceFormat(
        name="inspec", title="INSPEC", suffixes=(), reader=f"{_ROOM}.inspec:read_inspec"
    ),
)
BY_NAME = {kind.name: kind for kind in FORMATS}
# What the beginning of a file says, in the order in which it is asked.
_SIGNS = (
    ("zotero-json", re.compile(r'\A\s*[\[{].*"itemType"\s*:', re.DOTALL)),
    ("csl-json", re.compile(r"\A\s*[\[{]\s*[\]{}\"\[]")),
    ("endnote-xml", re.compile(r"<record>|<records>", re.IGNORECASE)),
    ("office-xml", re.compile(r"officeDocument/20\d\d/bibliography|officeDocument/bibliography")),
    ("mods", re.compile(r"<(?:\w+:)?mods(?:Collection)?[\s>]")),
    ("zotero-rdf", re.compile(r"<rdf:RDF[\s>]")),
    ("inspec", re.compile(r"^Record.*INSPEC", re.MULTILINE)),
    ("ovid", re.compile(r"^<1>\s*$|^<\d+>\s*\n\S", re.MULTILINE)),
    ("medline", re.compile(r"^(?:PMID|PMCR|OWN ) ?- ", re.MULTILINE)),
    ("ris", re.compile(r"^[ \t]{0,3}TY {0,2}- ?[A-Z]", re.MULTILINE)),
    ("endnote", re.compile(r"^%[0AT] ", re.MULTILINE)),
    ("cff", re.compile(r"^cff-version\s*:", re.MULTILINE)),
    ("bibtex", re.compile(r"@\s*\w+\s*[{(]")),
)


def read_references(body: bytes, file_name: str, name: str = "") -> tuple[str, ReadResult]:
    """Return the name of the format and what a file holds.

    The format is told by what is in the file, and by its name if that says nothing. Raises
    `BadInputError` if it is none of them.
    """
    text = decode(body).lstrip("\ufeff")
    kind = format_named(name) if name else format_of(text, file_name)
    return kind.name, cast("Reader", _loaded(kind.reader))(text)


def write_references(objects: Sequence[LibraryObject], name: str) -> str:
    """Return objects in a format. Raises `UsageError` if it cannot be written."""
    kind = format_named(name)
    if not kind.writer:
        written = ", ".join(writable_formats())
        raise UsageError(f"{kind.title} can only be read; formats that are written: {written}.")
    return cast("Writer", _loaded(kind.writer))(objects)


def writable_formats() -> list[str]:
    """Return the names of the formats that are written."""
    return [kind.name for kind in FORMATS if kind.writer]


def format_named(name: str) -> ReferenceFormat:
    """Return the format of a name. Raises `UsageError` if there is none."""
    if name not in BY_NAME:
        raise UsageError(f"There is no format {name[:40]!r}; there are {', '.join(BY_NAME)}.")
    return BY_NAME[name]


def format_of(text: str, file_name: str) -> ReferenceFormat:
    """Return the format of a file, by its first signs. Raises `BadInputError` if there are none."""
    beginning = text[:LOOK_CHARS]
    suffix = PurePath(file_name).suffix.lower()
    by_suffix = [kind.name for kind in FORMATS if suffix in kind.suffixes]
    by_sign = [name for name, sign in _SIGNS if sign.search(beginning)]
    name = _first_of(by_suffix, by_sign)
    if not name:
        known = ", ".join(kind.title for kind in FORMATS)
        raise BadInputError(
            f"{PurePath(file_name).name[:100]} is in no format that is known: {known}."
        )
    return BY_NAME[name]


def _first_of(by_suffix: Sequence[str], by_sign: Sequence[str]) -> str:
    """Return the format that suffix and signs agree on; else that of a sign, else of the suffix."""
    agreed: Iterable[str] = (
        name for name in by_suffix if name in by_sign and by_sign[0] != "zotero-json"
    )
    return next(iter([*agreed, *by_sign, *by_suffix]), "")


def _loaded(place: str) -> object:
    module, _, function = place.partition(":")
    loaded: object = getattr(import_module(module), function)
    return loaded
