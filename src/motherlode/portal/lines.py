"""Line numbers of keys in a TOML text. Imported for a message only: tomlkit takes 4 ms."""

from collections.abc import Iterator
from contextlib import suppress

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, AoT, Item

_MARK = "\0"  # TOML allows it nowhere


def line_of(text: str, steps: tuple[str, ...]) -> int:
    """Return the line on which a key first stands; 1 if tomlkit does not find it.

    tomlkit counts no lines, but it renders a document as it was: marks in front of the key and
    all below it show where it stands. `[a.b]` brings `a` without a line of its own.
    """
    with suppress(TOMLKitError):
        document = tomlkit.parse(text)
        for item in _items_below(document, steps):
            item.trivia.indent = _MARK + item.trivia.indent
        before, mark, _ = document.as_string().partition(_MARK)
        return before.count("\n") + 1 if mark else 1
    return 1


def _items_below(parent: Container | Item, steps: tuple[str, ...]) -> Iterator[Item]:
    """Yield everything at or below a path; a table may be split over several places."""
    if isinstance(parent, AoT):
        for table in parent.body:
            yield from _items_below(table, steps)
        return
    if isinstance(parent, Item) and not steps:
        yield parent
    content = parent.value if isinstance(parent, AbstractTable) else parent
    for key, item in content.body if isinstance(content, Container) else ():
        if key is not None and (not steps or key.key == steps[0]):
            yield from _items_below(item, steps[1:])
