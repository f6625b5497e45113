"""Write a request as options of `lode`, and read it back."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from motherlode.app.requests.fields import FieldKind, RequestField, fields_of
from motherlode.records import UsageError

R = TypeVar("R", bound=Struct)


def options_of(request: Struct) -> tuple[str, ...]:
    """Return a request as options of its command; fields with their default value are left out.

    Name and value are one word, so that no value is taken for another option.
    """
    return tuple(
        word
        for field in fields_of(type(request))
        if not field.hints.argument
        for word in _words(field, getattr(request, field.name))
    )


def arguments_of(request: Struct) -> tuple[str, ...]:
    """Return the positional arguments of a request that has any."""
    values = (
        getattr(request, field.name) for field in fields_of(type(request)) if field.hints.argument
    )
    return tuple(str(value) for value in values if value is not None)


def request_from(record: type[R], words: Iterable[str]) -> R:
    """Return the request whose options are given, as `options_of` wrote them.

    Options that the request does not have, such as `--progress`, are skipped. Raises
    `UsageError` for options that another version wrote and this one cannot read.
    """
    by_option = {field.option: field for field in fields_of(record)}
    values: dict[str, Any] = {}
    remaining = iter(words)
    for word in remaining:
        option, _, text = word.partition("=")
        field = by_option.get(option) or by_option.get(option.replace("--no-", "--", 1))
        if field is not None:
            _add(values, field, option, text, remaining)
    try:
        return msgspec.convert(values, record, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"These options cannot be read: {error}.") from error


def _words(field: RequestField, value: Any) -> Iterator[str]:
    if value == field.default or value is None:
        return
    if field.kind is FieldKind.FLAG:
        yield field.option if value else field.option.replace("--", "--no-", 1)
    elif field.kind is FieldKind.TEXTS:
        yield from (f"{field.option}={text}" for text in value)
    elif field.kind is FieldKind.PAIRS:
        pairs = (msgspec.structs.astuple(pair) for pair in value)
        yield from (word for first, second in pairs for word in (f"{field.option}={first}", second))
    else:
        yield f"{field.option}={value}"


def _add(
    values: dict[str, Any], field: RequestField, option: str, text: str, words: Iterator[str]
) -> None:
    if field.kind is FieldKind.FLAG:
        values[field.key] = option == field.option
    elif field.kind is FieldKind.TEXTS:
        values[field.key] = (*values.get(field.key, ()), text)
    elif field.kind is FieldKind.PAIRS:
        pair = dict(zip(field.item.__struct_fields__, (text, next(words, "")), strict=True))
        values[field.key] = (*values.get(field.key, ()), pair)
    else:
        values[field.key] = text
