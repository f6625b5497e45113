"""Garbage collector settings within a crawl and after it."""

import gc
from collections.abc import Iterator

import pytest

from motherlode.workers.gc_settings import freeze_loaded_objects, rare_gc


@pytest.fixture
def default_gc() -> Iterator[None]:
    """The settings that Python starts with; the test session has others."""
    threshold = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    yield
    gc.freeze()
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("default_gc")
def test_the_settings_hold_within_the_block_and_end_with_it() -> None:
    threshold = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), rare_gc():
        assert gc.get_freeze_count() > 1000
        assert gc.get_threshold()[0] > 10 * threshold[0]
        assert 1 / 0
    assert (gc.get_freeze_count(), gc.get_threshold()) == (0, threshold)


@pytest.mark.usefixtures("default_gc")
def test_objects_that_were_frozen_before_stay_frozen() -> None:
    threshold = gc.get_threshold()
    gc.freeze()
    with rare_gc():
        pass
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold() == threshold


@pytest.mark.usefixtures("default_gc")
def test_nothing_changes_where_the_settings_hold_already() -> None:
    freeze_loaded_objects()
    frozen, threshold = gc.get_freeze_count(), gc.get_threshold()
    kept = [[number] for number in range(1000)]
    with rare_gc():
        assert (gc.get_freeze_count(), gc.get_threshold()) == (frozen, threshold)
    assert (gc.get_freeze_count(), gc.get_threshold()) == (frozen, threshold)
    assert len(kept) == 1000
