"""Real reference libraries of other projects: every file, with what it is known to hold."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from motherlode.library.additions import add_objects
from motherlode.library.formats.registry import read_references
from motherlode.library.identifiers import doi_in
from motherlode.library.library import Library

FORMATS = {"medlineplain": "medline", "nbib": "medline", "msbib": "office-xml", "ieee": "ris"}
# The plain scan that made the index counts an entry whose key is used twice once.
OTHER_COUNT = {"import-Import_error_with_character_+_in_BibTeX_field_name_#2660.bib": 284}
# The other file of the group has the entries in another order.
OTHER_ORDER = ("#2373.bib", "#482.biblatex")
# The plain scan keeps the LaTeX of formulas, or the index has none of what an address says.
OTHER_TITLES = 5
_COMMANDS = re.compile(r"\\[a-zA-Z]+|<[^<>]+>")


def letters_of(title: str) -> str:
    plain = unicodedata.normalize("NFKD", _COMMANDS.sub("", title or ""))
    return re.sub(r"[\W_]+", "", plain).casefold()


def groups(folder: Path) -> list[dict[str, Any]]:
    index: list[dict[str, Any]] = json.loads((folder / "index.json").read_text())
    return index


def test_every_file_is_read_in_its_format_with_its_entries(reference_libraries: Path) -> None:
    differences = []
    for group in groups(reference_libraries):
        for file in group["files"]:
            path = reference_libraries / file["file"]
            name, result = read_references(path.read_bytes(), path.name)
            name = "bibtex" if name == "biblatex" else name
            wanted = FORMATS.get(file["format"], file["format"]).replace("biblatex", "bibtex")
            expected = group.get("expected")
            count = OTHER_COUNT.get(path.name) or (expected["entries"] if expected else None)
            if name != wanted or count not in (None, len(result.objects)):
                differences.append((path.name, name, len(result.objects), count))
    assert differences == []


def test_titles_and_identifiers_are_those_of_the_index(reference_libraries: Path) -> None:
    titles, dois = [], []
    for group in groups(reference_libraries):
        expected = group.get("expected") or {}
        for file in group["files"] if expected else ():
            path = reference_libraries / file["file"]
            _, result = read_references(path.read_bytes(), path.name)
            if path.name.endswith(OTHER_ORDER) or len(result.objects) != expected["entries"]:
                continue
            for entry, title, doi in zip(
                result.objects, expected["titles"], expected["dois"], strict=True
            ):
                if letters_of(entry.title) != letters_of(title):
                    titles.append((path.name, entry.title, title))
                if doi and doi_in(doi) and entry.identifier("doi") != doi_in(doi):
                    dois.append((path.name, entry.identifier("doi"), doi))
    assert len(titles) <= OTHER_TITLES, titles
    assert dois == []


def test_a_file_that_is_imported_again_adds_next_to_nothing(reference_libraries: Path) -> None:
    """Entries that a first import has merged or changed may come back, but those are few."""
    entries, again = 0, []
    for group in groups(reference_libraries):
        for file in group["files"]:
            path = reference_libraries / file["file"]
            _, result = read_references(path.read_bytes(), path.name)
            library, _ = add_objects(Library(), result.objects, ("L",))
            _, results = add_objects(library, result.objects, ("L",))
            entries += len(results)
            again += [(path.name, new.title) for new in results if new.is_new]
    assert entries > 1_000
    assert again == []
