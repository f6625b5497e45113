"""Change settings in `lode.toml`, and keep every other line as its author wrote it."""

import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, Item, Key, SingleKey, Table

from motherlode.portal.config_writer import toml_value
from motherlode.portal.directory import CONFIG, config_of
from motherlode.records import BadInputError, ReadOnlyError


def keep_setting(portal: Path, key: str, value: Any) -> None:
    """Write a setting into a portal's configuration. A crawl that is under way does not notice.

    Raises `BadInputError` where the file is such that it has to be done by hand.
    """
    _rewrite(portal, lambda text: with_setting(text, key, value))


def keep_named_section(portal: Path, section: str, name: str, values: Mapping[str, Any]) -> None:
    """Add a section such as `[sources.wiki]` with its settings to a portal's configuration."""
    _rewrite(portal, lambda text: with_named_section(text, section, name, values))


def drop_named_section(portal: Path, section: str, name: str) -> None:
    """Remove a section such as `[sources.wiki]` from a portal's configuration."""
    _rewrite(portal, lambda text: without_named_section(text, section, name))


def _rewrite(portal: Path, change: Callable[[str], str]) -> None:
    config_of(portal)  # a file with mistakes is not changed
    path = portal / CONFIG
    fresh = path.with_suffix(".new")
    try:
        fresh.write_text(change(path.read_text("utf-8")), "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be written: {error.strerror or error}.") from error


def with_named_section(text: str, section: str, name: str, values: Mapping[str, Any]) -> str:
    """Return the text of a configuration with a section added at its end.

    >>> with_named_section("# mine\\n", "sources", "wiki", {"kind": "mediawiki"})
    '# mine\\n\\n[sources.wiki]\\nkind = "mediawiki"\\n'
    """
    before = tomllib.loads(text)
    wanted = before | {section: before.get(section, {}) | {name: dict(values)}}
    lines = [f"{key} = {toml_value(value)}" for key, value in values.items()]
    separator = "" if not text or text.endswith("\n") else "\n"
    changed = "\n".join([f"{text}{separator}", f"[{section}.{name}]", *lines, ""])
    if _says(changed, wanted):
        return changed
    raise BadInputError(f"{CONFIG} has an unusual layout; add [{section}.{name}] to it by hand.")


def without_named_section(text: str, section: str, name: str) -> str:
    """Return the text of a configuration without a section; comments above it stay."""
    before = tomllib.loads(text)
    others = {key: value for key, value in before.get(section, {}).items() if key != name}
    rest = {key: value for key, value in before.items() if key != section}
    with suppress(TOMLKitError, KeyError):
        document = tomlkit.parse(text)
        parent = document[section]
        assert isinstance(parent, MutableMapping)  # noqa: S101 - the reader has checked it
        del parent[name]
        if not others:
            del document[section]
        changed = document.as_string()
        if _says(changed, rest | ({section: others} if others else {})):
            return changed
    raise BadInputError(
        f"{CONFIG} has an unusual layout; take [{section}.{name}] out of it by hand."
    )


def with_setting(text: str, key: str, value: Any) -> str:
    """Return the text of a configuration with one setting added, or its value changed.

    >>> with_setting("[crawler]\\n# contact = \\"\\"\\n", "crawler.contact", "me@example.org")
    '[crawler]\\ncontact = "me@example.org"\\n'
    """
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
