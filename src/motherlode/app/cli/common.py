"""Options that commands share, and how they print texts and JSON."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

if TYPE_CHECKING:
    from motherlode.search.snippets import Snippet

F = TypeVar("F", bound=Callable[..., Any])

# Characters of a page that could control the terminal or change the direction of writing.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class OptionsAfterDirectory(click.Group):
    """Accepts options after DIR: click wants a group's options before its argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options: list[str] = []
        words = args[1:]
        while args and not args[0].startswith("-") and words and words[0].startswith("-"):
            length = 2 if words[0] == "--set" else 1
            options, words = options + words[:length], words[length:]
        return super().parse_args(ctx, [*options, *args[:1], *words])


PORTAL = "motherlode.portal"  # where the context of a command has the directory of its portal


def _remember_portal(context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    context.meta[PORTAL] = value
    return value


portal_argument = click.argument(
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    callback=_remember_portal,
)

set_option = click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    help="Override a setting for this run, such as urls.max_url=500 (repeatable).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Show the result as JSON.")


def show_json(value: Any) -> None:
    """Print a value as indented JSON; records become objects."""
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2, ensure_ascii=True)


def harmless(text: str) -> str:
    """Return a text from outside that is safe to print."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def highlighted(snippet: "Snippet") -> str:
    """Return a snippet with the words of the query in bold, if the output is a terminal."""
    text, parts, end = harmless(snippet.text), [], 0
    for start, to in snippet.marks:
        parts += [text[end:start], click.style(text[start:to], bold=True)]
        end = to
    return "".join([*parts, text[end:]])
