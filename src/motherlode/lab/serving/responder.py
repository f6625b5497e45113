"""What a request brings: the web's answer, or what the host's habit makes of it."""

from collections import OrderedDict
from collections.abc import Callable, Iterator

from motherlode.lab.misbehaviour import Habit, Habits
from motherlode.lab.misbehaviour.scene import Act, Asked, Scene, Send, Visits
from motherlode.lab.serving.responses import Ready, accepts_gzip, not_modified, ready, unchanged
from motherlode.lab.web import NOT_FOUND, Answer, LabWeb, html

_METHODS = frozenset({"GET", "HEAD"})


class Responder:
    """Answers for all hosts of a web; keeps the latest responses packed, up to so many bytes.

    `clock` gives the seconds that habits go by.
    """

    def __init__(
        self, web: LabWeb, habits: Habits, clock: Callable[[], float], *, keep: int = 256 * 2**20
    ) -> None:
        self._web = web
        self._habits = habits
        self._clock = clock
        self._room = keep
        self._kept: OrderedDict[tuple[str, bool], Ready] = OrderedDict()
        self._visits: dict[str, Visits] = {}

    def respond(self, asked: Asked) -> bytes | Iterator[Act]:
        """The bytes of the response, or a script of what to do."""
        if asked.method not in _METHODS:
            refusal = ready(html("<p>Only GET and HEAD are answered here.", 405), gzip=False)
            return refusal.head + refusal.body
        habit = self._habits.of(asked.host)
        if habit is not None:
            return self._perform(asked, habit)
        response = self._response(asked)
        if asked.headers and unchanged(asked, response):
            return not_modified(response)
        return response.head if asked.method == "HEAD" else response.head + response.body

    def answer(self, asked: Asked) -> Answer:
        """What is said, good or bad, without its delivery."""
        habit = self._habits.of(asked.host)
        said = self._web.answer(asked.url)
        if habit is not None and habit.kind.twist is not None:
            said = habit.kind.twist(self._scene(asked, habit), said)
        return said or NOT_FOUND

    def script(self, asked: Asked) -> Iterator[Act]:
        """How it is said, good or bad."""
        said = self.respond(asked)
        return iter([Send(said)]) if isinstance(said, bytes) else said

    def _perform(self, asked: Asked, habit: Habit) -> Iterator[Act]:
        self._visits.setdefault(asked.host, Visits()).note(self._clock())
        response = ready(self.answer(asked), gzip=accepts_gzip(asked))
        if unchanged(asked, response):
            yield Send(not_modified(response))
        elif asked.method == "HEAD":
            yield Send(response.head)
        elif habit.kind.delivery is None:
            yield Send(response.head + response.body)
        else:
            yield from habit.kind.delivery(self._scene(asked, habit), response.head, response.body)

    def _scene(self, asked: Asked, habit: Habit) -> Scene:
        return Scene(asked, habit.figure, self._visits[asked.host], self._clock(), self._web)

    def _response(self, asked: Asked) -> Ready:
        key = (asked.url, accepts_gzip(asked))
        found = self._kept.get(key)
        if found is None:
            found = ready(self._web.answer(asked.url) or NOT_FOUND, gzip=key[1])
            self._keep(key, found)
        else:
            self._kept.move_to_end(key)
        return found

    def _keep(self, key: tuple[str, bool], response: Ready) -> None:
        self._kept[key] = response
        self._room -= len(response)
        while self._room < 0:
            _, dropped = self._kept.popitem(last=False)
            self._room += len(dropped)
