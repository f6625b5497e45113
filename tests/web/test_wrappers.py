"""Wrappers over real HTTP: each design of a portal is wrapped without help, and finds a paper."""

import asyncio
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest

from motherlode.documents.encoding import decode
from motherlode.fetch import NetworkOptions, Request, Response, Web
from motherlode.fetch.http import HttpWeb
from motherlode.lab.description import PortalPlan, WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.portals.portal_web import PortalWeb
from motherlode.lab.portals.records import PaperRecord, parse_author
from motherlode.lab.portals.site import PortalSite
from motherlode.lab.serving.background import Running, sandbox
from motherlode.records import LodeError
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.options import SourceOptions
from motherlode.sources.search.pace import RequestPace
from motherlode.sources.search.source import SourceSetup
from motherlode.sources.wrappers.attributes import PersonName, PortalQuery
from motherlode.sources.wrappers.form_source import FormSource
from support.helpers import lacks
from support.portal_webs import ASKED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small generated web with all designs of portals."""
    folder = tmp_path_factory.mktemp("wrapped") / "web"
    write_plan(folder, WebPlan(pages=60, hosts=4), PortalPlan(number=7, records=400, seed=3))
    return folder


@pytest.fixture(scope="module")
def web(folder: Path) -> PortalWeb:
    try:
        opened = open_web(folder)
    except LodeError as error:
        lacks(f"WordNet 3.0: {error}")
    assert isinstance(opened, PortalWeb)
    return opened


@pytest.fixture(scope="module")
def box(folder: Path, web: PortalWeb) -> Iterator[Running]:
    del web  # without WordNet, the test is skipped
    with sandbox(folder) as running:
        yield running


def object_of(paper: PaperRecord) -> PortalQuery:
    name = parse_author(paper.authors[0])
    return PortalQuery(
        title=paper.title, authors=(PersonName(name.last, name.first),), year=paper.year
    )


class RecordedWeb:
    """A web that keeps its responses."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self.responses: list[Response] = []

    def expect(self, host: str) -> None:
        self._web.expect(host)

    async def fetch(self, request: Request) -> Response:
        response = await self._web.fetch(request)
        self.responses.append(response)
        return response


def answers(box: Running, site: PortalSite, subject: PortalQuery) -> list[Response]:
    """Return all that a portal sends when the best form of its page is asked for an object."""

    async def ask() -> list[Response]:
        async with HttpWeb(NetworkOptions(connect=box.address), "tests") as http:
            web = RecordedWeb(http)
            client = SearchClient(name="portal", web=web, pace=RequestPace())
            page = site.url(site.design.form_path)
            options = SourceOptions(kind="form", url=page)
            source = FormSource(SourceSetup(client=client, options=options, url=page))
            await source.ask(subject, 20)
            return web.responses

    return asyncio.run(ask())


@pytest.mark.parametrize("design", sorted(ASKED))
def test_each_design_is_wrapped_without_help_and_answers_with_the_paper(
    design: str, web: PortalWeb, box: Running
) -> None:
    site = next(site for site in web.portals.values() if site.design.name == design)
    paper = sorted(site.papers, key=lambda paper: paper.id)[7]
    others = [other for other in site.papers if other.title != paper.title]
    pages = [decode(response.body) for response in answers(box, site, object_of(paper))]
    target = site.record_url(paper).split(site.traits.host)[1]
    shown = [page for page in pages if f'{escape(target)}"' in page]
    assert shown, "its record is linked from the answer"
    links = [escape(site.record_url(other).split(site.traits.host)[1]) for other in others]
    assert sum(f'{link}"' in shown[0] for link in links) < 20, "the portal was asked, not listed"
