"""On which line of a TOML text a key stands; `tomllib` does not say.

A statement is the shortest run of lines that parses by itself: a `[header]`, or an assignment however many
lines its value takes.
"""

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

_TRIES = 100  # at the end of a value of many lines
_ENDINGS = ("]", "}", '"""', "'''")  # what the last line of a value of many lines has in it


def line_of(text: str, steps: tuple[str, ...]) -> int:
    """The line on which the statement that brings this key begins; 1 if nothing brings it."""
    table: tuple[str, ...] = ()
    for number, is_header, tree in _statements(text.splitlines()):
        if is_header:
            table = _only_path(tree)
            brings = table[: len(steps)] == steps
        else:
            brings = table == steps[: len(table)] and _has(tree, steps[len(table) :])
        if brings:
            return number
    return 1


def _statements(lines: list[str]) -> Iterator[tuple[int, bool, dict[str, Any]]]:
    """Each statement's first line, whether it is a header, and what it says by itself."""
    start = 0
    while start < len(lines):
        end, tree = _statement(lines, start)
        if tree:
            yield start + 1, lines[start].lstrip().startswith("["), tree
        start = end


def _statement(lines: list[str], start: int) -> tuple[int, dict[str, Any]]:
    """The end of the statement that begins here, and what it says."""
    ends = (
        end
        for end in range(start + 1, len(lines) + 1)
        if end == start + 1 or any(ending in lines[end - 1] for ending in _ENDINGS)
    )
    for end in islice(ends, _TRIES):
        with suppress(ValueError):
            return end, tomllib.loads("\n".join(lines[start:end]))
    # Its value is beyond us; its key is what is wanted, and the search ends here either way.
    with suppress(ValueError):
        return len(lines), tomllib.loads(f"{lines[start].partition('=')[0]} = 0")
    return start + 1, {}


def _only_path(tree: Any) -> tuple[str, ...]:
    """The path of a header: `{"a": {"b": {}}}` is a.b."""
    path = []
    while tree:
        if isinstance(tree, list):
            tree = tree[0]
        else:
            ((step, tree),) = tree.items()
            path.append(step)
    return tuple(path)


def _has(tree: Any, steps: tuple[str, ...]) -> bool:
    for step in steps:
        if not isinstance(tree, dict) or step not in tree:
            return False
        tree = tree[step]
    return True
