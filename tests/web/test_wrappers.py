"""Wrappers over real HTTP: each design of a portal is wrapped without help, and finds a paper."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.fetch import NetworkOptions
from motherlode.fetch.http import HttpWeb
from motherlode.lab.description import PortalPlan, WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.portals.portal_web import PortalWeb
from motherlode.lab.portals.records import PaperRecord
from motherlode.lab.portals.site import PortalSite
from motherlode.lab.serving.background import Running, sandbox
from motherlode.records import LodeError
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.options import SourceOptions
from motherlode.sources.search.pace import RequestPace
from motherlode.sources.search.source import SourceSetup
from motherlode.sources.wrappers.attributes import LibraryObject, PersonName
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


def object_of(paper: PaperRecord) -> LibraryObject:
    first, last = paper.authors[0]
    return LibraryObject(title=paper.title, authors=(PersonName(last, first),), year=paper.year)


def found(box: Running, site: PortalSite, subject: LibraryObject) -> list[str]:
    """Return the addresses that a portal's best form finds for an object."""

    async def ask() -> list[str]:
        async with HttpWeb(NetworkOptions(connect=box.address), "tests") as http:
            client = SearchClient(name="portal", web=http, pace=RequestPace())
            page = site.url(site.design.form_path)
            options = SourceOptions(kind="form", url=page)
            source = FormSource(SourceSetup(client=client, options=options, url=page))
            return [hit.url for hit in await source.ask(subject, 20)]

    return asyncio.run(ask())


@pytest.mark.parametrize("design", sorted(ASKED))
def test_each_design_is_wrapped_without_help_and_finds_a_paper(
    design: str, web: PortalWeb, box: Running
) -> None:
    site = next(site for site in web.portals.values() if site.design.name == design)
    paper = sorted(site.papers, key=lambda paper: paper.id)[7]
    assert site.record_url(paper) in found(box, site, object_of(paper))
