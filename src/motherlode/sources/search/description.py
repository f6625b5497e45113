"""OpenSearch 1.1 description documents: where a site's searches go, and how they are written.

The specification: https://github.com/dewitt/opensearch/blob/master/opensearch-1-1-draft-6.md
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import quote

from msgspec import Struct

from motherlode.documents.formats.markup import StopReading, local, walk_any

ROOTS = frozenset({"opensearchdescription", "searchplugin"})  # the latter is Mozilla's
FEED_TYPES = ("application/atom+xml", "application/rss+xml", "application/rdf+xml")
XML_TYPES = ("application/xml", "text/xml")
HTML_TYPES = ("text/html", "application/xhtml+xml")
# Feeds before pages: their entries are the hits, without guessing.
TYPES = (*FEED_TYPES, *XML_TYPES, *HTML_TYPES)
# What is said where a parameter is required, and there is no value; an optional one stays empty.
REQUIRED_DEFAULTS = {"language": "*"}
MAX_URLS = 100
MAX_PARAMETERS = 50
_PARAMETER = re.compile(r"\{([^{}?]+)(\?)?\}")
# A pair of a query whose whole value is an optional parameter.
_OPTIONAL_PAIR = re.compile(r"(^|&)[^&={}]*=\{([^{}?]+)\?\}(?=&|$)")
_TEXTS = frozenset({"shortname", "inputencoding"})


class SearchTemplate(Struct, frozen=True):
    """One way to ask: a URL with parameters in braces, and the type of its results."""

    template: str
    type: str
    method: str = "get"
    index_offset: int = 1
    page_offset: int = 1

    @property
    def parameters(self) -> frozenset[str]:
        """The names of its parameters without their prefixes, such as `searchTerms`."""
        return frozenset(_name(found[1]) for found in _PARAMETER.finditer(self.template))

    def missing(self, values: Mapping[str, str]) -> list[str]:
        """Return the required parameters for which there is no value."""
        known = values.keys() | REQUIRED_DEFAULTS.keys()
        found = _PARAMETER.finditer(self.template)
        return [one[1] for one in found if not one[2] and _name(one[1]) not in known]

    def url(self, values: Mapping[str, str], encoding: str = "utf-8") -> str:
        """Return the URL with its parameters filled in.

        Optional ones without a value are left out: Kiwix, for one, refuses empty ones.

        >>> SearchTemplate("/s?n={count?}&q={searchTerms}", "").url({"searchTerms": "a b"})
        '/s?q=a%20b'
        """

        def value(found: re.Match[str]) -> str:
            name, is_optional = _name(found[1]), bool(found[2])
            text = values.get(name) or ("" if is_optional else REQUIRED_DEFAULTS.get(name, ""))
            return quote(text.encode(encoding, "replace"), safe="")

        def pair(found: re.Match[str]) -> str:
            return found[0] if values.get(_name(found[2])) else found[1]

        path, mark, query = self.template.partition("?")
        pairs = filter(None, _OPTIONAL_PAIR.sub(pair, query).split("&")) if mark else ()
        query = "&".join(pairs)
        return _PARAMETER.sub(value, f"{path}?{query}" if query else path)


class OpenSearchDescription(Struct, frozen=True):
    """What a description document says: the site's name and its templates, the best first."""

    name: str
    templates: tuple[SearchTemplate, ...]
    encodings: tuple[str, ...] = ()

    @property
    def encoding(self) -> str:
        """The encoding of queries: UTF-8, unless the site knows only others."""
        known = [name for name in map(_codec, self.encodings) if name]
        return "utf-8" if not known or "utf-8" in known else known[0]

    def best(self, values: Mapping[str, str]) -> SearchTemplate | None:
        """Return the best template that can be filled with these values."""
        usable = (
            template
            for template in self.templates
            if template.method == "get" and not template.missing(values)
        )
        return next(usable, None)


def read_description(body: bytes, content_type: str = "") -> OpenSearchDescription | None:
    """Return what a description document says; None if the body is none."""
    reader = _DescriptionReader()
    walk_any(body, reader, content_type)
    if not reader.is_description:
        return None
    templates = sorted(reader.templates(), key=lambda template: TYPES.index(template.type))
    encodings = tuple(reader.texts.get("inputencoding", []))
    names = reader.texts.get("shortname", [""])
    return OpenSearchDescription(names[0], tuple(templates), encodings)


class _UrlElement(Struct):
    """A `Url` element, with the parameters that stand in elements of their own (Mozilla)."""

    attributes: dict[str, str]
    parameters: list[tuple[str, str]]


class _DescriptionReader:
    """Collects the `Url` elements of a description document."""

    def __init__(self) -> None:
        self.is_description = False
        self.texts: dict[str, list[str]] = {}
        self._urls: list[_UrlElement] = []
        self._has_begun = False
        self._text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name).lower()
        if not self._has_begun:
            self._has_begun, self.is_description = True, name in ROOTS
            if not self.is_description:
                raise StopReading
        self._text.clear()
        if name == "url" and len(self._urls) < MAX_URLS:
            lowered = {local(key).lower(): value for key, value in attributes.items()}
            self._urls.append(_UrlElement(lowered, []))
        elif name in ("param", "parameter") and self._urls:
            parameters = self._urls[-1].parameters
            if len(parameters) < MAX_PARAMETERS:
                parameters.append((attributes.get("name", ""), attributes.get("value", "")))

    def end(self, name: str) -> None:
        name = local(name).lower()
        if name in _TEXTS:
            self.texts.setdefault(name, []).append("".join(self._text).strip())
        self._text.clear()

    def text(self, data: str) -> None:
        self._text.append(data)

    def templates(self) -> Iterator[SearchTemplate]:
        """Yield the templates whose results are pages, not suggestions or the site's own parts."""
        for url in self._urls:
            attributes = url.attributes
            kind = attributes.get("type", "").partition(";")[0].strip().lower()
            relations = attributes.get("rel", "results").lower().split()
            if kind not in TYPES or "results" not in relations or not attributes.get("template"):
                continue
            yield SearchTemplate(
                _with_parameters(attributes["template"].strip(), url.parameters),
                kind,
                attributes.get("method", "get").strip().lower(),
                _number(attributes.get("indexoffset", "")),
                _number(attributes.get("pageoffset", "")),
            )


def _with_parameters(template: str, parameters: list[tuple[str, str]]) -> str:
    for name, value in parameters:
        template += f"{'&' if '?' in template else '?'}{quote(name)}={value}"
    return template


def _name(parameter: str) -> str:
    """Return the name of a parameter without its prefix.

    >>> _name("os:searchTerms")
    'searchTerms'
    """
    return parameter.strip().rpartition(":")[2]


def _number(text: str) -> int:
    with suppress(ValueError):
        return int(text) if len(text) < 6 else 1  # noqa: PLR2004 - five digits are plenty
    return 1


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):  # an encoding of that name is not known here
        return ""
