"""Lengths of time as people write them: 90s, 10m, 1h30m."""

import re
from typing import Any

import click

_FORM = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9}(?:\.\d{1,6})?)s?)?", re.ASCII)


class Duration(click.ParamType):  # type: ignore[type-arg]
    """A length of time, in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        seconds = seconds_in(str(value))
        if not seconds:
            self.fail(f"{value!r} is not a length of time; write it like 90s, 10m or 1h30m.", param, ctx)
        return seconds


def seconds_in(text: str) -> float:
    """How many seconds a text says; 0: none, or it says something else.

    >>> seconds_in("90"), seconds_in("10m"), seconds_in("1h30m"), seconds_in("soon")
    (90.0, 600.0, 5400.0, 0.0)
    """
    found = _FORM.fullmatch(text.strip().lower())
    if found is None:
        return 0.0
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds
