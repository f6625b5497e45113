"""Elements of HTML pages."""

from turbohtml import Element


def attribute(element: Element, name: str) -> str:
    """Return an attribute's value as text; empty if there is none."""
    return element.attr(name) or ""
