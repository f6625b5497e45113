"""Links from a file, plain and gzipped (SPEC F1)."""

import gzip
from pathlib import Path

import pytest

from motherlode.records import UsageError
from motherlode.sources.back_links.edge_file import pages_linking_to
from motherlode.urls import UrlRules

LINES = """http://a.test/ http://b.test/x
http://c.test/ HTTP://B.test/x
no link
http://d.test/ http://e.test/ and more
not-a-url http://b.test/x
"""


def sources(path: Path) -> list[str]:
    return [page.url for page in pages_linking_to(path, {"http://b.test/x"}, UrlRules())]


def test_pages_that_link_to_a_url_are_found_however_it_is_spelled(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv"
    path.write_text(LINES, "utf-8")
    assert sources(path) == ["http://a.test/", "http://c.test/"]


def test_a_gzipped_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "edges.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    assert sources(path) == ["http://a.test/", "http://c.test/"]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.tsv cannot be read.*ordinal.edge_files"):
        sources(tmp_path / "none.tsv")


def test_a_file_that_ends_too_early_is_named(tmp_path: Path) -> None:
    path = tmp_path / "edges.gz"
    path.write_bytes(gzip.compress(LINES.encode() * 1000)[:60])
    with pytest.raises(UsageError, match="cannot be read"):
        sources(path)
