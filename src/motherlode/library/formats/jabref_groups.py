"""Groups of JabRef, which are kept in comments of a BibTeX file, as folders."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

Path = tuple[str, ...]

_GROUPING = re.compile(r"jabref-meta:\s*(?:grouping|groupstree):", re.IGNORECASE)
_LINE = re.compile(r"^(\d+)\s+(\w+):(.*)$", re.DOTALL)
_ALL = "AllEntriesGroup"
_EXPLICIT = "ExplicitGroup"
MAX_DEPTH = 50


class GroupTree(Struct, frozen=True):
    """The groups of a file: the path of each name, and the paths that list a citation key."""

    path_by_name: dict[str, Path]
    paths_by_key: dict[str, list[Path]]

    @classmethod
    def of(cls, comments: Iterable[str]) -> "GroupTree":
        """Return the groups that the comments of a file describe."""
        path_by_name: dict[str, Path] = {}
        paths_by_key: dict[str, list[Path]] = defaultdict(list)
        for comment in comments:
            if _GROUPING.match(comment.strip()):
                for path, keys in _groups(comment.strip()):
                    path_by_name.setdefault(path[-1], path)
                    for key in keys:
                        paths_by_key[key].append(path)
        return cls(path_by_name, paths_by_key)

    def folders_of(self, key: str, names: Iterable[str]) -> tuple[Path, ...]:
        """Return the folders of an entry, which names its groups or is listed in them."""
        stripped = (name.strip() for name in names)
        paths = (self.path_by_name.get(name, (name,)) for name in stripped if name)
        return tuple(dict.fromkeys((*self.paths_by_key.get(key, ()), *paths)))


def _groups(comment: str) -> Iterator[tuple[Path, list[str]]]:
    """Yield the path of each group with the citation keys that are listed in it."""
    path: list[str] = []
    for line in _lines(_GROUPING.sub("", comment, count=1)):
        match = _LINE.match(line)
        if match is None or match[2] == _ALL:
            continue
        name, *values = _parts(match[3])
        path = [*path[: max(min(int(match[1][:3]), MAX_DEPTH) - 1, 0)], name]
        if name:
            keys = values[1:] if match[2] == _EXPLICIT else []
            yield tuple(path), [key for key in keys if key]


def _lines(text: str) -> list[str]:
    """Return the groups, each of which ends with a semicolon that is not escaped."""
    joined = text.replace("\r", "").replace("\n", "")
    return [part.strip() for part in re.split(r"(?<!\\);", joined)]


def _parts(text: str) -> list[str]:
    return [re.sub(r"\\+(.)", r"\1", part).strip() for part in re.split(r"\\;", text)]
