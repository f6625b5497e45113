"""What a request brings: the web's answer, or what the host's habit makes of it."""

from collections import OrderedDict
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from motherlode.lab.misbehaviour import Habit, Habits
from motherlode.lab.misbehaviour.scene import Act, Scene, Send, Visits
from motherlode.lab.serving.responses import Ready, accepts_gzip, not_modified, ready, unchanged
from motherlode.lab.web import (
    NOT_FOUND,
    Answer,
    LabWeb,
    RequestHandler,
    SandboxRequest,
    handler_of,
    html,
)

_SAFE = frozenset({"GET", "HEAD"})
REFUSAL = html("<p>Only GET and HEAD are answered here.", 405)
_REMEMBERED = 100_000  # hosts with their visits
_UPKEEP = 1000  # bytes that a kept response takes besides its own, about


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
        self._kept: OrderedDict[tuple[str, str, bool], Ready] = OrderedDict()
        self._visits: OrderedDict[str, Visits] = OrderedDict()

    def respond(self, asked: SandboxRequest) -> bytes | Iterator[Act]:
        """The bytes of the response, or a script of what to do."""
        handler = handler_of(self._web, asked.host)
        if asked.method not in _SAFE and (handler is None or asked.method != "POST"):
            refusal = ready(REFUSAL, gzip=False)
            return refusal.head + refusal.body
        habit = self._habits.of(asked.host)
        if habit is not None:
            return self._perform(asked, habit)
        if handler is not None:
            response = ready(_handled(handler, asked) or NOT_FOUND, gzip=accepts_gzip(asked))
        else:
            response = self._response(asked)
        if unchanged(asked, response.answer):
            return not_modified(response.answer)
        return response.head if asked.method == "HEAD" else response.head + response.body

    def script(self, asked: SandboxRequest) -> Iterator[Act]:
        """How it is said, good or bad."""
        said = self.respond(asked)
        return iter([Send(said)]) if isinstance(said, bytes) else said

    def _perform(self, asked: SandboxRequest, habit: Habit) -> Iterator[Act]:
        visits = self._visits_of(asked.host)
        now = self._clock()
        visits.note(now)
        scene, kind = Scene(asked, habit.figure, visits, now, self._web), habit.kind
        said = self._said(asked)
        if kind.twist is not None:
            said = kind.twist(scene, said)
        # A bomb does not ask whether it is welcome.
        response = ready(said or NOT_FOUND, gzip=accepts_gzip(asked) or habit.name == "gzip-bomb")
        head, body = response.head, response.body
        bare = asked.method == "HEAD"
        if unchanged(asked, response.answer):
            head, body, bare = not_modified(response.answer), b"", True
        acts = (
            iter([Send(head + body)]) if kind.delivery is None else kind.delivery(scene, head, body)
        )
        return _without_body(acts) if bare else acts

    def _visits_of(self, host: str) -> Visits:
        visits = self._visits.setdefault(host, Visits())
        self._visits.move_to_end(host)
        if len(self._visits) > _REMEMBERED:
            self._visits.popitem(last=False)
        return visits

    def _said(self, asked: SandboxRequest) -> Answer | None:
        """What the web says; a port in the request may be the page's, or just the sandbox's own."""
        handler = handler_of(self._web, asked.host)
        if handler is not None:
            return _handled(handler, asked)
        if asked.port:
            found = self._web.answer(f"http://{asked.host}:{asked.port}{asked.target}")
            if found is not None:
                return found
        return self._web.answer(asked.url)

    def _response(self, asked: SandboxRequest) -> Ready:
        key = (asked.url, asked.port, accepts_gzip(asked))
        found = self._kept.get(key)
        if found is None:
            found = ready(self._said(asked) or NOT_FOUND, gzip=key[2])
            self._keep(key, found)
        else:
            self._kept.move_to_end(key)
        return found

    def _keep(self, key: tuple[str, str, bool], response: Ready) -> None:
        self._kept[key] = response
        self._room -= len(response) + _UPKEEP
        while self._room < 0:
            _, dropped = self._kept.popitem(last=False)
            self._room += len(dropped) + _UPKEEP


def _handled(handler: RequestHandler, asked: SandboxRequest) -> Answer | None:
    if asked.method == "POST" and "transfer-encoding" in asked.headers:
        return html("<p>A body needs its length here.", 411)  # a body in chunks is not read
    return handler.reply(replace(asked, method="GET") if asked.method == "HEAD" else asked)


def _without_body(acts: Iterator[Act]) -> Iterator[Act]:
    """The script up to the end of the headers, if they end."""
    for act in acts:
        if isinstance(act, Send) and b"\r\n\r\n" in act.data:
            head = act.data.partition(b"\r\n\r\n")[0]
            yield replace(act, data=head + b"\r\n\r\n")
            return
        yield act
