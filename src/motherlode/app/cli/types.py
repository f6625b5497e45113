"""Click parameter types: durations and finite numbers."""

import math
from typing import Any

import click

from motherlode.app.text import parse_duration

MAX_SHOWN_CHARS = 50


class Duration(click.ParamType[str]):
    """A duration such as 10m, kept as it was written. With `zero`, 0s is allowed too."""

    name = "duration"

    def __init__(self, *, zero: bool = False) -> None:
        self._zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        seconds = parse_duration(text)
        if seconds is None:
            shown = repr(text[:MAX_SHOWN_CHARS])
            self.fail(
                f"{shown} is not a length of time; write it like 90s, 10m, 1h30m or 7d.", param, ctx
            )
        if not seconds and not self._zero:
            self.fail("a duration must be longer than 0s.", param, ctx)
        return text


class FiniteNumber(click.FloatRange):
    """A number within bounds; click's own range lets nan through."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number
