"""A page as flat lists in document order: elements, texts, links, so that a subtree is a range.

Everything that is asked of a subtree (its characters, words, links) is a difference of two
running sums, whatever the page looks like.
"""

import re
from dataclasses import dataclass, field
from typing import Final

import turbohtml
from turbohtml import Element, Text

MAX_HTML_CHARS: Final = 8_000_000
MAX_ELEMENTS: Final = 60_000
MAX_DEPTH: Final = 200  # elements further in are left out
MAX_TEXT_CHARS: Final = 2_000  # of one piece of text
MAX_ATTRIBUTE_CHARS: Final = 4_000
MAX_CLASSES: Final = 4
_LEFT_OUT = frozenset({"script", "style", "template", "noscript", "svg", "math", "head", "iframe"})
_GLUED = frozenset({"b", "i", "em", "strong", "mark", "u", "sub", "sup", "font", "wbr"})
_DIGITS = re.compile(r"\d+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# Classes that tell siblings apart which are alike otherwise.
_NOISE = frozenset(
    {"first", "last", "odd", "even", "alt", "active", "selected", "current", "clearfix", "cf"}
    | {"visible", "hover", "left", "right"}
)


@dataclass(slots=True)
class PageTree:
    """Elements by number, in document order; `ends[i]` is the number after the last one inside."""

    elements: list[Element] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    classes: list[tuple[str, ...]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # class, id and role, in lower case
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    hidden: list[bool] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    gaps: list[bool] = field(default_factory=list)  # whether a text is set apart from the last
    is_apart: bool = True
    first_texts: list[int] = field(default_factory=list)
    last_texts: list[int] = field(default_factory=list)
    chars: list[int] = field(default_factory=lambda: [0])  # running sum over `texts`
    next_hint: str = ""  # the address of <link rel=next>, as it stands
    base: str = ""  # what the page says that its references are relative to

    def text(self, first: int, end: int, limit: int = MAX_TEXT_CHARS) -> str:
        """Return the text of the elements from `first` up to `end`, in one line."""
        if first >= end:
            return ""
        return self._joined(self.first_texts[first], self.text_end(end), limit)

    def text_end(self, end: int) -> int:
        """Return the number of the first text behind the elements before `end`."""
        return self.first_texts[end] if end < len(self.tags) else len(self.texts)

    def own_text(self, number: int, limit: int = MAX_TEXT_CHARS) -> str:
        """Return the text inside an element, in one line."""
        return self._joined(self.first_texts[number], self.last_texts[number], limit)

    def _joined(self, start: int, stop: int, limit: int) -> str:
        pieces: list[str] = []
        size = 0
        for number in range(start, stop):
            pieces.append(f" {self.texts[number]}" if self.gaps[number] else self.texts[number])
            size += len(pieces[-1])
            if size > limit:
                break
        return "".join(pieces).strip()[:limit]

    def char_count(self, number: int) -> int:
        """Return the characters of the text inside an element."""
        return self.chars[self.last_texts[number]] - self.chars[self.first_texts[number]]

    def above(self, number: int) -> list[int]:
        """Return the elements around an element, from the inside out."""
        numbers = []
        while (number := self.parents[number]) >= 0:
            numbers.append(number)
        return numbers


def read_tree(html: str) -> PageTree:
    """Return the elements and texts of a page's body, within the limits above."""
    document = turbohtml.parse(html[:MAX_HTML_CHARS], positions=False)
    tree = PageTree()
    root = document.root
    if root is None:
        return tree
    base = document.find("base")
    tree.base = (base.attr("href") or "")[:MAX_ATTRIBUTE_CHARS] if base is not None else ""
    hint = document.select_one("link[rel~=next i]")
    tree.next_hint = (hint.attr("href") or "")[:MAX_ATTRIBUTE_CHARS] if hint is not None else ""
    _walk(tree, root)
    return tree


def _walk(tree: PageTree, root: Element) -> None:
    _open(tree, root, -1)
    open_elements = [(0, iter(root.children))]
    while open_elements:
        number, children = open_elements[-1]
        child = next(children, None)
        if child is None:
            tree.is_apart = tree.is_apart or tree.tags[number] not in _GLUED
            tree.ends[number] = len(tree.tags)
            tree.last_texts[number] = len(tree.texts)
            open_elements.pop()
        elif isinstance(child, Text):
            _add_text(tree, child.data)
        elif isinstance(child, Element) and _is_read(tree, child, len(open_elements)):
            _open(tree, child, number)
            open_elements.append((len(tree.tags) - 1, iter(child.children)))


def _is_read(tree: PageTree, element: Element, depth: int) -> bool:
    is_within = len(tree.tags) < MAX_ELEMENTS and depth < MAX_DEPTH
    return is_within and element.tag not in _LEFT_OUT


def _open(tree: PageTree, element: Element, parent: int) -> None:
    label = (element.attr("class") or "")[:MAX_ATTRIBUTE_CHARS].lower()
    tree.elements.append(element)
    tree.is_apart = tree.is_apart or element.tag not in _GLUED
    tree.tags.append(str(element.tag))
    tree.classes.append(plain_classes(label))
    names = (element.attr("id") or "")[:100], (element.attr("role") or "")[:100]
    tree.labels.append(" ".join([label[:300], *names]).lower())
    tree.parents.append(parent)
    tree.depths.append(tree.depths[parent] + 1 if parent >= 0 else 0)
    tree.ends.append(0)
    is_hidden = parent >= 0 and tree.hidden[parent]
    tree.hidden.append(is_hidden or _hides(element))
    tree.first_texts.append(len(tree.texts))
    tree.last_texts.append(0)


def _hides(element: Element) -> bool:
    style = element.attr("style")
    return element.attr("hidden") is not None or bool(
        style and _HIDDEN.search(style[:MAX_ATTRIBUTE_CHARS])
    )


def _add_text(tree: PageTree, data: str) -> None:
    data = data[:MAX_TEXT_CHARS]
    text = " ".join(data.split())
    tree.is_apart = tree.is_apart or data[:1].isspace()
    if text:
        tree.gaps.append(tree.is_apart)
        tree.is_apart = data[-1:].isspace()
        tree.texts.append(text)
        tree.chars.append(tree.chars[-1] + len(text) + 1)


def plain_classes(label: str) -> tuple[str, ...]:
    """Return the first classes in order, without numbers and without those that count siblings.

    >>> plain_classes("item odd item-17 g2")
    ('g', 'item', 'item-')
    """
    names = dict.fromkeys(_DIGITS.sub("", name) for name in label.split()[:20])
    return tuple(sorted(name for name in names if name and name not in _NOISE)[:MAX_CLASSES])
