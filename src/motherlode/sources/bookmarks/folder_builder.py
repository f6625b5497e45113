"""Folders under construction: a stack, so that no depth of nesting exhausts Python's own."""

from dataclasses import dataclass, field

from motherlode.records import Bookmark, Folder

MAX_DEPTH = 100


class TooDeepError(Exception):
    """Folders nested beyond `MAX_DEPTH`."""


@dataclass(slots=True)
class OpenFolder:
    name: str
    bookmarks: list[Bookmark] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)

    def close(self) -> Folder:
        return Folder(self.name, tuple(self.bookmarks), tuple(self.folders))


class FolderStack:
    """The folders that are open while a file is read; the first is the file itself."""

    def __init__(self, name: str = "") -> None:
        self._open = [OpenFolder(name)]

    @property
    def here(self) -> OpenFolder:
        return self._open[-1]

    @property
    def root(self) -> OpenFolder:
        return self._open[0]

    def enter(self, name: str) -> None:
        if len(self._open) > MAX_DEPTH:
            raise TooDeepError
        self._open.append(OpenFolder(name))

    def leave(self) -> None:
        """Close the innermost folder; one end tag too many is forgiven."""
        if len(self._open) > 1:
            closed = self._open.pop()
            if closed.name:
                self.here.folders.append(closed.close())
            else:  # a list without a name belongs to the folder around it
                self.here.bookmarks += closed.bookmarks
                self.here.folders += closed.folders

    def finish(self) -> Folder:
        while len(self._open) > 1:
            self.leave()
        return self.root.close()
