"""Wrappers as TOML files in the folder `sources` of a portal, which people may read and edit."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from motherlode.records import BadInputError
from motherlode.sources.search.options import NAME_PATTERN
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.wrapper import Wrapper

FOLDER = "sources"
MAX_FILE_BYTES = 2_000_000
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = """\
# A portal behind a search form; 'lode sources DIR check NAME' compares it with the page of today.
# Under [[matching.fields]], 'attribute' may be changed; it is one of
# {}.

"""


def wrapper_path(directory: Path, name: str) -> Path:
    """Return where the wrapper of this name is kept in a portal. Raises `BadInputError`."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise BadInputError(f"{name[:60]!r} cannot be the name of a source.")
    return directory / FOLDER / f"{name}.toml"


def wrapper_names(directory: Path) -> list[str]:
    """Return the names of a portal's wrappers, in alphabetical order."""
    paths = (directory / FOLDER).glob("*.toml")
    return sorted(path.stem for path in paths if re.fullmatch(NAME_PATTERN, path.stem))


def read_wrapper(directory: Path, name: str) -> Wrapper:
    """Return a wrapper of a portal. Raises `BadInputError` if there is none that can be read."""
    path = wrapper_path(directory, name)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadInputError(f"There is no source {name} in {directory / FOLDER}.") from error
    if len(content) > MAX_FILE_BYTES:
        raise BadInputError(f"{path} is larger than {MAX_FILE_BYTES // 1_000_000} MB.")
    try:
        return wrapper_from_toml(content.decode("utf-8"))
    except (BadInputError, UnicodeDecodeError) as error:
        problem = "it is not in UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise BadInputError(
            f"{path} cannot be used: {problem.rstrip('.')}; "
            f"mend it, or remove and add the source again."
        ) from error


def wrapper_from_toml(text: str) -> Wrapper:
    """Return the wrapper in a text of TOML. Raises `BadInputError` that says what is wrong."""
    try:
        raw = tomllib.loads(text)
        wrapper = msgspec.convert(raw, Wrapper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInputError(f"{str(error)[:200]}.") from error
    except RecursionError as error:
        raise BadInputError("it is nested too deeply.") from error
    names = {field.name for field in wrapper.form.fields}
    matching = wrapper.matching
    wanted = [match.field for match in matching.fields]
    wanted += [name for menu in matching.menus for name in (menu.menu, menu.query_field)]
    if unknown := [name for name in wanted if name not in names]:
        raise BadInputError(f"its form has no field {unknown[0][:60]!r}.")
    return wrapper


def toml_of_wrapper(wrapper: Wrapper) -> str:
    """Return a wrapper as TOML, without what is as by default."""
    tables = _builtins(wrapper)
    form = tables.pop("form", {})
    matching = tables.pop("matching", {})
    lines = [_HEADER.format(", ".join(Attribute)).rstrip(), ""]
    lines += _assignments(tables)
    for key in ("fields", "menus"):
        for entry in matching.get(key, ()):
            lines += ["", f"[[matching.{key}]]", *_assignments(entry)]
    if not matching:
        lines += ["", "[matching]"]
    fields = form.pop("fields", ())
    lines += ["", "[form]", *_assignments(form)]
    for field in fields:
        lines += ["", "[[form.fields]]", *_assignments(field)]
    return "\n".join(lines) + "\n"


def _builtins(value: Any) -> Any:
    """Return a record as tables and lists, without the fields that are as by default."""
    if isinstance(value, Struct):
        infos = msgspec.structs.fields(value)
        pairs = ((info, getattr(value, info.name)) for info in infos)
        return {info.name: _builtins(held) for info, held in pairs if held != info.default}
    if isinstance(value, tuple):
        return [_builtins(element) for element in value]
    if isinstance(value, Mapping):
        return {str(key): _builtins(element) for key, element in value.items()}
    return value


def _assignments(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield `name = value` for each entry, long lists an element a line."""
    for key, value in table.items():
        if isinstance(value, list) and value:
            yield f"{_key(key)} = ["
            yield from (f"  {_value(element)}," for element in value)
            yield "]"
        else:
            yield f"{_key(key)} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode()  # half a character cannot be written
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{_key(key)} = {_value(held)}" for key, held in value.items()) + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)
