"""XML: feeds, FictionBooks and flat OpenDocument by what their elements mean, anything else by its
text.
"""

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats.collector import MAX_ANCHOR, MAX_TITLE, DocumentBuilder
from motherlode.documents.formats.feeds import Feed
from motherlode.documents.formats.markup import StopReading, any_prefix, local, walk_any
from motherlode.documents.formats.opendocument import read_flat

_FEEDS = frozenset({"rss", "feed", "rdf"})
_LINKING = ("href", "src", "xmlUrl", "htmlUrl")  # the last two are OPML's
_SILENT = frozenset({"binary", "binarydata", "bindata", "script", "style"})
_PIECES = 64  # pieces of text that an anchor is made of at most


def read_xml(raw: Raw) -> Extract:
    root = _root(raw)
    if not root:
        raise UnreadableError("broken XML")
    if root == "office:document":
        return read_flat(raw)
    name = local(root)
    reading = Feed() if name in _FEEDS else _FictionBook() if name == "fictionbook" else _Any()
    walk_any(raw.body, reading, raw.content_type)
    gathered = reading.gathered if isinstance(reading, Feed) else reading.finished()
    return gathered.extract()


class _Root:
    """The name of the first element."""

    def __init__(self) -> None:
        self.name = ""

    def start(self, name: str, _: dict[str, str]) -> None:
        self.name = name.lower()
        raise StopReading

    def end(self, _: str) -> None:
        pass

    def text(self, _: str) -> None:
        pass


def _root(raw: Raw) -> str:
    root = _Root()
    walk_any(raw.body, root, raw.content_type)
    return root.name


class _Any:
    """All text: elements stand in lines of their own, except inside running text."""

    def __init__(self) -> None:
        self.gathered = DocumentBuilder()
        self._running: list[bool] = [False]  # of open elements: are they a part of running text?
        self._data: list[str] = []
        self._lines = 0
        self._links: list[
            tuple[int, str, int, int]
        ] = []  # open ones: depth, address, line and place in it
        self._silent = 0  # the depth of an element whose text is none
        self._title = 0  # the same of the first that is called title
        self._ended = False  # the last thing seen was an end

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._running[-1]:
            self._flush()
        elif self._ended:
            self._data.append(" ")
        self._ended = False
        self._running.append(self._running[-1])
        depth, name = len(self._running), local(name).lower()
        if name in _SILENT:
            self._silent = self._silent or depth
        if name == "title" and not self.gathered.title:
            self._title = self._title or depth
        if attributes:
            self._attributes(attributes, depth)

    def end(self, _: str) -> None:
        depth = len(self._running)
        while self._links and self._links[-1][0] >= depth:
            self._linked(*self._links.pop())
        if depth == self._silent:
            self._silent = 0
        if depth == self._title:
            self.gathered.title, self._title = "".join(self._data[:_PIECES]), 0
        self._running.pop()
        self._ended = True
        if self.gathered.full:
            raise StopReading

    def text(self, data: str) -> None:
        if self._silent:
            return
        self._data.append(data)
        if not data.isspace():
            self._running[-1] = True
            self._ended = False

    def finished(self) -> DocumentBuilder:
        while self._links:
            self._linked(*self._links.pop())
        self._flush()
        return self.gathered

    def _attributes(self, attributes: dict[str, str], depth: int) -> None:
        self.gathered.language = self.gathered.language or attributes.get("xml:lang", "")
        for name in _LINKING:
            if href := any_prefix(attributes, name):
                self._links.append((depth, href, self._lines, len(self._data)))

    def _linked(self, _: int, href: str, line: int, place: int) -> None:
        anchor = "".join(self._data[place : place + _PIECES]) if line == self._lines else ""
        self.gathered.reference(href, anchor[: 4 * MAX_ANCHOR])

    def _flush(self) -> None:
        if self._data:
            self.gathered.line("".join(self._data))
            self._data = []
            self._lines += 1


_PARAGRAPHS = frozenset({"p", "v", "subtitle", "text-author", "td", "th", "book-title", "lang"})


class _FictionBook:
    """FictionBook: paragraphs, chapters' titles as headings, links to elsewhere."""

    def __init__(self) -> None:
        self.gathered = DocumentBuilder()
        self._open: list[str] = []
        self._depth: dict[str, int] = {}  # how many of these are open
        self._data: list[str] = []
        self._link: tuple[str, int] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name).lower()
        self._open.append(name)
        self._depth[name] = self._depth.get(name, 0) + 1
        if name in _PARAGRAPHS:
            self._data, self._link = [], None
        elif name == "a":
            self._link = (any_prefix(attributes, "href"), len(self._data))

    def end(self, _: str) -> None:
        name = self._open.pop()
        self._depth[name] -= 1
        if name == "a" and self._link:
            href, place = self._link
            self.gathered.reference(href, "".join(self._data[place:]))
            self._link = None
        elif name in _PARAGRAPHS:
            self._paragraph(name, "".join(self._data))
            self._data = []
        if self.gathered.full:
            raise StopReading

    def text(self, data: str) -> None:
        if not self._within("binary"):
            self._data.append(data)

    def finished(self) -> DocumentBuilder:
        if self._within("body"):
            self.gathered.line("".join(self._data))
        return self.gathered

    def _within(self, name: str) -> bool:
        return self._depth.get(name, 0) > 0

    def _paragraph(self, name: str, text: str) -> None:
        gathered = self.gathered
        if name == "book-title":
            gathered.title = gathered.title or text
        elif name == "lang":
            gathered.language = gathered.language or text
        elif self._within("annotation") and self._within("description"):
            gathered.line(text)
            if len(gathered.description) < MAX_TITLE:
                gathered.description += f" {text}"
        elif self._within("title") and self._within("body"):
            gathered.heading(text)
        elif self._within("body"):
            gathered.line(text)
