"""Garbage collector settings within a crawl and after it."""

import gc
from collections.abc import Iterator

import pytest

from motherlode.workers.gc_settings import rare_gc


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    """The test session keeps its own objects frozen."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("nothing_frozen")
def test_the_settings_hold_within_the_block_and_end_with_it() -> None:
    threshold = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), rare_gc():
        assert gc.get_freeze_count() > 1000
        assert gc.get_threshold()[0] > 10 * threshold[0]
        assert 1 / 0
    assert (gc.get_freeze_count(), gc.get_threshold()) == (0, threshold)


def test_objects_that_were_frozen_before_stay_frozen() -> None:
    threshold = gc.get_threshold()
    gc.freeze()
    with rare_gc():
        pass
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold() == threshold
