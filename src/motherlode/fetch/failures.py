"""What a failure means: one table from its kind to the wait, the retries and the host's fate (SPEC
B28).

A host that times out is slow: three retries; then it is bad, and excluded for this crawl.
"""

from enum import StrEnum

from msgspec import Struct

from motherlode.records import HostState

_DAY = 86_400.0
_MAX_DOUBLINGS = 20


class FailureKind(StrEnum):
    """What went wrong with a fetch, in the words of reports and logs."""

    NO_SUCH_HOST = "no such host"
    NAME_SERVER = "name server failed"
    REFUSED = "connection refused"
    UNREACHABLE = "unreachable"
    CONNECT_TIMEOUT = "connect timed out"
    TLS_TIMEOUT = "TLS timed out"
    TLS = "bad certificate"
    TLS_BROKEN = "TLS failed"
    PROXY = "proxy failed"
    LOCAL = "out of resources"
    FIRST_BYTE_TIMEOUT = "no answer in time"
    IDLE_TIMEOUT = "stalled"
    TOTAL_TIMEOUT = "timed out"
    TOO_SLOW = "too slow"
    RESET = "connection reset"
    PROTOCOL = "broken response"
    TOO_LARGE = "too large"
    TYPE = "unwanted type"
    HEADERS = "too many headers"
    REDIRECT_LOOP = "redirect loop"
    REDIRECTS = "too many redirects"
    BAD_REDIRECT = "redirect to nowhere"
    TRAP = "trap"
    OUTSIDE = "outside the crawl's domains"
    HOST_FULL = "page limit of the host"
    BAD_HOST = "bad host"
    RESTING = "host rests"
    FORBIDDEN_ADDRESS = "forbidden address"
    ROBOTS = "robots.txt"
    ROBOTS_UNREACHABLE = "robots.txt unreachable"
    TOO_MANY = "too many requests"
    UNAVAILABLE = "unavailable"
    SERVER = "server error"
    CLIENT = "not there"


class Failure(Struct, frozen=True):
    """Seconds before the first retry (each next waits twice as long), how many there are, and what
    the host becomes when they are used up; `counts` says whether the host is to blame at all.
    """

    wait: float = 0.0
    retries: int = 0
    fate: HostState = HostState.GOOD
    counts: bool = True


# The host is to blame for what keeps it from answering; a URL for what it answers.
TABLE: dict[FailureKind, Failure] = {
    FailureKind.NO_SUCH_HOST: Failure(60, 1, HostState.BAD),
    FailureKind.NAME_SERVER: Failure(30, 3, HostState.SLOW),
    FailureKind.REFUSED: Failure(60, 3, HostState.BAD),
    FailureKind.CONNECT_TIMEOUT: Failure(30, 3, HostState.BAD),
    FailureKind.UNREACHABLE: Failure(60, 3, HostState.SLOW),
    FailureKind.TLS_TIMEOUT: Failure(30, 3, HostState.BAD),
    FailureKind.TLS: Failure(0, 0, HostState.BAD),
    FailureKind.TLS_BROKEN: Failure(60, 1, HostState.BAD),
    FailureKind.PROXY: Failure(60, 5, counts=False),
    FailureKind.LOCAL: Failure(10, 5, counts=False),
    FailureKind.FIRST_BYTE_TIMEOUT: Failure(30, 3, HostState.BAD),
    FailureKind.IDLE_TIMEOUT: Failure(30, 3, HostState.BAD),
    FailureKind.TOTAL_TIMEOUT: Failure(60, 2, HostState.BAD),
    FailureKind.TOO_SLOW: Failure(60, 1, HostState.SLOW),
    FailureKind.RESET: Failure(10, 3, HostState.BAD),
    FailureKind.PROTOCOL: Failure(10, 1, HostState.SLOW),
    FailureKind.TOO_LARGE: Failure(counts=False),
    FailureKind.TYPE: Failure(counts=False),
    FailureKind.HEADERS: Failure(counts=False),
    FailureKind.REDIRECT_LOOP: Failure(counts=False),
    FailureKind.REDIRECTS: Failure(counts=False),
    FailureKind.BAD_REDIRECT: Failure(counts=False),
    FailureKind.TRAP: Failure(counts=False),
    FailureKind.OUTSIDE: Failure(counts=False),
    FailureKind.HOST_FULL: Failure(counts=False),
    FailureKind.BAD_HOST: Failure(counts=False),
    FailureKind.RESTING: Failure(counts=False),
    FailureKind.FORBIDDEN_ADDRESS: Failure(0, 0, HostState.BAD),
    FailureKind.ROBOTS: Failure(counts=False),
    FailureKind.ROBOTS_UNREACHABLE: Failure(300, 3, HostState.SLOW),
    FailureKind.TOO_MANY: Failure(60, 5, HostState.SLOW),
    FailureKind.UNAVAILABLE: Failure(30, 5, HostState.SLOW),
    FailureKind.SERVER: Failure(30, 2, HostState.GOOD, counts=False),
    FailureKind.CLIENT: Failure(counts=False),
}


class FailureResponse(Struct, frozen=True):
    """What is to be done: try again at a moment, or give the URL up; and what the host
    has become.
    """

    retry_at: float | None
    host: HostState


def verdict(
    kind: FailureKind,
    attempts: int,
    failures: int,
    now: float,
    host: HostState,
    asked_for: float | None = None,
) -> FailureResponse:
    """What a failure leads to, after so many attempts at the URL and failures of the host in a row,
    this one included; `asked_for` is the wait that the host named itself.
    """
    failure = TABLE[kind]
    if failure.counts:
        host = max(host, failure.fate if failures > failure.retries else HostState.SLOW)
    if host is HostState.BAD or attempts > failure.retries:
        return FailureResponse(None, host)
    return FailureResponse(now + wait_of(kind, attempts, asked_for), host)


def wait_of(kind: FailureKind, attempts: int, asked_for: float | None = None) -> float:
    """The seconds that a failure is waited out, after so many attempts; never less than the host
    named.
    """
    doublings = min(attempts - 1, _MAX_DOUBLINGS)
    return min(max(TABLE[kind].wait * float(2**doublings), asked_for or 0.0), _DAY)


def is_passing(kind: FailureKind) -> bool:
    """Whether a URL that was given up for it may well be there another time: its host failed it, or
    was left alone; neither its content nor a rule is in the way.

    >>> kinds = (FailureKind.REFUSED, FailureKind.BAD_HOST, FailureKind.ROBOTS)
    >>> tuple(map(is_passing, kinds))
    (True, True, False)
    """
    failure = TABLE[kind]
    fails = failure.retries > 0 or failure.fate is HostState.BAD
    return kind is FailureKind.BAD_HOST or (fails and kind is not FailureKind.FORBIDDEN_ADDRESS)


def of_status(status: int) -> FailureKind | None:
    """The failure that a status means; None: it is none, or a redirect."""
    match status:
        case 429:
            return FailureKind.TOO_MANY
        case 503:
            return FailureKind.UNAVAILABLE
        case _ if status >= 500:  # noqa: PLR2004 - the server's class of errors
            return FailureKind.SERVER
        case _ if status >= 400:  # noqa: PLR2004 - the client's
            return FailureKind.CLIENT
    return None
