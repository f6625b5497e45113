"""What a failure means: one table from its kind to the wait, the retries and the host's fate (SPEC B28).

A host that times out is slow: three retries; then it is bad, and excluded for this crawl.
"""

from enum import StrEnum

from msgspec import Struct

from motherlode.records import HostState

_DAY = 86_400.0
_MAX_DOUBLINGS = 20


class Kind(StrEnum):
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
    """Seconds before the first retry (each next waits twice as long), how many there are, and what the
    host becomes when they are used up; `counts` says whether the host is to blame at all."""

    wait: float = 0.0
    retries: int = 0
    fate: HostState = HostState.GOOD
    counts: bool = True


# The host is to blame for what keeps it from answering; a URL for what it answers.
TABLE: dict[Kind, Failure] = {
    Kind.NO_SUCH_HOST: Failure(60, 1, HostState.BAD),
    Kind.NAME_SERVER: Failure(30, 3, HostState.SLOW),
    Kind.REFUSED: Failure(60, 3, HostState.BAD),
    Kind.CONNECT_TIMEOUT: Failure(30, 3, HostState.BAD),
    Kind.UNREACHABLE: Failure(60, 3, HostState.SLOW),
    Kind.TLS_TIMEOUT: Failure(30, 3, HostState.BAD),
    Kind.TLS: Failure(0, 0, HostState.BAD),
    Kind.TLS_BROKEN: Failure(60, 1, HostState.BAD),
    Kind.PROXY: Failure(60, 5, counts=False),
    Kind.LOCAL: Failure(10, 5, counts=False),
    Kind.FIRST_BYTE_TIMEOUT: Failure(30, 3, HostState.BAD),
    Kind.IDLE_TIMEOUT: Failure(30, 3, HostState.BAD),
    Kind.TOTAL_TIMEOUT: Failure(60, 2, HostState.BAD),
    Kind.TOO_SLOW: Failure(60, 1, HostState.SLOW),
    Kind.RESET: Failure(10, 3, HostState.BAD),
    Kind.PROTOCOL: Failure(10, 1, HostState.SLOW),
    Kind.TOO_LARGE: Failure(counts=False),
    Kind.TYPE: Failure(counts=False),
    Kind.HEADERS: Failure(counts=False),
    Kind.REDIRECT_LOOP: Failure(counts=False),
    Kind.REDIRECTS: Failure(counts=False),
    Kind.BAD_REDIRECT: Failure(counts=False),
    Kind.TRAP: Failure(counts=False),
    Kind.OUTSIDE: Failure(counts=False),
    Kind.HOST_FULL: Failure(counts=False),
    Kind.BAD_HOST: Failure(counts=False),
    Kind.RESTING: Failure(counts=False),
    Kind.FORBIDDEN_ADDRESS: Failure(0, 0, HostState.BAD),
    Kind.ROBOTS: Failure(counts=False),
    Kind.ROBOTS_UNREACHABLE: Failure(300, 3, HostState.SLOW),
    Kind.TOO_MANY: Failure(60, 5, HostState.SLOW),
    Kind.UNAVAILABLE: Failure(30, 5, HostState.SLOW),
    Kind.SERVER: Failure(30, 2, HostState.GOOD, counts=False),
    Kind.CLIENT: Failure(counts=False),
}


class Verdict(Struct, frozen=True):
    """What is to be done: try again at a moment, or give the URL up; and what the host has become."""

    retry_at: float | None
    host: HostState


def verdict(
    kind: Kind, attempts: int, failures: int, now: float, host: HostState, asked_for: float | None = None
) -> Verdict:
    """What a failure leads to, after so many attempts at the URL and failures of the host in a row, this one
    included; `asked_for` is the wait that the host named itself."""
    failure = TABLE[kind]
    if failure.counts:
        host = max(host, failure.fate if failures > failure.retries else HostState.SLOW)
    if host is HostState.BAD or attempts > failure.retries:
        return Verdict(None, host)
    return Verdict(now + wait_of(kind, attempts, asked_for), host)


def wait_of(kind: Kind, attempts: int, asked_for: float | None = None) -> float:
    """The seconds that a failure is waited out, after so many attempts; never less than the host named."""
    doublings = min(attempts - 1, _MAX_DOUBLINGS)
    return min(max(TABLE[kind].wait * float(2**doublings), asked_for or 0.0), _DAY)


def is_passing(kind: Kind) -> bool:
    """Whether a URL that was given up for it may well be there another time: its host failed it, or was left
    alone; neither its content nor a rule is in the way.

    >>> is_passing(Kind.REFUSED), is_passing(Kind.BAD_HOST), is_passing(Kind.ROBOTS)
    (True, True, False)
    """
    failure = TABLE[kind]
    fails = failure.retries > 0 or failure.fate is HostState.BAD
    return kind is Kind.BAD_HOST or (fails and kind is not Kind.FORBIDDEN_ADDRESS)


def of_status(status: int) -> Kind | None:
    """The failure that a status means; None: it is none, or a redirect."""
    match status:
        case 429:
            return Kind.TOO_MANY
        case 503:
            return Kind.UNAVAILABLE
        case _ if status >= 500:  # noqa: PLR2004 - the server's class of errors
            return Kind.SERVER
        case _ if status >= 400:  # noqa: PLR2004 - the client's
            return Kind.CLIENT
    return None
