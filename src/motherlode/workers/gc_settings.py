"""Garbage collector settings for a crawl: a million records that come and go, without cycles.

What is loaded when a crawl begins stays, and need not be examined again. Nearly all later records
are freed by reference counting; by default the collector would examine them every 700 records.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG_OBJECTS = 50_000  # allocated and not freed, before the collector examines them


def freeze_loaded_objects() -> None:
    """Exempt all present objects from collection, and examine new ones rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def rare_gc() -> Iterator[None]:
    """Freeze present objects and collect rarely within the block; restore the settings after it.

    If objects were frozen before, all stay frozen: whoever froze them first decides when that ends.
    """
    threshold, frozen_before = gc.get_threshold(), gc.get_freeze_count()
    freeze_loaded_objects()
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if not frozen_before:
            gc.unfreeze()
