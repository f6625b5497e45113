"""What a habit sees: the request, the host's history, the web; and the acts it can perform."""

from collections import deque
from collections.abc import Callable, Iterator

from msgspec import Struct

from motherlode.lab.web import Answer, LabWeb


class Asked(Struct, frozen=True):
    """A request as the sandbox understood it; header names in lower case."""

    method: str
    url: str
    host: str
    target: str  # path and query
    headers: dict[str, str] = {}

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


class Visits:
    """What a host remembers of its visitors."""

    def __init__(self) -> None:
        self.count = 0
        self.down_since: float | None = None
        self.recent: deque[float] = deque(maxlen=1000)

    def note(self, now: float) -> None:
        self.count += 1
        self.recent.append(now)

    def within(self, seconds: float, now: float) -> int:
        """How many visits there were in the last seconds, this one included."""
        return sum(1 for visit in self.recent if visit > now - seconds)


class Scene(Struct, frozen=True):
    """One request to a host with a habit; `figure` is the habit's own."""

    asked: Asked
    figure: float
    visits: Visits
    now: float
    web: LabWeb


class Send(Struct, frozen=True):
    """Put these bytes on the wire."""

    data: bytes


class Pause(Struct, frozen=True):
    """Do nothing for some seconds."""

    seconds: float


class Stall(Struct, frozen=True):
    """Do nothing ever again, with the connection open."""


class Reset(Struct, frozen=True):
    """Break the connection off, as a crashed host does."""


class Close(Struct, frozen=True):
    """Close the connection in order."""


Act = Send | Pause | Stall | Reset | Close

# What is said instead of the web's own answer (None: nothing is there).
Twist = Callable[[Scene, Answer | None], Answer | None]
# How a response, its head and its body, is put on the wire.
Delivery = Callable[[Scene, bytes, bytes], Iterator[Act]]
