"""BibTeX and BibLaTeX as they are written."""

import re
from collections.abc import Iterator, Sequence

from motherlode.library.formats.bibtex import MONTHS
from motherlode.library.formats.fields import tidy_line
from motherlode.library.formats.latex import escaped
from motherlode.records.library import LibraryObject, Person

BIBTEX_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
    "thesis": "phdthesis",
    "report": "techreport",
    "pamphlet": "booklet",
    "manuscript": "unpublished",
}
BIBLATEX_TYPES = BIBTEX_TYPES | {
    "thesis": "thesis",
    "report": "report",
    "webpage": "online",
    "software": "software",
    "dataset": "dataset",
    "patent": "patent",
    "periodical": "periodical",
}
_KEY = re.compile(r"[^A-Za-z0-9_:.+/-]+")
_PUBLISHERS = {"techreport": "institution", "report": "institution", "thesis": "institution"}


def write_bibtex(objects: Sequence[LibraryObject]) -> str:
    """Return objects as BibTeX."""
    return _written(objects, is_biblatex=False)


def write_biblatex(objects: Sequence[LibraryObject]) -> str:
    """Return objects as BibLaTeX, which has full dates and more types."""
    return _written(objects, is_biblatex=True)


def _written(objects: Sequence[LibraryObject], *, is_biblatex: bool) -> str:
    keys = _keys_of(objects)
    return "\n".join(
        _entry(entry, key, is_biblatex=is_biblatex)
        for entry, key in zip(objects, keys, strict=True)
    )


def _keys_of(objects: Sequence[LibraryObject]) -> list[str]:
    """Return a citation key of each object, all different."""
    keys: dict[str, None] = {}
    for entry in objects:
        family = entry.authors[0].family if entry.authors else "anonymous"
        wish = _KEY.sub("", entry.key) or _KEY.sub("", f"{family}{entry.date[:4]}") or "entry"
        key, number = wish, 2
        while key in keys:
            key, number = f"{wish}-{number}", number + 1
        keys[key] = None
    return list(keys)


def _entry(entry: LibraryObject, key: str, *, is_biblatex: bool) -> str:
    types = BIBLATEX_TYPES if is_biblatex else BIBTEX_TYPES
    kind = types.get(entry.kind, "misc")
    lines = (
        f"  {name} = {{{value}}},\n"
        for name, value in _fields(entry, kind, is_biblatex=is_biblatex)
        if value
    )
    return f"@{kind}{{{key},\n{''.join(lines)}}}\n"


def _fields(entry: LibraryObject, kind: str, *, is_biblatex: bool) -> Iterator[tuple[str, str]]:
    yield "title", escaped(entry.title)
    yield "author", _names(entry.authors)
    yield "editor", _names(entry.editors)
    yield from _dates(entry.date, is_biblatex=is_biblatex)
    yield _venue_field(kind, is_biblatex=is_biblatex), escaped(entry.venue)
    publisher = "school" if kind == "phdthesis" else _PUBLISHERS.get(kind, "publisher")
    yield publisher, escaped(entry.publisher)
    yield ("location" if is_biblatex else "address"), escaped(entry.place)
    yield "volume", escaped(entry.volume)
    yield "number", escaped(entry.issue)
    yield "pages", escaped(entry.pages.replace("-", "--"))
    yield "language", escaped(entry.language)
    yield from _identifiers(entry)
    yield "url", entry.links[0].replace("{", "%7B").replace("}", "%7D") if entry.links else ""
    yield "keywords", escaped(", ".join(entry.keywords))
    yield "abstract", escaped(tidy_line(entry.abstract))
    yield "note", escaped(tidy_line(entry.note))
    yield "groups", escaped(", ".join(folder[-1] for folder in entry.folders))


def _dates(date: str, *, is_biblatex: bool) -> Iterator[tuple[str, str]]:
    if is_biblatex:
        yield "date", date
        return
    yield "year", date[:4]
    if month := date[5:7]:
        yield "month", MONTHS[int(month) - 1]


def _venue_field(kind: str, *, is_biblatex: bool) -> str:
    if kind == "article":
        return "journaltitle" if is_biblatex else "journal"
    return "series" if kind in ("book", "phdthesis", "thesis") else "booktitle"


def _identifiers(entry: LibraryObject) -> Iterator[tuple[str, str]]:
    for scheme in ("doi", "isbn", "issn", "pmid", "pmcid"):
        yield scheme, entry.identifier(scheme)
    if arxiv := entry.identifier("arxiv"):
        yield "eprint", arxiv
        yield "eprinttype", "arxiv"


def _names(people: Sequence[Person]) -> str:
    return " and ".join(map(_name, people))


def _name(person: Person) -> str:
    """Return a name as BibTeX takes it apart again; a name alone is kept whole by braces."""
    if not person.given and not person.suffix:
        return f"{{{escaped(person.family)}}}"
    parts = (person.family, person.suffix, person.given)
    return ", ".join(_name_part(part) for part in parts if part)


def _name_part(part: str) -> str:
    """Return a part of a name, in braces where a comma or `and` in it would divide it."""
    text = escaped(part)
    return f"{{{text}}}" if "," in part or " and " in f" {part.lower()} " else text
