"""COinS: an OpenURL context object in the title of a span (ANSI/NISO Z39.88).

A page with several describes other works, as a bibliography does, and not itself.
"""

from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import parse_qsl

from motherlode.library.identifiers import doi_in
from motherlode.library.metadata.statements import UNKNOWN_KIND, object_of
from motherlode.records.library import LibraryObject

MAX_CHARS = 20_000
MAX_FIELDS = 500
_KINDS = {
    "article": "article-journal",
    "proceeding": "paper-conference",
    "conference": "book",
    "bookitem": "chapter",
    "book": "book",
    "dissertation": "thesis",
    "report": "report",
    "preprint": "article",
}
_FORMATS = {"journal": "article-journal", "book": "book", "dissertation": "thesis"}
_FIELDS = {
    "title": ("atitle", "btitle", "title"),
    "date": ("date",),
    "venue": ("jtitle", "stitle", "source"),
    "publisher": ("pub", "publisher", "inst"),
    "place": ("place",),
    "volume": ("volume",),
    "issue": ("issue",),
    "pages": ("pages",),
    "first_page": ("spage",),
    "last_page": ("epage",),
    "abstract": ("description",),
    "keywords": ("subject",),
    "language": ("language",),
    "isbn": ("isbn",),
    "issn": ("issn", "eissn"),
}


def read_coins(titles: Sequence[str]) -> LibraryObject:
    """Return what the only context object of a page states; nothing of one with several."""
    if len(set(titles)) != 1:
        return LibraryObject()
    values: dict[str, list[str]] = defaultdict(list)
    try:
        pairs = parse_qsl(titles[0][:MAX_CHARS], max_num_fields=MAX_FIELDS)
    except ValueError:  # more fields than any work has
        return LibraryObject()
    for name, value in pairs:
        values[name.removeprefix("rft.")].append(value)
    statements = {
        field: [text for name in names for text in values.get(name, ())]
        for field, names in _FIELDS.items()
    }
    if "atitle" in values:  # then the other titles are those of the book or the journal
        statements["venue"] += [*values.get("btitle", ()), *values.get("title", ())]
    statements["authors"] = _authors(values)
    statements["doi"] = [doi_in(text) for text in values.get("rft_id", ())]
    return object_of(statements, _kind_of(values))


def _authors(values: dict[str, list[str]]) -> list[str]:
    """Return the names of the authors, of whom the first may have parts of its own."""
    names = [*values.get("au", ()), *values.get("creator", ())]
    last = next(iter(values.get("aulast", ())), "")
    if last and not any(last.casefold() in name.casefold() for name in names):
        given = next(iter(values.get("aufirst", ())), "")
        names.insert(0, f"{last}, {given}" if given else last)
    return names


def _kind_of(values: dict[str, list[str]]) -> str:
    genre = next(iter(values.get("genre", ())), "").lower()
    name = next(iter(values.get("rft_val_fmt", ())), "").rpartition(":")[2].lower()
    return _KINDS.get(genre) or _FORMATS.get(name, UNKNOWN_KIND)
