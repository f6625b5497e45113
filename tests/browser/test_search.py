"""Searching, re-ranking, marking, learning and exporting in a browser."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.app_server import Served, serving_here
from support.bird_portal import crawled_birds
from support.helpers import run_lode

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory, finished_birds: Path) -> Iterator[Path]:
    """A crawled portal with an index; to be copied."""
    folder = tmp_path_factory.mktemp("birds")
    with crawled_birds(folder, finished_birds):
        assert run_lode(folder, "index", "birds").returncode == 0
        yield folder / "birds"


@pytest.fixture
def served(birds: Path, tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "portals").mkdir()
    shutil.copytree(birds, tmp_path / "portals" / "birds")
    with serving_here(tmp_path / "portals") as served:
        yield served


def titles(page: Page) -> list[str]:
    return page.locator(".result h2").all_inner_texts()


def sought(page: Page, query: str) -> None:
    page.goto("/portals/birds/search")
    page.get_by_role("searchbox").fill(query)
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("match")


def test_search_and_narrow_down(page: Page) -> None:
    sought(page, "owls")
    expect(page).to_have_url(re.compile(r"/portals/birds/search\?q=owls$"))
    expect(page.locator(".snippet mark").first).to_be_visible()
    before = page.locator("#count").inner_text()
    page.locator("#facets input[name=site]").first.check()
    expect(page.locator("#count")).not_to_have_text(before)
    expect(page).to_have_url(re.compile(r"site="))
    shown = titles(page)
    page.reload()
    assert titles(page) == shown
    page.get_by_role("searchbox").fill("(owls")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("character 1")


def test_a_slider_ranks_anew_at_once(page: Page) -> None:
    sought(page, "owls herons")
    page.get_by_label("Any of the words will do").check()
    expect(page.locator(".result")).not_to_have_count(0)
    scores = page.locator(".result .facts").all_inner_texts()
    for part in ("bm25", "cosine", "topic", "authority"):
        page.get_by_role("slider", name=part).fill("0")
    page.get_by_role("slider", name="margin").fill("1")
    expect(page).to_have_url(re.compile(r"rank_confidence=1\b"))
    expect(page.locator(".result .facts").first).to_contain_text("score 1.000")
    assert page.locator(".result .facts").all_inner_texts() != scores
    page.locator(".why summary").first.click()
    expect(page.locator(".why[open] tbody tr")).to_have_count(1)


def test_a_page_and_its_original_in_which_nothing_runs(page: Page) -> None:
    elsewhere: list[str] = []
    page.on(
        "request", lambda one: elsewhere.append(one.url) if "127.0.0.1" not in one.url else None
    )
    sought(page, "owls")
    page.locator(".result h2 a").first.click()
    expect(page.get_by_role("heading", name="Why it is here")).to_be_visible()
    frame = page.frame_locator("iframe.original")
    page.locator("iframe.original").scroll_into_view_if_needed()
    expect(frame.locator("body")).to_contain_text(re.compile("owl", re.IGNORECASE))
    assert frame.locator("script, [href], [onclick]").count() == 0
    assert page.locator("iframe.original").get_attribute("sandbox") == ""
    assert elsewhere == []


def test_mark_learn_and_accept(page: Page) -> None:
    sought(page, "herons")
    page.get_by_role("button", name=re.compile("^Bad: ")).first.click()
    expect(page.get_by_text("bad for animals/birds").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/search\?q=herons"))
    page.get_by_role("button", name="Show what would change").click()
    expect(page.get_by_role("heading", name="The search, before and after")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("heading", name="What changed")).to_contain_text("done")
    page.get_by_role("link", name="Marks", exact=True).click()
    expect(page.get_by_text("All of them were learned from.")).to_be_visible()
    page.get_by_role("button", name="Take back the last").click()
    expect(page.get_by_text("Nothing is marked.")).to_be_visible()


def test_export_and_download(page: Page) -> None:
    page.goto("/portals/birds/export")
    page.get_by_label("Topic").select_option("animals/birds")
    page.get_by_role("button", name="Export bookmarks").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "birds.html"
    assert "NETSCAPE-Bookmark-file-1" in Path(download.value.path()).read_text()
