"""A crawl of a sandbox web as it is watched: charts, judgements, several windows, a pause."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from motherlode.app.services.portals.creation import PortalContents, make_portal, parse_topics
from motherlode.lab.serving.background import Running
from support.app_server import Served
from support.helpers import NO_TIMEOUTS

pytestmark = pytest.mark.system

TOPICS = [
    ("owls", ["http://owls0.test/", "http://owls1.test/"]),
    ("herons", ["http://herons0.test/", "http://herons1.test/"]),
]


@pytest.fixture
def birds(served: Served, web: Running) -> Path:
    return made(served, web, "http://news0.test/")


def made(served: Served, web: Running, *others: str) -> Path:
    """A portal on birds; its counterexamples may be such that a crawl never ends."""
    place = served.place / "birds"
    topics = parse_topics([*TOPICS, ("OTHERS", list(others))])
    make_portal(
        place, PortalContents(topics=topics), {"network.connect": web.address, **NO_TIMEOUTS}
    )
    return place


def start(page: Page, pages: int) -> None:
    page.goto("/portals/birds/crawl")
    page.get_by_label("Pages", exact=True).fill(str(pages))
    page.get_by_role("button", name="Crawl").click()


def figure(page: Page, name: str) -> str:
    return page.locator(f"#crawl-figures div:has(dt:text-is('{name}')) dd").inner_text()


@pytest.mark.usefixtures("birds")
def test_a_crawl_is_watched_to_its_end_in_two_windows(page: Page) -> None:
    other = page.context.new_page()
    other.goto("/portals/birds/crawl")
    expect(other.locator("#start")).to_be_visible()
    start(page, 20)
    for window in (page, other):
        window.bring_to_front()
        expect(window.locator("#crawl-state")).to_have_attribute("data-state", "idle")
        expect(window.locator("#crawl-figures dd").first).to_have_text("20")
        expect(window.locator("#crawl-judgements tbody tr")).to_have_count(20)
        expect(window.locator("#crawl-judgements")).to_contain_text(
            re.compile(r"owls, (sure|likely|doubtful) \([01]\.\d\d\)")
        )
        expect(window.locator("#start")).to_be_visible()
    assert figure(page, "On a topic") == figure(other, "On a topic") != "0"
    expect(page.get_by_role("img", name="Harvest rate: so far 0")).to_be_visible()
    assert page.locator("#crawl-topics rect").first.bounding_box() is not None
    chart = page.locator(".chart").first
    chart.locator("svg").hover()
    expect(chart.locator("figcaption")).to_contain_text(re.compile(r"at \d+ pages"))
    expect(chart.locator(".pointer")).to_have_attribute("visibility", "visible")
    page.locator("h1").hover()
    expect(chart.locator("figcaption span")).to_be_empty()
    chart.locator("svg").focus()
    page.keyboard.press("End")
    expect(chart.locator("figcaption")).to_contain_text("at 20 pages")


def test_a_crawl_is_paused_stopped_and_resumed(page: Page, served: Served, web: Running) -> None:
    made(served, web, "http://stall.test/")
    start(page, 30)
    expect(page.locator("#crawl-state")).to_have_attribute("data-state", "running")
    expect(page.locator("#start")).to_be_hidden()
    page.get_by_role("link", name="What it says").click()
    expect(page.locator("#lines")).to_contain_text("Fetching the examples")
    page.goto("/portals/birds/crawl")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#crawl-state")).to_have_attribute("data-state", "stopping")
    page.get_by_role("button", name="Stop at once").click()
    expect(page.locator("#crawl-state")).to_have_attribute("data-state", "paused")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#crawl-state")).to_have_attribute("data-state", "running")
    page.get_by_role("button", name="Pause").click()
    at_once, over = (
        page.get_by_role("button", name="Stop at once"),
        page.get_by_role("button", name="Resume"),
    )
    expect(at_once.or_(over)).to_be_visible()
    if at_once.is_visible():  # it had begun to fetch, and waits for the host that never ends
        at_once.click()
    expect(page.locator("#crawl-state")).to_have_attribute("data-state", "paused")


def test_a_crawl_in_a_terminal_is_seen(page: Page, birds: Path) -> None:
    page.goto("/portals/birds/crawl")
    command = [sys.executable, "-m", "motherlode", "crawl", str(birds), "--pages", "8", "--json"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    expect(page.locator("#crawl-figures dd").first).to_have_text("8")
    expect(page.locator("#crawl-judgements tbody tr")).to_have_count(8)


def test_hosts_and_log_also_on_a_telephone(page: Page, birds: Path) -> None:
    command = [sys.executable, "-m", "motherlode", "crawl", str(birds), "--pages", "8", "--json"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    page.goto("/portals/birds/crawl")
    page.get_by_role("navigation", name="Crawl").get_by_role("link", name="Hosts").click()
    expect(page.get_by_role("table")).to_contain_text("owls0.test")
    page.get_by_label("State").select_option("bad")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("state=bad"))
    expect(page.locator("main")).to_contain_text("No such host has been contacted.")
    page.get_by_role("navigation", name="Crawl").get_by_role("link", name="Log").click()
    page.get_by_label("Lines with").fill("HERONS0")
    page.keyboard.press("Enter")
    expect(page.locator("pre.log")).to_contain_text("http://herons0.test/")
    expect(page.locator("pre.log")).not_to_contain_text("http://owls0.test/")
    page.set_viewport_size({"width": 360, "height": 700})
    for address in (
        "/portals/birds/crawl",
        "/portals/birds/crawl/hosts",
        "/portals/birds/crawl/log",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
