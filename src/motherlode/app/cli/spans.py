"""Spans of time, as a person writes them."""

import re
from typing import Any

import click

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_WRITTEN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smhdw])")


class Span(click.ParamType[float]):
    """`90s`, `30m`, `12h`, `7d`, `2w`: seconds."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        written = _WRITTEN.fullmatch(str(value).strip().lower())
        if written is None:
            self.fail(
                f"{str(value)[:50]!r} is no span of time; write it like 90s, 30m, 12h, 7d or 2w.", param, ctx
            )
        return float(written[1]) * _UNITS[written[2]]
