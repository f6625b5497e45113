"""RSS 0.9 to 2.0 and Atom: what their entries are called, say and lead to."""

from html import escape
from urllib.parse import urljoin

from motherlode.documents.formats.collector import MAX_TITLE, DocumentBuilder
from motherlode.documents.formats.fragments import gather_html
from motherlode.documents.formats.markup import StopReading, prefixed

_ENTRIES = frozenset({"item", "entry"})
_FEEDS = frozenset({"channel", "feed"})
_FIELDS = {
    "title": "title",
    "link": "link",
    "guid": "guid",
    "description": "summary",
    "subtitle": "summary",
    "tagline": "summary",
    "summary": "summary",
    "content": "content",
    "content:encoded": "content",
    "language": "language",
    "dc:language": "language",
}
# Links to the feed itself, and to what runs it.
_NOT_FOLLOWED = frozenset(
    {"self", "edit", "edit-media", "hub", "service.post", "service.feed", "service.edit"}
)


class Feed:
    """Its entries' titles are its headings, and the anchors of the links to them."""

    def __init__(self) -> None:
        self.gathered = DocumentBuilder()
        self._prefix = ""
        self._path: list[
            tuple[str, str]
        ] = []  # of the elements that are open: name, and base of links
        self._field, self._field_depth = "", 0
        self._xhtml = False  # the field holds elements, not HTML as text
        self._data: list[str] = []
        self._feed: dict[str, str] = {}
        self._entry: dict[str, str] | None = None
        self._links: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path and ":" in name and not name.lower().startswith("rdf:"):
            self._prefix = name.lower().partition(":")[0] + ":"
        name = name.lower().removeprefix(self._prefix)
        base = self._path[-1][1] if self._path else ""
        self._path.append((name, _joined(base, attributes.get("xml:base", ""))))
        if self._field:
            self._inside(name, attributes)
        elif name in _ENTRIES:
            self._begin(attributes)
        elif len(self._path) > 1 and self._path[-2][0] in _ENTRIES | _FEEDS:
            self._child(name, attributes)

    def end(self, _: str) -> None:
        name, base = self._path.pop() if self._path else ("", "")
        if self._field:
            self._end_inside(name, base)
        elif name in _ENTRIES and self._entry is not None:
            self._finish()
        elif name in _FEEDS:
            self._describe()
        if self.gathered.full:
            raise StopReading

    def text(self, data: str) -> None:
        if self._field:
            self._data.append(escape(data, quote=False) if self._xhtml else data)

    def _begin(self, attributes: dict[str, str]) -> None:
        # An entry that another entry begins in was never ended.
        if self._entry is not None:
            self._finish()
        self._describe()
        self._entry, self._links = {}, [prefixed(attributes, "about")]

    def _child(self, name: str, attributes: dict[str, str]) -> None:
        """Of an entry or of the feed."""
        if name == "link" and "href" in attributes:
            if attributes.get("rel", "").lower() not in _NOT_FOLLOWED:
                self._link(attributes["href"])
        elif name == "enclosure":
            self._link(attributes.get("url", ""))
        elif name in _FIELDS and not (name == "guid" and attributes.get("isPermaLink") == "false"):
            self._field, self._field_depth = _FIELDS[name], len(self._path)
            self._xhtml = attributes.get("type", "").lower() in ("xhtml", "application/xhtml+xml")
            self._data = []

    def _inside(self, name: str, attributes: dict[str, str]) -> None:
        """An element of XHTML in a field: it is put back as it was, to be read as HTML."""
        href = escape(attributes.get("href", ""))
        self._data.append(f'<{name} href="{href}">' if href else f"<{name}>")

    def _end_inside(self, name: str, base: str) -> None:
        if len(self._path) < self._field_depth:
            self._keep(base)
        else:
            self._data.append(f"</{name}>")

    def _keep(self, base: str) -> None:
        """A field that has ended."""
        field, self._field = self._field, ""
        text = "".join(self._data).strip()
        if field in ("link", "guid"):
            # A permanent address is one of several kinds of name that a guid may be.
            if field == "link" or text.startswith(("http://", "https://")):
                self._link(text, base)
            return
        if field == "title":
            text = _plain(text[: 4 * MAX_TITLE])
        where = self._feed if self._entry is None else self._entry
        if text and len(text) > len(where.get(field, "")):
            where[field] = text

    def _link(self, href: str, base: str = "") -> None:
        base = base or self._path[-1][1]
        href = _joined(base, href.strip())
        if self._entry is not None:
            self._links.append(href)
        else:
            self.gathered.reference(href, self._feed.get("title", ""))

    def _describe(self) -> None:
        """What the feed says of itself, which mostly comes before its entries."""
        gathered, feed = self.gathered, self._feed
        if gathered.title or not feed:
            return
        gathered.title = feed.get("title", "")
        gathered.language = feed.get("language", "")
        gathered.description = _plain(feed.get("summary", "")[: 4 * MAX_TITLE])
        gathered.line(gathered.title)
        gathered.line(gathered.description)

    def _finish(self) -> None:
        """An entry that has ended."""
        entry, self._entry = self._entry or {}, None
        title = entry.get("title", "")
        self.gathered.heading(title)
        for href in dict.fromkeys(self._links):
            self.gathered.reference(href, title)
        summary, content = entry.get("summary", ""), entry.get("content", "")
        if summary and summary not in content:
            gather_html(summary, self.gathered)
        gather_html(content, self.gathered)


def _plain(html: str) -> str:
    gathered = DocumentBuilder()
    gather_html(html, gathered)
    return gathered.extract().text.replace("\n", " ")


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href) if base and href else href or base
    except ValueError:
        return href
