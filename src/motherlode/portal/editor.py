"""Change one setting in `lode.toml`, and keep every other line as its author wrote it."""

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, Item, Key, SingleKey, Table

from motherlode.portal.directory import CONFIG, config_of
from motherlode.portal.settings import MOVED_SETTINGS
from motherlode.records import BadInputError, ReadOnlyError


def keep_setting(portal: Path, key: str, value: Any) -> None:
    """Write a setting into a portal's configuration. A crawl that is under way does not notice.

    Raises `BadInputError` where the file is such that it has to be done by hand.
    """
    config_of(portal)  # a file with mistakes is not changed
    path = portal / CONFIG
    fresh = path.with_suffix(".new")
    try:
        fresh.write_text(with_setting(path.read_text("utf-8"), key, value), "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be written: {error.strerror or error}.") from error


def with_setting(text: str, key: str, value: Any) -> str:
    """Return the text of a configuration with one setting added, or its value changed.

    >>> with_setting("[crawler]\\n# contact = \\"\\"\\n", "crawler.contact", "me@example.org")
    '[crawler]\\ncontact = "me@example.org"\\n'
    """
    key = MOVED_SETTINGS.get(key, key)  # a line with the former key stays, and no longer counts
    section, _, name = key.partition(".")
    before = tomllib.loads(text)
    wanted = before | {section: before.get(section, {}) | {name: value}}
    with suppress(TOMLKitError):
        changed = _changed(text, section, name, value)
        if _says(changed, wanted):
            return changed
    raise BadInputError(f"{CONFIG} has an unusual layout; set {key} in it by hand.")


def _changed(text: str, section: str, name: str, value: Any) -> str:
    document = tomlkit.parse(text if text.endswith("\n") or not text else text + "\n")
    if section not in document:
        if document.body:
            document.add(tomlkit.nl())
        document.add(section, tomlkit.table())
    table = document[section]
    if isinstance(table, Table) and name not in table:
        _insert(table.value.body, name, tomlkit.item(value))
    else:
        table[name] = value
    return document.as_string()


def _insert(body: list[tuple[Key | None, Item]], name: str, value: Item) -> None:
    """Put a setting where its default stands as a comment, or right below the section's header.

    tomlkit would append it, behind the comment that introduces the next section.
    """
    is_default = (
        isinstance(item, Comment) and item.as_string().startswith(f"# {name} = ")
        for _, item in body
    )
    place = next((at for at, is_it in enumerate(is_default) if is_it), None)
    body[slice(0, 0) if place is None else slice(place, place + 1)] = [(SingleKey(name), value)]


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except ValueError:
        return False
