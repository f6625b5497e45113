"""The table of habits, and which host has which."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase

from msgspec import Struct

from motherlode.lab.misbehaviour import robots, speech, traps, wire
from motherlode.lab.misbehaviour.scene import Delivery, Twist
from motherlode.records import BadInputError

_REMEMBERED = 100_000  # hosts


class HabitKind(Struct, frozen=True):
    """A way to misbehave. `figure` is its default and `unit` what it counts, if it has one."""

    summary: str
    twist: Twist | None = None
    delivery: Delivery | None = None
    figure: float = 0.0
    unit: str = ""
    bounds: tuple[float, float] = (0, 1e6)  # far more than anybody waits for


class Habit(Struct, frozen=True):
    """A kind with its figure, as a host has it."""

    name: str
    figure: float

    @property
    def kind(self) -> HabitKind:
        return HABITS[self.name]


HABITS: dict[str, HabitKind] = {
    "slow-first-byte": HabitKind(
        "the answer comes late", None, wire.slow_first_byte, 30, "seconds"
    ),
    "slow-drip": HabitKind("16 bytes at a time", None, wire.slow_drip, 0.5, "seconds between them"),
    "stall": HabitKind("silence after half of the body", None, wire.stall),
    "reset": HabitKind("a reset after half of the body", None, wire.reset),
    "missing-bytes": HabitKind("Content-Length promises more than comes", None, wire.missing_bytes),
    "surplus-bytes": HabitKind("Content-Length promises less than comes", None, wire.surplus_bytes),
    "no-length": HabitKind(
        "no Content-Length: the body ends with the connection", None, wire.no_length
    ),
    "absurd-length": HabitKind("Content-Length: -1", None, wire.absurd_length),
    "broken-chunks": HabitKind("a chunk whose size is no number", None, wire.broken_chunks),
    "cut-chunks": HabitKind("chunks without the last one", None, wire.cut_chunks),
    "endless": HabitKind("a body without an end", None, wire.endless),
    "endless-headers": HabitKind("headers without an end", None, wire.endless_headers),
    "header-flood": HabitKind("thousands of headers", None, wire.header_flood, 5000, "headers"),
    "garbage": HabitKind("bytes that are no HTTP", None, wire.garbage),
    "gzip-bomb": HabitKind(
        "a small body that unpacks to much", speech.gzip_bomb, None, 200, "MB", (1, 4000)
    ),
    "wrong-mime": HabitKind(
        "pages say they are pictures, files that they are pages", speech.wrong_mime
    ),
    "no-mime": HabitKind("no Content-Type", speech.no_mime),
    "wrong-charset": HabitKind("a charset that is not the page's", speech.wrong_charset),
    "redirect-loop": HabitKind("redirects in a circle", speech.redirect_loop),
    "redirect-endless": HabitKind("redirects to ever new addresses", speech.redirect_endless),
    "redirect-loopback": HabitKind("redirects to this very machine", speech.redirect_loopback),
    "redirect-private": HabitKind(
        "redirects to private and metadata addresses", speech.redirect_private
    ),
    "redirect-scheme": HabitKind("redirects to ftp, file, javascript", speech.redirect_scheme),
    "calendar": HabitKind("every page leads into an infinite calendar", traps.calendar),
    "session-ids": HabitKind("every link has a new session id on every visit", traps.session_ids),
    "robots-huge": HabitKind("robots.txt is huge", robots.huge, None, 2000, "KB", (0, 1e5)),
    "robots-error": HabitKind("robots.txt fails", robots.failing, None, 503, "status", (400, 599)),
    "robots-slow": HabitKind("robots.txt comes late", None, wire.slow_robots, 30, "seconds"),
    "robots-delay": HabitKind(
        "robots.txt asks for a crawl-delay", robots.delaying, None, 5, "seconds"
    ),
    "robots-sitemaps": HabitKind("robots.txt names sitemaps, good and broken", robots.sitemaps),
    "robots-closed": HabitKind("robots.txt disallows everything", robots.closed),
    "robots-forbidden": HabitKind("robots.txt is forbidden (403)", robots.forbidden),
    "robots-redirect": HabitKind(
        "robots.txt lies behind redirects", robots.redirected, None, 3, "hops"
    ),
    "robots-page": HabitKind("robots.txt is a web page", robots.page),
    "robots-binary": HabitKind("robots.txt is no text", robots.binary),
    "robots-marked": HabitKind("robots.txt with a BOM and odd spelling", robots.marked),
    "too-many": HabitKind(
        "429 with Retry-After", speech.too_many, None, 5, "requests a second are answered"
    ),
    "storm": HabitKind(
        "503 for a row of requests, then a row of answers", speech.storm, None, 10, "requests"
    ),
    "dies": HabitKind(
        "dead after some requests, and back as many seconds later", None, wire.dies, 20, "requests"
    ),
    "dns-unknown": HabitKind("the name does not exist", None, wire.unreachable),
    "dns-failing": HabitKind("the name server fails (SERVFAIL)", None, wire.unreachable),
    "dns-silent": HabitKind("the name server does not answer", None, wire.unreachable),
}


class Habits:
    """Which host has which habit: the first pattern that fits its name, else what
    `otherwise` says.
    """

    def __init__(
        self,
        assigned: Iterable[tuple[str, str]] = (),
        otherwise: Callable[[str], str] = lambda _host: "",
    ) -> None:
        self._patterns = [(pattern, parse_habit(told)) for pattern, told in assigned]
        self._otherwise = otherwise
        self._known: dict[str, Habit | None] = {}

    def of(self, host: str) -> Habit | None:
        if host not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            self._known[host] = self._look_up(host)
        return self._known[host]

    def _look_up(self, host: str) -> Habit | None:
        fitting = (habit for pattern, habit in self._patterns if fnmatchcase(host, pattern))
        if habit := next(fitting, None):
            return habit
        told = self._otherwise(host)
        return parse_habit(told) if told else None


def parse_habit(told: str) -> Habit:
    """A habit from `name` or `name:figure`."""
    name, colon, figure = told.strip().partition(":")
    kind = HABITS.get(name)
    if kind is None:
        near = get_close_matches(name, HABITS, n=1)
        hint = f"did you mean '{near[0]}'?" if near else "'lode sandbox habits' lists them."
        raise BadInputError(f"There is no misbehaviour '{name}'; {hint}")
    if colon and not kind.unit:
        raise BadInputError(f"The misbehaviour '{name}' takes no figure.")
    try:
        value = float(figure) if colon else kind.figure
    except ValueError as error:
        raise BadInputError(f"'{figure}' is no figure for '{name}' ({kind.unit}).") from error
    least, most = kind.bounds
    if not least <= value <= most:
        raise BadInputError(
            f"The figure of '{name}' ({kind.unit}) goes from {least:,.0f} to {most:,.0f}."
        )
    return Habit(name, value)
