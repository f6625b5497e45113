"""Describe the fields of a request, for the front doors that derive their inputs from it."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta, Struct

from motherlode.app.text import parse_duration
from motherlode.records import UsageError

UNREACHED = 10**9  # an upper bound that only keeps nonsense from a server
MAX_URL_CHARS = 4_000
Choices = Callable[[], Sequence[str]]


class FieldKind(StrEnum):
    """The kind of value that a field takes."""

    FLAG = "flag"
    NUMBER = "number"
    DECIMAL = "decimal"
    TEXT = "text"
    CHOICE = "choice"
    DURATION = "duration"
    TEXTS = "texts"
    PAIRS = "pairs"


class Hints(Struct, frozen=True, kw_only=True):
    """Facts about a field that its type does not show.

    `command_line_only` keeps a field from the API and the web pages. `argument` makes it a
    positional argument of the command; with `several_words`, it takes all words that are left.
    `setting` is the configuration key that it stands for. `server_default` is the default of the
    API and the web pages, if they have another one.

    A field with a `label` is in the web form of its request. `placeholder` says there what an
    empty field means, `initial` is its text at first, and `autocomplete` is for the browser.
    """

    label: str = ""
    placeholder: str = ""
    initial: str = ""
    autocomplete: str = "off"
    metavar: str = ""
    choices: Choices | None = None
    is_duration: bool = False
    allows_zero: bool = False
    command_line_only: bool = False
    argument: bool = False
    several_words: bool = False
    setting: str = ""
    server_default: Any = None


class RequestField(Struct, frozen=True, kw_only=True):
    """One field of a request.

    `key` is its name as an option, in JSON and in forms. `item` is the type of a list's items.
    """

    name: str
    key: str
    kind: FieldKind
    default: Any
    is_optional: bool
    help: str
    minimum: int | None
    maximum: int | None
    min_length: int | None
    max_length: int | None
    max_item_length: int | None
    examples: tuple[str, ...]
    item: Any
    hints: Hints

    @property
    def is_required(self) -> bool:
        return self.default is NODEFAULT

    @property
    def served_default(self) -> Any:
        """The default of the API and the web pages; `NODEFAULT`: the field is required."""
        hint = self.hints.server_default
        return self.default if hint is None else hint

    @property
    def is_switch(self) -> bool:
        """True for a field that may be yes, no or not given, rather than yes or no."""
        return self.kind is FieldKind.FLAG and self.is_optional

    @property
    def option(self) -> str:
        """The name of the command-line option, such as `--learn-pages`."""
        return f"--{self.key.replace('_', '-')}"

    @property
    def choices(self) -> tuple[str, ...]:
        return () if self.hints.choices is None else tuple(self.hints.choices())


def described(
    help: str,  # noqa: A002 - it is the help text
    *,
    ge: int | None = None,
    le: int | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    examples: Sequence[str] = (),
    **hints: Any,
) -> Meta:
    """Return the annotation of a request's field: its help, its bounds and its `Hints`."""
    bounds: dict[str, Any] = {
        "ge": ge,
        "le": le,
        "min_length": min_length,
        "max_length": max_length,
        "examples": list(examples) or None,
    }
    return Meta(description=help, extra={"hints": Hints(**hints)}, **bounds)


def _settings(*, command_line_only: bool) -> Meta:
    return described(
        "Override a setting for this run, such as urls.max_url=500 (repeatable).",
        max_length=200,
        metavar="KEY=VALUE",
        command_line_only=command_line_only,
    )


Url = Annotated[str, Meta(max_length=MAX_URL_CHARS)]
Setting = Annotated[str, Meta(max_length=4_000, examples=["crawler.contact=you@example.org"])]
Settings = Annotated[tuple[Setting, ...], _settings(command_line_only=False)]
CommandLineSettings = Annotated[tuple[Setting, ...], _settings(command_line_only=True)]


@cache
def fields_of(record: type[Struct]) -> tuple[RequestField, ...]:
    """Return the fields of a request in the order of their definition."""
    types = get_type_hints(record, include_extras=True)
    return tuple(_field(field, types[field.name]) for field in msgspec.structs.fields(record))


def check_values(request: Struct) -> None:
    """Raise `UsageError` for a duration that is none, or a choice that there is not."""
    for field in fields_of(type(request)):
        value = getattr(request, field.name)
        if value is None:
            continue
        if field.kind is FieldKind.DURATION:
            _check_duration(value, allows_zero=field.hints.allows_zero)
        if field.kind is FieldKind.CHOICE and value not in field.choices:
            known = ", ".join(field.choices)
            raise UsageError(f"There is no {field.name} {value[:40]!r}; there are {known}.")


def shared_fields_of(record: type[Struct]) -> tuple[RequestField, ...]:
    """Return the fields that the API and the web pages offer, too."""
    return tuple(field for field in fields_of(record) if not field.hints.command_line_only)


def form_fields_of(record: type[Struct]) -> tuple[RequestField, ...]:
    """Return the fields that a web form of the request shows: those that have a label."""
    return tuple(field for field in shared_fields_of(record) if field.hints.label)


def _check_duration(text: str, *, allows_zero: bool) -> None:
    seconds = parse_duration(text)
    if seconds is None or not (seconds or allows_zero):
        raise UsageError(
            f"{text[:50]!r} is not a length of time; write it like 90s, 10m, 1h30m or 7d."
        )


def _field(field: msgspec.structs.FieldInfo, annotation: Any) -> RequestField:
    inner, is_optional = _without_none(annotation)
    bare, meta = _annotated(inner)
    hints = (meta.extra or {}).get("hints", Hints())
    items = get_args(bare)
    item, item_meta = _annotated(items[0]) if items else (None, Meta())
    return RequestField(
        name=field.name,
        key=field.encode_name,
        kind=_kind(bare, hints),
        default=field.default,
        is_optional=is_optional,
        help=meta.description or "",
        minimum=_integer(meta.ge),
        maximum=_integer(meta.le),
        min_length=meta.min_length,
        max_length=meta.max_length,
        max_item_length=item_meta.max_length,
        examples=tuple(meta.examples or item_meta.examples or ()),
        item=item,
        hints=hints,
    )


def _kind(bare: Any, hints: Hints) -> FieldKind:
    if hints.choices is not None:
        return FieldKind.CHOICE
    if hints.is_duration:
        return FieldKind.DURATION
    if get_origin(bare) is tuple:
        is_text = _annotated(get_args(bare)[0])[0] is str
        return FieldKind.TEXTS if is_text else FieldKind.PAIRS
    kinds = {
        bool: FieldKind.FLAG,
        int: FieldKind.NUMBER,
        float: FieldKind.DECIMAL,
        str: FieldKind.TEXT,
    }
    return kinds[bare]


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    (inner,) = [part for part in get_args(annotation) if part is not NoneType]
    return inner, True


def _annotated(annotation: Any) -> tuple[Any, Meta]:
    """Return a type without its annotation, and the annotation, of which the last one counts."""
    if get_origin(annotation) is not Annotated:
        return annotation, Meta()
    bare, *metas = get_args(annotation)
    return bare, next((meta for meta in reversed(metas) if isinstance(meta, Meta)), Meta())


def _integer(bound: float | None) -> int | None:
    return None if bound is None else int(bound)
