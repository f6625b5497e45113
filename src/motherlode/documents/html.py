"""HTML: title, text and links in document order, by turbohtml."""

from typing import Any

import turbohtml
from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.records import Document, Link, LinkFlag
from motherlode.urls import UrlError, UrlRules, address

_SILENT: list[Any] = ["script", "style", "noscript", "template"]
_LINKING: list[Any] = ["a", "area", "frame", "iframe"]
_FRAMES = frozenset({"frame", "iframe"})
_MAX_ANCHOR = 200


def read_html(html: str, url: str, rules: UrlRules) -> Document:
    """What a page says. `url` is where it came from; links are resolved against its base."""
    tree = turbohtml.parse(html)
    links = tuple(_links(tree, _base(tree, url), rules))
    title = tree.find("title")
    for element in tree.find_all(_SILENT):
        element.decompose()
    body = tree.find("body")
    text = " ".join((body or tree).to_text().split())
    return Document(title=" ".join(title.text.split()) if title else "", text=text, links=links)


def _base(tree: Tree, url: str) -> str:
    told = tree.find("base")
    reference = told.attrs.get("href") if told else None
    if isinstance(reference, str):
        try:
            return address(reference, url).url
        except UrlError:
            pass
    return url


def _links(tree: Tree, base: str, rules: UrlRules) -> list[Link]:
    links = []
    for element in tree.find_all(_LINKING):
        frame = element.tag in _FRAMES
        reference = element.attrs.get("src" if frame else "href")
        if not isinstance(reference, str) or reference.startswith("#"):
            continue
        try:
            found = address(reference, base, rules)
        except UrlError:
            continue
        anchor = " ".join(element.text.split())[:_MAX_ANCHOR]
        links.append(Link(found.url, found.key, anchor, _flags(element, frame=frame)))
    return links


def _flags(element: Element, *, frame: bool) -> int:
    rel = element.attrs.get("rel")
    tokens = rel if isinstance(rel, list) else str(rel or "").lower().split()
    flags = int(LinkFlag.NOFOLLOW) if "nofollow" in tokens else 0
    return flags | int(LinkFlag.FRAME) if frame else flags
