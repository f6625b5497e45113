"""One setting changed in `lode.toml`; every other line of it stays as a person wrote it."""

import tomllib
from pathlib import Path
from typing import Any

from motherlode.portal.directory import CONFIG, config_of
from motherlode.portal.lines import line_of
from motherlode.portal.writing import toml_value
from motherlode.records import BadInputError, ReadOnlyError


def keep_setting(portal: Path, key: str, value: Any) -> None:
    """Write a setting into a portal's configuration. A crawl that is under way does not notice.

    Raises `BadInputError` where the file is such that it has to be done by hand.
    """
    config_of(portal)  # what cannot be read is not to be changed
    path = portal / CONFIG
    fresh = path.with_suffix(".new")
    try:
        fresh.write_text(with_setting(path.read_text("utf-8"), key, value), "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be written: {error.strerror or error}.") from error


def with_setting(text: str, key: str, value: Any) -> str:
    """The text of a configuration with one setting more, or another value for it.

    >>> with_setting("[crawler]\\n# contact = \\"\\"\\n", "crawler.contact", "me@example.org")
    '[crawler]\\ncontact = "me@example.org"\\n'
    """
    section, _, name = key.partition(".")
    before = tomllib.loads(text)
    lines = text.splitlines()
    assignment = f"{name} = {toml_value(value)}"
    if name in before.get(section, {}):
        lines[line_of(text, (section, name)) - 1] = assignment
    elif section in before:
        _insert(lines, line_of(text, (section,)), name, assignment)
    else:
        lines += ["", f"[{section}]", assignment]
    changed = "\n".join(lines) + "\n"
    if not _says(changed, before | {section: before.get(section, {}) | {name: value}}):
        raise BadInputError(f"{CONFIG} is written in a way of its own; set {key} in it by hand.")
    return changed


def _insert(lines: list[str], header: int, name: str, assignment: str) -> None:
    """Where the section shows the default as a comment, or right below its header."""
    for place in range(header, len(lines)):
        if lines[place].startswith("["):
            break
        if lines[place].startswith(f"# {name} = "):
            lines[place] = assignment
            return
    lines.insert(header, assignment)


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except ValueError:
        return False
