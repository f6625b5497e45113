"""Portals over real HTTP: each design is asked as a browser would, and compared with what is true of it."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from motherlode.fetch import FetchError, NetworkOptions, PolitenessOptions, Request, RobotsOptions
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.form_session import FormSession
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.lab.description import PortalPlan, WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.portals.designs import designs
from motherlode.lab.portals.portal_web import PortalWeb
from motherlode.lab.portals.records import PaperRecord
from motherlode.lab.portals.site import PortalSite
from motherlode.lab.serving.background import Running, sandbox
from motherlode.records import LodeError
from support.helpers import lacks
from support.portal_clients import BOUNDARY, PortalClient, WebForm, WebPage, multipart
from support.portal_webs import ASKED

QUERIED = sorted(ASKED)
EAGER = PolitenessOptions(delay=0.0, slowdown=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small generated web with all designs, and all that is wrong with some portals."""
    folder = tmp_path_factory.mktemp("portals") / "web"
    write_plan(folder, WebPlan(pages=60, hosts=4), PortalPlan(number=11, records=400, seed=3))
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


@pytest.fixture
def client(box: Running) -> PortalClient:
    return PortalClient(box.port)


def site_of(web: PortalWeb, name: str) -> PortalSite:
    """The portal of a design that nothing is wrong with."""
    return next(site for site in web.portals.values() if site.design.name == name)


def search_form(client: PortalClient, site: PortalSite) -> WebForm:
    return client.get(site.url(site.design.form_path)).forms()[site.design.form_index]


def truth(site: PortalSite, values: dict[str, str]) -> list[str]:
    return [site.record_url(paper) for paper in site.search(site.query_of(values))]


def all_pages(client: PortalClient, page: WebPage, next_text: str) -> list[WebPage]:
    pages = [page]
    while url := pages[-1].link_with_text(next_text):
        assert len(pages) < 100
        pages.append(client.get(url))
    return pages


@pytest.mark.parametrize("name", [design.name for design in designs()])
def test_the_search_page_has_the_form_that_the_design_says(
    name: str, web: PortalWeb, client: PortalClient
) -> None:
    site = site_of(web, name)
    design = site.design
    page = client.get(site.url(design.form_path))
    assert len(page.forms()) == len(design.forms)
    assert design.forms[design.form_index] == "search"
    form = page.forms()[design.form_index]
    assert set(form.fields) == {field.name for field in design.fields}
    assert ("onsubmit" in page.text) == design.needs_script
    if not design.needs_script:
        assert (form.method, form.enctype) == (design.method, design.enctype)
        assert form.action == site.url(design.search_path)


@pytest.mark.parametrize("name", QUERIED)
def test_the_pages_of_results_have_all_hits_once_and_in_order(
    name: str, web: PortalWeb, client: PortalClient
) -> None:
    site, asked = site_of(web, name), ASKED[name]
    first = client.submit(search_form(client, site), asked.values)
    pages = all_pages(client, first, asked.next_text)
    shown = [link for page in pages for link in page.links(asked.results)]
    assert shown == truth(site, asked.values)
    assert len(pages) >= 3
    assert [page.status for page in pages] == [200] * len(pages)


@pytest.mark.parametrize("name", QUERIED)
def test_what_nothing_is_found_for_is_said_beside_the_same_boxes(
    name: str, web: PortalWeb, client: PortalClient
) -> None:
    site, asked = site_of(web, name), ASKED[name]
    field = next(field.name for field in site.design.fields if field.attribute in ("any", "title"))
    page = client.submit(search_form(client, site), {field: "zyzzyvas"})
    assert page.status == 200
    assert page.links(asked.results) == []
    assert page.link_with_text(asked.next_text) is None
    every_link = page.links("a[href]")
    assert {site.record_url(paper) for paper in site.popular} <= set(every_link)


@pytest.mark.parametrize("name", ["list", "nested", "table"])
def test_names_with_accents_are_found_in_the_encoding_of_the_form(
    name: str, web: PortalWeb, client: PortalClient
) -> None:
    site, asked = site_of(web, name), ASKED[name]
    field = next(field.name for field in site.design.fields if field.attribute == "author")
    author = next(a for paper in site.papers for a in paper.authors if not a.isascii())
    expected = truth(site, {field: author})
    form = search_form(client, site)
    page = client.submit(form, {field: author}, site.design.encoding)
    assert page.links(asked.results) == expected[: site.design.page_size] != []
    again = page.forms()[site.design.form_index]
    assert again.fields[field] == author


