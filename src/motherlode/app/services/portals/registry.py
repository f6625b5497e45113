"""The portals that a server shows: one, or those of a folder, and none outside of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from motherlode.app.requests.portals import MAX_NAME_CHARS
from motherlode.portal import Portal
from motherlode.portal.directory import CONFIG
from motherlode.records import BadInputError, LodeError, NoPortalError, UsageError

# Names that mean the same in an address, on a disk and on a command line.
_NEW_NAME = re.compile(rf"[^\W_][\w .-]{{0,{MAX_NAME_CHARS - 1}}}")


class PortalRegistry:
    """Portals by name.

    A name is that of a directory in the folder, never a path to another place.
    """

    def __init__(self, place: Path) -> None:
        """Raise `NoPortalError` if there is neither a portal nor a folder."""
        self.place = place.resolve()
        if not self.place.is_dir():
            raise NoPortalError(f"{place} does not exist; name a portal, or a folder for portals.")
        self.single = _is_portal(self.place)
        self.parent = self.place.parent if self.single else self.place

    def names(self) -> list[str]:
        """Return the names of all portals but hidden ones."""
        if self.single:
            return [self.place.name]
        visible = (path.name for path in self.place.iterdir() if not path.name.startswith("."))
        return sorted((name for name in visible if self._at(name) is not None), key=str.casefold)

    def path(self, name: str) -> Path:
        """Return the directory of a portal.

        Raises `NoPortalError` if there is none of that name.
        """
        path = self._at(name)
        if path is None:
            raise NoPortalError("There is no such portal here.")
        return path

    @contextmanager
    def reading(self, name: str) -> Iterator[Portal]:
        """Open a portal to read it, also while another process writes it."""
        with Portal.reading(self.path(name)) as portal:
            yield portal

    def free(self, name: str) -> Path:
        """Return the directory for a new portal. Raises `LodeError` if the name cannot be used."""
        if self.single:
            raise UsageError(
                "Only one portal is served here; serve a folder of portals to make more."
            )
        if not _NEW_NAME.fullmatch(name) or name.endswith((".", " ")):
            raise BadInputError(
                f"A portal's name has 1 to {MAX_NAME_CHARS} letters, digits, blanks, dots and "
                "hyphens, "
                "and begins with a letter or digit."
            )
        if (self.place / name).exists() or (self.place / name).is_symlink():
            raise BadInputError(f"The name {name} is taken; choose another.")
        return self.place / name

    def message(self, error: LodeError) -> str:
        """Return the message of an error without the path of the portals on this machine."""
        return str(error).replace(f"{self.parent}/", "")

    def _at(self, name: str) -> Path | None:
        if self.single:
            return self.place if name == self.place.name else None
        if not name or name.startswith(".") or "/" in name or "\\" in name or "\0" in name:
            return None
        path = self.place / name
        try:
            # A symbolic link out of the folder is no portal of it.
            inside = path.resolve().parent == self.place
            return path if inside and _is_portal(path) else None
        except OSError:  # a name that no file can have
            return None


def _is_portal(path: Path) -> bool:
    return (path / CONFIG).is_file()
