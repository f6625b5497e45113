"""Records of an XML file, one at a time, so that what stands before a defect is not lost.

Entities of the file's own are refused, and nothing is loaded from elsewhere.
"""

from collections.abc import Collection, Iterator
from typing import TypeAlias
from xml.etree import ElementTree as ET

from motherlode.library.formats.fields import tidy_line

MAX_TEXT_CHARS = 200_000
_PIECE = 2**16
_Parser: TypeAlias = "ET.XMLPullParser[ET.Element]"


class EntitiesError(ValueError):
    """The file declares entities, which no reference format needs."""


def records_in(text: str, names: Collection[str]) -> tuple[list[ET.Element], tuple[str, ...]]:
    """Return the elements with one of these local names, and a problem if the XML is broken."""
    records: list[ET.Element] = []
    try:
        records.extend(element for element in _elements(text) if local_name(element) in names)
    except EntitiesError as error:
        return [], (str(error),)
    except ET.ParseError as error:
        return records, (f"The XML is broken in line {error.position[0]}; what follows is lost.",)
    return records, ()


def _elements(text: str) -> Iterator[ET.Element]:
    if "<!ENTITY" in text:
        raise EntitiesError("The XML declares entities of its own, which are not read.")
    parser: _Parser = ET.XMLPullParser(("end",))
    body = _without_declaration(text)
    for begin in range(0, len(body), _PIECE):
        parser.feed(body[begin : begin + _PIECE])
        yield from _ended(parser)
    parser.close()
    yield from _ended(parser)


def _ended(parser: _Parser) -> Iterator[ET.Element]:
    """Yield the elements that have ended since the last call."""
    for event in parser.read_events():
        if isinstance(element := event[-1] if event else None, ET.Element):
            yield element


def _without_declaration(text: str) -> str:
    """Return XML without its declaration, whose encoding is not that of a decoded text."""
    text = text.lstrip("\ufeff \t\r\n")
    return text.partition("?>")[2] if text.startswith("<?xml") else text


def local_name(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: ET.Element, *path: str) -> list[ET.Element]:
    """Return the descendants at a path of local names."""
    level = [element]
    for name in path:
        level = [child for parent in level for child in parent if local_name(child) == name]
    return level


def text_at(element: ET.Element, *path: str) -> str:
    """Return the text of the first element at a path; empty if there is none."""
    return next((text for text in texts_at(element, *path) if text), "")


def texts_at(element: ET.Element, *path: str) -> list[str]:
    """Return the texts of all elements at a path, in one line each."""
    return [
        tidy_line("".join(child.itertext())[:MAX_TEXT_CHARS]) for child in children(element, *path)
    ]


def attribute_of(element: ET.Element, name: str) -> str:
    """Return an attribute by its local name; empty if there is none."""
    values = (value for key, value in element.attrib.items() if key.rpartition("}")[2] == name)
    return next(values, "")
