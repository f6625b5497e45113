"""From a response to a document, by its type."""

import re

from msgspec.structs import replace

from motherlode.documents.encoding import decode
from motherlode.documents.html import read_html
from motherlode.documents.terms import bag_of
from motherlode.records import Document
from motherlode.urls import UrlRules

TERMS = "terms"  # the feature space of single terms
_HTML = frozenset({"text/html", "application/xhtml+xml", ""})
_LOOKS_LIKE_HTML = re.compile(rb"\s*<(!doctype\s+html|html|head|body|title|frameset)", re.IGNORECASE)


def analyse(
    url: str, content_type: str, body: bytes, rules: UrlRules | None = None, agent: str = ""
) -> Document:
    """What the page says, with its terms."""
    document = read(url, content_type, body, rules, agent)
    return replace(document, vectors={TERMS: bag_of(f"{document.title}\n{document.text}").pack()})


def read(
    url: str, content_type: str, body: bytes, rules: UrlRules | None = None, agent: str = ""
) -> Document:
    """What the page says; nothing, if it is of a type that is not read."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _HTML or _LOOKS_LIKE_HTML.match(body):
        return read_html(decode(body, content_type), url, rules or UrlRules(), agent)
    if kind == "text/plain":
        return Document(text=" ".join(decode(body, content_type).split()))
    return Document()
