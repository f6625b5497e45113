"""BibTeX and BibLaTeX, split into entries by bibtexparser; values are read here.

bibtexparser leaves concatenations unresolved, decodes LaTeX inside addresses, and sets aside
entries whose key was used before, so that it is only asked where blocks and fields begin and end.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from bibtexparser.library import Library
from bibtexparser.model import (
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    Entry,
    ExplicitComment,
    ParsingFailedBlock,
)
from bibtexparser.splitter import Splitter

from motherlode.library.dates import date_in, month_in
from motherlode.library.formats.fields import quiet_logger, tidy_line, unique
from motherlode.library.formats.jabref_groups import GroupTree
from motherlode.library.formats.kind import ReadEntry, ReadResult
from motherlode.library.formats.latex import plain_text
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import bibtex_names, bibtex_parts
from motherlode.records.library import LibraryObject, Person

KINDS = {
    "article": "article-journal",
    "periodical": "periodical",
    "book": "book",
    "mvbook": "book",
    "collection": "book",
    "booklet": "pamphlet",
    "inbook": "chapter",
    "incollection": "chapter",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "proceedings": "book",
    "manual": "report",
    "report": "report",
    "techreport": "report",
    "thesis": "thesis",
    "mastersthesis": "thesis",
    "phdthesis": "thesis",
    "online": "webpage",
    "www": "webpage",
    "electronic": "webpage",
    "software": "software",
    "dataset": "dataset",
    "patent": "patent",
    "unpublished": "manuscript",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_VENUES = ("journaltitle", "journal", "booktitle", "maintitle", "eventtitle", "series")
_PUBLISHERS = ("publisher", "institution", "school", "organization")
_KEYWORDS = re.compile(r"\s*[;,]\s*")
_URL = re.compile(r"https?://[^\s{}\"|]+")
_WITHOUT_KEY = re.compile(
    r"(@\s*(?!string|preamble|comment)\w+\s*[{(]\s*)(?=[\w+-]+\s*=)", re.IGNORECASE
)
_LINK_FIELDS = ("url", "link", "ee", "pdf")
_MONTH_TEXTS = {month: month for month in MONTHS}


def read_bibtex(text: str) -> ReadResult:
    """Return the entries of a BibTeX or BibLaTeX file."""
    with quiet_logger("bibtexparser"):
        library = Splitter(_WITHOUT_KEY.sub(r"\1,", text)).split()
    strings = _strings_of(library)
    groups = GroupTree.of(
        block.comment for block in library.blocks if isinstance(block, ExplicitComment)
    )
    entries = {
        id(entry): _fields_of(entry, strings)
        for entry in map(_entry_of, library.blocks)
        if entry is not None
    }
    parents = _by_key(library, entries)
    results = [
        result for block in library.blocks for result in _results(block, entries, parents, groups)
    ]
    return ReadResult(
        tuple(result.entry for result in results if result.entry is not None),
        tuple(result.problem for result in results if result.problem),
    )


def _results(
    block: object,
    entries: Mapping[int, dict[str, str]],
    parents: Mapping[str, Mapping[str, str]],
    groups: GroupTree,
) -> Iterator[ReadEntry]:
    entry = _entry_of(block)
    if entry is not None:
        fields = _with_inherited(entries[id(entry)], parents)
        yield ReadEntry(_object_of(entry, fields, groups))
    elif isinstance(block, ParsingFailedBlock) and (raw := block.raw or "").lstrip()[:1] == "@":
        line = (block.start_line or 0) + 1
        yield ReadEntry(problem=f"The entry in line {line} is broken: {_beginning(raw)}")


def _beginning(raw: str) -> str:
    return tidy_line(raw)[:60]


def _entry_of(block: object) -> Entry | None:
    """Return the entry of a block; one whose key or fields occur twice counts, too."""
    if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
        block = block.ignore_error_block
    return block if isinstance(block, Entry) else None


def _strings_of(library: Library) -> dict[str, str]:
    strings = dict(_MONTH_TEXTS)
    for definition in library.strings:
        strings[definition.key.lower()] = value_of(definition.value, strings)
    return strings


def _fields_of(entry: Entry, strings: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an entry, still in LaTeX; of a field that occurs twice, the first."""
    fields: dict[str, str] = {}
    for field in entry.fields:
        fields.setdefault(field.key.lower(), value_of(str(field.value), strings))
    return fields


def value_of(written: str, strings: Mapping[str, str]) -> str:
    """Return a value with its quotes removed, concatenations joined and strings inserted.

    >>> value_of('"Proc. " # acm # { 5}', {"acm": "ACM"})
    'Proc. ACM 5'
    """
    return "".join(_pieces(written.strip(), strings))


