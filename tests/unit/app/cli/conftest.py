"""A portal for commands to work on."""

from pathlib import Path

import pytest

from support.bookmark_files import BOOKMARKS
from support.helpers import CliRun


@pytest.fixture
def portal(lode: CliRun, tmp_path: Path) -> Path:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    run = lode("new", "p", "--bookmarks", "bookmarks.html")
    assert run.returncode == 0, run.stderr
    return tmp_path / "p"
