"""A page as it looked, without anything that runs or that asks for something elsewhere."""

import re

import turbohtml
from turbohtml import Document as Tree
from turbohtml import Element

# What runs, loads, sends or leads elsewhere; what is in it goes with it.
_GONE = (
    "script",
    "template",
    "noscript",
    "link",
    "meta",
    "base",
    "object",
    "embed",
    "applet",
    "iframe",
    "frame",
    "frameset",
    "portal",
    "audio",
    "video",
    "source",
    "track",
    "svg",
    "math",
)
# All else that an element says of itself is left out.
_KEPT = frozenset(
    """
    abbr align alt bgcolor border cellpadding cellspacing class color colspan datetime dir disabled
    face headers height hidden id label lang nowrap open reversed rowspan scope size span start
    style title type valign value width
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)


def harmless_html(html: str) -> str:
    """HTML that shows what a page showed. Pictures are left only where they are within it."""
    tree = turbohtml.parse(html, positions=False)
    for name in _GONE:
        for element in tree.find_all(name):
            element.decompose()
    for element in tree.iter_elements():
        _tame(element)
    return _serialised(tree)


def _tame(element: Element) -> None:
    for name, value in list(element.attrs.items()):
        if name not in _KEPT and not (name == "src" and _is_picture(value)):
            del element.attrs[name]


def _is_picture(value: object) -> bool:
    return isinstance(value, str) and _PICTURE.fullmatch(value) is not None


def _serialised(tree: Tree) -> str:
    return f"<!DOCTYPE html>{tree.root.html if tree.root is not None else ''}"
