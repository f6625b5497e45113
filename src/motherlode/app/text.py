"""Durations, days and lists of numbers as users write and read them."""

import re
from datetime import UTC, datetime, timedelta

from motherlode.records import UsageError

MAX_LISTED_NUMBER = 100_000
_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_DURATION_PART = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([smhdw])\s*", re.ASCII)
_RANGE = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?", re.ASCII)


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 topic`, `2 topics`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """Return a duration as a clock shows it: `0:07`, `12:30`, `1:02:03`."""
    whole = max(0, round(seconds))
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def parse_duration(text: str) -> float | None:
    """Return the seconds that a text such as `1h30m` names, or None if it names no duration.

    A number needs a unit: 90 could be seconds or minutes.

    >>> parse_duration("90s"), parse_duration("1h30m"), parse_duration("90"), parse_duration("soon")
    (90.0, 5400.0, None, None)
    """
    text = text.lower()
    parts, remainder = _DURATION_PART.findall(text), _DURATION_PART.sub("", text)
    if not parts or remainder.strip():
        return None
    return sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts)


def parse_day(text: str, now: float, *, end: bool = False) -> int | None:
    """Return a day's first second since 1970, or None if the text is neither a day nor a duration.

    A duration is counted back from now. With `end`, the first second after the day is returned.

    >>> parse_day("1970-01-02", 0.0), parse_day("1970-01-02", 0.0, end=True), parse_day("1m", 90.0)
    (86400, 172800, 30)
    """
    ago = parse_duration(text)
    if ago is not None:
        return int(now - ago)
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        return int((day + timedelta(days=end)).timestamp())
    except (ValueError, OverflowError):
        return None


def parse_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the numbers of a list such as `3-7,9`, in rising order.

    Raises `UsageError`, which names the option, if it is no such list.

    >>> parse_numbers("3-5, 9", "--blocks")
    (3, 4, 5, 9)
    """
    numbers: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last > MAX_LISTED_NUMBER:
            raise UsageError(f"{option} {text[:60]!r}: write numbers from 1 on, such as 3-7,9.")
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))
