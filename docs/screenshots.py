"""Takes the pictures of the web application in docs/images: `make screenshots`.

A web is made up and served on this machine, a portal is crawled from it in the application itself, and every
view is photographed by Chromium. A view is found by its tab, so that a new one is taken too.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from motherlode.app.services.demo import examples_on, paths_of
from motherlode.app.web.navigation import TABS
from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.serving.background import sandbox
from motherlode.portal import create_portal
from motherlode.portal.config_reader import rules_in
from motherlode.topics import plant_seeds

IMAGES = Path(__file__).parent / "images"
PORTAL = "atlas"
SIZE: ViewportSize = {"width": 1200, "height": 800}
TALLEST = 1500  # pixels; what is below is more of the same
PATIENCE = 120_000  # milliseconds
PAGES = 2500
SOUGHT = "soup"
LIVE = re.compile("[3-9][0-9][0-9]")  # pages at which the running crawl is photographed
# Views that no tab leads to: by a link of another one, or beneath it.
LINKED = (("topic", "/topics", "/topics/"), ("page", "/search", "/page?"))
BENEATH = (("hosts", "/crawl/hosts"), ("log", "/crawl/log"))
_SWITCHES = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="lode-screenshots-") as name:
        workshop = Path(name)
        write_plan(workshop / "web", WebPlan())
        seeds = examples_on(open_web(workshop / "web"))
        with sandbox(workshop / "web") as running:
            chosen: dict[str, object] = {
                "network.connect": running.address,
                "portal.title": "Atlas",
            }
            place = workshop / "portals" / PORTAL
            create_portal(place, plant_seeds(paths_of(seeds), rules_in(chosen)), chosen)
            with _served(place.parent) as address, _browser() as browser:
                _take_all(browser, address)


def _take_all(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address, viewport=SIZE, color_scheme="light")
    page.set_default_timeout(PATIENCE)
    _crawl(page)
    _indexed(page)
    _take(page, "portals", "/")
    _take(page, "new", "/new")
    queries = {"/search": f"?q={SOUGHT}"}
    for label, beneath in TABS:
        _take(page, label.lower(), f"/portals/{PORTAL}{beneath}{queries.get(beneath, '')}")
    for name, beneath in BENEATH:
        _take(page, name, f"/portals/{PORTAL}{beneath}")
    there = {beneath for _, beneath in TABS}
    for name, beneath, to in LINKED:
        if beneath in there:
            _take_linked(page, name, f"/portals/{PORTAL}{beneath}{queries.get(beneath, '')}", to)
    dark = browser.new_page(base_url=address, viewport=SIZE, color_scheme="dark")
    _take(dark, "crawl-dark", f"/portals/{PORTAL}/crawl")


def _crawl(page: Page) -> None:
    """Crawl as a person would, with a picture on the way."""
    page.goto(f"/portals/{PORTAL}/crawl")
    page.get_by_label("Pages", exact=True).fill(str(PAGES))
    page.get_by_role("button", name="Crawl").click()
    expect(page.locator("#crawl-figures dd").first).to_have_text(LIVE, timeout=PATIENCE)
    _keep(page, "crawl-live")
    page.wait_for_selector("#crawl-state[data-state=idle]")


def _indexed(page: Page) -> None:
    """Wait for the index, which follows by itself, and until it is up to date."""
    page.goto(f"/portals/{PORTAL}/search?q={SOUGHT}")
    while (
        not page.locator('main a[href*="/page?"]').count()
        or page.locator("main [data-live]").count()
    ):
        page.wait_for_timeout(500)
        page.goto(f"/portals/{PORTAL}/search?q={SOUGHT}")


def _take_linked(page: Page, name: str, place: str, to: str) -> None:
    page.goto(place)
    link = page.locator(f'main a[href*="{to}"]').first
    found = link.get_attribute("href") if link.count() else None
    if found is not None:
        _take(page, name, found)


def _take(page: Page, name: str, place: str) -> None:
    page.goto(place)
    _keep(page, name)


def _keep(page: Page, name: str) -> None:
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement?.blur()")
    image: Image.Image = Image.open(BytesIO(page.screenshot(full_page=True)))
    image = image.convert("RGB").crop((0, 0, image.width, min(image.height, TALLEST)))
    file = IMAGES / f"{name}.png"
    image.quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"docs/images/{file.name}  {file.stat().st_size // 1000} KB")


@contextmanager
def _browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        sys.exit("Pictures are taken by Chromium; install the package chromium.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(_SWITCHES))
        yield browser
        browser.close()


@contextmanager
def _served(place: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "motherlode", "serve", str(place), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            said = ""
            while process.stdout is not None and not said.endswith("}\n"):
                said += process.stdout.readline()
            yield str(json.loads(said)["address"])
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
