"""The Netscape bookmark format, as browsers have written it since 1994.

It was never HTML that anybody closed properly: `<DT>`, `<DD>` and `<P>` have no end tags, Safari
leaves out the outer list, services put links into descriptions. So it is read as a stream of tags,
not as a tree: an `<H3>` names the folder that the next `<DL>` opens, an `<A>` outside a description
is a bookmark, and a `<DD>` describes what came just before it.
"""

import re
from collections.abc import Iterator
from html import unescape

import msgspec

from motherlode.records import Bookmark, Folder
from motherlode.sources.bookmarks.folder_builder import FolderStack

# Every pattern is possessive or starts where a word starts, so that no input makes it go back.
_START = re.compile(r"<(/?(?:dl|dt|dd|h1|h3|a|hr))\b", re.IGNORECASE)
_REST = re.compile(r"""((?:[^>"']++|"[^"]*+"|'[^']*+')*+)>""")
_ATTRIBUTE = re.compile(
    r"""(?<![a-z_-])([a-z_-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++))""", re.IGNORECASE
)
_MARKUP = re.compile(r"<[^<>]*+>")
_HUGE_ENTITY = re.compile(r"&#x?[0-9a-f]{8,}+;?", re.IGNORECASE)
_LONG_NOTE = 10_000  # characters; what comes after them is left out
_NEVER = 1e17  # in any unit; also what is no number at all
_MICROSECONDS_FROM = 1e14
_MILLISECONDS_FROM = 1e11


def parse(text: str) -> Folder:
    """The folders of a Netscape bookmark file; it always yields some, if only an empty one."""
    reader = _BookmarkReader()
    for tag, attributes, following in _tags(_without_comments(text)):
        reader.meet(tag, attributes, following)
    return reader.finish()


def _without_comments(text: str) -> str:
    kept, end = [], 0
    while (start := text.find("<!--", end)) >= 0:
        kept.append(text[end:start])
        close = text.find("-->", start)
        end = len(text) if close < 0 else close + 3
    return "".join([*kept, text[end:]])


def _tags(text: str) -> Iterator[tuple[str, str, str]]:
    """Each tag (`dl`, `/dl`, ...) with its attributes and the text up to the next one.

    As in HTML, a tag that is never closed takes all that follows with it.
    """
    tag = attributes = ""
    end = 0
    while (found := _START.search(text, end)) is not None:
        rest = _REST.match(text, found.end())
        yield tag, attributes, text[end : found.start()]
        if rest is None:
            return
        tag, attributes, end = found[1].lower(), rest[1], rest.end()
    yield tag, attributes, text[end:]


class _BookmarkReader:
    """What is open while the tags go by."""

    def __init__(self) -> None:
        self._stack = FolderStack()
        self._title = ""
        self._folder: str | None = None  # named by an <H3>, waiting for its <DL>
        self._describing = False
        self._lists = 0

    def meet(self, tag: str, attributes: str, following: str) -> None:
        match tag:
            case "h1":
                self._title = _plain(following)
            case "h3":
                self._give_up_waiting()
                self._folder, self._describing = _plain(following), False
            case "dl":
                self._open_list()
            case "/dl":
                self._close_list()
            case "dt" | "hr":
                self._describing = False
            case "a":
                self._anchor(attributes, following)
            case "dd":
                self._describing = True
                self._describe(following)
            case "/a" if self._describing:
                self._describe(following)
            case _:
                pass

    def finish(self) -> Folder:
        self._give_up_waiting()
        return msgspec.structs.replace(self._stack.finish(), name=self._title)

    def _open_list(self) -> None:
        self._describing = False
        if self._folder is not None:
            self._stack.enter(self._folder)
            self._folder = None
            self._lists += 1
        elif self._lists:  # a list of its own inside a folder adds nothing to its name
            self._stack.enter("")
            self._lists += 1

    def _close_list(self) -> None:
        self._give_up_waiting()
        self._describing = False
        self._lists = max(0, self._lists - 1)
        self._stack.leave()

    def _give_up_waiting(self) -> None:
        """An <H3> without a list after it is a folder with nothing in it."""
        if self._folder is not None:
            self._stack.here.folders.append(Folder(self._folder))
            self._folder = None

    def _anchor(self, attributes: str, following: str) -> None:
        if self._describing:
            self._describe(following)
            return
        self._give_up_waiting()
        named = _attributes(attributes)
        if "href" in named:
            self._stack.here.bookmarks.append(
                Bookmark(
                    url=named["href"].strip(),
                    title=_plain(following),
                    tags=_split_tags(named.get("tags", "")),
                    added_at=_seconds(named.get("add_date", "")),
                )
            )

    def _describe(self, text: str) -> None:
        """Add to the description of the bookmark just read; folders have no use for theirs."""
        bookmarks = self._stack.here.bookmarks
        if self._folder is None and bookmarks and len(bookmarks[-1].note) < _LONG_NOTE:
            note = f"{bookmarks[-1].note} {_plain(text)}".strip()
            bookmarks[-1] = msgspec.structs.replace(bookmarks[-1], note=note)


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): _unescape(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _plain(markup: str) -> str:
    return " ".join(_unescape(_MARKUP.sub(" ", markup)).split())


def _unescape(text: str) -> str:
    """Entities as characters; a number too large for one is none."""
    return unescape(_HUGE_ENTITY.sub("\ufffd", text))


def _split_tags(text: str) -> tuple[str, ...]:
    separator = "," if "," in text else None
    return tuple(tag.strip() for tag in text.split(separator) if tag.strip())


def _seconds(text: str) -> float:
    """ADD_DATE is in seconds, with some writers in milli- or microseconds."""
    try:
        stamp = float(text)
    except ValueError:
        return 0.0
    if not 0 <= stamp < _NEVER:
        return 0.0
    if stamp >= _MICROSECONDS_FROM:
        return stamp / 1e6
    return stamp / 1e3 if stamp >= _MILLISECONDS_FROM else stamp
