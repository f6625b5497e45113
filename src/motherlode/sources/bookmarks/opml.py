"""OPML subscription lists: an outline with a URL is a bookmark, one with outlines in it a folder.

An outline of type `include` names another OPML file; it is not followed, so a file that includes
itself ends like any other.
"""

from io import BytesIO
from pathlib import Path

# What stands before the outline, and so every declaration of an entity, is cut off before it is
# parsed.
from xml.etree import ElementTree as ET

from motherlode.records import BadInputError, Bookmark, Folder
from motherlode.sources.bookmarks.folder_builder import FolderStack

_ADDRESSES = ("htmlUrl", "xmlUrl", "url")


def parse(path: Path, text: str) -> Folder:
    """The folders of an OPML file."""
    stack = FolderStack()
    holders: list[bool] = []  # for each open outline, whether it opened a folder
    pending: ET.Element | None = None  # the innermost outline, of which it is not known yet
    try:
        for event, element in ET.iterparse(_utf8(text), ("start", "end")):  # noqa: S314
            if element.tag != "outline":
                continue
            if event == "start":
                if pending is not None:
                    _open(stack, pending)
                    holders[-1] = True
                pending = element
                holders.append(False)
            else:
                if not holders.pop():
                    _add(stack, element)
                else:
                    stack.leave()
                pending = None
                element.clear()
    except ET.ParseError as error:
        raise BadInputError(f"{path} is not well-formed OPML: {error}.") from error
    return stack.finish()


def _utf8(text: str) -> BytesIO:
    """The text as bytes, without a declaration that names the encoding it no longer has."""
    start = text.find("<opml") if "<opml" in text else text.lower().find("<opml")
    return BytesIO(text[start:].encode("utf-8", "replace"))


def _open(stack: FolderStack, outline: ET.Element) -> None:
    stack.enter(_name(outline))
    if _url(outline):
        _add(stack, outline)


def _add(stack: FolderStack, outline: ET.Element) -> None:
    url = _url(outline)
    if not url:
        stack.here.folders.append(Folder(_name(outline)))
        return
    tags = tuple(tag.strip() for tag in outline.get("category", "").split(",") if tag.strip())
    stack.here.bookmarks.append(
        Bookmark(url, title=_name(outline), note=outline.get("description", ""), tags=tags)
    )


def _name(outline: ET.Element) -> str:
    return " ".join((outline.get("title") or outline.get("text") or "").split())


def _url(outline: ET.Element) -> str:
    if outline.get("type", "").lower() == "include":
        return ""
    return next((outline.get(name, "").strip() for name in _ADDRESSES if outline.get(name)), "")
