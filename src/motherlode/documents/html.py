"""HTML, by turbohtml: words, links with their surroundings, forms, and what the page says of itself.

Each link is marked in the tree by a character that no page has, and then the tree is turned into text once:
where the marks come out is where the links stand. So their context costs no walk of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import turbohtml
from turbohtml import Document as Tree
from turbohtml import Element, PlainText, Text

from motherlode.documents.forms import attribute, forms_in
from motherlode.documents.words import tidy, tidy_lines
from motherlode.fetch.directives import Directives, parse_directives
from motherlode.records import Document, Link, LinkFlag
from motherlode.urls import Address, UrlError, UrlRules, address

_SILENT = ("script", "style", "noscript", "template", "select", "datalist", "svg", "math")
_HIDDEN = (
    '[hidden],[style*="display:none"],[style*="display: none"],[style*="visibility:hidden"],'
    '[style*="visibility: hidden"]'
)
_LINKING: list[Any] = ["a", "area", "frame", "iframe"]
_FRAMES = frozenset({"frame", "iframe"})
_MENUS = ("nav", "menu", "header", "footer", "sidebar")
_HEADINGS: list[Any] = ["h1", "h2", "h3"]
_PLAIN = PlainText(layout="strict", bullet="", table_cell_separator=" ")
_NAVIGATION_BOXES = ",".join(
    (
        *("nav", "header", "footer", "aside", "menu", "[role=navigation]"),
        *(f"[{name}*={word} i]" for name in ("class", "id") for word in _MENUS),
    )
)
_MARK = "\ufdd0"  # no character at all, says Unicode, and for private use like this
_FIRST = 0x4E00  # the character behind a mark is its number, counted from here

MAX_LINKS = 10_000
_MAX_ANCHOR = 200
_MAX_TITLE = 500
_MAX_NOTES = 200  # headings, pictures
_LEAST_MAIN = 140  # characters; less is no text to call the main one
_AROUND = 5  # words of context on either side
_LOOK = 120  # characters in which they are looked for

# Bare numbers: operations on flags proper cost a microsecond each.
_NOFOLLOW, _NAVIGATION = int(LinkFlag.NOFOLLOW), int(LinkFlag.NAVIGATION)
_FRAME, _CONTENT = int(LinkFlag.FRAME), int(LinkFlag.CONTENT)

Resolve = Callable[[str], Address | None]


def read_html(html: str, url: str, rules: UrlRules, agent: str = "") -> Document:
    """What a page says. `url` is where it came from; links are resolved against its base.

    `agent` is the crawler's name, by which the page may speak to it.
    """
    tree = turbohtml.parse(html.replace(_MARK, ""))
    metas = _metas(tree)
    said = _directives(metas, agent)
    resolve = _resolver(_base(tree, url), rules)
    refresh, canonical = _refresh(tree, url, resolve), _canonical(tree, resolve)
    forms, pictures = tuple(forms_in(tree, resolve)), tuple(_pictures(tree))
    title, headings = _title(tree, metas), tuple(_headings(tree))
    found = _found(tree, resolve, follow=said.follow)
    _silence(tree)
    body = tree.find("body") or tree
    content = body.main_content()  # before the marks, which would count as words
    _mark(tree, found)
    pieces = body.to_text(_PLAIN).split(_MARK)
    text = _unmarked(pieces)
    main = _unmarked(content.to_text(_PLAIN).split(_MARK)) if content is not None else ""
    inside = set(_linking(content)) if content is not None else set()
    return Document(
        title=title,
        language=_language(tree, metas),
        text=text,
        main=main if len(main) >= _LEAST_MAIN else text,
        description=tidy(metas.get("description") or metas.get("og:description") or "")[:_MAX_TITLE],
        headings=headings,
        images=pictures,
        links=(*_placed(found, pieces, inside), *_of_the_page(refresh, canonical)),
        forms=forms,
        canonical=canonical.url if canonical else "",
        refresh=refresh.url if refresh else "",
        noindex=not said.index,
    )


# What the page says of itself


def _metas(tree: Tree) -> dict[str, str]:
    """What <meta> elements say, by name; the first of each, but all of robots."""
    found: dict[str, str] = {}
    for meta in tree.find_all("meta"):
        name = (attribute(meta, "name") or attribute(meta, "property")).lower()
        content = attribute(meta, "content")
        if name == "robots" and name in found:
            found[name] += f",{content}"
        elif name and content:
            found.setdefault(name, content)
    return found


def _directives(metas: Mapping[str, str], agent: str) -> Directives:
    """What the page says to all crawlers, and to the one of this name."""
    said = parse_directives(metas.get("robots", ""))
    return said & parse_directives(metas.get(agent.lower(), "")) if agent else said


def _base(tree: Tree, url: str) -> str:
    told = tree.find("base")
    reference = attribute(told, "href") if told else ""
    if reference:
        try:
            return address(reference, url).url
        except UrlError:
            pass
    return url


def _resolver(base: str, rules: UrlRules) -> Resolve:
    """From a reference to an address; what a page, or all pages of a site, repeat is worked out once."""
    origin = base[: base.find("/", 8)]  # behind the slashes of the scheme
    known: dict[str, Address | None] = {}

    def resolve(reference: str) -> Address | None:
        if reference in known:
            return known[reference]
        rooted = reference.startswith(("http://", "https://", "/")) and not reference.startswith("//")
        found = _of_site(reference, origin, rules) if rooted else _address(reference, base, rules)
        known[reference] = found
        return found

    return resolve


def _address(reference: str, base: str, rules: UrlRules) -> Address | None:
    try:
        return address(reference, base, rules)
    except UrlError:
        return None


@lru_cache(maxsize=50_000)
def _of_site(reference: str, origin: str, rules: UrlRules) -> Address | None:
    """The same on every page of a site, as menus are."""
    return _address(reference, f"{origin}/", rules)


def _refresh(tree: Tree, url: str, resolve: Resolve) -> Address | None:
    told = tree.meta_refresh(url)
    target = resolve(told[1]) if told else None
    return target if target is not None and target.url != url else None


def _canonical(tree: Tree, resolve: Resolve) -> Address | None:
    for element in tree.find_all("link"):
        if "canonical" in attribute(element, "rel").lower().split():
            return resolve(attribute(element, "href").strip())
    return None


def _title(tree: Tree, metas: Mapping[str, str]) -> str:
    element = tree.find("title")
    title = tidy(element.text) if element else ""
    if not title:
        heading = tree.find("h1")
        title = tidy(metas.get("og:title") or (heading.text if heading else ""))
    return title[:_MAX_TITLE]


def _language(tree: Tree, metas: Mapping[str, str]) -> str:
    """The language that the page names, as two letters; empty if it names none."""
    root = tree.find("html")
    told = (attribute(root, "lang") if root else "") or metas.get("og:locale", "")
    found = re.match(r"\s*([a-zA-Z]{2})(?![a-zA-Z])", told)
    return found[1].lower() if found else ""


def _headings(tree: Tree) -> Iterator[str]:
    for heading in tree.find_all(_HEADINGS)[:_MAX_NOTES]:
        if words := tidy(heading.text):
            yield words[:_MAX_TITLE]


def _pictures(tree: Tree) -> Iterator[str]:
    for image in tree.find_all("img")[: _MAX_NOTES * 5]:
        if words := tidy(attribute(image, "alt")):
            yield words[:_MAX_ANCHOR]


# Text


def _silence(tree: Tree) -> None:
    """Take out what nobody reads."""
    for name in _SILENT:
        for element in tree.find_all(name):
            element.decompose()
    for element in tree.select(_HIDDEN):
        element.decompose()


def _unmarked(pieces: list[str]) -> str:
    """Text that was split at its marks, without them and their numbers."""
    return tidy_lines("".join([pieces[0], *(piece[1:] for piece in pieces[1:])]))


# Links


class _Found(NamedTuple):
    """A link before it is known where in the text it stands."""

    element: Element
    link: Address
    anchor: str
    flags: int
    title: str
    path: str


def _found(tree: Tree, resolve: Resolve, *, follow: bool) -> list[_Found]:
    """The links of a page, in order."""
    found = []
    navigating = {link for box in tree.select(_NAVIGATION_BOXES) for link in box.find_all("a")}
    for element in _linking(tree)[:MAX_LINKS]:
        attributes = element.attrs
        frame = element.tag in _FRAMES
        reference = attributes.get("src" if frame else "href")
        if not isinstance(reference, str) or not reference or reference[0] == "#":
            continue
        target = resolve(reference)
        if target is None:
            continue
        flags = _NAVIGATION if element in navigating else 0
        if frame:
            flags |= _FRAME
        if not follow or _closed(attributes.get("rel")):
            flags |= _NOFOLLOW
        title = attributes.get("title")
        shown = tidy(str(title))[:_MAX_ANCHOR] if title else ""
        found.append(_Found(element, target, _anchor(element), flags, shown, element.xpath_path()))
    return found


def _linking(node: Any) -> list[Any]:
    """Everything that links, in document order. One kind of element alone is found a hundred times faster."""
    if any(node.find(name) is not None for name in ("area", "frame", "iframe")):
        return list(node.find_all(_LINKING))
    return list(node.find_all("a"))


def _closed(rel: object) -> bool:
    """Whether a link asks not to be followed."""
    told = rel if isinstance(rel, list) else str(rel or "").split()
    return bool(told) and "nofollow" in [str(word).lower() for word in told]


def _anchor(element: Element) -> str:
    """What a link says; a picture says what it shows."""
    words = " ".join(element.text.split())
    if not words and (image := element.find("img")) is not None:
        words = tidy(attribute(image, "alt"))
    return words[:_MAX_ANCHOR]


def _mark(tree: Tree, found: list[_Found]) -> None:
    """Put a mark with its number before each link that is still in the tree; what surrounds one in a menu
    says nothing."""
    left = set(_linking(tree))
    for number, one in enumerate(found):
        if one.element in left and not one.flags & _NAVIGATION:
            one.element.insert_before(Text(_MARK + chr(_FIRST + number)))


def _placed(found: list[_Found], pieces: list[str], inside: set[Any]) -> Iterator[Link]:
    """The links with the words around them, and whether they stand in the main text."""
    places = {ord(piece[0]) - _FIRST: place for place, piece in enumerate(pieces) if place}
    for number, (element, link, anchor, flags, title, path) in enumerate(found):
        place = places.get(number)
        context = "" if place is None else _context(pieces, place, anchor)
        told = flags | _CONTENT if element in inside else flags
        yield Link(link.url, link.key, anchor, told, title, context, path)


def _context(pieces: list[str], place: int, anchor: str) -> str:
    """The last words before a link, and the first behind its own, from the pieces between the marks."""
    before = pieces[place - 1][1 if place > 1 else 0 :][-_LOOK:]
    if place > 1 and len(before) < _LOOK:
        before = pieces[place - 2][1 if place > 2 else 0 :][-_LOOK:] + before  # noqa: PLR2004 - the first has no number
    after = tidy(pieces[place][1 : _LOOK + 2 * len(anchor)]).removeprefix(anchor)
    if len(after) < _LOOK and place + 1 < len(pieces):
        after += f" {pieces[place + 1][1:_LOOK]}"
    return " ".join([*before.split()[-_AROUND:], *after.split()[:_AROUND]])


def _of_the_page(refresh: Address | None, canonical: Address | None) -> Iterator[Link]:
    """Links that stand nowhere in the text."""
    for target, flag in ((refresh, LinkFlag.REFRESH), (canonical, LinkFlag.CANONICAL)):
        if target is not None:
            yield Link(target.url, target.key, flags=int(flag))
