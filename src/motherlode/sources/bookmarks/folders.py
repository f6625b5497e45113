"""Through a tree of bookmark folders."""

from collections.abc import Iterator

from motherlode.records import Bookmark, Folder


def filed(
    folder: Folder, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Bookmark]]:
    """Every bookmark with the names of the folders around it, outermost first."""
    yield from ((above, bookmark) for bookmark in folder.bookmarks)
    for inner in folder.folders:
        yield from filed(inner, (*above, inner.name))
