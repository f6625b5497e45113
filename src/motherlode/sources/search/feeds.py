"""Search results as RSS 0.9 to 2.0, RSS 1.0 (RDF) or Atom."""

from urllib.parse import urljoin

from motherlode.documents.formats.markup import StopReading, local, prefixed, walk_any
from motherlode.sources.search.hits import without_markup
from motherlode.sources.search.source import Hit

ROOTS = frozenset({"rss", "feed", "rdf"})
ENTRIES = frozenset({"item", "entry"})
MAX_ENTRIES = 1_000
_TITLES = frozenset({"title"})
_SNIPPETS = frozenset({"description", "summary", "content", "encoded"})
_LINK_RELATIONS = frozenset({"", "alternate"})


def read_feed(body: bytes, content_type: str, url: str) -> list[Hit] | None:
    """Return the entries of a feed as hits; None if the body is no feed.

    Links are resolved against `url`, or against the feed's own base.
    """
    reader = _FeedReader(url)
    walk_any(body, reader, content_type)
    return reader.hits if reader.is_feed else None


class _FeedReader:
    """Collects the entries of a feed."""

    def __init__(self, url: str) -> None:
        self.is_feed = False
        self.hits: list[Hit] = []
        self._bases = [url]
        self._open: list[str] = []
        self._entry: dict[str, str] | None = None
        self._entry_depth = 0
        self._text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name).lower()
        if not self._open:
            self.is_feed = name in ROOTS
            if not self.is_feed:
                raise StopReading
        self._open.append(name)
        self._bases.append(_joined(self._bases[-1], attributes.get("xml:base", "")))
        if name in ENTRIES and self._entry is None:
            self._entry = {"about": prefixed(attributes, "about")}
            self._entry_depth = len(self._open)
        elif self._is_field:
            self._text.clear()
            self._link(name, attributes)

    def end(self, _: str) -> None:
        name, base = self._open.pop() if self._open else "", self._bases.pop()
        if self._entry is None:
            return
        depth = len(self._open)
        if depth < self._entry_depth:
            self._finish(base)
        elif depth == self._entry_depth:
            self._field(name, "".join(self._text).strip())

    def text(self, data: str) -> None:
        if self._entry is not None:
            self._text.append(data)

    @property
    def _is_field(self) -> bool:
        return self._entry is not None and len(self._open) == self._entry_depth + 1

    def _link(self, name: str, attributes: dict[str, str]) -> None:
        href = attributes.get("href", "").strip()
        relation = attributes.get("rel", "").lower()
        if self._entry is not None and name == "link" and href and relation in _LINK_RELATIONS:
            self._entry.setdefault("link", _joined(self._bases[-1], href))

    def _field(self, name: str, text: str) -> None:
        if self._entry is None or not text:
            return
        if name in _TITLES:
            self._entry.setdefault("title", text)
        elif name in _SNIPPETS:
            self._entry.setdefault("snippet", text)
        elif name in ("link", "guid", "id"):
            self._entry.setdefault(name, text)

    def _finish(self, base: str) -> None:
        entry, self._entry = self._entry or {}, None
        permanent = entry.get("guid", "") or entry.get("id", "") or entry.get("about", "")
        is_url = permanent.startswith(("http://", "https://"))
        link = entry.get("link", "") or (permanent if is_url else "")
        if link:
            title, snippet = entry.get("title", ""), entry.get("snippet", "")
            url = _joined(base, link)
            self.hits.append(Hit(url, without_markup(title), without_markup(snippet)))
        if len(self.hits) >= MAX_ENTRIES:
            raise StopReading


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:  # such as brackets that are no IPv6 address
        return reference
