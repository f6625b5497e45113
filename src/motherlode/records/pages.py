"""What came back from the Web, and what was read out of it."""

from enum import IntEnum, IntFlag, StrEnum

from msgspec import Struct

from motherlode.records.identifiers import RunId, UrlKey


class LinkFlag(IntFlag):
    """What kind of link it is; none set: an ordinary link in the content."""

    NONE = 0
    NOFOLLOW = 1
    NAVIGATION = 2
    FRAME = 4
    CANONICAL = 8


class Link(Struct, frozen=True, gc=False):
    """A link as it stands in a page; its place in the page is its place in `Document.links`."""

    url: str
    key: UrlKey
    anchor: str = ""
    flags: int = 0  # `LinkFlag`s; a bare number, because sixty a page are written


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
    """What a page says: its text, its term vectors by feature space, its links in order."""

    title: str = ""
    language: str = ""
    text: str = ""
    fingerprint: int = 0
    vectors: dict[str, bytes] = {}
    links: tuple[Link, ...] = ()
    noindex: bool = False  # it asks not to be shown


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


class RobotsFile(Struct, frozen=True):
    """The robots.txt of an origin (scheme and authority); no body: it could not be had, so all is closed."""

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
    FAILED = "failed"


class Run(Struct, frozen=True):
    """One undertaking on a portal: a crawl from its start to its end."""

    id: RunId
    command: str
    policy: str
    started_at: float
    ended_at: float | None = None
    end: str = ""
    pages: int = 0
