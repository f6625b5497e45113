"""Click options derived from the fields of a request."""

from collections.abc import Callable, Container
from functools import wraps
from typing import Any

import click
from msgspec import Struct

from motherlode.app.cli.types import Duration, FiniteNumber
from motherlode.app.requests.fields import UNREACHED, FieldKind, RequestField, fields_of

Command = Callable[..., Any]


def request_options(
    record: type[Struct], name: str = "request", *, leave_out: Container[str] = ()
) -> Callable[[Command], Command]:
    """Give a command the options of a request; it is called with the request under this name.

    Fields that are left out keep their defaults.
    """
    fields = [field for field in fields_of(record) if field.name not in leave_out]

    def decorate(function: Command) -> Command:
        @wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            of_request = {field.name: _value(field, values.pop(field.name)) for field in fields}
            return function(*args, **values, **{name: record(**of_request)})

        decorated: Command = command
        for field in reversed(fields):
            decorated = _parameter(field)(decorated)
        return decorated

    return decorate


def _parameter(field: RequestField) -> Callable[[Command], Command]:
    if field.hints.argument:
        nargs = -1 if field.hints.several_words else 1
        metavar = field.hints.metavar or None
        return click.argument(field.name, metavar=metavar, nargs=nargs, required=field.is_required)
    names = f"{field.option}/--no-{field.option[2:]}" if field.is_switch else field.option
    return click.option(names, field.name, help=field.help, **_attributes(field))


def _value(field: RequestField, value: Any) -> Any:
    if field.hints.several_words:
        return " ".join(value)
    return tuple(field.item(*pair) for pair in value) if field.kind is FieldKind.PAIRS else value


def _attributes(field: RequestField) -> dict[str, Any]:
    if field.kind is FieldKind.FLAG:
        return {"default": None} if field.is_switch else {"is_flag": True}
    attributes: dict[str, Any] = {"metavar": field.hints.metavar or None}
    if field.kind in (FieldKind.TEXTS, FieldKind.PAIRS):
        return attributes | {"multiple": True, "nargs": 2 if field.kind is FieldKind.PAIRS else 1}
    attributes |= {"type": _type(field)}
    if field.is_required:
        return attributes | {"required": True}
    return attributes | {"default": field.default, "show_default": bool(field.default)}


def _type(field: RequestField) -> click.ParamType[Any] | None:
    match field.kind:
        case FieldKind.NUMBER:
            return click.IntRange(field.minimum, _shown_maximum(field))
        case FieldKind.DECIMAL:
            least, most = field.minimum or 0, field.maximum
            return FiniteNumber(least, UNREACHED if most is None else most)
        case FieldKind.DURATION:
            return Duration(zero=field.hints.allows_zero)
        case FieldKind.CHOICE:
            return click.Choice(field.choices)
        case _:
            return None


def _shown_maximum(field: RequestField) -> int | None:
    return None if field.maximum == UNREACHED else field.maximum
