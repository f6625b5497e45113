"""The links of a page: what they say, what is said around them, where in it they stand."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.elements import attribute
from motherlode.documents.html.markers import Places, has_short_text, mark, unmarked
from motherlode.documents.html.references import ReferenceResolver
from motherlode.documents.text.whitespace import tidy
from motherlode.records import Link, LinkFlag
from motherlode.urls import Address

MAX_LINKS = 10_000
WHOLE = frozenset({"html", "body"})
_BOXES = ("nav", "header", "footer", "aside", "menu")
_MENUS = ("nav", "menu", "header", "footer", "sidebar")
# Most elements have neither class nor name; so that is asked first.
_NAMED = [
    f"[{name}]:is({','.join(f'[{name}*={word} i]' for word in _MENUS)})" for name in ("class", "id")
]
_BY_ATTRIBUTES = ("[role=navigation]", *_NAMED)
_FRAMES = ("frame", "iframe")

_MAX_ANCHOR = 200
_MOST_ANCHOR = (
    2_000  # characters that are looked at: a link that is never ended says the rest of the page
)
_MAX_PATH = 500
_MAX_REL = 100
_AROUND = 5  # words of context on either side
_LOOK, _LOOK_FAR = 120, 600  # characters in which they are looked for, and if there are too few

# Bare numbers: operations on flags proper cost a microsecond each.
_NOFOLLOW, _NAVIGATION = int(LinkFlag.NOFOLLOW), int(LinkFlag.NAVIGATION)
_FRAME, _CONTENT = int(LinkFlag.FRAME), int(LinkFlag.CONTENT)


# A link before it is known where in the text it stands: its element, target, flags, title, path and
# rel. A bare tuple, because a hundred a page are made.
Found = tuple[Element, Address, int, str, str, str]
# What was made of a link in a menu, by what it leads to, what it says, its flags, title, path and
# rel.
_InMenu = tuple[str, str, int, str, str, str]
_menus: dict[_InMenu, Link] = {}
_REMEMBERED = 20_000  # links in menus


def linking(tree: Tree) -> tuple[str, ...]:
    """The kinds of elements that link."""
    return ("a", *(kind for kind in ("area", *_FRAMES) if tree.find(kind) is not None))


def find_links(
    tree: Tree,
    kinds: Sequence[str],
    resolve: ReferenceResolver,
    *,
    follow: bool,
    in_full: bool = True,
) -> list[Found]:
    """The links of a page, in order."""
    elements = tree.select(",".join(kinds))[:MAX_LINKS]
    frames = {element for kind in kinds if kind in _FRAMES for element in tree.find_all(kind)}
    if frames:
        references = [element.attr("src" if element in frames else "href") for element in elements]
    else:
        references = [element.attr("href") for element in elements]
    related = tree.select(",".join([f"{kind}[rel]" for kind in kinds]))
    relations = {element: _relations(attribute(element, "rel")) for element in related}
    usual = 0 if follow else _NOFOLLOW
    flags = dict.fromkeys(_navigating(tree), usual | _NAVIGATION)
    for element, (_, flag) in relations.items():
        flags[element] = flags.get(element, usual) | flag
    for element in frames:
        flags[element] = flags.get(element, usual) | _FRAME
    targets = zip(elements, resolve.all(references), strict=True)
    found = [
        (one, target, flags.get(one, usual), "", "", "")
        for one, target in targets
        if target is not None
    ]
    return [_in_full(*link[:3], relations) for link in found] if in_full else found


def _in_full(
    element: Element, target: Address, flags: int, relations: Mapping[Any, tuple[str, int]]
) -> Found:
    """A link with all that is said of it."""
    title, (rel, _) = element.attr("title"), relations.get(element, ("", 0))
    return element, target, flags, _anchor(title) if title else "", element.xpath_path(), rel


@lru_cache(1_000)  # the same few are said by all pages
def _relations(rel: str) -> tuple[str, int]:
    """How a link says that its target relates to the page, and the flag that follows from it."""
    words = rel.lower().split()
    return " ".join(words)[:_MAX_REL].rstrip(), _NOFOLLOW if "nofollow" in words else 0


def _navigating(tree: Tree) -> set[Any]:
    """The links in menus and the like. Many a page says in its outermost element that it has a
    sidebar.
    """
    links: set[Any] = set()
    kinds = [
        kind for kind in _BOXES if tree.find(kind) is not None
    ]  # known at once; to select takes a walk
    for box in tree.select(",".join([*kinds, *_BY_ATTRIBUTES])):
        first = box.find("a")
        # Else the box is in another, and all is told.
        if first is not None and first not in links and box.tag not in WHOLE:
            links.update(box.find_all("a"))
    return links


def mark_links(found: list[Found], *, in_full: bool = True) -> None:
    """Mark each link; but what surrounds one in a menu says nothing, and where nobody asks for
    surroundings, one that has nothing but a few words in it says them wherever it stands.
    """
    for number, (element, _, flags, *_) in enumerate(found):
        if not flags & _NAVIGATION and (in_full or not has_short_text(element, _MAX_ANCHOR)):
            mark(element, number)


def told_links(
    found: list[Found], plain: str, places: Places, inside: set[Element], *, in_full: bool = True
) -> list[Link]:
    """The links with what they say, the words around them, and whether they stand in
    the main text.
    """
    links: list[Link] = []
    for number, (element, target, known, title, path, rel) in enumerate(found):
        flags = known | _CONTENT if element in inside else known
        if flags & _NAVIGATION:
            known_as = target.url, element.text, flags, title, path, rel
            links.append(_menus.get(known_as) or _in_menu(element, target, known_as))
            continue
        start, end = places.get(2 * number), places.get(2 * number + 1)
        if start is None or end is None:  # it is hidden, or has no mark
            said, context = unmarked(element.text), ""
        else:
            said, context = plain[start:end], _context(plain, start, end) if in_full else ""
        anchor = _anchor(said) or _picture(element)
        links.append(
            Link(target.url, target.key, anchor, flags, title, context, path[-_MAX_PATH:], rel)
        )
    return links


def _in_menu(element: Element, target: Address, known_as: _InMenu) -> Link:
    """A link in a menu. The pages of a site have the same, so it is made once."""
    url, said, flags, title, path, rel = known_as
    said = unmarked(said)
    anchor = _anchor(said) or _picture(element)
    link = Link(url, target.key, anchor, flags, title, "", path[-_MAX_PATH:], rel)
    if len(_menus) >= _REMEMBERED:
        _menus.clear()
    if said.strip():
        _menus[known_as] = link
    return link


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
