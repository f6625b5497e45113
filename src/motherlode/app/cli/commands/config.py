"""`lode config`: every setting with its value and its default."""

from pathlib import Path

import click
import msgspec

from motherlode.app.cli.common import json_option, portal_argument, set_option, show_json
from motherlode.portal.config_writer import full_toml
from motherlode.portal.directory import config_of
from motherlode.portal.settings import settings_of, values
from motherlode.records import UsageError
from motherlode.records.shell_words import shell_word


@click.command("config")
@portal_argument
@click.argument("key", required=False)
@set_option
@json_option
def command(directory: Path, key: str | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show the settings of the portal DIR, or the one named KEY.

    Change them in DIR/lode.toml, or for one run with --set on any command.
    """
    config = config_of(directory, overrides)
    current = values(config)
    settings = settings_of(config)
    if key is not None and key not in settings:
        raise UsageError(
            f"There is no setting '{key}'; 'lode config {shell_word(str(directory))}' lists them."
        )
    chosen = settings if key is None else {key: settings[key]}
    if as_json:
        show_json(
            {
                name: {
                    "value": msgspec.to_builtins(current[name]),
                    "default": msgspec.to_builtins(setting.default),
                    "description": setting.description,
                }
                for name, setting in chosen.items()
            }
        )
    elif key is not None:
        click.echo(msgspec.json.encode(current[key]).decode())
    else:
        click.echo(full_toml(config), nl=False)
