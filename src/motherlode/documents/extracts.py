"""What every reader of a format takes and gives."""

from msgspec import Struct

from motherlode.records import LodeError


class Raw(Struct, frozen=True):
    """A document as it came; `mime` is its type by header and content, `content_type` the header
    itself.
    """

    url: str
    body: bytes
    mime: str = ""
    content_type: str = ""


class Reference(Struct, frozen=True):
    """A link as it stands in a document, not resolved."""

    href: str
    anchor: str = ""


class Member(Struct, frozen=True):
    """A file inside a file."""

    name: str
    body: bytes


class Extract(Struct, frozen=True):
    """What a document says: text in paragraphs, one a line; links in their order; files
    inside it.
    """

    text: str = ""
    title: str = ""
    language: str = ""
    description: str = ""
    headings: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    members: tuple[Member, ...] = ()


class UnreadableError(LodeError):
    """Nothing can be read out of a document; the message says why in a few words.

    `title` is what it is called all the same, where that is known.
    """

    def __init__(self, reason: str, title: str = "") -> None:
        super().__init__(reason)
        self.title = title
