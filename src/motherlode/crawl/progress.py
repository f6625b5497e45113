"""The limits of a crawl, and its progress."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from motherlode.policies.options import DEFAULT_CONNECTIONS
from motherlode.records import Lane, QueueId, TopicId

NO_NAME = "/"  # of queues that their policy does not name
UNLIMITED_PAGES = 2**62  # for a crawl that only other limits end
REFRESH = "refresh"  # the command that fetches stored pages again


class Limits(Struct, frozen=True):
    """The limits of a crawl, and the command and lane that it runs for.

    `pages`: maximum number of pages. `connections`: fetches at the same time.
    `seconds`: no fetch starts after this time; None: no limit.
    `patience`: seconds to wait for hosts in a delay, if nothing else can be fetched.
    `lane`: the kind of entries that the crawl takes.
    `ahead`: pages under way, from lease to commit; None: no limit.
    `requests`: maximum number of requested URLs, with redirects and failures; None: no limit.
    """

    pages: int
    connections: int = DEFAULT_CONNECTIONS
    command: str = "crawl"
    seconds: float | None = None
    patience: float = 120.0
    lane: Lane = Lane.CRAWL
    ahead: int | None = None
    requests: int | None = None


class Idle(Struct, frozen=True):
    """The time before which nothing can be fetched (seconds since 1970), and the reason."""

    until: float
    why: str


class Progress(Struct, frozen=True):
    """The progress of a crawl.

    `requests` counts requested URLs, `failed` the URLs that were given up, `skipped` the URLs
    excluded by our own rules or the host's, `copies` the URLs that lead to an already stored page.
    `relevant` counts pages that were judged to be on a topic, `topics` counts them by topic.
    `queues` is the approximate number of waiting URLs per queue. `advice` says what to install for
    documents that were stored without their text. `phase` is the policy's own word for what the
    crawl does at present; empty: the policy has no phases. `summary` are the policy's own figures
    in words; empty: it has none.
    """

    pages: int = 0
    requests: int = 0
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
    queues: dict[QueueId, int] = {}
    queue_names: Mapping[QueueId, str] = {}
    errors: dict[str, int] = {}
    advice: tuple[str, ...] = ()
    phase: str = ""
    summary: str = ""
    retrainings: int = 0
    idle: Idle | None = None
    end: str = ""

    def waiting_by_queue(self) -> Counter[str]:
        """Return the number of waiting URLs by queue name; `/` counts all unnamed queues."""
        return sum_by_name(self.queues, self.queue_names)


def sum_by_name(queues: Mapping[QueueId, int], names: Mapping[QueueId, str]) -> Counter[str]:
    """Return the sizes of queues by the names in `names`; `/` counts all unnamed queues."""
    sizes: Counter[str] = Counter()
    for queue, size in queues.items():
        sizes[names.get(queue, NO_NAME)] += size
    return sizes
