"""Citation File Format, by which software says how it is cited."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import text_of, unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import MAX_PEOPLE
from motherlode.records.library import LibraryObject, Person

MAX_CHARS = 1_000_000
MAX_BRACKETS = 1_000
_KINDS = {"software": "software", "dataset": "dataset", "article": "article-journal"}


def read_cff(text: str) -> ReadResult:
    """Return what a file describes, and the work that it prefers to be cited."""
    try:
        value = _load(text[:MAX_CHARS])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return ReadResult(problems=(f"The file is no YAML: {' '.join(str(error).split())[:200]}.",))
    if not isinstance(value, dict):
        return ReadResult(problems=("The file has no fields.",))
    preferred = value.get("preferred-citation")
    works = [value, preferred] if isinstance(preferred, dict) else [value]
    return ReadResult(tuple(map(_object_of, works)))


def _load(text: str) -> object:
    """Return the value of YAML. Raises `ValueError` for aliases, which multiply without bound."""
    if text.count("[") + text.count("{") > MAX_BRACKETS:  # PyYAML takes quadratic time on them
        raise ValueError("it has too many brackets")
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
        raise ValueError("aliases are not read")
    loaded: object = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it makes only text
    return loaded


def _object_of(work: Mapping[str, Any]) -> LibraryObject:
    links = unique(text_of(work.get(name)) for name in ("url", "repository-code", "repository"))
    keywords = work.get("keywords")
    return LibraryObject(
        kind=_KINDS.get(text_of(work.get("type")) or "software", "document"),
        title=text_of(work.get("title")),
        authors=tuple(_people(work.get("authors"))),
        date=date_in(text_of(work.get("date-released")) or text_of(work.get("year"))),
        abstract=text_of(work.get("abstract")),
        keywords=unique(map(text_of, keywords if isinstance(keywords, list) else ())),
        venue=text_of(work.get("journal")),
        volume=text_of(work.get("volume")),
        issue=text_of(work.get("issue")),
        identifiers=tuple(identifiers_of(_identifier_fields(work), links)),
        links=links,
    )


def _people(authors: object) -> Iterator[Person]:
    for author in authors[:MAX_PEOPLE] if isinstance(authors, list) else ():
        if not isinstance(author, dict):
            continue
        parts = {key: text_of(value) for key, value in author.items()}
        names = (parts.get("name-particle", ""), parts.get("family-names", parts.get("name", "")))
        family = " ".join(filter(None, names))
        if family:
            yield Person(family, parts.get("given-names", ""), parts.get("name-suffix", ""))


def _identifier_fields(work: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "doi", text_of(work.get("doi"))
    entries = work.get("identifiers")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield text_of(entry.get("type")), text_of(entry.get("value"))
