"""The records of an explanation: how a URL was found, ranked, fetched and judged (SPEC X8).

Their field names are the keys of `lode explain --json` and of the web API.
"""

from enum import StrEnum

from msgspec import Struct

from motherlode.explain.link_ranks import RankExplanation
from motherlode.training.certainty import Assessed
from motherlode.training.judgement_reasons import JudgementReasons

EXPLAINED_LINKS = 10  # of a page, unless the user wants another number


class UrlFate(StrEnum):
    """How far a URL got in the crawl."""

    FETCHED = "fetched"
    GONE = "gone"  # fetched, but its host no longer has the page
    WAITING = "waiting"
    LINKED = "linked"  # pages link to it, but it was never in a queue
    EXAMPLE = "example"  # given by the user, but not fetched yet
    MOVED = "moved"
    FAILED = "failed"
    SKIPPED = "skipped"


class PathStep(Struct, frozen=True):
    """A page on the path to a URL, and the anchor text of the link that led to it."""

    url: str
    anchor: str = ""  # empty for the first step


class RedirectHop(Struct, frozen=True):
    """A redirect; with status 0, `url` has the same content as `target`, which is stored."""

    url: str
    target: str
    status: int


class DiscoveryPath(Struct, frozen=True):
    """The links by which a URL was found.

    `begins` says what the first step is. If not `sure`, the path is made of the links of today,
    because the store does not have the path that the crawl took.
    """

    begins: str
    steps: tuple[PathStep, ...]
    depth: int | None = None  # links from an example
    distance: float | None = None  # pages off all topics before it
    sure: bool = True


class QueuePlace(Struct, frozen=True):
    """The place of a URL in its queue; with `later`, it waits for the harvesting phase."""

    queue: str
    rank: float
    place: int
    later: bool = False
    not_before: float | None = None
    attempts: int = 0


class HostSummary(Struct, frozen=True):
    """The present state of a host; `met` is False if the crawl never contacted it."""

    name: str
    met: bool
    state: str = "good"
    reason: str = ""
    address: str = ""
    pages: int = 0
    failures: int = 0
    delay: float = 0.0
    next_at: float | None = None
    aliases: tuple[str, ...] = ()


class RobotsVerdict(Struct, frozen=True):
    """The verdict of robots.txt on a URL.

    `allowed` is None if the file was not fetched, or could not be fetched.
    """

    allowed: bool | None
    rule: str = ""  # the line that decides
    delay: float | None = None
    status: int | None = None
    fetched_at: float | None = None
    ignored: bool = False  # by the configuration


class ExplainedJudgement(Assessed, frozen=True):
    """The judgement of a page, the model that made it, and the reasons.

    `opinion` is None without a model, and for a model that cannot be used any more.
    """

    topic: str
    on_topic: bool
    model: int | None = None
    version: int | None = None
    learned_at: float | None = None
    opinion: JudgementReasons | None = None


class OutgoingLink(Struct, frozen=True):
    """A link of the page, the fate of its target, and the target's rank in its queue."""

    url: str
    anchor: str
    became: str
    rank: float | None = None
    reason: str = ""


class FetchDetails(Struct, frozen=True):
    """The response in which a page was fetched."""

    at: float
    status: int
    mime: str
    size: int
    title: str
    address: str = ""
    etag: str = ""
    last_modified: str = ""
    refresh_waits: bool = False


class Explanation(Struct, frozen=True):
    """All that the store knows about a URL; `links` are the best of its `link_count` links."""

    url: str
    became: UrlFate
    why: str
    examples: tuple[str, ...] = ()  # topics of which it is an example, given by the user
    archetypes: tuple[str, ...] = ()  # topics of which it is an archetype, found by a crawl
    marked: tuple[str, ...] = ()  # the user's relevance marks, such as `bad for owls`
    way: DiscoveryPath | None = None
    redirects_here: tuple[RedirectHop, ...] = ()
    redirects_on: tuple[RedirectHop, ...] = ()
    rank: RankExplanation | None = None
    wait: QueuePlace | None = None
    fetch: FetchDetails | None = None
    host: HostSummary | None = None
    robots: RobotsVerdict | None = None
    judgement: ExplainedJudgement | None = None
    link_count: int = 0
    links: tuple[OutgoingLink, ...] = ()
    similar: tuple[str, ...] = ()
