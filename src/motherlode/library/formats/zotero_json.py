"""Zotero's JSON: of Better BibTeX, of its API, and of its local server."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import text_of, unique
from motherlode.library.formats.json_items import items_in, plain_markup, shape_problems
from motherlode.library.formats.kind import ReadResult
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import MAX_PEOPLE
from motherlode.records.library import LibraryObject, Person

KINDS = {
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "book": "book",
    "bookSection": "chapter",
    "conferencePaper": "paper-conference",
    "thesis": "thesis",
    "report": "report",
    "webpage": "webpage",
    "blogPost": "post-weblog",
    "forumPost": "post",
    "computerProgram": "software",
    "dataset": "dataset",
    "patent": "patent",
    "manuscript": "manuscript",
    "preprint": "article",
    "presentation": "speech",
    "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary",
    "statute": "legislation",
    "case": "legal_case",
    "letter": "personal_communication",
    "standard": "standard",
}
NO_OBJECTS = frozenset({"attachment", "note", "annotation"})
MAX_DEPTH = 50
_TITLES = ("title", "caseName", "nameOfAct", "subject", "shortTitle")
_VENUES = (
    *("publicationTitle", "bookTitle", "proceedingsTitle", "conferenceName", "websiteTitle"),
    *("blogTitle", "encyclopediaTitle", "dictionaryTitle", "seriesTitle", "series"),
)
_PUBLISHERS = ("publisher", "institution", "university", "company", "label", "studio")
_IDENTIFIERS = {"DOI": "doi", "ISBN": "isbn", "ISSN": "issn", "PMID": "pmid", "PMCID": "pmcid"}


def read_zotero_json(text: str) -> ReadResult:
    """Return the items of a library that Zotero has written, in its collections."""
    items, problems = items_in(text)
    usable = [_data(item) for item in items if isinstance(item, dict)]
    folders = _folders_in(text)
    attached = _attachments(usable)
    return ReadResult(
        tuple(
            _object_of(item, folders, attached)
            for item in usable
            if text_of(item.get("itemType")) not in NO_OBJECTS
        ),
        (*problems, *shape_problems(items)),
    )


def _data(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item's fields, which the API wraps in `data`."""
    inner = item.get("data")
    return inner if isinstance(inner, dict) and "itemType" in inner else item


def _attachments(items: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the addresses of what is attached to each item."""
    attached: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if text_of(item.get("itemType")) == "attachment":
            attached[text_of(item.get("parentItem"))].append(text_of(item.get("url")))
    return attached


def _object_of(
    item: Mapping[str, Any],
    folders: Mapping[str, list[tuple[str, ...]]],
    attached: Mapping[str, list[str]],
) -> LibraryObject:
    kind = text_of(item.get("itemType"))
    inner = item.get("attachments")
    own = [
        text_of(entry.get("url"))
        for entry in (inner if isinstance(inner, list) else ())
        if isinstance(entry, dict)
    ]
    key = text_of(item.get("key") or item.get("itemKey"))
    links = unique([text_of(item.get("url")), *own, *attached.get(key, ())])
    extra = text_of(item.get("extra"))
    return LibraryObject(
        kind=KINDS.get(kind, "document"),
        title=plain_markup(_first(item, _TITLES)),
        authors=tuple(_people(item.get("creators"), editors=False)),
        editors=tuple(_people(item.get("creators"), editors=True)),
        date=date_in(_first(item, ("date", "issueDate", "dateDecided", "dateEnacted"))),
        abstract=text_of(item.get("abstractNote")),
        keywords=_tags(item.get("tags")),
        venue=_first(item, _VENUES),
        publisher=_first(item, _PUBLISHERS),
        place=text_of(item.get("place")),
        volume=text_of(item.get("volume")),
        issue=_first(item, ("issue", "number", "reportNumber")),
        pages=text_of(item.get("pages")),
        language=text_of(item.get("language")),
        identifiers=tuple(identifiers_of(_identifier_fields(item, extra), links)),
        links=links,
        note=extra,
        key=text_of(item.get("citationKey") or key)[:200],
        folders=tuple(dict.fromkeys(_folders_of(item, key, folders))),
    )


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next(filter(None, (text_of(item.get(name)) for name in names)), "")


def _people(creators: object, *, editors: bool) -> Iterator[Person]:
    for creator in creators[:MAX_PEOPLE] if isinstance(creators, list) else ():
        if not isinstance(creator, dict):
            continue
        role = text_of(creator.get("creatorType"))
        if (role in ("editor", "seriesEditor")) is not editors:
            continue
        family = text_of(creator.get("lastName") or creator.get("name"))
        given = text_of(creator.get("firstName"))
        if family or given:
            yield Person(family or given, given if family else "")


def _tags(tags: object) -> tuple[str, ...]:
    values = tags if isinstance(tags, list) else ()
    return unique(
        text_of(tag.get("tag")) if isinstance(tag, dict) else text_of(tag) for tag in values
    )


def _identifier_fields(item: Mapping[str, Any], extra: str) -> Iterator[tuple[str, str]]:
    """Yield identifiers, which Zotero keeps in `extra` where a kind has no field for them."""
    for name, scheme in _IDENTIFIERS.items():
        yield scheme, text_of(item.get(name))
    for line in extra.splitlines()[:200]:
        name, _, value = line.partition(":")
        if name.strip().upper() in _IDENTIFIERS:
            yield _IDENTIFIERS[name.strip().upper()], value
        elif name.strip().lower() == "arxiv":
            yield "arxiv", value
    if "arxiv" in text_of(item.get("repository")).lower():
        yield "arxiv", text_of(item.get("archiveID"))


def _folders_of(
    item: Mapping[str, Any], key: str, folders: Mapping[str, list[tuple[str, ...]]]
) -> Iterator[tuple[str, ...]]:
    named = item.get("collections")
    for collection in named if isinstance(named, list) else ():
        yield from folders.get(f"collection {text_of(collection)}", ())
    yield from folders.get(f"item {key}", ())
    yield from folders.get(f"item {text_of(item.get('itemID'))}", ())


def _folders_in(text: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the paths of each collection and of each item that a collection lists."""
    try:
        value = msgspec.json.decode(text.lstrip("\ufeff"))
    except (msgspec.DecodeError, RecursionError):
        return {}
    collections = value.get("collections") if isinstance(value, dict) else None
    if not isinstance(collections, dict):
        return {}
    folders: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for key, collection in collections.items():
        path = _path_of(key, collections)
        if isinstance(collection, dict) and path:
            folders[f"collection {key}"].append(path)
            listed = collection.get("items")
            for item in listed if isinstance(listed, list) else ():
                folders[f"item {text_of(item)}"].append(path)
    return folders


def _path_of(key: str, collections: Mapping[str, Any]) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(collection := collections.get(key), dict) and len(names) < MAX_DEPTH:
        names.append(text_of(collection.get("name")) or "Untitled")
        key = text_of(collection.get("parent"))
    return tuple(reversed(names))