def _pieces(written: str, strings: Mapping[str, str]) -> Iterator[str]:
    place = 0
    while place < len(written):
        character = written[place]
        if character in " \t\r\n#":
            place += 1
            continue
        end = _end_of_piece(written, place)
        piece = written[place:end]
        if character in '{"':
            yield piece[1:-1] if len(piece) > 1 and piece[-1] in '}"' else piece[1:]
        else:
            yield strings.get(piece.strip().lower(), piece.strip())
        place = end


def _end_of_piece(written: str, begin: int) -> int:
    """Return where a piece in braces, in quotation marks, or in neither ends."""
    if written[begin] not in '{"':
        end = written.find("#", begin)
        return end if end >= 0 else len(written)
    depth, place, quoted = 0, begin, written[begin] == '"'
    while place < len(written):
        character = written[place]
        if character == "\\":
            place += 1
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0 and not quoted:
                return place + 1
        elif character == '"' and quoted and depth == 0 and place > begin:
            return place + 1
        place += 1
    return len(written)


def _by_key(library: Library, entries: Mapping[int, dict[str, str]]) -> dict[str, dict[str, str]]:
    known = (entry for entry in map(_entry_of, library.blocks) if entry is not None)
    return {entry.key.lower(): entries[id(entry)] for entry in known if entry.key}


def _with_inherited(
    fields: Mapping[str, str], parents: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    """Return fields with those that `crossref` inherits: the parent's title names the venue."""
    parent = parents.get(fields.get("crossref", "").strip().lower())
    if parent is None or parent is fields:
        return fields
    inherited = {key: value for key, value in parent.items() if key not in ("title", "crossref")}
    if title := parent.get("title"):
        inherited.setdefault("booktitle", title)
    return inherited | dict(fields)


def _object_of(entry: Entry, fields: Mapping[str, str], groups: GroupTree) -> LibraryObject:
    plain = {key: plain_text(value) for key, value in fields.items() if key not in _UNDECODED}
    links = unique(link for key in _LINK_FIELDS for link in _addresses(fields.get(key, "")))
    if "howpublished" in fields:
        links = unique((*links, *_addresses(fields["howpublished"])))
    return LibraryObject(
        kind=KINDS.get(entry.entry_type.lower(), "document"),
        title=_title_of(plain),
        authors=_people(fields.get("author", "")),
        editors=_people(fields.get("editor", "")),
        date=_date_of(plain),
        abstract=plain.get("abstract", ""),
        keywords=unique(_KEYWORDS.split(plain.get("keywords", plain.get("keyword", "")))),
        venue=_first(plain, _VENUES),
        publisher=_first(plain, _PUBLISHERS),
        place=_first(plain, ("location", "address")),
        volume=plain.get("volume", ""),
        issue=_first(plain, ("number", "issue")),
        pages=plain.get("pages", "").replace("\u2013", "-").replace("\u2014", "-"),
        language=_first(plain, ("langid", "language")),
        identifiers=tuple(identifiers_of(_identifier_fields(fields), links)),
        links=links,
        note=_first(plain, ("note", "annotation", "annote")),
        key=entry.key[:200],
        folders=groups.folders_of(entry.key, plain.get("groups", "").split(",")),
    )


_UNDECODED = {*_LINK_FIELDS, "doi", "author", "editor", "file", "eprint", "crossref"}


def _title_of(plain: Mapping[str, str]) -> str:
    title, subtitle = plain.get("title", ""), plain.get("subtitle", "")
    separator = " " if title.endswith((":", "?", "!")) else ": "
    return f"{title}{separator}{subtitle}" if title and subtitle else title or subtitle


def _date_of(plain: Mapping[str, str]) -> str:
    if date := date_in(plain.get("date", "")):
        return date
    year = date_in(plain.get("year", ""))
    month = month_in(plain.get("month", "")) if len(year) == len("2004") else 0
    return f"{year}-{month:02}" if month else year


def _identifier_fields(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for scheme in ("doi", "isbn", "issn", "pmid", "pmcid"):
        yield scheme, fields.get(scheme, "").replace("\\", "")
    kind = fields.get("eprinttype", fields.get("archiveprefix", "")).lower()
    if kind in ("", "arxiv"):
        yield "arxiv", fields.get("eprint", "")
    elif kind in ("pubmed", "pmid"):
        yield "pmid", fields.get("eprint", "")


def _people(field: str) -> tuple[Person, ...]:
    """Return the people of a field: names are split before their LaTeX is decoded."""
    parts = (map(plain_text, bibtex_parts(name)) for name in bibtex_names(field))
    people = (Person(*part) for part in parts)
    return tuple(person for person in people if person.family)


def _addresses(value: str) -> list[str]:
    return _URL.findall(
        value.replace("\\_", "_")
        .replace("\\%", "%")
        .replace("\\&", "&")
        .replace("\\#", "#")
        .replace("\\~{}", "~")
        .replace("\\~", "~")
    )


def _first(plain: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((plain[key] for key in keys if plain.get(key)), "")
