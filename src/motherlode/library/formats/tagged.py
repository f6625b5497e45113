"""Formats that begin each line with a tag: their records, as tags with their values.

RIS, MEDLINE and EndNote's own differ in how a tag looks and in what begins and ends a record.
"""

import re
from collections.abc import Iterable, Iterator

MAX_LINE_CHARS = 200_000
Record = list[tuple[str, str]]


def tagged_lines(text: str, tag: re.Pattern[str], joint: str = " ") -> Iterator[tuple[str, str]]:
    """Yield tags with their values; a line without a tag goes on with the value above it.

    `tag` matches a tag at the start of a line, as its first group. An empty line yields ("", "").
    """
    name, parts = "", list[str]()
    for line in text.splitlines():
        match = tag.match(line[:MAX_LINE_CHARS])
        if match or not line.strip():
            if name:
                yield name, joint.join(parts).strip()
            name, parts = (match[1].upper(), [line[match.end() :].strip()]) if match else ("", [])
            if match is None:
                yield "", ""
        elif name:
            parts.append(line.strip()[:MAX_LINE_CHARS])
    if name:
        yield name, joint.join(parts).strip()


def values_of(record: Iterable[tuple[str, str]], *tags: str) -> list[str]:
    """Return the values of some tags that are not empty, by the order of the tags."""
    pairs = list(record)
    return [value for tag in tags for key, value in pairs if key == tag and value]


def value_of(record: Iterable[tuple[str, str]], *tags: str) -> str:
    """Return the first value of the first tag that has one; empty if none has."""
    return next(iter(values_of(record, *tags)), "")
