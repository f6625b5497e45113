"""XML by expat, which neither recurses nor loads anything; a document's own entities stay
unexpanded.
"""

import re
from contextlib import suppress
from html.entities import html5
from typing import Protocol
from xml.parsers import expat

from motherlode.documents.encoding import decode

# Forbidden in XML, and a reason for expat to stop.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WIDE = {b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}


class StopReading(Exception):  # noqa: N818 - not an error: a handler has seen enough
    """Raised by a handler that wants no more."""


class Handler(Protocol):
    """Names are as they stand, with their prefixes: documents use prefixes that they never
    declared.
    """

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


def local(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]


def prefixed(attributes: dict[str, str], name: str) -> str:
    """An attribute that has some prefix: `r:id`, where `id` means another thing."""
    suffix = f":{name}"
    return next((value for key, value in attributes.items() if key.endswith(suffix)), "")


def any_prefix(attributes: dict[str, str], name: str) -> str:
    """An attribute with some prefix, or with none."""
    return attributes.get(name) or prefixed(attributes, name)


def walk(body: bytes, handler: Handler) -> None:
    """Read XML in an encoding that expat knows, up to where it breaks or the handler stops."""
    _walk(body, handler, None)


def walk_any(body: bytes, handler: Handler, content_type: str = "") -> None:
    """The same in any encoding, and with characters that XML forbids."""
    wide = _WIDE.get(body[:2])
    text = decode(body, f"text/xml; charset={wide}" if wide else content_type)
    text = _FORBIDDEN.sub(" ", text.lstrip("\ufeff \t\r\n"))
    _walk(text.encode(), handler, "utf-8")


def _walk(body: bytes, handler: Handler, encoding: str | None) -> None:
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    parser.EntityDeclHandler = _refuse
    # With a DTD that could be elsewhere an entity unknown here (&nbsp;) is no error, but skipped.
    parser.UseForeignDTD(True)  # noqa: FBT003 - expat takes it by place
    parser.ExternalEntityRefHandler = lambda *_: 1
    parser.SkippedEntityHandler = lambda name, parameter: (
        None if parameter else _skipped(name, handler)
    )
    with suppress(StopReading):
        try:
            # In one piece: expat before 2.6 takes quadratic time over a long token that comes in
            # many.
            parser.Parse(body, True)  # noqa: FBT003 - expat takes it by place
        except (expat.ExpatError, ValueError, LookupError):
            # What stands before the break counts, also what was not handed over yet.
            parser.buffer_text = False


def _refuse(*_: object) -> None:
    """An entity declaration may be the first line of a bomb."""
    raise StopReading


def _skipped(name: str, handler: Handler) -> None:
    handler.text(html5.get(f"{name};", " "))