def test_a_page_without_a_declaration_in_the_header_is_in_its_own(
    web: PortalWeb, client: PortalClient
) -> None:
    page = client.get(site_of(web, "nested").url("/katalog.html"))
    assert "charset" not in page.headers["Content-Type"]
    assert page.encoding == "iso-8859-1"
    assert "Titelwörter" in page.text
    french = client.get(site_of(web, "list").url("/"))
    assert french.encoding == "utf-8"
    assert b"charset=iso-8859-1" in french.body
    assert "Année" in french.text


def test_a_token_is_good_for_one_search_of_its_own_session(
    web: PortalWeb, client: PortalClient, box: Running
) -> None:
    site = site_of(web, "definitions")
    form = search_form(client, site)
    stranger = PortalClient(box.port)
    assert stranger.submit(form, {"query": "the"}).status == 403
    form = search_form(client, site)
    page = client.submit(form, {"query": "the"})
    assert page.status == 200
    assert "set=" in page.url
    assert client.submit(form, {"query": "the"}).status == 403
    assert stranger.get(page.url).status == 403
    assert client.submit(page.forms()[0], {"query": "the"}).status == 200


@pytest.mark.parametrize("name", ["list", "definitions"])
def test_a_form_for_post_is_not_answered_by_get(
    name: str, web: PortalWeb, client: PortalClient
) -> None:
    site = site_of(web, name)
    assert client.get(f"{site.url(site.design.search_path)}?query=the&titre=and").status == 405


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "multipart/form-data"),
        (b"\xff\x00--", "multipart/form-data; boundary=x"),
        (multipart({"token": "x"}), "text/plain"),
        (b"titre=and&" * 5000, "application/x-www-form-urlencoded"),
        (b"titre=" + b"and+" * 50_000, "application/x-www-form-urlencoded"),
    ],
)
def test_odd_bodies_are_answered(
    body: bytes, kind: str, web: PortalWeb, client: PortalClient
) -> None:
    assert client.post(site_of(web, "list").url("/recherche"), body, kind).status == 200
    assert client.post(site_of(web, "definitions").url("/find/submit"), body, kind).status == 403


def test_a_form_that_needs_a_script_is_answered_in_json(
    web: PortalWeb, client: PortalClient
) -> None:
    site = site_of(web, "scripted")
    page = client.get(site.url("/api/papers?term=the"))
    links: list[str] = []
    while True:
        answer = json.loads(page.body)
        links += [site.url(item["url"]) for item in answer["items"]]
        if not answer["next"]:
            break
        page = client.get(site.url(answer["next"]))
    assert links == truth(site, {"term": "the"})
    assert answer["total"] == len(links) > 100


@pytest.mark.parametrize("name", [design.name for design in designs()])
def test_every_paper_has_an_abstract_page_with_its_data(
    name: str, web: PortalWeb, client: PortalClient
) -> None:
    site = site_of(web, name)
    paper = next(p for p in site.papers if p.has_full_text and len(p.authors) > 1)
    page = client.get(site.record_url(paper))
    assert paper.title in page.tree.text
    assert paper.abstract in page.tree.text
    metas = [(m.attrs.get("name"), m.attrs.get("content")) for m in page.tree.find_all("meta")]
    assert ("citation_title", paper.title) in metas
    assert [c for n, c in metas if n == "citation_author"] == list(paper.authors)
    pdf = client.get(str(dict(metas)["citation_pdf_url"]))
    assert pdf.body.startswith(b"%PDF-")
    bib = client.get(page.link_with_text("BibTeX") or "")
    assert f"title = {{{paper.title}}}" in bib.body.decode()
    held = {other.id for other in site.papers}
    cited = [site.record_url(o) for o in web.papers if o.id in set(paper.links) & held]
    assert set(cited) <= set(page.links("a[href]"))


def test_authors_have_pages_with_their_papers(web: PortalWeb, client: PortalClient) -> None:
    site = site_of(web, "blocks")
    paper = next(iter(site.papers))
    page = client.get(site.url(site.links.author(paper.authors[0])))
    written = [site.record_url(p) for p in site.papers if paper.authors[0] in p.authors]
    assert page.links("li a") == written


