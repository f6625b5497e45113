"""JSON-LD of schema.org: the work that a page is about (https://schema.org/CreativeWork)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from motherlode.library.formats.fields import text_of
from motherlode.library.identifiers import doi_in
from motherlode.library.metadata.statements import object_of, whole_name
from motherlode.records.library import LibraryObject

MAX_SCRIPTS = 50
MAX_CHARS = 2_000_000  # of one script
MAX_NODES = 1_000
MAX_VALUES = 1_000
MAX_STEPS = 5  # from an article by its issue and volume to its journal
# In the order in which they are taken, if a page has nodes of several types.
KINDS = {
    "ScholarlyArticle": "article",
    "MedicalScholarlyArticle": "article",
    "Thesis": "thesis",
    "Chapter": "chapter",
    "Book": "book",
    "Report": "report",
    "Dataset": "dataset",
    "SoftwareSourceCode": "software",
    "NewsArticle": "article-newspaper",
    "BlogPosting": "post-weblog",
    "TechArticle": "webpage",
    "Article": "webpage",
    "WebPage": "webpage",
}
_RANKS = {name: rank for rank, name in enumerate(KINDS)}
_WRAPPING = re.compile(r"\A\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[)|(?:-->|(?://\s*)?\]\]>)\s*\Z")
_PARTS = frozenset({"PublicationIssue", "PublicationVolume"})
_JOURNALS = frozenset({"Periodical", "Journal", *_PARTS})
_NAMES = ("@value", "name", "alternateName")
_SCHEMES = ("doi", "isbn", "issn", "pmid", "pmcid", "arxiv")

Node = Mapping[str, Any]


def read_json_ld(scripts: Sequence[str], url: str = "") -> LibraryObject:
    """Return what the best node of a page states; broken scripts are passed over.

    A node that names `url` as its own comes before others of its type.
    """
    nodes = [node for script in scripts[:MAX_SCRIPTS] for node in _nodes_in(script)][:MAX_NODES]
    known = {text_of(node.get("@id")): node for node in nodes if node.get("@id")}
    works = [node for node in nodes if _type_of(node) in KINDS]
    if not works:
        return LibraryObject()
    best = min(works, key=lambda node: (_RANKS[_type_of(node)], not _names(node, url)))
    return _object_of(best, known)


def _nodes_in(script: str) -> Iterator[Node]:
    """Yield the nodes of a script: of its list, of its graph, and what pages are about."""
    try:
        value = json.loads(_WRAPPING.sub("", script[:MAX_CHARS]), strict=False)
    except (ValueError, RecursionError):
        return
    for node in _list(value):
        if not isinstance(node, dict):
            continue
        inner = [part for part in _list(node.get("@graph")) if isinstance(part, dict)]
        for outer in (node, *inner[:MAX_NODES]):
            yield outer
            yield from (part for part in _list(outer.get("mainEntity")) if isinstance(part, dict))


def _list(value: object) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    return [entry for entry in values[:MAX_VALUES] if entry is not None]


def _type_of(node: Node) -> str:
    """Return the best type of a node, without its namespace; empty if it has none of ours."""
    types = (text_of(name) for name in _list(node.get("@type")))
    names = [name.rpartition("/")[2].rpartition(":")[2] for name in types]
    ours = [name for name in names if name in KINDS]
    return min(ours, key=_RANKS.__getitem__) if ours else next(iter(names), "")


def _names(node: Node, url: str) -> bool:
    places = [node.get("url"), node.get("@id"), node.get("mainEntityOfPage")]
    named = (text_of(place.get("@id") if isinstance(place, dict) else place) for place in places)
    return bool(url) and any(name.partition("#")[0] == url for name in named)


def _object_of(node: Node, known: Mapping[str, Node]) -> LibraryObject:
    chain = list(_parents(node, known))
    last = chain[-1] if chain else {}
    kind = KINDS[_type_of(node)]
    if kind in ("article", "webpage") and any(_type_of(parent) in _JOURNALS for parent in chain):
        kind = "article-journal"
    return object_of(
        {
            "title": _texts(node, "headline", "name"),
            "authors": _people(node, known, "author", "creator"),
            "editors": _people(node, known, "editor"),
            "date": _texts(node, "datePublished", "dateCreated", "copyrightYear"),
            "abstract": _texts(node, "abstract", "description"),
            "keywords": _texts(node, "keywords"),
            "venue": _texts(last, "name", "headline", "alternateName"),
            "publisher": _linked_names(node, known, "publisher"),
            "volume": _along(chain, "volumeNumber"),
            "issue": _along(chain, "issueNumber"),
            "pages": _texts(node, "pagination"),
            "first_page": _texts(node, "pageStart"),
            "last_page": _texts(node, "pageEnd"),
            "language": _texts(node, "inLanguage"),
            **_identifiers(node, last),
        },
        kind,
    )


def _parents(node: Node, known: Mapping[str, Node]) -> Iterator[Node]:
    """Yield what a work is part of: issue, volume, journal."""
    here = node
    for _ in range(MAX_STEPS):
        parents = [_followed(part, known) for part in _list(here.get("isPartOf"))]
        here = next((p for p in parents if isinstance(p, dict) and _type_of(p) != "WebPage"), {})
        if not here:
            return
        yield here


def _followed(value: Any, known: Mapping[str, Node]) -> Any:
    """Return the node that a reference means, or the value itself."""
    if isinstance(value, dict) and set(value) <= {"@id", "@type"}:
        return known.get(text_of(value.get("@id")), value)
    return value


def _texts(node: Node, *names: str) -> list[str]:
    """Return texts of a node; of a value that is a node itself, its name."""
    return [text for name in names for value in _list(node.get(name)) if (text := _text(value))]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        inner = next(
            (value[key] for key in ("@value", "name", "alternateName") if key in value), ""
        )
        return text_of(next(iter(_list(inner)), ""))
    return text_of(value)


def _along(chain: Sequence[Node], name: str) -> list[str]:
    return [text for node in chain for text in _texts(node, name)]


def _linked_names(node: Node, known: Mapping[str, Node], name: str) -> list[str]:
    return list(filter(None, (_text(_followed(v, known)) for v in _list(node.get(name)))))


def _people(node: Node, known: Mapping[str, Node], *names: str) -> list[str]:
    """Return the names of people in the first property that has any."""
    for name in names:
        people = [_person(_followed(value, known)) for value in _list(node.get(name))]
        if any(people):
            return [person for person in people if person]
    return []


def _person(value: Any) -> str:
    if isinstance(value, dict) and _type_of(value).endswith("Organization"):
        return whole_name(_text(value))
    if isinstance(value, dict) and "familyName" in value:
        family, given = (_text(value.get(key)) for key in ("familyName", "givenName"))
        return f"{family}, {given}" if given and family else family
    return _text(value)


def _identifiers(node: Node, journal: Node) -> dict[str, list[str]]:
    """Return the identifiers of a node by scheme: of its own, or as values of properties."""
    texts: dict[str, list[str]] = {name: _texts(node, name) for name in _SCHEMES}
    texts["issn"] += _texts(journal, "issn")
    if KINDS.get(_type_of(node)) != "book":
        texts["isbn"] += _texts(journal, "isbn")
    for value in _list(node.get("identifier")):
        if isinstance(value, dict):
            name = text_of(value.get("propertyID")).rpartition("/")[2].lower()
            texts.get(name, []).append(text_of(value.get("value")))
        elif doi := doi_in(text_of(value)):
            texts["doi"].append(doi)
    texts["doi"] += [doi for link in _texts(node, "sameAs", "@id") if (doi := _doi_link(link))]
    return texts


def _doi_link(link: str) -> str:
    return doi_in(link) if "doi.org/" in link else ""
