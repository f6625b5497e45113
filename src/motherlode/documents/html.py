"""HTML, by turbohtml: words, links with their surroundings, forms, and what the page says of itself.

Each link is marked in the tree, before and behind, by a character that no page has, and then the tree is
turned into text once: where the marks come out is where the links stand. So what they say, and what is said
around them, costs no walk of its own.
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

_CODE = ("script", "style", "template")  # no words and no links
_SILENT = (*_CODE, "noscript", "select", "datalist", "svg", "math", "video", "audio", "canvas")
_MAYBE_HIDDEN = "[hidden],[style*=none i],[style*=hidden i]"
_HIDING = re.compile(r"(?<![-\w])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WHOLE = frozenset({"html", "body"})
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
_SPELLED_MARK = re.compile(r"&#(?:[xX]0*[fF][dD]{2}0(?![0-9a-fA-F])|0*64976(?!\d));?")
_FIRST = 0x4E00  # the character behind a mark is its number, counted from here

_BLANKS = re.compile("  +")
_BEGINNING, _END = -2, -1  # numbers of the marks around the main text
_BOXES = frozenset({"div", "article", "section", "main", "body", "td", "center", "blockquote", "form"})

MAX_LINKS = 10_000
_MAX_ANCHOR = 200
_MOST_ANCHOR = 2_000  # characters that are looked at: a link that is never ended says the rest of the page
_MAX_TITLE = 500
_MAX_NOTES = 200  # headings, pictures
_MAX_PATH = 500
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
    tree = turbohtml.parse(_without_marks(html))
    _remove(tree, _CODE)
    metas = _metas(tree)
    said = _directives(metas, agent)
    base = _base(tree, url)
    resolve = _resolver(base, rules)
    refresh, canonical = _refresh(tree, url, base, resolve), _canonical(tree, resolve)
    forms = tuple(forms_in(tree, resolve))
    found = _found(tree, resolve, follow=said.follow)  # hidden ones, too
    _silence(tree)
    title, headings, pictures = _title(tree, metas), tuple(_headings(tree)), tuple(_pictures(tree))
    body = tree.find("body") or tree
    content = body.main_content()  # before the marks, which would count as words
    _mark(tree, found)
    _mark_main(content)
    plain, places = _placed(body.to_text(_PLAIN))
    text, main = _texts(plain, places, content)
    inside = set(_linking(content)) if content is not None else set()
    return Document(
        title=title,
        language=_language(tree, metas),
        text=text,
        main=main if len(main) >= _LEAST_MAIN else text,
        description=tidy(metas.get("description") or metas.get("og:description") or "")[:_MAX_TITLE],
        headings=headings,
        images=pictures,
        links=(*_links(found, plain, places, inside), *_of_the_page(refresh, canonical)),
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


def _refresh(tree: Tree, url: str, base: str, resolve: Resolve) -> Address | None:
    told = tree.meta_refresh(base)
    target = resolve(told[1]) if told else None
    return target if target is not None and target.url != url else None


def _canonical(tree: Tree, resolve: Resolve) -> Address | None:
    for element in tree.find_all("link"):
        reference = attribute(element, "href").strip()
        if reference and "canonical" in attribute(element, "rel").lower().split():
            return resolve(reference)
    return None


def _title(tree: Tree, metas: Mapping[str, str]) -> str:
    element = tree.find("title")
    title = tidy(element.text) if element else ""
    if not title:
        heading = tree.find("h1")
        title = tidy(metas.get("og:title") or (heading.to_text(_PLAIN) if heading else ""))
    return title[:_MAX_TITLE]


def _language(tree: Tree, metas: Mapping[str, str]) -> str:
    """The language that the page names, as two letters; empty if it names none."""
    root = tree.find("html")
    own = (attribute(root, "lang") or attribute(root, "xml:lang")) if root else ""
    told = own or metas.get("og:locale", "")
    found = re.match(r"\s*([a-zA-Z]{2})(?![a-zA-Z])", told)
    return found[1].lower() if found else ""


def _headings(tree: Tree) -> Iterator[str]:
    for heading in tree.find_all(_HEADINGS)[:_MAX_NOTES]:
        if words := tidy(heading.to_text(_PLAIN)):
            yield words[:_MAX_TITLE]


def _pictures(tree: Tree) -> Iterator[str]:
    for image in tree.find_all("img")[: _MAX_NOTES * 5]:
        if words := tidy(attribute(image, "alt")):
            yield words[:_MAX_ANCHOR]


# Text


def _silence(tree: Tree) -> None:
    """Take out what nobody reads. A page that is hidden as a whole is one that a script will show."""
    _remove(tree, _SILENT)
    for element in tree.select(_MAYBE_HIDDEN):
        if _is_hidden(element) and element.tag not in _WHOLE:
            element.decompose()
    for element in tree.find_all("iframe"):
        element.clear()  # it says something only to those who cannot see frames


def _remove(tree: Tree, names: tuple[str, ...]) -> None:
    for name in names:
        for element in tree.find_all(name):
            element.decompose()


def _is_hidden(element: Element) -> bool:
    attributes = element.attrs
    return "hidden" in attributes or _HIDING.search(str(attributes.get("style"))) is not None


def _mark_main(content: Any) -> None:
    """Put marks at the beginning and the end of the main text, so that it need not be made twice."""
    if content is not None and content.tag in _BOXES:
        content.insert(0, Text(_MARK + chr(_FIRST + _BEGINNING)))
        content.append(Text(_MARK + chr(_FIRST + _END)))


def _texts(plain: str, places: dict[int, int], content: Any) -> tuple[str, str]:
    """The text, and the main text in it."""
    if content is None:
        return _tidied(plain), ""
    start, end = places.get(_BEGINNING), places.get(_END)
    if start is None or end is None:
        return _tidied(plain), _tidied(_placed(content.to_text(_PLAIN))[0])
    before, main, after = (_tidied(part) for part in (plain[:start], plain[start:end], plain[end:]))
    return "\n".join(filter(None, (before, main, after))), main


def _tidied(plain: str) -> str:
    """Blocks, one a line; where a mark stood between blanks, there are two of them."""
    return tidy_lines(_BLANKS.sub(" ", plain))


# Links


class _Found(NamedTuple):
    """A link before it is known where in the text it stands."""

    element: Element
    link: Address
    flags: int
    title: str
    path: str


def _found(tree: Tree, resolve: Resolve, *, follow: bool) -> list[_Found]:
    """The links of a page, in order."""
    found = []
    navigating = _navigating(tree)
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
        found.append(_Found(element, target, flags, shown, element.xpath_path()[-_MAX_PATH:]))
    return found


def _navigating(tree: Tree) -> set[Any]:
    """The links in menus and the like. Many a page says in its outermost element that it has a sidebar."""
    links: set[Any] = set()
    for box in tree.select(_NAVIGATION_BOXES):
        first = box.find("a") if box.tag not in _WHOLE else None
        if first is not None and first not in links:  # else the box is in another, and all is told
            links.update(box.find_all("a"))
    return links


def _linking(node: Any) -> list[Any]:
    """Everything that links, in document order. One kind of element alone is found a hundred times faster."""
    if any(node.find(name) is not None for name in ("area", "frame", "iframe")):
        return list(node.find_all(_LINKING))
    return list(node.find_all("a"))


def _closed(rel: object) -> bool:
    """Whether a link asks not to be followed."""
    told = rel if isinstance(rel, list) else str(rel or "").split()
    return bool(told) and "nofollow" in [str(word).lower() for word in told]


def _without_marks(html: str) -> str:
    """A page that has marks of its own, as they are or as entities, without them.

    Something is put in their place: else what is left and right of one might be another.
    """
    return _SPELLED_MARK.sub("\ufffd", html.replace(_MARK, "\ufffd"))


def _mark(tree: Tree, found: list[_Found]) -> None:
    """Put a mark with its number before and behind each link that is still in the tree; what surrounds one
    in a menu says nothing."""
    left = set(_linking(tree))
    for number, one in enumerate(found):
        if one.element in left and not one.flags & _NAVIGATION:
            one.element.insert_before(Text(_MARK + chr(_FIRST + 2 * number)))
            one.element.insert_after(Text(_MARK + chr(_FIRST + 2 * number + 1)))


def _placed(marked: str) -> tuple[str, dict[int, int]]:
    """Text without its marks, and where in it each of them stood, by its number."""
    first, *rest = marked.split(_MARK)
    pieces, places, place = [first], dict[int, int](), len(first)
    for piece in rest:
        places[ord(piece[0]) - _FIRST] = place
        pieces.append(piece[1:])
        place += len(piece) - 1
    return "".join(pieces), places


def _links(found: list[_Found], plain: str, places: dict[int, int], inside: set[Any]) -> Iterator[Link]:
    """The links with what they say, the words around them, and whether they stand in the main text."""
    for number, (element, link, flags, title, path) in enumerate(found):
        start, end = places.get(2 * number), places.get(2 * number + 1)
        told = flags | _CONTENT if element in inside else flags
        if start is None or end is None:  # it is hidden, or in a menu
            said, context = element.text, ""
        else:
            said, context = plain[start:end], _context(plain, start, end)
        yield Link(link.url, link.key, _anchor(element, said), told, title, context, path)


def _anchor(element: Element, said: str) -> str:
    """What a link says; a picture says what it shows."""
    words = tidy(said[:_MOST_ANCHOR])
    if not words and (image := element.find("img")) is not None:
        words = tidy(attribute(image, "alt"))
    return words[:_MAX_ANCHOR].rstrip()


def _context(plain: str, start: int, end: int) -> str:
    """The last words before a link, and the first behind it."""
    before = plain[max(start - _LOOK, 0) : start].split()[-_AROUND:]
    return " ".join([*before, *plain[end : end + _LOOK].split()[:_AROUND]])


def _of_the_page(refresh: Address | None, canonical: Address | None) -> Iterator[Link]:
    """Links that stand nowhere in the text."""
    for target, flag in ((refresh, LinkFlag.REFRESH), (canonical, LinkFlag.CANONICAL)):
        if target is not None:
            yield Link(target.url, target.key, flags=int(flag))
