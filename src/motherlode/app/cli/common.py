"""What commands share: their common options and how they show things."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

if TYPE_CHECKING:
    from motherlode.search.snippets import Snippet

F = TypeVar("F", bound=Callable[..., Any])

# A page's title must not steer the terminal: control characters, and marks that turn the writing round.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


portal_argument = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path), required=True)

set_option = click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    help="Override one setting for this run, such as urls.max_url=500 (repeatable).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Show the result as JSON.")


class Figure(click.FloatRange):
    """A number within limits; click lets through what is no number at all."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


def show_json(value: Any) -> None:
    """JSON with an indent; records become objects."""
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2, ensure_ascii=True)


def harmless(text: str) -> str:
    """Text from outside, safe to print."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def marked(snippet: "Snippet") -> str:
    """The snippet with the query's words in bold; where the output is no terminal, click takes it off."""
    text, parts, end = harmless(snippet.text), [], 0
    for start, to in snippet.marks:
        parts += [text[end:start], click.style(text[start:to], bold=True)]
        end = to
    return "".join([*parts, text[end:]])


def count(number: int, what: str) -> str:
    """`1 topic`, `2 topics`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def duration(seconds: float) -> str:
    """`0:07`, `12:30`, `1:02:03`."""
    whole = max(0, round(seconds))
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
