"""The character set in which a form is sent (HTML standard, "encoding of a form submission")."""

import codecs
from functools import lru_cache

import turbohtml

# How our decoder (`documents.encoding`) calls encodings that the WHATWG standard calls otherwise.
_LABELS = {
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "cp874": "windows-874",
    "big5hkscs": "big5",
    "euc_jp": "euc-jp",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
}
_CODECS = {
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "windows-874": "cp874",
    "big5": "big5hkscs",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso8859-8",
}
_UTF_8 = "utf-8"
_MAX_LABELS, _MAX_LABEL = 10, 40  # encodings that a form names, and characters of a name


def charset_of_form(accepted: str, page: str) -> str:
    """Return the first encoding that a form accepts and that exists, else the page's own.

    >>> charset_of_form("nonsense Latin1", "utf-8"), charset_of_form("", "utf-16")
    ('windows-1252', 'utf-8')
    """
    labels = accepted[: _MAX_LABELS * _MAX_LABEL].replace(",", " ").split()[:_MAX_LABELS]
    names = (_name(label.lower()) for label in (*labels, page))
    return next(filter(None, names), _UTF_8)


def encoded(text: str, charset: str) -> bytes:
    """Return a text as a form sends it: what the encoding lacks becomes a numeric reference.

    >>> encoded("é€ \u65e5", "iso-8859-2")
    b'\\xe9&#8364; &#26085;'
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.encode(_CODECS.get(charset, charset), "xmlcharrefreplace")


@lru_cache(256)
def _name(label: str) -> str:
    """Return the name of the encoding that a label stands for, if forms can be sent in it."""
    if not label or len(label) > _MAX_LABEL:
        return ""
    try:
        name = turbohtml.parse(b"", encoding=_LABELS.get(label, label)).encoding
        name = (name or "").lower()
        codecs.lookup(_CODECS.get(name, name))
    except LookupError:
        return ""
    return _UTF_8 if name.startswith("utf-16") else name
