"""Sorting more lines than fit into memory: sorted parts in temporary files, merged."""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from tempfile import TemporaryFile
from typing import IO

_AT_ONCE = 50_000


def sorted_lines(lines: Iterable[bytes], at_once: int = _AT_ONCE) -> Iterator[bytes]:
    """The lines, each with its end, in order."""
    coming = iter(lines)
    with ExitStack() as stack:
        parts: list[IO[bytes]] = []
        while part := sorted(islice(coming, at_once)):
            file = stack.enter_context(TemporaryFile())
            file.writelines(part)
            file.seek(0)
            parts.append(file)
        yield from heapq.merge(*parts)
