"""Search sources by the names that users give them, or as `KIND` or `KIND:PLACE`."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import msgspec
from msgspec import Struct

from motherlode.portal.config import Config
from motherlode.portal.settings import named_settings
from motherlode.records import UsageError
from motherlode.sources.search.options import SourceOptions
from motherlode.sources.search.registry import KINDS_BY_NAME, SourceKind, kind_named

SECTION = "sources"


class NamedSource(Struct, frozen=True):
    """A source that a user has named, with its options."""

    name: str
    options: SourceOptions

    @property
    def kind(self) -> SourceKind:
        return kind_named(self.options.kind)

    @property
    def key_variable(self) -> str:
        """The environment variable of its key; empty if it takes none."""
        return self.options.key_variable or self.kind.key_variable

    @property
    def key(self) -> str:
        return os.environ.get(self.key_variable, "").strip() if self.key_variable else ""

    @property
    def place(self) -> str:
        """The URL of its service, or the path of its file or portal."""
        return getattr(self.options, self.kind.place) or self.kind.default_url


def source_named(text: str, config: Config) -> NamedSource:
    """Return the source that a user means: a configured one, or `KIND` or `KIND:PLACE`.

    Raises `UsageError` if it is none, or lacks what its kind needs.
    """
    configured = config.sources.get(text)
    if configured is not None:
        return checked_source(NamedSource(text, configured))
    name, _, place = text.partition(":")
    kind = KINDS_BY_NAME.get(name)
    if kind is None:
        raise no_such_source(text, config)
    return checked_source(NamedSource(text, source_options({"kind": name, kind.place: place})))


def checked_source(source: NamedSource) -> NamedSource:
    kind = source.kind
    if not source.place:
        raise UsageError(
            f"The search source {source.name} has no {kind.place}; "
            f"set {SECTION}.NAME.{kind.place}, or write {kind.name}:{kind.place.upper()}."
        )
    return source


def source_options(values: Mapping[str, Any]) -> SourceOptions:
    """Return the options of a source. Raises `UsageError` for a value that does not fit."""
    settings = {setting.name: setting for setting in named_settings(SECTION).values()}
    for name, value in values.items():
        try:
            msgspec.convert(value, settings[name].type)
        except msgspec.ValidationError as error:
            purpose = settings[name].description.rstrip(".")
            raise UsageError(
                f"{value!r:.100} cannot be {name}; what it is for: {purpose}."
            ) from error
    return msgspec.convert(values, SourceOptions)


def no_such_source(text: str, config: Config) -> UsageError:
    if text.startswith(("http://", "https://")):
        return UsageError(
            f"{text[:100]!r} is not a search source; write the kind before it, such as "
            f"opensearch:{text[:100]}."
        )
    known = [*config.sources, *KINDS_BY_NAME]
    near = get_close_matches(text[:100].partition(":")[0], known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
    return UsageError(f"There is no search source {text[:100]!r}; {hint}")
