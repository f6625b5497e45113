"""Being interrupted: the last line is the command that goes on."""

import shlex
from contextlib import suppress
from typing import NoReturn

import click
from click.core import ParameterSource

INTERRUPTED = 11


def interrupted() -> NoReturn:
    """End a command that was interrupted, and say how it goes on."""
    context = click.get_current_context()
    with suppress(OSError):  # nobody may be there to read it
        click.echo(f"\nInterrupted; '{same_command(context)}' goes on.", err=True)
    context.exit(INTERRUPTED)


def same_command(context: click.Context) -> str:
    """The command as it was given."""
    words = ["lode", context.info_name or "", str(context.params["directory"])]
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if not given or not isinstance(option, click.Option):
            continue
        value = context.params[option.name or ""]
        if option.is_flag:
            words.append((option.opts if value else option.secondary_opts)[0])
        else:
            shown = value if option.multiple else [_shown(value)]
            words += [word for one in shown for word in (option.opts[0], str(one))]
    return shlex.join(words)


def _shown(value: object) -> object:
    return f"{value:.3f}".rstrip("0").rstrip(".") + "s" if isinstance(value, float) else value
