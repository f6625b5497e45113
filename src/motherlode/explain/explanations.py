"""What can be said of a URL: how it was found, ranked, fetched and judged, or why it was not (SPEC X8)."""

from enum import StrEnum

from msgspec import Struct

from motherlode.explain.link_ranks import Ranked
from motherlode.training.opinion import Opinion


class Became(StrEnum):
    """What became of a URL."""

    FETCHED = "fetched"
    GONE = "gone"  # it was fetched, and its host says now that there is no such page
    WAITING = "waiting"
    LINKED = "linked"  # pages link to it, and that is all
    EXAMPLE = "example"  # a person named it, and that is all
    MOVED = "moved"
    FAILED = "failed"
    SKIPPED = "skipped"


class Step(Struct, frozen=True):
    """One page on the way, and the words of the link that led there; the first has none."""

    url: str
    anchor: str = ""


class Hop(Struct, frozen=True):
    """A redirect; status 0: the two have the same content, so one of them stands for both."""

    url: str
    target: str
    status: int


class Way(Struct, frozen=True):
    """How a URL was found. `begins`: what the first step is; `sure`: it is known to have been this way."""

    begins: str
    steps: tuple[Step, ...]
    depth: int | None = None  # links from an example
    distance: float | None = None  # pages off all topics before it
    sure: bool = True


class Wait(Struct, frozen=True):
    """A place in a queue. `later`: it is not for the learning phase."""

    queue: str
    rank: float
    place: int
    later: bool = False
    not_before: float | None = None
    attempts: int = 0


class HostSaid(Struct, frozen=True):
    """A host as it is known now."""

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


class RobotsSaid(Struct, frozen=True):
    """What robots.txt says to a URL. None for `allowed`: it could not be had, or nobody has asked for it."""

    allowed: bool | None
    rule: str = ""  # the line that decides
    delay: float | None = None
    status: int | None = None
    fetched_at: float | None = None
    ignored: bool = False  # a person told us to pass over it


class JudgedAs(Struct, frozen=True):
    """What was thought of a page, by which model, and why."""

    topic: str
    confidence: float
    on_topic: bool
    model: int | None = None
    version: int | None = None
    learned_at: float | None = None
    opinion: Opinion | None = None  # None: by no model, or by one that cannot be asked any more


class Lead(Struct, frozen=True):
    """A link, what became of it, and the rank that it waits at or was taken at."""

    url: str
    anchor: str
    became: str
    rank: float | None = None
    reason: str = ""


class Fetch(Struct, frozen=True):
    """How a page came."""

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
    """All that the store knows of a URL. `links` are the best of `link_count`."""

    url: str
    became: Became
    why: str
    examples: tuple[str, ...] = ()  # topics that it is an example of
    archetypes: tuple[str, ...] = ()  # topics that a crawl found it to be an example of
    marked: tuple[str, ...] = ()  # what a person said of it, such as `bad for owls`
    way: Way | None = None
    redirects_here: tuple[Hop, ...] = ()
    redirects_on: tuple[Hop, ...] = ()
    rank: Ranked | None = None
    wait: Wait | None = None
    fetch: Fetch | None = None
    host: HostSaid | None = None
    robots: RobotsSaid | None = None
    judgement: JudgedAs | None = None
    link_count: int = 0
    links: tuple[Lead, ...] = ()
    similar: tuple[str, ...] = ()
