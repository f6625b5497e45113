"""A plain list: a URL a line, a title after it if one likes; `#` begins a comment."""

from pathlib import Path

from motherlode.records import BadInputError, Bookmark, Folder


def parse(path: Path, text: str) -> Folder:
    """One folder with all the URLs. A line that has none is an error: the file may be something
    else.
    """
    bookmarks = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split(maxsplit=1)
        if not words or words[0].startswith("#"):
            continue
        if ":" not in words[0]:
            shown = line.strip()[:60]
            raise BadInputError(f"{path}, line {number}: {shown!r} is not a URL.")
        bookmarks.append(Bookmark(words[0], title=words[1].strip() if len(words) > 1 else ""))
    return Folder("", tuple(bookmarks))
