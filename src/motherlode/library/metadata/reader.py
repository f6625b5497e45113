"""The metadata of a page or PDF as one library object: all its vocabularies, in their order.

The order of `read_page` is the precedence: the first vocabulary that states a field has it. Those
made for citing come before those made for previews. Identifiers of different schemes add up.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import turbohtml
from msgspec.structs import replace
from turbohtml import Document as Tree

from motherlode.documents.analysis import kind_of
from motherlode.documents.elements import attribute
from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Raw
from motherlode.documents.text.whitespace import tidy
from motherlode.library.identifiers import identifiers_of
from motherlode.library.metadata.coins import read_coins
from motherlode.library.metadata.json_ld import MAX_SCRIPTS, read_json_ld
from motherlode.library.metadata.meta_tags import (
    read_dublin_core,
    read_highwire,
    read_html_tags,
    read_open_graph,
    read_prism,
    tags_of,
)
from motherlode.library.metadata.pdf import read_pdf_information, read_xmp
from motherlode.library.metadata.statements import MAX_CHARS, UNKNOWN_KIND
from motherlode.records.library import Identifier, LibraryObject
from motherlode.urls import UrlError, address

MAX_LINKS = 10
_PAGE_KIND = "webpage"
_PDF = "application/pdf"
_HTML = frozenset({"text/html", "application/xhtml+xml"})


def read_metadata(raw: Raw) -> LibraryObject:
    """Return what a document states about itself; a page that states nothing is a `webpage`.

    Its title is never empty: the last part of the address stands in.
    """
    kind = kind_of(raw)
    if kind in _HTML:
        entry = read_page(decode(raw.body, raw.content_type), raw.url)
    elif kind == _PDF:
        entry = _combined([read_xmp(raw.body), read_pdf_information(raw.body)])
    else:
        entry = LibraryObject()
    links = tuple(dict.fromkeys((raw.url, *entry.links)))
    identifiers = identifiers_of(_fields_of(entry.identifiers), links)
    return replace(
        entry,
        kind=_PAGE_KIND if entry.kind == UNKNOWN_KIND and kind != _PDF else entry.kind,
        title=entry.title or title_of_url(raw.url),
        links=links,
        identifiers=tuple(identifiers),
    )


def _fields_of(identifiers: Iterable[Identifier]) -> Iterator[tuple[str, str]]:
    return ((identifier.scheme, identifier.value) for identifier in identifiers)


def title_of_url(url: str) -> str:
    """Return what an address calls a page, for one that has no title.

    >>> title_of_url("http://a.test/papers/barn%20owls.pdf?x=1"), title_of_url("http://a.test/")
    ('barn owls.pdf', 'a.test')
    """
    parts = urlsplit(url)
    return tidy(unquote(parts.path.rstrip("/").rpartition("/")[2]))[:MAX_CHARS] or parts.netloc


def read_page(html: str, url: str) -> LibraryObject:
    """Return what an HTML page states about itself, with its links to PDFs."""
    tree = turbohtml.parse(html, positions=False)
    tags = tags_of(_meta_pairs(tree))
    title = next(filter(None, (tidy(_text(tree, name)) for name in ("title", "h1"))), "")
    scripts = [
        element.text
        for element in tree.find_all("script")
        if attribute(element, "type").partition(";")[0].strip().lower() == "application/ld+json"
    ]
    spans = tree.select("span.Z3988")
    statements = [
        read_highwire(tags),
        read_prism(tags),
        read_coins([attribute(span, "title") for span in spans]),
        read_json_ld(scripts[:MAX_SCRIPTS], url),
        read_dublin_core(tags),
        read_open_graph(tags),
        read_html_tags({**tags, "title": [title]}),
    ]
    entry = _combined(statements)
    pdfs = [*tags.get("citation_pdf_url", ()), *_alternates(tree)]
    root = tree.find("html")
    language = entry.language or (attribute(root, "lang")[:35].strip() if root else "")
    return replace(entry, links=tuple(_resolved(pdfs, url)), language=language)


def _meta_pairs(tree: Tree) -> Iterator[tuple[str, str]]:
    for meta in tree.find_all("meta"):
        for name in ("name", "property"):
            if told := meta.attr(name):
                yield told, attribute(meta, "content")


def _text(tree: Tree, name: str) -> str:
    element = tree.find(name)
    return element.text[: 2 * MAX_CHARS] if element else ""


def _alternates(tree: Tree) -> list[str]:
    links = tree.select("link[rel~=alternate i]")
    return [
        attribute(link, "href") for link in links if attribute(link, "type").strip().lower() == _PDF
    ]


def _resolved(references: Sequence[str], base: str) -> Iterator[str]:
    """Yield the addresses of references; those that are none are left out."""
    for reference in list(dict.fromkeys(references))[:MAX_LINKS]:
        try:
            yield address(reference.strip(), base).url
        except UrlError:
            continue


def _combined(statements: Sequence[LibraryObject]) -> LibraryObject:
    """Return one object with each field from the first that states it."""
    values: dict[str, Any] = {}
    for name in LibraryObject.__struct_fields__:
        stated = (getattr(entry, name) for entry in statements)
        default = getattr(LibraryObject(), name)
        values[name] = next((value for value in stated if value != default), default)
    fields = [pair for entry in statements for pair in _fields_of(entry.identifiers)]
    first: dict[str, Identifier] = {}
    for identifier in identifiers_of(fields, ()):
        first.setdefault(identifier.scheme, identifier)
    return LibraryObject(**values | {"identifiers": tuple(first.values())})
