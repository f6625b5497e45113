"""Webs with portals: what is true of them, and that other webs do not change."""

from pathlib import Path

import pytest

from motherlode.fetch import Request, Response
from motherlode.lab.clock import run_virtually
from motherlode.lab.description import PortalPlan, WebPlan, read_description, write_plan
from motherlode.lab.generated.web import GeneratedWeb
from motherlode.lab.loader import open_web
from motherlode.lab.portals.designs import designs
from motherlode.lab.portals.paper_index import ATTRIBUTES
from motherlode.lab.portals.portal_web import PortalWeb, portal_traits
from motherlode.lab.replay import Replay
from motherlode.lab.search_engine import WebSearch
from motherlode.records import BadInputError
from motherlode.urls import canonical
from support.generated_webs import made
from support.portal_webs import portal_web

PLAN = WebPlan(seed=5, pages=60, hosts=4)
PORTALS = PortalPlan(number=8, records=40)


@pytest.fixture(scope="module")
def web() -> PortalWeb:
    return PortalWeb(made(PLAN), PORTALS, Path())


def test_plans_with_portals_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    portals = PortalPlan(number=3, papers='a "b"\\c/ü', seed=9)
    write_plan(tmp_path / "web", PLAN, portals)
    description = read_description(tmp_path / "web")
    assert (description.generated, description.portals) == (PLAN, portals)


def test_a_web_without_portals_is_what_it_was(tmp_path: Path) -> None:
    write_plan(tmp_path / "web", PLAN)
    assert "portals" not in (tmp_path / "web" / "about.toml").read_text()
    made(PLAN)
    assert isinstance(open_web(tmp_path / "web"), GeneratedWeb)


def test_papers_that_are_not_there_are_missed_at_once(tmp_path: Path) -> None:
    write_plan(tmp_path / "web", PLAN, PortalPlan(papers="nowhere"))
    made(PLAN)
    with pytest.raises(BadInputError, match=r"papers\.jsonl\.gz"):
        open_web(tmp_path / "web")


def test_every_page_is_answered_and_counted(web: PortalWeb) -> None:
    urls = list(web.urls())
    assert (
        len(urls) == len(set(urls)) == web.about.pages - PLAN.pages + len(list(made(PLAN).urls()))
    )
    assert web.about.hosts == len(list(web.hosts())) == PLAN.hosts + 8
    for host in web.portals:
        assert web.has_host(host)
        for url in web.pages_of(host):
            answer = web.answer(url)
            assert answer is not None, url
            assert answer.status == 200, url
            assert url == canonical(url)
    assert web.answer(urls[0]) == made(PLAN).answer(urls[0])
    assert web.answer("no address") is None


def test_abstract_pages_are_labelled_with_the_subject(web: PortalWeb) -> None:
    site = web.portals["quarrycat.test"]
    paper = next(iter(site.papers))
    assert web.labels().of(canonical(site.record_url(paper))) == {paper.subject}
    labelled = dict(web.labels().items())
    assert dict(made(PLAN).labels().items()).items() <= labelled.items()


def test_the_same_plan_is_the_same_web(web: PortalWeb) -> None:
    again = PortalWeb(made(PLAN), PORTALS, Path())
    assert again.fingerprint == web.fingerprint != made(PLAN).fingerprint
    url = "http://quarrycat.test/catalog/results?ti=and"
    assert again.answer(url) == web.answer(url)
    other = PortalWeb(made(PLAN), PortalPlan(number=8, records=40, seed=2), Path())
    assert other.fingerprint != web.fingerprint


def test_portals_hold_different_parts_of_the_papers(web: PortalWeb) -> None:
    held = [frozenset(paper.id for paper in site.papers) for site in web.portals.values()]
    assert len(held[0]) == len(web.papers) == 40
    assert all(10 < len(ids) < 40 for ids in held[1:])
    assert len(set(held)) == len(held)


def test_a_hundred_portals_have_hosts_of_their_own() -> None:
    traits = [portal_traits(number) for number in range(100)]
    assert len({trait.host for trait in traits}) == 100
    assert {trait.design.name for trait in traits[:7]} == {design.name for design in designs()}


def test_the_search_engine_of_the_sandbox_finds_papers(web: PortalWeb) -> None:
    paper = web.papers[0]
    hits = {hit.url for hit in WebSearch(web).hits(f"{paper.title} {paper.venue}", 20)}
    assert hits & {site.record_url(paper) for site in web.portals.values()}


def test_designs_say_what_can_be_asked() -> None:
    for design in designs():
        assert set(design.attributes().values()) <= set(ATTRIBUTES)
        assert design.forms[design.form_index] == "search"
    assert {design.method for design in designs()} == {"GET", "POST"}
    assert len({design.enctype for design in designs()}) == 2
    assert {design.language for design in designs()} == {"en", "fr", "de"}


def test_a_crawler_in_process_sees_what_one_over_http_sees() -> None:
    """A replay has no sockets; the portals' handlers answer it, too."""
    web = portal_web(number=2, records=40)
    site = web.portals["openstacks.test"]
    url = site.url("/search?q=the&page=2")
    replay = Replay(web)
    response: Response = run_virtually(replay.fetch(Request(url)))
    expected = [site.links.record(paper) for paper in site.search({"any": "the"})[10:20]]
    assert response.status == 200
    assert all(
        f'<h3 class="card__title"><a href="{link}">'.encode() in response.body for link in expected
    )
