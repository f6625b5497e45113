"""Numbers as people write them: 3-7,9."""

import re

from motherlode.records import UsageError

_MOST = 100_000
_RANGE = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?", re.ASCII)


def numbers_in(text: str, option: str) -> tuple[int, ...]:
    """The numbers that a person wrote for an option, in rising order.

    >>> numbers_in("3-5, 9", "--blocks")
    (3, 4, 5, 9)
    """
    numbers: set[int] = set()
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last or last > _MOST:
            raise UsageError(f"{option} {text[:60]!r}: write numbers from 1 on, such as 3-7,9.")
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))
