"""Lengths of time as people write them: 90s, 10m, 1h30m, 7d, 2w."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import click

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([smhdw])\s*", re.ASCII)


class Duration(click.ParamType[float]):
    """A length of time, in seconds. `zero`: whether none at all will do."""

    name = "duration"

    def __init__(self, *, zero: bool = False) -> None:
        self._zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        seconds = seconds_in(str(value))
        if seconds is None:
            told = repr(str(value)[:50])
            self.fail(f"{told} is not a length of time; write it like 90s, 10m, 1h30m or 7d.", param, ctx)
        if not seconds and not self._zero:
            self.fail("no time at all is too little.", param, ctx)
        return seconds


def seconds_in(text: str) -> float | None:
    """How many seconds a text says; None: it says something else.

    A number without a unit could be anything.

    >>> seconds_in("90s"), seconds_in("1h30m"), seconds_in("90"), seconds_in("soon")
    (90.0, 5400.0, None, None)
    """
    parts, rest = _PART.findall(text.lower()), _PART.sub("", text.lower())
    if not parts or rest.strip():
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def moment_in(text: str, now: float, *, whole: bool = False) -> int | None:
    """A day, or a length of time ago, in seconds since 1970; None: it is neither. `whole`: with that day.

    >>> moment_in("1970-01-02", 0.0), moment_in("1970-01-02", 0.0, whole=True), moment_in("1m", 90.0)
    (86400, 172800, 30)
    """
    ago = seconds_in(text)
    if ago is not None:
        return int(now - ago)
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        return int((day + timedelta(days=whole)).timestamp())
    except (ValueError, OverflowError):
        return None
