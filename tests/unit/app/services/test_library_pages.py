"""Pages that are added to a library by their addresses: fetched politely, or from the archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.app.requests.library import AddPagesRequest
from motherlode.app.services.library import objects_in
from motherlode.app.services.library_pages import AdditionReport, add_pages
from motherlode.lab.serving.background import Running, sandbox
from motherlode.records import BadInputError
from support.bird_portal import crawled_birds
from support.small_webs import record_web
from support.training_webs import place

PAPER = "http://papers.test/owls/7"
MOVED = "http://papers.test/old"
CLOSED = "http://closed.test/7"
HEAD = (
    '<meta name="citation_title" content="How owls hear"><meta name="citation_author" '
    'content="Strix, Anna"><meta name="citation_date" content="2004/05"><meta '
    'name="citation_doi" content="10.1000/owls.7"><meta name="citation_pdf_url" content="7.pdf">'
)
PAGES: dict[str, str | tuple[int, dict[str, str], bytes]] = {
    PAPER: f"<!DOCTYPE html><head><title>Portal</title>{HEAD}</head><p>They hear well.",
    MOVED: (301, {"Location": PAPER}, b""),
    "http://plain.test/": "<!DOCTYPE html><title>Owls of my garden</title><p>There are two.",
    "http://plain.test/error": (500, {}, b""),
    "http://closed.test/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /"),
    CLOSED: "<!DOCTYPE html><title>Closed</title>",
}  # fmt: skip


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sandbox(record_web(tmp_path_factory.mktemp("pages") / "web", PAGES)) as running:
        yield running


def add(path: Path, box: Running, *urls: str) -> AdditionReport:
    request = AddPagesRequest(urls=urls, folder="Birds/New")
    return add_pages(path, request, [f"network.connect={box.address}"])


def test_a_page_comes_with_its_metadata(box: Running, tmp_path: Path) -> None:
    report = add(tmp_path / "p", box, PAPER)
    (page,) = report.added
    assert (page.title, page.is_new, page.is_from_archive) == ("How owls hear", True, False)
    (view,) = objects_in(tmp_path / "p")
    assert view.folders == ("Birds/New",)
    assert (view.object.authors[0].family, view.object.date) == ("Strix", "2004-05")
    assert view.object.links == (PAPER, "http://papers.test/owls/7.pdf")


def test_one_that_fails_does_not_lose_the_others(box: Running, tmp_path: Path) -> None:
    gone, error = "http://papers.test/none", "http://plain.test/error"
    report = add(tmp_path / "p", box, "no address", gone, CLOSED, "http://plain.test/", error)
    assert [(page.title, page.kind) for page in report.added] == [("Owls of my garden", "webpage")]
    assert [problem.partition(" was not added")[0] for problem in report.problems] == [
        "no address",
        gone,
        CLOSED,
        error,
    ]
    assert "robots.txt" in report.problems[2]


def test_a_redirect_leads_to_the_same_object(box: Running, tmp_path: Path) -> None:
    report = add(tmp_path / "p", box, MOVED, PAPER, PAPER)
    assert [page.is_new for page in report.added] == [True, False]
    assert len(objects_in(tmp_path / "p")) == 1


def test_nothing_is_fetched_without_a_contact(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"crawler\.contact"):
        add_pages(tmp_path / "p", AddPagesRequest(urls=(PAPER,)))
    assert not (tmp_path / "p").exists()


def test_a_crawled_page_is_read_from_the_archive(finished_birds: Path, tmp_path: Path) -> None:
    with crawled_birds(tmp_path / "birds", finished_birds) as folder:
        pass  # its web is not served any more
    urls = (place("owl", 0), "http://elsewhere.test/")
    report = add_pages(folder / "birds", AddPagesRequest(urls=urls))
    (page,) = report.added
    assert (page.url, page.is_from_archive, page.kind) == (place("owl", 0), True, "webpage")
    assert page.title.startswith("Owl")
    assert report.problems[0].startswith("http://elsewhere.test/ was not added")
