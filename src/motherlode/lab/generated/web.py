"""A generated web: what lies at a URL, made on demand from the plan."""

import re
from collections.abc import Iterator
from email.utils import formatdate
from functools import cached_property
from hashlib import blake2b
from itertools import islice

from motherlode.lab.description import Description, WebPlan
from motherlode.lab.generated import renderer
from motherlode.lab.generated.atlas import Atlas, Part, Site
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.formats import KINDS, Manuscript, make
from motherlode.lab.generated.lexicon import DIGEST, lexicon
from motherlode.lab.generated.pages import GeneratedPages, Leaf, tunnel_path
from motherlode.lab.generated.renderer import PageContent
from motherlode.lab.labels import Labels
from motherlode.lab.misbehaviour.habits import HABITS
from motherlode.lab.web import Answer, WebInfo
from motherlode.records import LodeError
from motherlode.urls import UrlError, address, canonical

_FORM = 1  # of the generator; another number is another web from the same seed
_WAY = re.compile(r"/way/(\d{1,11})/(\d{1,2})\.html")
_OLD = re.compile(r"/old/([1-4])/(\d{1,11})")
_HOPS = (301, 302, 303, 307, 308)
_LISTED = 500  # URLs in a sitemap
_MOST_LABELS = 5_000_000
_EPOCH = 1_700_000_000  # when the youngest of the pages was changed


