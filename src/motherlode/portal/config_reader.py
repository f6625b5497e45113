"""From `lode.toml` and `--set` to a `Config`, with errors that name file, line and nearest key."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from motherlode.portal.config import Config
from motherlode.portal.settings import (
    MOVED_SETTINGS,
    Setting,
    all_settings,
    is_section_name,
    named_sections,
    named_settings,
    sections,
    setting_named,
)
from motherlode.records import BadInputError, UsageError
from motherlode.urls import UrlRules

_MAX_BYTES = 64 * 1024
_NO_CHOICE = "Invalid enum value "  # as msgspec begins to say it
_PATTERN = " matching regex "


def read_config(path: Path, overrides: Sequence[str] = ()) -> Config:
    """The configuration in a file, with overrides such as `urls.max_url=500` on top."""
    return _with(_settle(path, _read(path)), overrides)


def default_config(overrides: Sequence[str] = ()) -> Config:
    """The configuration of no portal: the defaults, with overrides on top."""
    return _with({}, overrides)


def _with(tree: dict[str, dict[str, Any]], overrides: Sequence[str]) -> Config:
    for override in overrides:
        key, value = parse_override(override)
        *steps, name = key.split(".")
        section = tree
        for step in steps:
            section = section.setdefault(step, {})
        section[name] = value
    return msgspec.convert(tree, Config)


def parse_override(text: str) -> tuple[str, Any]:
    """One `key.path=value`. Raises `UsageError` if there is no such key or the value does not
    fit.
    """
    text = text.encode(errors="replace").decode()  # an argument need not be text
    key, equals, raw = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"--set {text}: write it as key.path=value.")
    key = MOVED_SETTINGS.get(key, key)
    setting = setting_named(key)
    if setting is None:
        raise UsageError(f"--set {text}: there is no setting '{key}'{_hint(key)}")
    try:
        return key, _fit(setting, _value(setting, raw))
    except msgspec.ValidationError as error:
        raise UsageError(f"--set {text}: {_said(error, setting)}.") from error


def rules_in(chosen: Mapping[str, Any]) -> UrlRules:
    """The URL rules among chosen settings, for a portal that does not exist yet."""
    return UrlRules(**{key[5:]: value for key, value in chosen.items() if key.startswith("urls.")})


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise BadInputError(f"{path} is larger than {_MAX_BYTES // 1024} KB.")
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise BadInputError(f"{path} is missing; a portal needs its configuration.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _settle(path: Path, text: str) -> dict[str, dict[str, Any]]:
    """Return the file's settings, each checked against its own type.

    A setting under its former key counts if it does not stand under its present key as well.
    """
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path}: {_toml_said(error)}.") from error
    except (
        ValueError,
        RecursionError,
    ) as error:  # a number of a thousand digits, a list a thousand deep
        raise BadInputError(f"{path} holds a value that is too large to read.") from error
    moved: list[tuple[Setting, Any]] = []
    for steps, content in _tables(path, text, tree):
        for name, value in list(content.items()):
            former = ".".join((*steps, name))
            setting = setting_named(MOVED_SETTINGS.get(former, former))
            if setting is None:
                raise _unknown(path, text, (*steps, name))
            try:
                content[name] = _fit(setting, value)
            except msgspec.ValidationError as error:
                line = _line(text, (*steps, name))
                message = f"{path}, line {line}: {former}: {_said(error, setting)}."
                raise BadInputError(message) from error
            if former in MOVED_SETTINGS:
                moved.append((setting, content.pop(name)))
    for setting, value in moved:
        tree.setdefault(setting.section, {}).setdefault(setting.name, value)
    return tree


def _tables(
    path: Path, text: str, tree: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield each section that holds settings, with the names that lead to it."""
    for section, content in tree.items():
        if section not in sections() and section not in named_sections():
            raise _unknown(path, text, (section,))
        if section in sections():
            yield (section,), _checked_table(path, text, (section,), content)
            continue
        for name, inner in _checked_table(path, text, (section,), content).items():
            if not is_section_name(name):
                line = _line(text, (section, name))
                raise BadInputError(
                    f"{path}, line {line}: '{name[:100]}' cannot be the name of a section in "
                    f"{section}; use up to 40 letters, digits, '-' and '_'."
                )
            yield (section, name), _checked_table(path, text, (section, name), inner)


def _checked_table(path: Path, text: str, steps: tuple[str, ...], content: Any) -> dict[str, Any]:
    if isinstance(content, dict):
        return content
    key = ".".join(steps)
    line = _line(text, steps)
    raise BadInputError(f"{path}, line {line}: '{key}' is a section; write [{key}].")


def _unknown(path: Path, text: str, steps: tuple[str, ...]) -> BadInputError:
    key = ".".join(steps)
    what = "section" if len(steps) == 1 else "setting"
    line = _line(text, steps)
    return BadInputError(f"{path}, line {line}: there is no {what} '{key[:100]}'{_hint(key)}")


def _line(text: str, steps: tuple[str, ...]) -> int:
    from motherlode.portal.lines import line_of  # noqa: PLC0415 - tomlkit, for a message only

    return line_of(text, steps)


def _hint(key: str) -> str:
    key = key[:100]
    choices = _choices(key)
    near = get_close_matches(key, choices, n=1, cutoff=0.4)
    if not near and "." in key:
        near = [k for k in choices if k.endswith("." + key.rpartition(".")[2])][:1]
    return f"; did you mean '{near[0]}'?" if near else "; 'lode config DIR' lists them."


def _choices(key: str) -> list[str]:
    """Return the keys or sections that a misspelled key can be mistaken for."""
    section, dot, rest = key.partition(".")
    if not dot:
        return [*sections(), *named_sections()]
    if section not in named_sections():
        return list(all_settings())
    name = rest.partition(".")[0]
    return list(named_settings(section, name)) if is_section_name(name) else []


def _fit(setting: Setting, value: Any) -> Any:
    """The value as the setting's type has it: a whole number may stand for a fraction, nothing
    else.
    """
    return msgspec.convert(value, setting.type, strict=True)


def _value(setting: Setting, raw: str) -> Any:
    """A value from the command line: TOML where it is TOML, else the text itself."""
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except (ValueError, RecursionError):
        return raw
    is_text = isinstance(setting.default, str) and not isinstance(value, str)
    return raw if is_text else value


def _said(error: msgspec.ValidationError, setting: Setting) -> str:
    """msgspec's sentence, without the place in it that we know better, and with what can be
    chosen.
    """
    said = str(error).partition(" - at ")[0].replace("`", "")
    if said.startswith(_NO_CHOICE):
        return f"{said.removeprefix(_NO_CHOICE)} is not one of {', '.join(setting.choices)}"
    if _PATTERN in said:  # which says little to most people
        return f"it must be of another form. What it is for: {setting.description.rstrip('.')}"
    return said[:1].lower() + said[1:]


def _toml_said(error: tomllib.TOMLDecodeError) -> str:
    said = str(error)
    place = re.search(r" \(at line (\d+), column \d+\)", said)
    if place is None:
        return said[:1].lower() + said[1:]
    said = said.replace(place[0], "")
    return f"line {place[1]}: {said[:1].lower()}{said[1:]}"
