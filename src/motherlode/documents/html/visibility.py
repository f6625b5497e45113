"""What of a page nobody sees, by its own word: elements that say so, and the rules of its <style>
elements.

A rule counts if it holds for everybody and from the beginning: one simple selector (a tag, a class,
a name) under no condition, which no other rule of the page shows. Where a script in the page speaks
of it, or of what the element stands in, it does not count: such scripts show one slide after the
other. Nor do rules that hide most of a page, for a script from elsewhere will show that. For the
rest it takes a browser.
"""

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from msgspec import Struct
from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.elements import attribute

_MAYBE_HIDDEN = "[hidden],[style]:is([style*=none i],[style*=hidden i])"
_HIDING = re.compile(r"(?<![-\w])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_SHOWING = re.compile(
    r"(?<![-\w])(?:display\s*:\s*(?!none)\w|visibility\s*:\s*(?!hidden)\w)", re.IGNORECASE
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Expressions for small letters that begin with a word are found ten times as fast as the one above.
_DECLARED = (re.compile(r"display\s*:\s*none"), re.compile(r"visibility\s*:\s*hidden"))
_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_SIMPLE = re.compile(rf"(?:{_NAME})?[.#]{_NAME}|{_NAME}")
_QUOTED = re.compile(r"""["']#?([\w-]+)["']""")
_IN_NAMES = re.compile(r"[\w-]")
_EVERYWHERE = frozenset({"", "all", "screen"})
_WITHOUT_SCRIPTS = "noscript,template,svg"
_WHOLE = frozenset({"html", "body"})
_MAX_RULES = 100  # of a page that hide
_MAX_STYLE = 200_000  # characters of styles in a page; if there are more, they are not looked at
_STYLES = 50  # that are remembered
_MOST = 0.5  # of a page's text that its rules may hide


class Hiding(Struct, frozen=True):
    """The selectors of rules that hide something, and the names of elements that
    scripts ask for.
    """

    rules: tuple[str, ...] = ()
    arranged: frozenset[str] = frozenset()


NONE = Hiding()


def hiding_rules(tree: Tree) -> Hiding:
    """What the page's own styles hide. To be asked before styles and scripts are taken out."""
    styles = tree.find_all("style")
    said = [style.text for style in styles]
    if sum(map(len, said)) > _MAX_STYLE:
        return NONE
    hiding = [
        (style, found)
        for style, css in zip(styles, said, strict=True)
        if (found := _selectors_in(css))
    ]
    named = [selector for style, found in hiding if _holds(style) for selector in found]
    selectors = list(dict.fromkeys(named))[:_MAX_RULES]
    if not selectors or tree.select_one(",".join(selectors)) is None:  # as a rule
        return NONE
    css = "\n".join(map(_plain, said))
    scripts = "\n".join([script.text for script in tree.find_all("script")])
    rules = [
        one for one in selectors if not _is_shown(one, css) and not _is_spoken_of(one, scripts)
    ]
    return Hiding(tuple(rules), frozenset(_QUOTED.findall(scripts)) if rules else frozenset())


def hidden_elements(tree: Tree, hiding: Hiding = NONE) -> list[Element]:
    """What is not shown. A page that is hidden as a whole is one that a script will show."""
    by_themselves = [
        one for one in tree.select(_MAYBE_HIDDEN) if _is_hidden(one) and one.tag not in _WHOLE
    ]
    return [*by_themselves, *_hidden_by(hiding, tree)] if hiding.rules else by_themselves


def _holds(style: Element) -> bool:
    """Whether its rules hold on a screen, for those whose browsers run scripts."""
    media = attribute(style, "media").strip().lower()
    return media in _EVERYWHERE and style.closest(_WITHOUT_SCRIPTS) is None


@lru_cache(_STYLES)  # the pages of a site have the same
def _selectors_in(style: str) -> tuple[str, ...]:
    """The simple selectors of rules in a <style> element that hide something."""
    lower = style.lower()
    if not any(declared.search(lower) for declared in _DECLARED):
        return ()
    return tuple(islice(dict.fromkeys(_selectors(_plain(style))), _MAX_RULES))


def _plain(css: str) -> str:
    """Rules without comments."""
    return _COMMENT.sub(" ", css).replace("<!--", " ").replace("-->", " ")


def _selectors(css: str) -> Iterator[str]:
    """The simple selectors of rules that hide and stand under no condition (`@media`
    and the like).
    """
    before = depth = 0
    for place in _declarations(css):
        opening = css.rfind("{", before, place)
        if (
            opening < 0 or css.find("}", opening, place) >= 0
        ):  # no declaration, but part of a selector
            continue
        depth += css.count("{", before, opening) - css.count("}", before, opening)
        before = opening
        if depth:
            continue
        start = max(css.rfind("}", 0, opening), css.rfind(";", 0, opening)) + 1
        for selector in css[start:opening].split(","):
            if _SIMPLE.fullmatch(selector.strip()) and selector.strip().lower() not in _WHOLE:
                yield selector.strip()


def _declarations(css: str) -> list[int]:
    """Where something is declared to be hidden, in order."""
    lower = css.lower()
    found = [match.start() for declared in _DECLARED for match in declared.finditer(lower)]
    return sorted(place for place in found if _HIDING.match(css, place))


def _is_shown(selector: str, css: str) -> bool:
    """Whether another rule shows what this one hides, under whatever condition."""
    for place in _places(_name_in(selector), css):
        opening, closing = css.find("{", place), css.find("}", place)
        if opening < 0:
            break
        if opening < closing and _SHOWING.search(css, opening, closing):
            return True
    return False


def _is_spoken_of(selector: str, scripts: str) -> bool:
    """Whether scripts name it: then they will show it some time, or it is they who hide it."""
    return next(_places(_name_in(selector).lstrip(".#"), scripts), None) is not None


def _places(name: str, text: str) -> Iterator[int]:
    """Where a name stands in a text, as a whole; what has a sign may stand behind another."""
    place, signed = text.find(name), name.startswith((".", "#"))
    while place >= 0:
        before, behind = (
            text[max(place - 1, 0) : place],
            text[place + len(name) : place + len(name) + 1],
        )
        if (signed or not _IN_NAMES.match(before)) and not _IN_NAMES.match(behind):
            yield place
        place = text.find(name, place + len(name))


def _name_in(selector: str) -> str:
    """The class or the name in a selector, with its sign; else the tag."""
    place = max(selector.find("."), selector.find("#"), 0)
    return selector[place:]


def _hidden_by(hiding: Hiding, tree: Tree) -> list[Element]:
    """What rules hide, as long as it is not most of the text."""
    hidden = [one for one in tree.select(",".join(hiding.rules)) if not _is_shown_by_itself(one)]
    found = list(_at_rest(hidden, hiding.arranged))
    said = sum(map(_size, _outermost(found)))
    if not said:  # as a rule, and then it need not be known what the page says
        return found
    body = tree.find("body")
    return found if body is not None and said <= _MOST * _size(body) else []


def _outermost(elements: list[Element]) -> Iterator[Element]:
    """Those that are in no other. They come in the order of the document."""
    inside: set[Element] = set()
    for element in elements:
        if element not in inside:
            inside.update(element.iter_elements())
            yield element


def _at_rest(elements: list[Element], arranged: Container[str]) -> Iterator[Element]:
    """Those that stand in nothing that scripts arrange."""
    known: dict[Any, bool] = {}
    for element in elements:
        chain, box = [], element.parent
        while isinstance(box, Element) and box not in known:
            chain.append(box)
            box = box.parent
        moving = known.get(box, False)
        for one in reversed(chain):
            moving = known[one] = moving or attribute(one, "id") in arranged
        if not moving:
            yield element


def _size(element: Element) -> int:
    return len("".join(element.text.split()))


def _is_hidden(element: Element) -> bool:
    return (
        element.attr("hidden") is not None
        or _HIDING.search(attribute(element, "style")) is not None
    )


def _is_shown_by_itself(element: Element) -> bool:
    """Whether it says itself that it is shown, or is a page as a whole."""
    return element.tag in _WHOLE or _SHOWING.search(attribute(element, "style")) is not None