class GeneratedWeb:
    """The web of a plan. Nothing is kept: the same URL is made anew each time, the same
    each time.
    """

    def __init__(self, plan: WebPlan, description: Description | None = None) -> None:
        self._plan = plan
        self._description = description or Description()
        self._lexicon = lexicon()
        self._atlas = Atlas(plan, self._lexicon)
        self._pages = GeneratedPages(self._atlas, self._lexicon)

    @cached_property
    def about(self) -> WebInfo:
        told, plan = self._description, self._plan
        name = told.name or f"generated-{plan.seed}"
        note = told.note or "made of WordNet 3.0 glosses, (c) 2006 Princeton University"
        return WebInfo(name, "generated", plan.pages, plan.hosts, told.licence, note)

    @property
    def fingerprint(self) -> str:
        return blake2b(repr((_FORM, DIGEST, self._plan)).encode(), digest_size=10).hexdigest()

    def answer(self, url: str) -> Answer | None:
        try:
            where = address(url)
        except UrlError:
            return None
        site = self._atlas.find(where.host)
        if site is None:
            return None
        target = "/" + where.url.partition("://")[2].partition("/")[2]
        return self._special(site, target) or self._document(site, target)

    def hosts(self) -> Iterator[str]:
        return (self._atlas.site(number).name for number in range(self._plan.hosts))

    def has_host(self, name: str) -> bool:
        return self._atlas.find(name) is not None

    def urls(self) -> Iterator[str]:
        for number in range(self._plan.hosts):
            yield from self._urls_of(self._atlas.site(number))

    def pages_of(self, host: str) -> Iterator[str]:
        site = self._atlas.find(host)
        return iter(()) if site is None else self._urls_of(site)

    def labels(self) -> Labels:
        return self._labels

    def habit_of(self, host: str) -> str:
        told = self._description.habit_of(host)
        if told or not self._plan.misbehaving or (site := self._atlas.find(host)) is None:
            return told
        dice = Dice(self._plan.seed, "habit", site.number)
        return dice.pick(list(HABITS)) if dice.chance(self._plan.misbehaving) else ""

    @cached_property
    def _labels(self) -> Labels:
        if self._plan.pages > _MOST_LABELS:
            raise LodeError(
                f"This web has {self._plan.pages:,} pages; at most {_MOST_LABELS:,} can be listed."
            )
        return Labels(dict(self._labelled()))

    def _labelled(self) -> Iterator[tuple[str, set[str]]]:
        for host in range(self._plan.hosts):
            site = self._atlas.site(host)
            for number in range(site.size):
                leaf = self._pages.leaf(site, number)
                if leaf.topic and not leaf.hub:
                    url = self._pages.url(leaf)
                    framed = site.framed and number == 0
                    yield canonical(f"{url}frame/content.html" if framed else url), {leaf.topic}

    def _urls_of(self, site: Site) -> Iterator[str]:
        """Every document of a host: its pages, its frames, the tunnels that run through it."""
        yield from self._listed(site)
        for island in self._atlas.islands_through(site):
            steps = range(1, self._atlas.tunnel_length(island) + 1)
            yield from (f"http://{site.name}{tunnel_path(island, step)}" for step in steps)

    def _listed(self, site: Site) -> Iterator[str]:
        """What a host says it has; a tunnel is found by going through it."""
        for number in range(site.size):
            yield canonical(self._pages.url(self._pages.leaf(site, number)))
        if site.framed:
            yield from (f"http://{site.name}/frame/{name}.html" for name in ("content", "menu"))

    def _special(self, site: Site, target: str) -> Answer | None:
        if target == "/robots.txt":
            text = renderer.robots(site)
            return Answer(200, (("Content-Type", "text/plain"),), text.encode()) if text else None
        if target == "/sitemap.xml" and renderer.has_sitemap(site):
            body = renderer.sitemap(islice(self._listed(site), _LISTED))
            return Answer(200, (("Content-Type", "application/xml"),), body)
        if found := _OLD.fullmatch(target):
            return self._redirect(site, int(found[1]), int(found[2]))
        if found := _WAY.fullmatch(target):
            return self._tunnel(site, int(found[1]), int(found[2]))
        if site.framed and target.startswith("/frame/"):
            return self._frame(self._atlas.origin(site), target)
        return None

    def _redirect(self, site: Site, hops: int, number: int) -> Answer | None:
        """One hop of a chain; what a mirror lacks, its original has."""
        origin = self._atlas.origin(site)
        if number >= origin.size:
            return None
        leaf = self._pages.leaf(origin, number)
        path = self._pages.old_path(leaf, hops - 1) if hops > 1 else self._pages.path(leaf)
        lacking = number >= site.size
        there = f"http://{origin.name if lacking else site.name}{path}"
        return _moved(
            _HOPS[(number + hops) % len(_HOPS)], there if lacking or number % 2 == 0 else path
        )

    def _tunnel(self, site: Site, number: int, step: int) -> Answer | None:
        if number >= self._plan.hosts:
            return None
        island = self._atlas.site(number)
        if (
            island.part is not Part.ISLAND
            or self._atlas.tunnel_site(island) != site
            or not 1 <= step <= self._atlas.tunnel_length(island)
        ):
            return None
        dice = Dice(self._plan.seed, "tunnel text", number, step)
        text = tuple(dice.pick(self._lexicon.sentences) for _ in range(dice.between(5, 15)))
        links = tuple(self._pages.beyond_tunnel(island, step))
        return self._html(site, number, PageContent(text[0].rstrip("."), text, links))

    def _frame(self, site: Site, target: str) -> Answer | None:
        leaf = self._pages.leaf(site, 0)
        if target == "/frame/content.html":
            return self._html(site, 0, self._sheet(leaf))
        if target == "/frame/menu.html":
            body = renderer.menu(islice(self._pages.links(leaf), 20))
            return Answer(200, (("Content-Type", "text/html"),), body)
        return None

    def _document(self, site: Site, target: str) -> Answer | None:
        origin = self._atlas.origin(site)
        leaf = self._pages.at(origin, target)
        if leaf is None:
            return None
        if leaf.number >= site.size:
            return _moved(302, self._pages.url(leaf))
        if leaf.kind != "html":
            return self._file(leaf)
        if site.framed and leaf.number == 0:
            return Answer(
                200, (("Content-Type", "text/html"),), renderer.frameset(self._pages.title(leaf))
            )
        return self._html(origin, leaf.number, self._sheet(leaf))

    def _sheet(self, leaf: Leaf) -> PageContent:
        pages = self._pages
        return PageContent(pages.title(leaf), pages.paragraphs(leaf), tuple(pages.links(leaf)))

    def _html(self, site: Site, number: int, sheet: PageContent) -> Answer:
        body = renderer.page(site, sheet)
        headers = [("Content-Type", renderer.content_type(site))]
        if site.number % 2:
            age = Dice(self._plan.seed, "age", site.number, number).below(10**8)
            headers.append(("Last-Modified", formatdate(_EPOCH - age, usegmt=True)))
        return Answer(200, tuple(headers), body)

    def _file(self, leaf: Leaf) -> Answer:
        links = tuple(
            (self._absolute(leaf, link.url), link.anchor)
            for link in islice(self._pages.links(leaf), 8)
        )
        manuscript = Manuscript(self._pages.title(leaf), tuple(self._pages.paragraphs(leaf)), links)
        return Answer(200, (("Content-Type", KINDS[leaf.kind]),), make(leaf.kind, manuscript))

    def _absolute(self, leaf: Leaf, url: str) -> str:
        return f"http://{leaf.site.name}{url}" if url.startswith("/") else url


def _moved(status: int, location: str) -> Answer:
    return Answer(status, (("Location", location), ("Content-Type", "text/html")), b"<p>Moved")
