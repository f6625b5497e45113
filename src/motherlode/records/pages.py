"""What came back from the Web, and what was read out of it."""

from enum import IntEnum, IntFlag, StrEnum

from msgspec import Struct

from motherlode.records.forms import Form
from motherlode.records.identifiers import RunId, UrlKey


class LinkFlag(IntFlag):
    """What kind of link it is; none set: an ordinary link."""

    NONE = 0
    NOFOLLOW = 1  # the page asks not to follow it
    NAVIGATION = 2  # it stands in a menu, a header, a footer
    FRAME = 4  # what it leads to is part of the page
    CANONICAL = 8  # the page says that this is its true address
    CONTENT = 16  # it stands in the main text
    REFRESH = 32  # the page leads there by itself


class Link(Struct, frozen=True, gc=False):
    """A link as it stands in a page; its place in the page is its place in `Document.links`.

    `context` are the words around it, `path` the elements that it stands in, the innermost last;
    `rel` is how its target relates to the page, in the page's own words, such as `nofollow
    noopener`.
    """

    url: str
    key: UrlKey
    anchor: str = ""
    flags: int = 0  # `LinkFlag`s; a bare number, because sixty a page are written
    title: str = ""
    context: str = ""
    path: str = ""
    rel: str = ""


class Archived(Struct, frozen=True, gc=False):
    """Where the raw response lies: one gzip member of a WARC file."""

    file: str
    offset: int
    length: int


class Page(Struct, frozen=True):
    """A response, without its body: that lies in the archive."""

    url: str
    key: UrlKey
    fetched_at: float
    status: int
    mime: str = ""
    size: int = 0
    digest: bytes = b""
    etag: str = ""
    last_modified: str = ""
    address: str = ""
    archived: Archived | None = None


class Document(Struct, frozen=True):
    """What a page says: its text, its term vectors by feature space, its links in order.

    Text is in blocks, one a line; `main` is what is left of it without menus and the like. Where
    nothing could be read, `unreadable` says why. A reader's process packs texts as the store has
    them: then `packed` stands for `text`, `main` and `headings`, which are empty.
    """

    title: str = ""
    language: str = ""
    text: str = ""
    main: str = ""
    description: str = ""
    headings: tuple[str, ...] = ()
    images: tuple[str, ...] = ()  # what pictures show, in the page's own words
    links: tuple[Link, ...] = ()
    forms: tuple[Form, ...] = ()
    canonical: str = ""
    refresh: str = ""  # where the page leads by itself
    noindex: bool = False  # it asks not to be shown
    fingerprint: int = 0
    vectors: dict[str, bytes] = {}
    unreadable: str = ""
    packed: bytes = b""


class HostState(IntEnum):
    """The fate of a host within a crawl (SPEC B28)."""

    GOOD = 0
    SLOW = 1
    BAD = 2


class Host(Struct, frozen=True):
    """What is known of a host that was contacted."""

    name: str
    domain: str = ""
    state: HostState = HostState.GOOD
    reason: str = ""
    address: str = ""
    failures: int = 0
    pages: int = 0
    size: int = 0
    delay: float = 0.0
    next_at: float = 0.0
    aliases: str = ""  # the names that it is an alias for, with blanks between them


class RobotsFile(Struct, frozen=True):
    """The robots.txt of an origin (scheme and authority); no body: it could not be had, so all is
    closed.
    """

    origin: str
    status: int
    body: bytes | None
    fetched_at: float
    expires_at: float


class RunEnd(StrEnum):
    """Why a run is over; a run without one is under way, or was killed."""

    DONE = "done"
    PAGES = "page limit"
    TIME = "time limit"
    INTERRUPTED = "interrupted"
    FEEDBACK = "feedback wanted"
    ENOUGH = "enough found"
    REQUESTS = "request limit"
    NO_ANSWER = "no answer"
    FAILED = "failed"


# What stands in the place of a policy's name where a run follows none.
PREPARATION = "preparation"
REFRESH = "refresh"


class Run(Struct, frozen=True):
    """One undertaking on a portal: a crawl from its start to its end."""

    id: RunId
    command: str
    policy: str
    started_at: float
    ended_at: float | None = None
    end: str = ""
    pages: int = 0

    @property
    def is_crawl(self) -> bool:
        """Whether it went to look for new pages."""
        return self.policy not in (PREPARATION, REFRESH)
