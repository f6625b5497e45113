"""Settings one by one: their names, types and descriptions, read off the configuration's type."""

from collections.abc import Iterator
from typing import Any, get_type_hints

import msgspec
from msgspec import Meta, Struct, inspect

from motherlode.policies.bingo.options import BingoOptions
from motherlode.portal.config import Config

# Settings of earlier versions by their former keys, which are still read.
MOVED_SETTINGS = {f"crawl.{name}": f"bingo.{name}" for name in BingoOptions.__struct_fields__}


class Setting(Struct, frozen=True):
    """One key of the configuration."""

    key: str  # dotted, as in `--set`
    type: Any
    default: Any
    description: str

    @property
    def section(self) -> str:
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        return self.key.partition(".")[2]

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
    """Every setting by its dotted key, in the order of the type."""
    return {setting.key: setting for setting in _settings()}


def sections() -> dict[str, str]:
    """Every section with what it is for."""
    hints = get_type_hints(Config)
    return {name: (hint.__doc__ or "").strip() for name, hint in hints.items()}


def values(config: Config) -> dict[str, Any]:
    """Every setting's value by its dotted key."""
    return {
        setting.key: getattr(getattr(config, setting.section), setting.name)
        for setting in _settings()
    }


def _settings() -> Iterator[Setting]:
    for section, options in get_type_hints(Config).items():
        hints = get_type_hints(options, include_extras=True)
        for field in msgspec.structs.fields(options):
            hint = hints[field.name]
            yield Setting(f"{section}.{field.name}", hint, field.default, _description(hint))


def _description(hint: Any) -> str:
    metas = (meta for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, Meta))
    return next((meta.description for meta in metas if meta.description), "")
