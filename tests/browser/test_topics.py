"""Topics, clusters and feedback in a browser."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.app_server import Served
from support.training_webs import place

pytestmark = pytest.mark.system
SEEDS = {
    "birds/owls": [f"http://owls{n}.test/" for n in range(3)],
    "birds/herons": [f"http://herons{n}.test/" for n in range(3)],
    "OTHERS": ["http://news0.test/", "http://news1.test/"],
}


@pytest.fixture
def crawled(served: Served, finished_birds: Path) -> None:
    """A portal called `birds` that was crawled: owls and herons, both in one topic."""
    shutil.copytree(finished_birds / "birds", served.place / "birds")


def made(page: Page) -> None:
    """A portal called `birds`, by the API."""
    topics = [{"topic": topic, "seeds": seeds} for topic, seeds in SEEDS.items()]
    answer = page.request.post("/api/v1/portals", data={"name": "birds", "topics": topics})
    assert answer.ok, answer.text()


def row(page: Page, name: str) -> Any:
    return page.locator("tr[data-topic]").filter(
        has=page.get_by_role("link", name=name, exact=True)
    )


def test_a_topic_is_made_moved_removed_and_brought_back(page: Page) -> None:
    made(page)
    page.goto("/portals/birds/topics")
    page.get_by_label("Name").fill("night birds")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Added 'night birds'.")
    row(page, "owls").drag_to(row(page, "night birds"))
    expect(page.get_by_role("status")).to_have_text("Moved 'birds/owls' to 'night birds/owls'.")
    page.get_by_label("Topic", exact=True).select_option(label="night birds")
    page.get_by_label("To below").select_option(label="birds")
    page.get_by_role("button", name="Move").click()
    expect(page.get_by_role("status")).to_have_text("Moved 'night birds' to 'birds/night birds'.")
    page.get_by_role("link", name="night birds").click()
    page.get_by_role("button", name="Remove with all below it").click()
    expect(page.get_by_role("status")).to_contain_text(
        "Removed 'birds/night birds' with 1 topic below it."
    )
    expect(row(page, "owls")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_have_text("Restored 'birds/night birds' with 3 examples.")
    expect(row(page, "owls")).to_be_visible()


@pytest.mark.usefixtures("crawled")
def test_a_cluster_becomes_a_topic_and_an_example_is_trimmed(page: Page) -> None:
    page.goto("/portals/birds/topics")
    row(page, "birds").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Authorities")).to_be_visible()
    page.get_by_label("How many").fill("2")
    page.get_by_role("button", name="Find clusters").click()
    page.get_by_label("Name of the sub-topic").first.fill("field owls")
    page.get_by_role("button", name="Make this a sub-topic").first.click()
    expect(page.get_by_role("status")).to_contain_text("Added 'animals/birds/field owls' with")
    expect(page.get_by_text("not trained yet: pages are judged at the next")).to_be_visible()
    expect(page.get_by_role("button", name="Learn now")).to_be_visible()
    page.get_by_role("link", name="Trim").first.click()
    page.get_by_role("button", name="None").click()
    page.locator("#trim label").first.click()
    page.get_by_role("button", name="Show what it changes").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"Stored: \d trimmed\."))
    page.go_back()
    expect(page.get_by_text("Trim to blocks")).to_be_visible()


@pytest.mark.usefixtures("crawled")
def test_nothing_is_too_wide_for_a_telephone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto("/portals/birds/topics")
    birds = row(page, "birds").get_by_role("link").get_attribute("href")
    trim = f"/portals/birds/feedback/page?url={place('owl', 0)}"
    for address in ("/portals/birds/topics", birds, "/portals/birds/feedback", trim):
        page.goto(str(address))
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address


@pytest.mark.usefixtures("crawled")
def test_questions_are_answered_with_one_key_each(page: Page) -> None:
    page.goto("/portals/birds/feedback")
    page.get_by_role("link", name="Answer a few questions").click()
    questions = page.locator("[data-question]")
    expect(questions.first).to_be_visible()
    page.wait_for_load_state()  # the script that hears the keys is there
    for question in questions.all():
        page.keyboard.press("n")
        expect(question.get_by_label("No")).to_be_checked()
    page.keyboard.press("Enter")  # the button has the focus now
    expect(page.get_by_text("Nothing of this is stored yet.")).to_be_visible()
    page.get_by_role("button", name="Accept: retrain, and judge all pages").click()
    page.get_by_role("button", name="Take back this training").click()
    expect(page.get_by_text("The training was taken back")).to_be_visible()
