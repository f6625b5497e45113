"""A file of links: on each line the URL of a page, white space, and a URL that it links to.

The file may be gzipped. It is read once a level and never held in memory, so it may be large.
"""

import gzip
from collections.abc import Collection, Iterator
from pathlib import Path

from motherlode.records import UsageError
from motherlode.urls import Address, UrlError, UrlRules, address

_GZIP = b"\x1f\x8b"
_FIELDS = 2
_MAX_LINE_BYTES = 10_000


def pages_linking_to(path: Path, targets: Collection[str], rules: UrlRules) -> Iterator[Address]:
    """Yield the pages that link to one of these URLs, in the order of the file.

    A line that has no two URLs is left out. Raises `UsageError` if the file cannot be read.
    """
    for source, target in edges_in(path):
        try:
            if target in targets or address(target, rules=rules).url in targets:
                yield address(source, rules=rules)
        except UrlError:
            continue


def edges_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the links of a file as they are written: page, target."""
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(_GZIP)) == _GZIP
        with gzip.open(path) if is_packed else path.open("rb") as lines:
            for line in lines:
                fields = line[:_MAX_LINE_BYTES].decode("utf-8", "replace").split()
                if len(fields) == _FIELDS:
                    yield fields[0], fields[1]
    except (OSError, EOFError) as error:
        raise UsageError(
            f"The links in {path} cannot be read: {error}. ordinal.edge_files in lode.toml names "
            "the file."
        ) from error