def test_a_portal_describes_its_search(web: PortalWeb, client: PortalClient) -> None:
    site = site_of(web, "cards")
    text = client.get(site.url("/opensearch.xml")).text
    template = text.partition('template="')[2].partition('"')[0].replace("&amp;", "&")
    url = template.replace("{searchTerms}", "the").replace("{startPage?}", "2")
    assert client.get(url).links(ASKED["cards"].results) == truth(site, {"q": "the"})[10:20]
    assert client.get(site_of(web, "table").url("/opensearch.xml")).status == 404


def test_a_closed_portal_asks_crawlers_not_to_search(client: PortalClient) -> None:
    rules = {
        host: client.get(f"http://{host}/robots.txt").text
        for host in ("scholarsgate.test", "closedgate.test")
    }
    assert rules["scholarsgate.test"] == "User-agent: *\nDisallow:\n"
    assert rules["closedgate.test"] == "User-agent: *\nDisallow: /find\n"


def test_a_faulty_portal_answers_most_searches(web: PortalWeb, client: PortalClient) -> None:
    site = web.portals["faultycat.test"]
    form = search_form(client, site)
    pages = [client.submit(form, ASKED["table"].values) for _ in range(8)]
    assert [page.status for page in pages] == [200, 200, 200, 500, 200, 200, 200, 200]
    assert [b"</html>" in page.body for page in pages] == [True] * 7 + [False]


def test_portals_may_be_slow_or_die_now_and_then(web: PortalWeb) -> None:
    assert web.habit_of("slowstacks.test") == "slow-first-byte:0.5"
    assert web.habit_of("bibliotheque-en-panne.test") == "dies:12"
    assert web.habit_of("openstacks.test") == ""


def test_the_rest_of_the_web_is_served_beside_the_portals(
    web: PortalWeb, client: PortalClient
) -> None:
    assert client.get(next(web.urls())).status == 200
    assert next(web.hosts()) not in web.portals
    assert client.get("http://openstacks.test/nothing").status == 404
    assert client.get("http://openstacks.test/paper/nothing").status == 404


def test_a_paper_that_the_portal_does_not_hold_is_not_there(
    web: PortalWeb, client: PortalClient
) -> None:
    site = site_of(web, "table")
    held = {paper.id for paper in site.papers}
    other: PaperRecord = next(paper for paper in web.papers if paper.id not in held)
    assert client.get(site.record_url(other)).status == 404


def in_session(box: Running, work: Callable[[FormSession], Awaitable[None]]) -> None:
    """Do something in a session of the crawler's own, without waits between requests."""

    async def run() -> None:
        async with HttpWeb(NetworkOptions(connect=box.address), "tests") as http:
            limiter: RateLimiter[str] = RateLimiter(EAGER)
            rules = RobotsCache(http, RobotsOptions(), "tests")
            await work(FormSession(web=http, courtesy=limiter, rulebook=rules))

    asyncio.run(run())


def test_a_session_of_the_crawler_gets_past_token_and_redirect(
    web: PortalWeb, box: Running
) -> None:
    site = site_of(web, "definitions")

    async def work(session: FormSession) -> None:
        page = await session.send(Request(site.url("/find/")))
        token = re.search(rb'name="token" value="(\w+)"', page.body)
        assert token is not None
        submission = Request(
            site.url("/find/submit"),
            method="POST",
            body=multipart({"token": token[1].decode(), "query": "the"}),
            content_type=f"multipart/form-data; boundary={BOUNDARY}",
        )
        results = await session.send(submission)
        assert results.status == 200
        first = site.search({"any": "the"})[0]
        assert f'1. <a href="{site.links.record(first)}"'.encode() in results.body
        assert (await session.send(submission)).status == 403

    in_session(box, work)


def test_a_session_of_the_crawler_does_not_search_a_closed_portal(
    web: PortalWeb, box: Running
) -> None:
    site = web.portals["closedgate.test"]

    async def work(session: FormSession) -> None:
        assert (await session.send(Request(site.url("/advanced")))).status == 200
        with pytest.raises(FetchError) as refused:
            await session.send(Request(site.url("/find?allwords=the")))
        assert refused.value.kind is FailureKind.ROBOTS

    in_session(box, work)
