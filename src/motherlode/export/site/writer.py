"""A site, from its content to its files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import accumulate, islice
from pathlib import Path

from jinja2 import Environment

from motherlode.export.site import FOLDERS, MARKER, WEBSITES_PAGE, WEBSITES_PICTURE, lookup
from motherlode.export.site.names import site_file, topic_file
from motherlode.export.site.records import Content, Head
from motherlode.export.site.rows import brief, named, row_of
from motherlode.export.site.spool import Spool
from motherlode.export.templates import filled_from
from motherlode.learning.calibration import MIN_LIKELY, MIN_SURE

_MARKED = (
    "This folder was made by 'lode export --format site', which replaces it when it is made anew.\n"
)
_LISTED = 50  # pages on a page
_HOSTS = 500  # sites on a page
_SITES = 15  # of a topic, those with most pages

ShowProgress = Callable[[str, int], None]
ASSETS = ("style.css", "search.js")
_PACKAGE = "motherlode.export.site"


@dataclass(frozen=True)
class SiteTopic:
    """A topic as the templates see it. Its pages and those below have the numbers from `first` to
    `end`.
    """

    head: Head
    place: int
    parent: int | None
    below: tuple[int, ...]  # places of the topics right below it
    last: int  # the place of the last topic below it
    own: int
    first: int
    end: int

    @property
    def name(self) -> str:
        return self.head.path[-1]

    @property
    def pages(self) -> int:
        return self.end - self.first

    @cached_property
    def file(self) -> str:
        return topic_file(self.head.path)


@dataclass(frozen=True)
class Turn:
    """One page of a long list: its file, its number, of what it begins with, and the files on
    either side.
    """

    name: str
    page: int
    pages: int
    start: int
    before: str
    after: str


def write_site(
    content: Content, folder: Path, show: ShowProgress = lambda _what, _done: None
) -> int:
    """Write a site into an empty folder; returns how many pages it lists.

    The same content makes the same bytes.
    """
    for name in FOLDERS:
        (folder / name).mkdir()
    with Spool(len(content.heads)) as spool:
        for place, head in enumerate(content.heads):
            for card in content.cards(head):
                spool.add(place, head.path, card)
                show("page", len(spool))
        _Site(content, folder, spool, show).write()
        return len(spool)


class _Site:
    """The second half: everything is in the spool and counted."""

    def __init__(self, content: Content, folder: Path, spool: Spool, show: ShowProgress) -> None:
        self._content = content
        self._spool = spool
        self._show = show
        self._topics = _topics(content.heads, spool.counts)
        self._hosts = _together(spool.hosts)
        self._files = {host: site_file(host) for host in self._hosts}
        shared = {
            "imprint": content.imprint,
            "topics": self._topics,
            "files": self._files,
            "total": len(spool),
            "websites": content.websites,
        }
        self._pages = SitePageWriter(folder, shared)

    def write(self) -> None:
        self._write_lists()
        self._write_topics()
        self._write_sites()
        self._write_search()
        self._write_websites()
        roots = [topic.place for topic in self._topics if topic.parent is None]
        self._pages.write(
            "index.html", "home.html", roots=roots, sites=_ranked(self._hosts)[:_SITES]
        )
        self._pages.write("about.html", "about.html", min_sure=MIN_SURE, min_likely=MIN_LIKELY)
        self._pages.put_assets()
        self._pages.put(MARKER, _MARKED.encode())

    def _write_lists(self) -> None:
        """All pages of each topic, the surest first."""
        rows = self._spool.rows()
        for topic in self._topics:
            mine = islice(rows, topic.own)
            for turn in _turns(
                "topics", f"{topic.file}__p1", f"{topic.file}__p", topic.own, _LISTED
            ):
                said = {"topic": topic, "above": list(self._above(topic)), "turn": turn}
                self._pages.write(turn.name, "list.html", rows=list(islice(mine, _LISTED)), **said)

    def _write_topics(self) -> None:
        places = {topic.head.topic: topic.place for topic in self._topics}
        for topic in self._topics:
            detail = self._content.detail(topic.head)
            best = [row_of(card, places[card.topic]) for card in detail.best]
            hosts = _together(self._spool.hosts[topic.place : topic.last + 1])
            said = {"detail": detail, "best": best, "sites": _ranked(hosts)[:_SITES]}
            above = list(self._above(topic))
            self._pages.write(
                f"topics/{topic.file}.html",
                "topic.html",
                topic=topic,
                above=above,
                hosts=len(hosts),
                **said,
            )
            self._show("topic", topic.place + 1)

    def _above(self, topic: SiteTopic) -> Iterator[SiteTopic]:
        """The topics above one, the outermost first."""
        if topic.parent is not None:
            parent = self._topics[topic.parent]
            yield from self._above(parent)
            yield parent

    def _write_sites(self) -> None:
        for number, (host, rows) in enumerate(self._spool.by_host(), 1):
            file, pages = self._files[host], self._hosts[host]
            for turn in _turns("sites", file, f"{file}__p", pages, _LISTED):
                said = {"host": host, "number": pages, "turn": turn}
                self._pages.write(turn.name, "site.html", rows=list(islice(rows, _LISTED)), **said)
            self._show("site", number)
        ranked = _ranked(self._hosts)
        for turn in _turns("sites", "index", "index-", max(1, len(ranked)), _HOSTS):
            part = ranked[turn.start - 1 : turn.start - 1 + _HOSTS]
            self._pages.write(turn.name, "sites.html", sites=part, number=len(ranked), turn=turn)

    def _write_search(self) -> None:
        firsts = []
        for number, (first, part) in enumerate(lookup.word_parts(self._spool.words())):
            firsts.append(first)
            self._pages.put(f"search/words-{number}.js", part)
        for number, part in enumerate(lookup.page_parts(self._spool.rows(), self._files)):
            self._pages.put(f"search/pages-{number}.js", part)
        spans = [
            lookup.Span("/".join(one.head.path), one.file, one.first, one.end)
            for one in self._topics
        ]
        about = lookup.about(len(self._spool), firsts, spans, sorted(self._spool.languages))
        self._pages.put("search/about.js", about)
        self._pages.write("search.html", "search.html")

    def _write_websites(self) -> None:
        """The relevant websites of a portal of such, with the picture of their links."""
        if not self._content.websites:
            return
        picture = self._content.picture
        if picture:
            self._pages.put(WEBSITES_PICTURE, picture.encode())
        self._pages.write(
            WEBSITES_PAGE, "websites.html", picture=WEBSITES_PICTURE if picture else ""
        )


def _ranked(counted: Counter[str]) -> list[tuple[str, int]]:
    """Sites with the number of their pages, those with most first."""
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def _together(counted: Iterable[Counter[str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in counted:
        found.update(one)
    return found


def _turns(folder: str, first: str, others: str, number: int, size: int) -> Iterator[Turn]:
    """The pages that a list of so many things takes; `others` are named by their numbers."""
    last = -(-number // size)
    files = [f"{first}.html", *(f"{others}{page}.html" for page in range(2, last + 1))]
    for at in range(last):
        before = files[at - 1] if at else ""
        after = files[at + 1] if at + 1 < last else ""
        yield Turn(f"{folder}/{files[at]}", at + 1, last, at * size + 1, before, after)


def _topics(heads: Sequence[Head], counts: Sequence[int]) -> list[SiteTopic]:
    """The topics with their places in the tree and the numbers of their pages."""
    places = {head.path: place for place, head in enumerate(heads)}
    parents = [places.get(head.path[:-1]) for head in heads]
    below: list[list[int]] = [[] for _ in heads]
    last = list(range(len(heads)))
    for place in reversed(range(len(heads))):
        parent = parents[place]
        if parent is not None:
            below[parent].insert(0, place)
            last[parent] = max(last[parent], last[place])
    starts = [0, *accumulate(counts)]
    return [
        SiteTopic(
            head=head,
            place=place,
            parent=parents[place],
            below=tuple(below[place]),
            last=last[place],
            own=counts[place],
            first=starts[place],
            end=starts[last[place] + 1],
        )
        for place, head in enumerate(heads)
    ]


class SitePageWriter:
    """Writes the pages of a site into its folder; `shared` is what every template may name."""

    def __init__(self, folder: Path, shared: Mapping[str, object]) -> None:
        self._folder = folder
        self._shared = shared

    def write(self, name: str, template: str, **said: object) -> None:
        """One page. `root` leads from it to the home page, so that links work wherever
        the site is.
        """
        root = "../" * name.count("/")
        text = (
            environment().get_template(template).render(self._shared, root=root, here=name, **said)
        )
        self.put(name, text.encode())

    def put(self, name: str, data: bytes) -> None:
        (self._folder / name).write_bytes(data)

    def put_assets(self) -> None:
        for name in ASSETS:
            self.put(f"assets/{name}", (files(_PACKAGE) / "assets" / name).read_bytes())


@cache
def environment() -> Environment:
    titled: Callable[[str, str | None], str] = lambda title, url: named(title, url or "")  # noqa: E731
    return filled_from(_PACKAGE, {"brief": brief, "titled": titled})
