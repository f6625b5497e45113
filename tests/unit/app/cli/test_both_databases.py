"""What is done with a finished crawl gives the same on SQLite and on PostgreSQL."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from motherlode.app.cli.main import lode
from motherlode.export.formats.registry import FORMATS
from support.databases import DATABASES, fresh_database
from support.search_portals import SamplePage, fill_portal
from support.training_webs import EACH, place, text

BIRDS = {
    place(kind, number): SamplePage(
        f"{kind.title()} {number}",
        text(kind, number),
        topic="birds",
        confidence=0.1 + number / 10,
        links={
            place(kind, (number + 1) % EACH): f"the next {kind}",
            "http://owl0.test/": "first of all",
        },
    )
    for kind, number in product(("owl", "heron"), range(EACH))
}
RANK = "bm25,cosine,confidence,authority"
NEWS = {place("news", n): SamplePage(f"News {n}", text("news", n), day=n) for n in range(EACH)}
_STAMPS = re.compile(rb"[0-9a-f]{8}-[0-9a-f-]{27}|20\d\d-\d\d-\d\dT[\d:]+Z?|sha256:[0-9a-f]{64}")


@pytest.fixture(scope="module")
def portals(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Path]]:
    """The same portal twice."""
    with ExitStack() as stack:
        made = []
        for kind in DATABASES:
            request.param = kind
            url = stack.enter_context(fresh_database(request))
            path = tmp_path_factory.mktemp(kind) / "p"
            made.append(fill_portal(path, {**BIRDS, **NEWS}, ["birds", "OTHERS"], url))
        yield made


def said(portal: Path, *words: str) -> str:
    run = CliRunner().invoke(lode, [words[0], str(portal), *words[1:]])
    assert run.exit_code == 0, run.output
    return run.output


def same(portals: list[Path], *words: str) -> str:
    """What both say."""
    first, second = (said(portal, *words) for portal in portals)
    assert first == second
    return first


def test_pages_are_indexed_and_found(portals: list[Path]) -> None:
    assert same(portals, "index") == f"{3 * EACH} pages indexed; it holds {3 * EACH} pages.\n"
    found = same(portals, "search", "owl* OR water", "--topic", "birds", "--why", "--rank", RANK)
    assert "pages match" in found
    assert "Owl" in found
    assert "Heron" in found
    assert "News" not in found
    assert "Owl 1" in same(
        portals, "search", "--like", place("owl", 0), "--site", "owl1.test", "--language", "en"
    )
    assert "News 3" in same(portals, "search", "parliament", "--since", "2023-11-16", "--json")
    assert same(portals, "index").startswith("The index is up to date")


def test_pages_fall_into_the_same_clusters(portals: list[Path]) -> None:
    assert "in 2 clusters" in same(portals, "cluster", "--topic", "birds")


@pytest.mark.parametrize("form", [form for form, one in FORMATS.items() if one.write_file])
def test_exports_are_the_same(portals: list[Path], form: str, tmp_path: Path) -> None:
    """But for the moments and numbers that are made up when they are written."""
    written = []
    for number, portal in enumerate(portals):
        out = tmp_path / f"{number}" / "out"
        out.parent.mkdir()
        assert "Wrote" in said(portal, "export", "--format", form, "--output", str(out))
        written.append(out.read_bytes())
    if form in ("warc", "wacz"):
        assert all(len(one) > 1_000 for one in written)
        return
    first, second = (_STAMPS.sub(b"", one) for one in written)
    assert first == second
    assert place("owl", 0).encode() in first
