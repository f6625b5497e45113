"""RTF by hand: one pass over the tokens with a stack of states, so that no nesting is too deep."""

import codecs
import re
from typing import NamedTuple

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats.collector import MAX_ANCHOR, MAX_TITLE, DocumentBuilder
from motherlode.documents.formats.fields import MAX_CODE, target_of

MAX_DEPTH = 100_000  # groups in groups
MAX_TOKENS = 4_000_000  # 10 MB of real text have about a million
MAX_FONTS = 10_000
_TOKEN = re.compile(
    rb"""
    (?P<text>[^\\{}\r\n\t\0]+)
    | (?P<brace>[{}])
    | \\'(?P<byte>[0-9a-fA-F]{2})
    | \\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?
    | \\(?P<symbol>[^a-zA-Z])
    | [\r\n\t\0\\]
    """,
    re.VERBOSE | re.DOTALL,
)
_HEADING = re.compile(r"\s*(heading [1-9]|title)\s*;", re.IGNORECASE)

# Where the text of a group goes.
_TEXT, _NOWHERE, _FONTS, _STYLES, _INFO, _TITLE, _CODE = range(7)
_SILENT = """
    atnauthor atnid author category colortbl comment company doccomm filetbl footer footerf footerl
    footerr header headerf headerl headerr hlinkbase keywords listtable listtext manager nonshppict
    objclass objdata objname operator pict pntext pntxta pntxtb revtbl rxe sp subject tc template
    txe xe
"""
_GOES = {
    **dict.fromkeys(_SILENT.split(), _NOWHERE),
    "fonttbl": _FONTS,
    "stylesheet": _STYLES,
    "info": _INFO,
    "fldinst": _CODE,
}
# The only optional destinations that have text.
_OPTIONAL = frozenset({"fldinst", "annotation", "shpinst", "shptxt", "footnote"})
_NOTES = frozenset({"footnote", "annotation"})
_ENDS = frozenset({"par", "cell", "row", "sect", "page", "nestcell", "nestrow", "column"})
_LETTERS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’",  # noqa: RUF001 - as meant
    "ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ",
    "qmspace": " ",
}  # fmt: skip
_SYMBOLS = {b"~": "\u00a0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}"}
_CODECS = {10000: "mac_roman", 65001: "utf-8", 936: "gb18030", 437: "cp437"}
_CHARSETS = {
    77: "mac_roman", 78: "cp932", 79: "cp949", 80: "gb18030", 81: "big5", 128: "cp932",
    129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip


def read_rtf(raw: Raw) -> Extract:
    start = raw.body[:1024].find(b"{\\rtf")
    if start < 0:
        raise UnreadableError("no RTF")
    return _RtfReader().read(raw.body, start).extract()


class _State(NamedTuple):
    """What holds within a group, and is as it was when the group ends."""

    goes: int = _TEXT
    codec: str = ""  # empty: the document's own
    fallback: int = 1  # characters after a Unicode one that stand for it
    hidden: bool = False
    heading: bool = False


class _RtfField:
    """A field that is open: its code, and the text that is shown for it."""

    __slots__ = ("code", "depth", "shown")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.code = ""
        self.shown = ""


class _RtfReader:
    def __init__(self) -> None:
        self._gathered = DocumentBuilder()
        self._codec = "cp1252"
        self._state = _State()
        self._states: list[_State] = []
        self._bytes = bytearray()  # not yet decoded: a character may be two of them
        self._data: list[str] = []
        self._skip = 0  # characters to come that stand for a Unicode one
        self._optional = False  # the next word names a destination that may be passed over
        self._fields: list[_RtfField] = []
        self._notes: list[
            tuple[int, list[str]]
        ] = []  # depth of a note, and the paragraph that it stands in
        self._fonts: dict[int, str] = {}
        self._font = self._style = 0
        self._heading_styles: set[int] = set()

    def read(self, body: bytes, place: int) -> DocumentBuilder:
        for _ in range(MAX_TOKENS):
            token = _TOKEN.match(body, place)
            if token is None or self._gathered.full or len(self._states) > MAX_DEPTH:
                break
            place = token.end() + self._take(token)
            if not self._states:
                break  # the last group has ended; what follows is no RTF
        self._flush()
        while self._fields:
            self._end_field()
        while self._notes:
            self._end_note()
        self._end_paragraph()
        return self._gathered

    def _take(self, token: re.Match[bytes]) -> int:
        """Act on a token; how many bytes after it are no tokens."""
        kind = token.lastgroup
        if kind == "text":
            self._take_bytes(token["text"])
        elif kind == "byte":
            self._take_bytes(bytes([int(token["byte"], 16)]))
        elif kind == "brace":
            self._flush()
            self._skip = 0
            self._open() if token["brace"] == b"{" else self._close()
        elif token["word"]:
            return self._take_word(token["word"].decode("ascii"), token["number"])
        elif token["symbol"]:
            self._take_symbol(token["symbol"])
        return 0

    def _take_bytes(self, data: bytes) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._optional = False
        self._bytes += data[skipped:]

    def _take_word(self, word: str, number: bytes | None) -> int:
        self._flush()
        optional, self._optional = self._optional, False
        value = None if number is None else int(number)
        if word == "bin":
            return max(value or 0, 0)
        if self._skip and word != "u":
            self._skip -= 1
        elif optional and word not in _OPTIONAL:
            self._state = self._state._replace(goes=_NOWHERE)
        elif self._state.goes != _NOWHERE:
            self._word(word, value)
        return 0

    def _take_symbol(self, symbol: bytes) -> None:
        self._flush()
        if symbol == b"*":
            self._optional = True
        elif self._skip:
            self._skip -= 1
        elif symbol in b"\r\n":
            self._end_paragraph()
        else:
            self._emit(_SYMBOLS.get(symbol, ""))

    def _word(self, word: str, value: int | None) -> None:
        if word in _LETTERS:
            self._emit(_LETTERS[word])
        elif word in _ENDS:
            if self._state.goes == _TEXT:
                self._end_paragraph()
        elif word == "u":
            self._emit(chr((value or 0) & 0xFFFF))
            self._skip = self._state.fallback
        elif word in _GOES or (word == "title" and self._state.goes == _INFO):
            self._state = self._state._replace(goes=_GOES.get(word, _TITLE))
        elif word in _NOTES:
            self._notes.append((len(self._states), self._data))
            self._data = []
        elif word == "field":
            self._fields.append(_RtfField(len(self._states)))
        else:
            self._format(word, value)

    def _format(self, word: str, value: int | None) -> None:  # noqa: C901 - a table of words in all but form
        state = self._state
        if word == "f":
            self._choose_font(value or 0)
        elif word in ("fcharset", "cpg"):
            self._describe_font(word, value or 0)
        elif word == "uc":
            self._state = state._replace(fallback=min(max(value or 0, 0), 100))
        elif word == "v":
            self._state = state._replace(hidden=value != 0)
        elif word == "s":
            self._choose_style(value or 0)
        elif word == "outlinelevel":
            self._state = state._replace(heading=0 <= (value or 0) <= 8)  # noqa: PLR2004 - nine levels; 9 is text
        elif word == "pard":
            self._state = state._replace(heading=False)
        elif word == "plain":
            self._state = state._replace(hidden=False, codec="")
        elif word == "ansicpg":
            self._codec = _codec(value or 0) or self._codec
        elif word == "mac":
            self._codec = "mac_roman"
        elif word in ("pc", "pca"):
            self._codec = "cp437" if word == "pc" else "cp850"

    def _choose_font(self, number: int) -> None:
        self._font = number
        if self._state.goes != _FONTS:
            self._state = self._state._replace(codec=self._fonts.get(number, ""))

    def _describe_font(self, word: str, value: int) -> None:
        codec = _CHARSETS.get(value, "") if word == "fcharset" else _codec(value)
        if self._state.goes == _FONTS and codec and len(self._fonts) < MAX_FONTS:
            self._fonts[self._font] = codec

    def _choose_style(self, number: int) -> None:
        self._style = number
        if self._state.goes == _TEXT and number in self._heading_styles:
            self._state = self._state._replace(heading=True)

    def _open(self) -> None:
        self._states.append(self._state)
        if self._state.goes == _STYLES:
            self._style = 0  # the one that has no number is called "Normal"

    def _close(self) -> None:
        if self._fields and self._fields[-1].depth == len(self._states):
            self._end_field()
        if self._notes and self._notes[-1][0] == len(self._states):
            self._end_note()
        if self._states:
            self._state = self._states.pop()

    def _flush(self) -> None:
        if self._bytes:
            self._emit(self._bytes.decode(self._state.codec or self._codec, "replace"))
            self._bytes.clear()

    def _emit(self, text: str) -> None:
        state, fields = self._state, self._fields
        if state.goes == _TEXT and not state.hidden:
            self._data.append(text)
            if fields and len(fields[-1].shown) < 4 * MAX_ANCHOR:
                fields[-1].shown += text
        elif state.goes == _CODE and fields and len(fields[-1].code) < MAX_CODE:
            fields[-1].code += text
        elif state.goes == _TITLE and len(self._gathered.title) < MAX_TITLE:
            self._gathered.title += text
        elif state.goes == _STYLES and _HEADING.match(text):
            self._heading_styles.add(self._style)

    def _end_field(self) -> None:
        field = self._fields.pop()
        self._gathered.reference(target_of(field.code), field.shown)
        if self._fields and len(self._fields[-1].shown) < 4 * MAX_ANCHOR:
            self._fields[-1].shown += field.shown

    def _end_note(self) -> None:
        self._end_paragraph()
        self._data = self._notes.pop()[1]

    def _end_paragraph(self) -> None:
        text = "".join(self._data)
        self._data = []
        if self._state.heading:
            self._gathered.heading(text)
        else:
            self._gathered.line(text)


def _codec(page: int) -> str:
    name = _CODECS.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""
