"""Garbage collector settings for a crawl: a million short-lived records without cycles.

Objects that exist when a crawl begins stay, and need not be examined again. Nearly all later
records are freed by reference counting; by default the collector would run every 700 records.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG_OBJECTS = 50_000  # allocated and not freed, before the collector examines them


def freeze_loaded_objects() -> None:
    """Exempt all present objects from collection, and examine new objects rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def rare_gc() -> Iterator[None]:
    """Freeze present objects and collect rarely within the block; restore the settings after it.

    If objects were frozen before, all stay frozen: the code that froze them first unfreezes them.
    Nothing changes in a process that collects rarely anyway.
    """
    threshold = gc.get_threshold()
    if threshold[0] >= _YOUNG_OBJECTS:
        yield
        return
    frozen_before = gc.get_freeze_count()
    freeze_loaded_objects()
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if not frozen_before:
            gc.unfreeze()
