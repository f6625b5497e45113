"""Writes docs/reference/*.md from the code: commands, settings, exit codes, tables.

`make docs` runs it; a test fails when what is committed differs from what it would write.
"""

from collections.abc import Iterator
from pathlib import Path

import click
from sqlalchemy import Table

from motherlode.app.cli.main import COMMANDS, EXIT_CODES, lode
from motherlode.portal.config_writer import toml_value
from motherlode.portal.settings import (
    ANY_NAME,
    MOVED_SETTINGS,
    Setting,
    all_settings,
    named_sections,
    named_settings,
    purpose_of,
    sections,
)
from motherlode.store import schema

FOLDER = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/reference.py from the code; change the code instead. -->\n"


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    return {
        "commands.md": NOTE + "\n".join(_commands()),
        "configuration.md": NOTE + "\n".join(_configuration()),
        "schema.md": NOTE + "\n".join(_schema()),
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
        print(f"docs/reference/{name}")


def _commands() -> Iterator[str]:
    yield "# Commands\n"
    yield f"```text\n{_help(lode, _context())}\n```\n"
    yield "## Exit codes\n\n| code | meaning |\n|---|---|"
    yield from (f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())
    yield ""
    context = _context()
    for name in COMMANDS:
        command = lode.get_command(context, name)
        assert command is not None  # noqa: S101 - every name in COMMANDS has one
        yield from _command(command, name, context, "##")


def _command(command: click.Command, name: str, parent: click.Context, level: str) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=90)
    yield f"{level} {context.command_path}\n"
    yield f"```text\n{_help(command, context)}\n```\n"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None  # noqa: S101 - just listed
            yield from _command(found, inner, context, level + "#")


def _context() -> click.Context:
    """As it is where people run it: with `-h`."""
    return click.Context(
        lode, info_name="lode", **{**lode.context_settings, "max_content_width": 90}
    )


def _help(command: click.Command, context: click.Context) -> str:
    return command.get_help(context).strip()


def _configuration() -> Iterator[str]:
    yield "# Configuration\n"
    yield "A portal's settings are in `lode.toml`. `lode config DIR` shows them all, and `--set key=value`"
    yield "on any command overrides one for that run. An unknown key or a wrong type is an error.\n"
    moved = ", ".join(f"`{former}`" for former in MOVED_SETTINGS)
    yield f"These settings of earlier versions are now in `[bingo]` and still read: {moved}.\n"
    for section, purpose in sections().items():
        settings = [one for one in all_settings().values() if one.section == section]
        yield from _section(section, purpose, settings)
    for section in named_sections():
        settings = list(named_settings(section).values())
        yield from _section(f"{section}.{ANY_NAME}", purpose_of(section), settings)


def _section(name: str, purpose: str, settings: list[Setting]) -> Iterator[str]:
    yield f"## [{name}]\n\n{purpose}\n\n| setting | default | |\n|---|---|---|"
    for setting in settings:
        default = toml_value(setting.default).replace("|", "\\|")
        yield f"| `{setting.key}` | `{default}` | {setting.description} |"
    yield ""


def _schema() -> Iterator[str]:
    yield "# Database\n"
    yield f"Version {schema.VERSION}, the same in SQLite and PostgreSQL. [Design](../design.md) says why.\n"
    for table in schema.metadata.sorted_tables:
        yield f"## {table.name}\n\n| column | type | |\n|---|---|---|"
        yield from _columns(table)
        indexes = sorted(index.name or "" for index in table.indexes)
        yield f"\nIndexes: {', '.join(f'`{name}`' for name in indexes)}\n" if indexes else ""


def _columns(table: Table) -> Iterator[str]:
    for column in table.columns:
        marks = ["key"] if column.primary_key else []
        marks += [f"→ {key.target_fullname}" for key in column.foreign_keys]
        marks += ["may be missing"] if column.nullable else []
        yield f"| `{column.name}` | {column.type} | {', '.join(marks)} |"


if __name__ == "__main__":
    main()
