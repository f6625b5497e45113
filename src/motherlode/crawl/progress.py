"""When a crawl ends, and how far it is."""

from msgspec import Struct

from motherlode.records import TopicId

REFRESH = "refresh"  # the command whose pages were there before


class Limits(Struct, frozen=True):
    """When a crawl ends, how many pages it fetches at once, and for which command it is noted.

    `seconds`: it takes nothing up after so long; None: no such limit. `patience`: so long it waits for hosts
    that asked to be left alone if nothing else can be done. `queues`: those that it takes from; None: all.
    `ahead`: how many pages may be under way, from taken up to kept; None: as many as it holds.
    """

    pages: int
    connections: int = 32
    command: str = "crawl"
    seconds: float | None = None
    patience: float = 120.0
    queues: frozenset[TopicId] | None = None
    ahead: int | None = None


class Idle(Struct, frozen=True):
    """Nothing can be fetched before a moment, and why; the moment is in seconds since 1970."""

    until: float
    why: str


class Progress(Struct, frozen=True):
    """How far a crawl is. `failed` counts what is given up, `skipped` what was never asked for by our own
    rules or the host's, `copies` what leads to a page that was there already;
    `relevant` are pages that were judged to be on a topic, `topics` how many on each;
    `queues` how many URLs wait for each topic, about; `advice` says what to install for documents that were
    kept without their text."""

    pages: int = 0
    failed: int = 0
    redirects: int = 0
    copies: int = 0
    hosts: int = 0
    seconds: float = 0.0
    skipped: int = 0
    relevant: int = 0
    waiting: int = 0
    retries: int = 0
    under_way: int = 0
    size: int = 0
    topics: dict[TopicId, int] = {}
    queues: dict[TopicId, int] = {}
    errors: dict[str, int] = {}
    advice: tuple[str, ...] = ()
    phase: str = ""
    retrainings: int = 0
    precision: float | None = None
    idle: Idle | None = None
    end: str = ""
