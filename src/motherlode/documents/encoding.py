"""Which encoding a text is in: byte order mark, header, declaration, UTF-8 if it fits, then a guess."""

import codecs
import re
from email.message import Message

from chardetng_py import detect

_LOOK = 4096  # how far to look for a declaration; HTML asks for 1,024 bytes
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:\-]+)""", re.IGNORECASE)
# What pages call their encoding, and what browsers take it for (WHATWG Encoding, section 4.2).
_MEANT = {
    "iso-8859-1": "windows-1252",
    "latin1": "windows-1252",
    "us-ascii": "windows-1252",
    "ascii": "windows-1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-9": "windows-1254",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
}
# Codecs of Python's own, which are not encodings of pages.
_NOT_FOR_TEXT = frozenset(
    """
    base64 bz2 hex idna mbcs oem palmos punycode quopri raw_unicode_escape rot13 undefined unicode_escape
    utf_7 uu zlib
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def decode(body: bytes, content_type: str = "") -> str:
    """The body as text; a byte that fits nothing becomes U+FFFD."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace")
    for told in (charset_in(content_type), _declared(body), "utf-8"):
        if told:
            try:
                return body.decode(told)
            except UnicodeError:
                continue
    return body.decode(detect(body, allow_utf8=False), "replace")


def charset_in(content_type: str) -> str:
    """The codec for the charset that a Content-Type names; empty if it names none that is known."""
    if "charset" not in content_type.lower():
        return ""
    message = Message()
    message["Content-Type"] = content_type
    return _codec(str(message.get_param("charset") or ""))


def _declared(body: bytes) -> str:
    found = _DECLARED.search(body[:_LOOK])
    name = _codec(found[1].decode("ascii")) if found else ""
    # A declaration that could be read at all was not in UTF-16.
    return "utf-8" if name.startswith("utf-16") else name


def _codec(name: str) -> str:
    name = name.strip().strip("'\"").lower()
    name = _MEANT.get(name, name)
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return "" if codec.replace("-", "_") in _NOT_FOR_TEXT else codec
