"""Which encoding a text is in: byte order mark, header, declaration, UTF-8 if it fits, then a
guess.
"""

import codecs
import re
from collections.abc import Iterator
from email.message import Message
from functools import lru_cache

from chardetng_py import detect

_LOOK = 4096  # how far to look for a declaration; HTML asks for 1,024 bytes
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = re.compile(
    rb"""<(?:meta\s[^>]*?\bcharset|\?xml\s[^>]*?\bencoding)\s*=\s*["']?\s*([A-Za-z0-9_.:\-]+)""",
    re.IGNORECASE,
)
# What browsers take an encoding for (WHATWG Encoding, section 4.2): by the names of Python's
# codecs, which know most of the other names, and by those that they do not know.
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
_OTHER_NAMES = {
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "x-x-big5": "big5hkscs",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "ks_c_5601-1989": "cp949",
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac-roman",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    **{f"x-cp125{digit}": f"cp125{digit}" for digit in range(9)},
}
_CUT = 4  # bytes from the end within which a character may be cut off
_FEW = 20  # for one byte that is wrong, so many characters beyond ASCII are right
# Codecs of Python's own, which are not encodings of pages.
_NOT_FOR_TEXT = frozenset(
    """
    base64 bz2 hex idna mbcs oem palmos punycode quopri raw_unicode_escape rot13 undefined
    unicode_escape utf_7 uu zlib
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def decode(body: bytes, content_type: str = "") -> str:
    """The body as text; a byte that fits nothing becomes U+FFFD."""
    return decode_with_codec(body, content_type)[0]


def decode_with_codec(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the body as text, and the name of the codec that it was read with."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace"), name
    told = []
    for name in _told(body, content_type):
        text = _exactly(body, name)
        if text is not None:
            return text, name
        told.append(name)
    for name in told:
        text = _nearly(body, name)
        if text is not None:
            return text, name
    name = detect(body, allow_utf8=False)
    return body.decode(name, "replace"), name


def _told(body: bytes, content_type: str) -> Iterator[str]:
    """The encodings that may be meant, the likeliest first; the header is nearly always right."""
    if name := charset_in(content_type):
        yield name
    if name := _declared(body):
        yield name
    yield "utf-8"


def _exactly(body: bytes, name: str) -> str | None:
    """The text, if this is its encoding; a body may be cut off in the midst of a character."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        cut = body[: error.start].decode(name, "replace") if error.start > len(body) - _CUT else ""
        return None if cut.isascii() else cut  # nothing else speaks for this encoding
    except UnicodeError:
        return None


def _nearly(body: bytes, name: str) -> str | None:
    """The text, if nearly all of it is in this encoding: a name may be pasted in from elsewhere."""
    text = body.decode(name, "replace")
    wrong = text.count("\ufffd")
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return text if (wrong + 1) * _FEW < beyond else None


@lru_cache(256)
def charset_in(content_type: str) -> str:
    """The codec for the charset that a Content-Type names; empty if it names none that is known."""
    if "charset" not in content_type.lower():
        return ""
    message = Message()
    message["Content-Type"] = content_type
    return _codec(str(message.get_param("charset") or ""))


def _declared(body: bytes) -> str:
    """The codec that a page or an XML document names first, of those that are known."""
    for found in _DECLARED.finditer(_COMMENT.sub(b"", body[:_LOOK])):
        name = _codec(found[1].decode("ascii"))
        if name:
            # A declaration that could be read at all was not in UTF-16.
            return "utf-8" if name.startswith("utf-16") else name
    return ""


def _codec(name: str) -> str:
    name = name.strip().strip("'\"").lower()
    try:
        codec = codecs.lookup(_OTHER_NAMES.get(name, name)).name
    except (LookupError, ValueError):
        return ""
    return "" if codec.replace("-", "_") in _NOT_FOR_TEXT else _MEANT.get(codec, codec)
