"""Pieces of HTML inside other documents: feeds' summaries, chapters of books."""

import re
from typing import Any

import turbohtml

from motherlode.documents.formats.collector import DocumentBuilder

_SILENT: list[Any] = ["script", "style", "noscript", "template"]
_MARKED = re.compile(r"[<&]")


def gather_html(html: str, gathered: DocumentBuilder) -> None:
    """Take the text of a piece of HTML, one block a line, and its links."""
    if not _MARKED.search(html):
        gathered.line(html)
        return
    tree = turbohtml.parse(html)
    for element in tree.find_all(_SILENT):
        element.decompose()
    for line in (tree.find("body") or tree).to_text().split("\n"):
        gathered.line(line)
    for link in tree.find_all("a"):
        href = link.attrs.get("href")
        if isinstance(href, str):
            gathered.reference(href, link.text)
