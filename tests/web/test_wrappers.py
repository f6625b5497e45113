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
from motherlode.sources.wrappers.form_source import FormSource, PortalAnswer
from support.helpers import lacks
from support.portal_webs import ASKED

WANTED = 25


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


async def ask_portal(
    box: Running, site: PortalSite, subjects: list[PortalQuery]
) -> tuple[list[PortalAnswer], list[Response]]:
    """Return what the best form of a portal's page answers, and all that the portal sent."""
    async with HttpWeb(NetworkOptions(connect=box.address), "tests") as http:
        web = RecordedWeb(http)
        client = SearchClient(name="portal", web=web, pace=RequestPace())
        page = site.url(site.design.form_path)
        options = SourceOptions(kind="form", url=page)
        source = FormSource(SourceSetup(client=client, options=options, url=page))
        return [await source.ask(subject, WANTED) for subject in subjects], web.responses


def answers(box: Running, site: PortalSite, subject: PortalQuery) -> list[Response]:
    """Return all that a portal sends when it is asked for an object."""
    return asyncio.run(ask_portal(box, site, [subject]))[1]


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


@pytest.mark.parametrize("design", sorted(ASKED))
def test_the_records_of_each_design_are_those_of_the_portal_page_after_page(
    design: str, web: PortalWeb, box: Running
) -> None:
    site = next(site for site in web.portals.values() if site.design.name == design)
    papers = sorted(site.papers, key=lambda paper: paper.id)
    subjects = [
        PortalQuery(title=papers[30].title),  # one record or a few
        PortalQuery(query=papers[40].title.split()[-1]),
        PortalQuery(query="comparison"),  # several pages
        PortalQuery(query="nosuchword"),
    ]
    shown, _ = asyncio.run(ask_portal(box, site, subjects))
    for answer in shown:
        truth = site.search(site.query_of(answer.values))[:WANTED]
        assert [record.link for record in answer.records] == [*map(site.record_url, truth)]
        assert answer.nothing_found == (not truth)
    assert shown[3].nothing_found
    assert max(answer.pages for answer in shown) > 1 or design == "blocks"
