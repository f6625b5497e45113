"""Small steps that several formats share."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

MAX_VALUES = 1_000


def tidy_line(text: str) -> str:
    """Return text with each run of blanks as one, and none at its ends."""
    return " ".join(text.split())


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Return values without the empty ones, each once, at most a thousand."""
    return tuple(dict.fromkeys(value.strip() for value in values if value.strip()))[:MAX_VALUES]


def page_range(first: str, last: str) -> str:
    """Return pages from their first and last.

    >>> page_range("387", "391"), page_range("e18", ""), page_range("5", "5")
    ('387-391', 'e18', '5')
    """
    first, last = first.strip(), last.strip()
    return f"{first}-{last}" if first and last and first != last else first or last


def text_of(value: object) -> str:
    """Return a value of JSON as text: a number as it is written, anything else as nothing."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


@contextmanager
def quiet_logger(name: str) -> Iterator[None]:
    """Keep a library from writing what its results say anyway."""
    logger = logging.getLogger(name)
    was_disabled, logger.disabled = logger.disabled, True
    children = [
        child
        for key, child in logging.Logger.manager.loggerDict.items()
        if key.startswith(f"{name}.") and isinstance(child, logging.Logger) and not child.disabled
    ]
    for child in children:
        child.disabled = True
    try:
        yield
    finally:
        logger.disabled = was_disabled
        for child in children:
            child.disabled = False
