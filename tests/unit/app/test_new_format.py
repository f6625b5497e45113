"""A new export format is a module and one registry entry: then it is known everywhere."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import httpx
import pytest

from support.app_server import Served, serving
from support.helpers import started
from support.search_portals import SamplePage, fill_portal

# Run by every interpreter before anything else, in place of a module here and its registry entry.
REGISTRATION = """
from motherlode.export.formats.registry import FORMATS, Format

def write_lines(source, out, options):
    lines = [f"{page.url} {page.text or ''}" for page in source.pages()]
    out.write("\\n".join(lines).encode())
    return len(lines)

FORMATS["lines"] = Format(
    about="an address a line, made up", suffix="lines.7z", write_file=write_lines, has_texts=True
)
"""
PORTAL = "/portals/birds"
API = f"/api/v1{PORTAL}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of portals; processes that are started here know the format."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "sitecustomize.py").write_text(REGISTRATION)
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    pages = {"http://owls.test/": SamplePage("Owls", "Owls hunt at night.", topic="birds")}
    fill_portal(tmp_path / "portals" / "birds", pages, ("birds",))
    return tmp_path / "portals"


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(folder) as running:
        yield running


def test_the_command_line_knows_a_new_format(folder: Path) -> None:
    shown = started(folder, "export", "--help")
    assert "lines      an address a line, made up" in shown.stdout
    assert "wacz, lines" in " ".join(shown.stdout.split())
    run = started(folder, "export", "birds", "--format", "lines", "--output", "out", "--text")
    assert run.returncode == 0, run.stderr
    assert (folder / "out").read_text() == "http://owls.test/ Owls hunt at night."


def test_api_and_web_pages_know_a_new_format(served: Served) -> None:
    with httpx.Client(base_url=served.address) as client:
        schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
        assert "lines" in schemas["ExportRequest"]["properties"]["format"]["enum"]
        page = client.get(f"{PORTAL}/export").text
        assert "an address a line, made up" in page
        assert "Export lines" in page
        job = client.post(f"{API}/export", json={"format": "lines", "text": True}).json()
        at = f"{API}/jobs/{job['id']}"
        while (now := client.get(at).json())["state"] in ("queued", "running"):
            sleep(0.05)
        assert now["state"] == "done", now
        assert f'href="{PORTAL}/export/{job["id"]}"' in client.get(f"{PORTAL}/export/now").text
        file = client.get(f"{PORTAL}/export/{job['id']}")
        assert file.headers["content-disposition"] == 'attachment; filename="birds.lines.7z"'
        assert file.text == "http://owls.test/ Owls hunt at night."
