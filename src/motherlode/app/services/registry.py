"""The portals that a server shows: one, or those of a folder. Nothing outside it can be named."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from motherlode.portal import Portal
from motherlode.portal.directory import CONFIG
from motherlode.records import BadInputError, LodeError, NoPortalError, UsageError

LONGEST_NAME = 80
# What a new portal may be called: a name that means the same in an address, on a disk and on a command line.
_NEW = re.compile(rf"[^\W_][\w .-]{{0,{LONGEST_NAME - 1}}}")


class Shelf:
    """Portals by name. A name is that of a directory right in the folder, never a way to anywhere else."""

    def __init__(self, place: Path) -> None:
        """Raises `NoPortalError` where there is neither a portal nor a folder."""
        self.place = place.resolve()
        if not self.place.is_dir():
            raise NoPortalError(f"{place} does not exist; name a portal, or a folder for portals.")
        self.single = _is_portal(self.place)
        self.parent = self.place.parent if self.single else self.place

    def names(self) -> list[str]:
        """Every portal, by name; those that hide are not shown."""
        if self.single:
            return [self.place.name]
        found = (path.name for path in self.place.iterdir() if not path.name.startswith("."))
        return sorted((name for name in found if self._at(name) is not None), key=str.casefold)

    def path(self, name: str) -> Path:
        """Where a portal lies. Raises `NoPortalError` where there is none of that name on this shelf."""
        path = self._at(name)
        if path is None:
            raise NoPortalError("There is no such portal here.")
        return path

    @contextmanager
    def reading(self, name: str) -> Iterator[Portal]:
        """A portal to look at, also while another process writes it."""
        with Portal.reading(self.path(name)) as portal:
            yield portal

    def free(self, name: str) -> Path:
        """Where a new portal would lie. Raises `LodeError` where it cannot be made under that name."""
        if self.single:
            raise UsageError("Only one portal is served here; serve a folder of portals to make more.")
        if not _NEW.fullmatch(name) or name.endswith((".", " ")):
            raise BadInputError(
                f"A portal's name has 1 to {LONGEST_NAME} letters, digits, blanks, dots and hyphens, "
                "and begins with a letter or digit."
            )
        if (self.place / name).exists() or (self.place / name).is_symlink():
            raise BadInputError(f"There is something called {name} already; choose another name.")
        return self.place / name

    def told(self, error: LodeError) -> str:
        """An error's sentence, without where on this machine the portals lie."""
        return str(error).replace(f"{self.parent}/", "")

    def _at(self, name: str) -> Path | None:
        if self.single:
            return self.place if name == self.place.name else None
        if not name or name.startswith(".") or "/" in name or "\\" in name or "\0" in name:
            return None
        path = self.place / name
        try:
            # A link may lead elsewhere: then it is no portal of this folder.
            inside = path.resolve().parent == self.place
            return path if inside and _is_portal(path) else None
        except OSError:  # a name that no file can have
            return None


def _is_portal(path: Path) -> bool:
    return (path / CONFIG).is_file()
