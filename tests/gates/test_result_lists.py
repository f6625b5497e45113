"""Floors for lists of results and next pages: the stored weights, on the pages they learned from.

Cross-validated figures, which are lower, are in docs/quality.md.
"""

from pathlib import Path

import pytest
from bench.records.measures import SEGMENTERS, site_means
from bench.records.pages import read_labelled
from bench.records.pagination import read_paged, stored_f1

from motherlode.documents.result_lists import find_next_page

# Measured, less about 0.02.
MIN_F1, MIN_NEXT_PAGE_F1 = 0.86, 0.87
TIMES_WHOLE_PAGE = 2


@pytest.fixture(scope="module")
def shared() -> Path:
    folder = Path(__file__).resolve().parents[2].parent / "shared"
    if not (folder / "records").is_dir():
        pytest.skip("the labelled pages of results are not here (../shared/records)")
    return folder


def test_records_are_found(shared: Path) -> None:
    pages = read_labelled(shared / "records")
    ours = site_means(pages, SEGMENTERS["ours"]).f1
    assert ours >= MIN_F1
    assert ours >= TIMES_WHOLE_PAGE * site_means(pages, SEGMENTERS["whole page"]).f1


def test_next_pages_are_found(shared: Path) -> None:
    pages = read_paged(shared / "pagination")
    assert stored_f1(pages, lambda page: find_next_page(page, by_number=False)) >= MIN_NEXT_PAGE_F1
