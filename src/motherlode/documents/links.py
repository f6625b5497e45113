"""The links of a page: what they say, what is said around them, where in it they stand."""

from collections.abc import Iterator, Sequence
from typing import Any

from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.forms import attribute
from motherlode.documents.marks import Places, mark, unmarked
from motherlode.documents.references import Resolve
from motherlode.documents.words import tidy
from motherlode.records import Link, LinkFlag
from motherlode.urls import Address

MAX_LINKS = 10_000
WHOLE = frozenset({"html", "body"})
_BOXES = ("nav", "header", "footer", "aside", "menu")
_MENUS = ("nav", "menu", "header", "footer", "sidebar")
# Most elements have neither class nor name; so that is asked first.
_NAMED = [f"[{name}]:is({','.join(f'[{name}*={word} i]' for word in _MENUS)})" for name in ("class", "id")]
_BY_ATTRIBUTES = ("[role=navigation]", *_NAMED)
_FRAMES = ("frame", "iframe")

_MAX_ANCHOR = 200
_MOST_ANCHOR = 2_000  # characters that are looked at: a link that is never ended says the rest of the page
_MAX_PATH = 500
_AROUND = 5  # words of context on either side
_LOOK, _LOOK_FAR = 120, 600  # characters in which they are looked for, and if there are too few

# Bare numbers: operations on flags proper cost a microsecond each.
_NOFOLLOW, _NAVIGATION = int(LinkFlag.NOFOLLOW), int(LinkFlag.NAVIGATION)
_FRAME, _CONTENT = int(LinkFlag.FRAME), int(LinkFlag.CONTENT)


# A link before it is known where in the text it stands: its element, target, flags, title and path. A bare
# tuple, because a hundred a page are made.
Found = tuple[Element, Address, int, str, str]


def linking(tree: Tree) -> tuple[str, ...]:
    """The kinds of elements that link."""
    return ("a", *(kind for kind in ("area", *_FRAMES) if tree.find(kind) is not None))


def find_links(tree: Tree, kinds: Sequence[str], resolve: Resolve, *, follow: bool) -> list[Found]:
    """The links of a page, in order."""
    found: list[Found] = []
    navigating = _navigating(tree)
    closed = {element for kind in kinds for element in tree.select(f"{kind}[rel~=nofollow i]")}
    frames = {element for kind in _FRAMES for element in tree.find_all(kind)}
    for element in tree.select(",".join(kinds))[:MAX_LINKS]:
        frame = frames and element in frames  # an empty set is told sooner than what is in it
        reference = element.attr("src" if frame else "href")
        if not reference or reference[0] == "#" or (target := resolve(reference)) is None:
            continue
        flags = _NAVIGATION if element in navigating else 0
        if frame:
            flags |= _FRAME
        if not follow or (closed and element in closed):
            flags |= _NOFOLLOW
        title = element.attr("title")
        shown = _anchor(title) if title else ""
        found.append((element, target, flags, shown, element.xpath_path()[-_MAX_PATH:]))
    return found


def _navigating(tree: Tree) -> set[Any]:
    """The links in menus and the like. Many a page says in its outermost element that it has a sidebar."""
    links: set[Any] = set()
    kinds = [kind for kind in _BOXES if tree.find(kind) is not None]  # known at once; to select takes a walk
    for box in tree.select(",".join([*kinds, *_BY_ATTRIBUTES])):
        first = box.find("a")
        # Else the box is in another, and all is told.
        if first is not None and first not in links and box.tag not in WHOLE:
            links.update(box.find_all("a"))
    return links


def mark_links(found: list[Found]) -> None:
    """Mark each link; but what surrounds one in a menu says nothing."""
    for number, (element, _, flags, _, _) in enumerate(found):
        if not flags & _NAVIGATION:
            mark(element, number)


def told_links(found: list[Found], plain: str, places: Places, inside: set[Element]) -> Iterator[Link]:
    """The links with what they say, the words around them, and whether they stand in the main text."""
    for number, (element, target, known, title, path) in enumerate(found):
        start = end = None
        if not known & _NAVIGATION:
            start, end = places.get(2 * number), places.get(2 * number + 1)
        if start is None or end is None:  # it is hidden, or in a menu
            said, context = unmarked(element.text), ""
        else:
            said, context = plain[start:end], _context(plain, start, end)
        flags = known | _CONTENT if element in inside else known
        anchor = " ".join(said.split()) if len(said) <= _MAX_ANCHOR else _anchor(said)
        yield Link(target.url, target.key, anchor or _picture(element), flags, title, context, path)


def _anchor(said: str) -> str:
    if len(said) <= _MAX_ANCHOR:  # as a rule
        return " ".join(said.split())
    return tidy(said[:_MOST_ANCHOR])[:_MAX_ANCHOR].rstrip()


def _picture(element: Element) -> str:
    """What the picture in a link shows."""
    image = element.find("img")
    return _anchor(attribute(image, "alt")) if image is not None else ""


def _context(plain: str, start: int, end: int) -> str:
    """The last words before a link, and the first behind it."""
    before = plain[start - _LOOK if start > _LOOK else 0 : start].rsplit(None, _AROUND)
    if len(before) > _AROUND:  # as a rule; the first is what is left
        del before[0]
    elif start > _LOOK:  # a table is full of blanks
        before = plain[max(start - _LOOK_FAR, 0) : start].rsplit(None, _AROUND)[-_AROUND:]
    behind = plain[end : end + _LOOK].split(None, _AROUND)
    if len(behind) > _AROUND:
        del behind[_AROUND]
    elif end + _LOOK < len(plain):
        behind = plain[end : end + _LOOK_FAR].split(None, _AROUND)[:_AROUND]
    return " ".join(before + behind)
