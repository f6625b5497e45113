"""HTML: title, text and links in document order, by turbohtml."""

from typing import Any

import turbohtml
from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.fetch.directives import Directives, parse_directives
from motherlode.records import Document, Link, LinkFlag
from motherlode.urls import UrlError, UrlRules, address

_SILENT: list[Any] = ["script", "style", "noscript", "template"]
_LINKING: list[Any] = ["a", "area", "frame", "iframe"]
_FRAMES = frozenset({"frame", "iframe"})
_MAX_ANCHOR = 200


def read_html(html: str, url: str, rules: UrlRules, agent: str = "") -> Document:
    """What a page says. `url` is where it came from; links are resolved against its base.

    `agent` is the crawler's name, by which the page may speak to it.
    """
    tree = turbohtml.parse(html)
    said = _directives(tree, agent)
    links = tuple(_links(tree, _base(tree, url), rules, follow=said.follow))
    title = tree.find("title")
    for element in tree.find_all(_SILENT):
        element.decompose()
    body = tree.find("body")
    text = " ".join((body or tree).to_text().split())
    return Document(
        title=" ".join(title.text.split()) if title else "", text=text, links=links, noindex=not said.index
    )


def _directives(tree: Tree, agent: str) -> Directives:
    """What <meta name=robots> says, to everybody or to the crawler of this name."""
    said, names = Directives(), {"robots", agent.lower() or "robots"}
    for meta in tree.find_all("meta"):
        name, content = meta.attrs.get("name"), meta.attrs.get("content")
        if isinstance(name, str) and isinstance(content, str) and name.strip().lower() in names:
            said &= parse_directives(content)
    return said


def _base(tree: Tree, url: str) -> str:
    told = tree.find("base")
    reference = told.attrs.get("href") if told else None
    if isinstance(reference, str):
        try:
            return address(reference, url).url
        except UrlError:
            pass
    return url


def _links(tree: Tree, base: str, rules: UrlRules, *, follow: bool) -> list[Link]:
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
        links.append(Link(found.url, found.key, anchor, _flags(element, frame=frame, follow=follow)))
    return links


def _flags(element: Element, *, frame: bool, follow: bool) -> int:
    rel = element.attrs.get("rel")
    tokens = " ".join(rel) if isinstance(rel, list) else str(rel or "")
    flags = int(LinkFlag.NOFOLLOW) if not follow or "nofollow" in tokens.lower().split() else 0
    return flags | int(LinkFlag.FRAME) if frame else flags
