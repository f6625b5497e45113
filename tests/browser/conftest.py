"""A real browser over a real server. Every test ends with a look at what the browser complained of."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from motherlode.lab.serving.background import Running, sandbox
from support.app_server import Served, serving_here
from support.helpers import lacks
from support.small_webs import html, record_web

_SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 120_000  # milliseconds for whatever a test waits for: a first lesson in a fresh clone is compiled
OWLS = "Owls hunt mice at night, and owls hear them in the grass."
HERONS = "Herons wade in shallow water and spear fish with their bills."
NEWS = "Parliament met today to discuss the budget, taxes and elections."
PAGES = {
    **{
        f"http://owls{n}.test/": html(
            f"Owls {n}", f"{OWLS} {n}", f"http://owls{n + 1}.test/", "/more"
        )
        for n in range(12)
    },
    **{
        f"http://owls{n}.test/more": html(f"More owls {n}", f"More of it: {OWLS} {n}")
        for n in range(12)
    },
    **{
        f"http://herons{n}.test/": html(
            f"Herons {n}", f"{HERONS} {n}", f"http://herons{n + 1}.test/"
        )
        for n in range(12)
    },
    **{f"http://news{n}.test/": html(f"News {n}", f"{NEWS} {n}") for n in range(4)},
    "http://stall.test/": html("Endless", NEWS * 500),
}


class _Driven(NamedTuple):
    """A browser, and the event loop by which it is driven from this thread."""

    browser: Browser
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="session")
def driven() -> Iterator[_Driven]:
    """One Chromium for all tests of a process; its loop is put aside, so that others can run theirs."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        lacks("Chromium (the package chromium)")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(_SWITCHES))
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield _Driven(browser, loop)
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def chromium(driven: _Driven) -> Iterator[Browser]:
    """The browser. Playwright's loop stands still between calls, but this thread counts as being in it."""
    asyncio._set_running_loop(driven.loop)
    yield driven.browser
    asyncio._set_running_loop(None)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving_here(tmp_path / "portals") as served:
        yield served


@pytest.fixture
def context(chromium: Browser, served: Served) -> Iterator[BrowserContext]:
    """A browser's profile: its pages share cookies."""
    context = chromium.new_context(base_url=served.address)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A window. Whatever a script or the content-security policy complains of fails the test."""
    complaints: list[str] = []
    # A refused form is an answer that a test may ask for; the browser notes it all the same.
    context.on(
        "console",
        lambda said: (
            complaints.append(said.text)
            if said.type in ("error", "warning") and "Failed to load resource" not in said.text
            else None
        ),
    )
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    page = context.new_page()
    yield page
    assert complaints == []


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A small web on owls and herons, with other things beside, and a host that never finishes a sentence."""
    about = '[misbehaviour]\n"stall.test" = "stall"\n'
    folder = record_web(tmp_path_factory.mktemp("web"), PAGES, about=about)
    with sandbox(folder) as running:
        yield running
