"""What a reference format is: a name, the signs that tell it, a reader, and perhaps a writer."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from motherlode.records.library import LibraryObject


class ReadEntry(Struct, frozen=True):
    """What became of one entry of a file: an object, or a problem in one sentence, or both."""

    entry: LibraryObject | None = None
    problem: str = ""


class ReadResult(Struct, frozen=True):
    """The objects of a file in its order, and one sentence for each part that was not read."""

    objects: tuple[LibraryObject, ...] = ()
    problems: tuple[str, ...] = ()


Reader = Callable[[str], ReadResult]
Writer = Callable[[Sequence[LibraryObject]], str]


class ReferenceFormat(Struct, frozen=True, kw_only=True):
    """A reference format. `reader` and `writer` are named as `module:function`.

    `suffixes` are those of its files. `writer` is empty if the format is only read.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    reader: str
    writer: str = ""
