"""What a habit sees: the request, the host's history, the web; and the acts it can perform."""

from collections import deque
from collections.abc import Callable, Iterator

from msgspec import Struct

from motherlode.lab.web import Answer, LabWeb, SandboxRequest

_MOST_RECENT = 100_000  # visits of one second


class Visits:
    """What a host remembers of its visitors."""

    def __init__(self) -> None:
        self.count = 0
        self.down_since: float | None = None
        self._recent: deque[float] = deque(maxlen=_MOST_RECENT)

    def note(self, now: float) -> None:
        self.count += 1
        self._recent.append(now)
        while self._recent[0] <= now - 1.0:
            self._recent.popleft()

    @property
    def in_a_second(self) -> int:
        """How many visits there were in the second up to the last, that one included."""
        return len(self._recent)


class Scene(Struct, frozen=True):
    """One request to a host with a habit; `figure` is the habit's own."""

    asked: SandboxRequest
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
