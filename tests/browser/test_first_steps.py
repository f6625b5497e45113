"""From nothing to a crawled portal, as a person who never opens a terminal."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from motherlode.lab.serving.background import Running
from support.app_server import Served
from support.helpers import NO_TIMEOUTS

pytestmark = pytest.mark.system

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Owls</H3><DL><p><DT><A HREF="http://owls0.test/">Owls</A><DT><A HREF="http://owls1.test/">Owls</A></DL><p>
<DT><H3>Herons</H3><DL><p><DT><A HREF="http://herons0.test/">H</A><DT><A HREF="http://herons1.test/">H</A></DL><p>
<DT><H3>OTHERS</H3><DL><p><DT><A HREF="http://news0.test/">News</A></DL><p></DL>"""


def make(
    page: Page,
    tmp_path: Path,
    web: Running,
    bookmarks: str = BOOKMARKS,
    settings: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Make the portal `birds` by the form."""
    file = tmp_path / "bookmarks.html"
    file.write_text(bookmarks)
    page.goto("/")
    page.get_by_role("link", name="New portal").click()
    page.get_by_label("Name").fill("birds")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_text("Settings", exact=True).click()
    lines = {"network.connect": web.address, **settings}
    page.get_by_label("One a line, such as").fill(
        "\n".join(f"{key}={value}" for key, value in lines.items())
    )
    page.get_by_role("button", name="Make the portal").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("birds")


def test_a_bookmark_file_becomes_a_crawled_portal(page: Page, web: Running, tmp_path: Path) -> None:
    make(page, tmp_path, web)
    expect(page.get_by_role("cell", name="Herons")).to_be_visible()
    page.get_by_label("Pages", exact=True).fill("12")
    page.get_by_role("button", name="Crawl").click()
    expect(page).to_have_url(re.compile(r"/portals/birds/crawl$"))
    expect(page.locator("#crawl-state")).to_have_attribute("data-state", "idle")
    page.get_by_role("navigation", name="Portal").get_by_role("link", name="Jobs").click()
    page.locator("main").get_by_role("link", name="crawl").click()
    expect(page.locator("#state")).to_have_text("done")
    expect(page.locator("#lines")).to_contain_text("Crawling, bingo")
    expect(page.get_by_text('"end": "page limit"')).to_be_visible()
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("owls")
    page.keyboard.press("Enter")
    expect(page.locator(".result").first).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(page.locator(".figures")).to_contain_text("Pages12")
    expect(page.get_by_role("table").nth(1)).to_contain_text("crawl")


def test_two_windows_see_the_same_crawl_and_either_stops_it(
    page: Page, web: Running, tmp_path: Path
) -> None:
    make(page, tmp_path, web, BOOKMARKS.replace("news0", "stall"), NO_TIMEOUTS)
    other = page.context.new_page()
    other.goto("/portals/birds")
    page.get_by_role("button", name="Crawl").click()
    page.get_by_role("link", name="What it says").click()
    expect(page.locator("#lines")).to_contain_text("Fetching the examples")
    other.get_by_role("link", name="Watch it").click()
    expect(other).to_have_url(re.compile(r"/portals/birds/crawl$"))
    other.get_by_role("button", name="Pause").click()
    expect(page.locator("#lines")).to_contain_text("Stopping; pages in progress are still stored.")
    other.get_by_role("button", name="Stop at once").click()
    expect(other.locator("#crawl-state")).to_have_attribute("data-state", "paused")
    expect(page.locator("#state")).to_have_text("cancelled")


def test_the_keyboard_is_enough(page: Page, served: Served) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="New portal")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_label("Name").focus()
    page.keyboard.type("owls")
    page.get_by_label("A query").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("barn owls")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.address}portals/owls")


def test_topics_can_be_added_and_nothing_is_too_wide_for_a_telephone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    for address in ("/", "/new?way=topics", "/jobs", "/nothing"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
    page.goto("/new?way=topics")
    page.get_by_role("button", name="Another topic").click()
    expect(page.get_by_label("Topic", exact=True)).to_have_count(4)
    page.get_by_label("Name").fill("birds")
    page.get_by_label("Topic", exact=True).last.fill("owls")
    page.get_by_label("Addresses").nth(4).fill("http://owls0.test/")
    page.get_by_role("button", name="Make the portal").click()
    expect(page.get_by_role("cell", name="owls")).to_be_visible()


def test_scripts_of_pages_can_do_nothing(context: BrowserContext) -> None:
    page = context.new_page()
    page.goto("/")
    blocked = page.evaluate(
        """() => new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
        })"""
    )
    assert blocked == "script-src-elem"
    assert page.evaluate("window.ran") is None
