"""A web with portals beside its other hosts."""

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from string import ascii_lowercase

import msgspec
from msgspec.structs import replace

from motherlode.lab.description import PortalPlan
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import lexicon
from motherlode.lab.labels import Labels
from motherlode.lab.portals.designs import DESIGNS
from motherlode.lab.portals.generated_papers import generate_papers
from motherlode.lab.portals.paper_index import PaperIndex
from motherlode.lab.portals.records import PaperRecord, read_papers
from motherlode.lab.portals.site import PortalSite, PortalTraits
from motherlode.lab.web import Answer, LabWeb, RequestHandler, SandboxRequest, WebInfo, handler_of
from motherlode.urls import UrlError, address, canonical

HELD_SHARE = 0.7  # of all papers, by every portal but the first, which has them all
_DESIGN = {design.name: design for design in DESIGNS}
# The first portals of a web: each design once, and then those that something is wrong with. Hosts
# of generated webs have a number in their first label, so that none is called like a portal.
TROUBLED = (
    PortalTraits(_DESIGN["cards"], "slowstacks.test", habit="slow-first-byte:0.5"),
    PortalTraits(_DESIGN["table"], "faultycat.test", faulty=True),
    PortalTraits(_DESIGN["list"], "bibliotheque-en-panne.test", habit="dies:12"),
    PortalTraits(_DESIGN["blocks"], "closedgate.test", closed=True),
)
FIRST_PORTALS = (*(PortalTraits(design, design.host) for design in DESIGNS), *TROUBLED)


def portal_traits(number: int) -> PortalTraits:
    """Return what the portal with this number, from 0, is like.

    >>> portal_traits(0).host, portal_traits(11).host
    ('openstacks.test', 'openstacks-b.test')
    """
    if number < len(FIRST_PORTALS):
        return FIRST_PORTALS[number]
    turn, place = divmod(number - len(FIRST_PORTALS), len(DESIGNS))
    design = DESIGNS[place]
    letter = ascii_lowercase[1 + turn]
    return PortalTraits(design, design.host.replace(".test", f"-{letter}.test"))


class PortalWeb:
    """A web and its portals; where both have a host, it is the portal's.

    Relative folders of papers begin at `directory`.
    """

    def __init__(self, web: LabWeb, plan: PortalPlan, directory: Path) -> None:
        self._web = web
        self._plan = plan
        self.papers = _papers(plan, directory)
        index = PaperIndex(self.papers)
        sites = (_site(number, index) for number in range(plan.number))
        self.portals = {site.traits.host: site for site in sites}

    @cached_property
    def about(self) -> WebInfo:
        about = self._web.about
        pages = sum(1 for site in self.portals.values() for _ in site.urls())
        return replace(about, pages=about.pages + pages, hosts=about.hosts + len(self.portals))

    @cached_property
    def fingerprint(self) -> str:
        content = (self._web.fingerprint, self._plan.number, self.papers)
        return blake2b(msgspec.msgpack.encode(content), digest_size=10).hexdigest()

    def answer(self, url: str) -> Answer | None:
        try:
            where = address(url)
        except UrlError:
            return None
        if where.host not in self.portals:
            return self._web.answer(url)
        target = "/" + where.url.partition("://")[2].partition("/")[2]
        request = SandboxRequest("GET", where.url, where.host, target)
        return self.portals[where.host].reply(request)

    def handler_for(self, host: str) -> RequestHandler | None:
        return self.portals.get(host) or handler_of(self._web, host)

    def hosts(self) -> Iterator[str]:
        return chain(self._web.hosts(), self.portals)

    def has_host(self, name: str) -> bool:
        return name in self.portals or self._web.has_host(name)

    def urls(self) -> Iterator[str]:
        return chain(self._web.urls(), *(self.pages_of(host) for host in self.portals))

    def pages_of(self, host: str) -> Iterator[str]:
        if host in self.portals:
            return map(canonical, self.portals[host].urls())
        return self._web.pages_of(host)

    def labels(self) -> Labels:
        return self._labels

    def habit_of(self, host: str) -> str:
        assigned = self._web.habit_of(host)
        return assigned or (self.portals[host].traits.habit if host in self.portals else "")

    @cached_property
    def _labels(self) -> Labels:
        """The labels of the web, and the subjects of the papers for their abstract pages."""
        subjects = {
            canonical(site.record_url(paper)): {paper.subject}
            for site in self.portals.values()
            for paper in site.papers
            if paper.subject
        }
        return Labels({**dict(self._web.labels().items()), **subjects})


def _papers(plan: PortalPlan, directory: Path) -> tuple[PaperRecord, ...]:
    if plan.papers:
        return read_papers(directory / plan.papers)
    return generate_papers(plan.seed, plan.records, lexicon())


def _site(number: int, index: PaperIndex) -> PortalSite:
    traits = portal_traits(number)
    held = {
        paper.id
        for paper in index.papers
        if number == 0 or Dice("holding", traits.host, paper.id).chance(HELD_SHARE)
    }
    return PortalSite(traits, index, held)
