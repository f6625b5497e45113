"""Settings one by one: their names, types and descriptions, read off the configuration's type."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, inspect

from motherlode.portal.config import Config
from motherlode.sources.search.options import NAME_PATTERN

_NAME = re.compile(NAME_PATTERN)
ANY_NAME = "NAME"  # stands for the name of a section below another, such as [sources.NAME]


class Setting(Struct, frozen=True):
    """One key of the configuration."""

    key: str  # dotted, as in `--set`
    type: Any
    default: Any
    description: str

    @property
    def section(self) -> str:
        return self.key.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.key.rpartition(".")[2]

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it, or each element of it, can be; none: it is not chosen from a few."""
        kind: Any = inspect.type_info(self.type)
        kind = getattr(kind, "type", kind)  # without its description
        match getattr(kind, "item_type", kind):
            case inspect.EnumType(cls):
                return tuple(str(one.value) for one in cls)
            case inspect.LiteralType(words):
                return tuple(map(str, words))
            case _:
                return ()


def all_settings() -> dict[str, Setting]:
    """Return every setting with a fixed key, in the order of the type."""
    return dict(_fixed_settings())


def settings_of(config: Config) -> dict[str, Setting]:
    """Return every setting of a configuration, including those of its named sections."""
    named = (
        setting
        for section, options in named_sections().items()
        for name in getattr(config, section)
        for setting in _settings_of(f"{section}.{name}", options)
    )
    return all_settings() | {setting.key: setting for setting in named}


def setting_named(key: str) -> Setting | None:
    """Return the setting of a dotted key, such as `urls.max_url` or `sources.wiki.kind`."""
    section, _, rest = key.partition(".")
    name, dot, field = rest.partition(".")
    if section not in named_sections():
        return _fixed_settings().get(key)
    if not dot or not is_section_name(name):
        return None
    return named_settings(section, name).get(f"{section}.{name}.{field}")


def named_settings(section: str, name: str = ANY_NAME) -> dict[str, Setting]:
    """Return the settings of one named section, by their dotted keys."""
    options = named_sections()[section]
    return {setting.key: setting for setting in _settings_of(f"{section}.{name}", options)}


def is_section_name(name: str) -> bool:
    """Return whether a named section can have this name.

    >>> is_section_name("wiki-2"), is_section_name("a.b"), is_section_name("")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def sections() -> dict[str, str]:
    """Return every section with a fixed name, with what it is for."""
    return {name: _purpose(options) for name, options in _fixed_sections().items()}


@cache
def named_sections() -> Mapping[str, type]:
    """Return the sections that have a section for each name below them, with its options."""
    hints = get_type_hints(Config)
    return {name: get_args(hint)[1] for name, hint in hints.items() if get_origin(hint) is not None}


def purpose_of(section: str) -> str:
    """Return what the sections below a section are for."""
    return _purpose(named_sections()[section])


def values(config: Config) -> dict[str, Any]:
    """Return every setting's value by its dotted key."""
    return {key: _value(config, key) for key in settings_of(config)}


def _value(config: Config, key: str) -> Any:
    value: Any = config
    for step in key.split("."):
        value = value[step] if isinstance(value, Mapping) else getattr(value, step)
    return value


@cache
def _fixed_settings() -> Mapping[str, Setting]:
    return {
        setting.key: setting
        for section, options in _fixed_sections().items()
        for setting in _settings_of(section, options)
    }


def _fixed_sections() -> dict[str, type]:
    hints = get_type_hints(Config)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is None}


def _settings_of(section: str, options: type) -> Iterator[Setting]:
    hints = get_type_hints(options, include_extras=True)
    for field in msgspec.structs.fields(options):
        hint = hints[field.name]
        yield Setting(f"{section}.{field.name}", hint, field.default, _description(hint))


def _purpose(options: type) -> str:
    return (options.__doc__ or "").strip()


def _description(hint: Any) -> str:
    metas = (meta for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, Meta))
    return next((meta.description for meta in metas if meta.description), "")
