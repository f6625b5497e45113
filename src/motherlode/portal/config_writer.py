"""From a `Config` to commented TOML."""

import json
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from motherlode.portal.config import Config
from motherlode.portal.settings import (
    Setting,
    all_settings,
    named_sections,
    purpose_of,
    sections,
    setting_named,
    values,
)

_WIDTH = 100


def fresh_toml(chosen: Mapping[str, Any]) -> str:
    """A new portal's `lode.toml`: what was chosen is set, every other setting is there as a
    comment.
    """
    lines = [
        "# The configuration of a Motherlode portal.",
        "# A line that begins with '#' shows a default; take the '#' away to change it.",
    ]
    lines += _body({s.key: s.default for s in all_settings().values()} | dict(chosen), set(chosen))
    return "\n".join(lines) + "\n"


def full_toml(config: Config) -> str:
    """Every setting with its value, and its default where it differs: what `lode config` shows."""
    now = values(config)
    return "\n".join(_body(now, set(now), notes=True)).lstrip("\n") + "\n"


def toml_value(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml_value(("a", "b")), toml_value(True), toml_value(1.5), toml_value('say "x"')
    ('["a", "b"]', 'true', '1.5', '"say \\\\"x\\\\""')
    """
    if isinstance(value, tuple | list):
        return "[" + ", ".join(toml_value(element) for element in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _body(now: Mapping[str, Any], live: set[str], *, notes: bool = False) -> Iterator[str]:
    settings = [setting for key in now if (setting := setting_named(key)) is not None]
    for section, purpose in sections().items():
        yield from ("", f"# {purpose}", f"[{section}]")
        for setting in (s for s in settings if s.section == section):
            yield from _setting(setting, now[setting.key], live, notes=notes)
    for parent in named_sections():
        yield from ("", f"# {purpose_of(parent)}")
        below = [setting for setting in settings if setting.section.startswith(f"{parent}.")]
        for section in dict.fromkeys(setting.section for setting in below):
            yield from ("", f"[{section}]")
            for setting in (s for s in below if s.section == section):
                yield from _setting(setting, now[setting.key], live, notes=notes)


def _setting(setting: Setting, value: Any, live: set[str], *, notes: bool) -> Iterator[str]:
    """Yield a setting with its description, as a comment unless it is among the live ones."""
    yield from (f"# {line}" for line in wrap(setting.description, _WIDTH - 2))
    if notes and value != setting.default:
        yield from _assignment(f"# default: {setting.name}", setting.default, "# ")
    mark = "" if setting.key in live else "# "
    yield from _assignment(f"{mark}{setting.name}", value, mark)


def _assignment(name: str, value: Any, mark: str) -> Iterator[str]:
    """`name = value`, with a long list an element a line."""
    line = f"{name} = {toml_value(value)}"
    if len(line) <= _WIDTH or not isinstance(value, tuple | list):
        yield line
        return
    yield f"{name} = ["
    yield from (f"{mark}  {element}," for element in _packed([toml_value(v) for v in value]))
    yield f"{mark}]"


def _packed(elements: list[str]) -> list[str]:
    """The elements, as many on a line as fit."""
    lines = [""]
    for element in elements:
        if lines[-1] and len(lines[-1]) + len(element) > _WIDTH - 8:
            lines.append("")
        lines[-1] += f", {element}" if lines[-1] else element
    return lines
