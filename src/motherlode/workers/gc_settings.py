"""The garbage collector, told what a crawl is like: a million records that come and go, and no circles.

What is loaded by the time a crawl begins stays, and need not be looked at again and again; and of what comes
later nearly all is gone without the collector, which by its defaults would look through it every 700 records.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 50_000  # records that are made and not dropped before the collector looks at them


def freeze_loaded_objects() -> None:
    """From here on what is there stays, and what comes is looked at seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])


@contextmanager
def rare_gc() -> Iterator[None]:
    """The same, for a while."""
    before = gc.get_threshold()
    freeze_loaded_objects()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
