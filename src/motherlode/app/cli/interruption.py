"""The end of an interrupted command, whose last line is the command that resumes it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import asdict

from motherlode.app.cli.signals import HANDLER, is_interruption
from motherlode.app.errors import INTERRUPTED
from motherlode.records.shell_words import shell_line


@contextmanager
def on_interruption(end: Callable[[], NoReturn]) -> Iterator[None]:
    """Call `end` if the block is interrupted, also if a library has replaced the exception."""
    try:
        yield
    except BaseException as error:
        if not is_interruption(error):
            raise
        HANDLER.silence()
        end()


def exit_interrupted(request: Struct | None = None, remaining: Struct | None = None) -> NoReturn:
    """Exit an interrupted command, after printing the command that does what is left.

    `remaining` is the `request` with its limits lowered by what was done already.
    """
    context = click.get_current_context()
    changes = {} if request is None or remaining is None else _changes(request, remaining)
    with suppress(OSError):  # the terminal may be gone
        click.echo(f"\nInterrupted; '{resuming_command(context, changes)}' resumes.", err=True)
    context.exit(INTERRUPTED)


def resuming_command(context: click.Context, changes: Mapping[str, Any] | None = None) -> str:
    """Return the command line as the user gave it, with the changed values of some options."""
    changes = changes or {}
    words = ["lode", context.info_name or ""]
    for parameter in context.command.params:
        if isinstance(parameter, click.Argument):
            value = context.params[parameter.name or ""]
            given = value if parameter.nargs == -1 else [value]
            words += [str(word) for word in given if word is not None]
    for parameter in context.command.params:
        if isinstance(parameter, click.Option):
            words += _option_words(context, parameter, changes)
    return shell_line(words)


def _option_words(
    context: click.Context, option: click.Option, changes: Mapping[str, Any]
) -> Iterator[str]:
    name = option.name or ""
    is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    if not is_given and name not in changes:
        return
    value = changes.get(name, context.params.get(name))
    if option.is_flag:
        yield (option.opts if value else option.secondary_opts)[0]
        return
    for text in value if option.multiple else [value]:
        yield from (option.opts[0], str(text))


def _changes(request: Struct, remaining: Struct) -> dict[str, Any]:
    before = asdict(request)
    return {name: value for name, value in asdict(remaining).items() if value != before[name]}
