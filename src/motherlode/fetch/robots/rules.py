"""robots.txt (RFC 9309): which paths of a host a crawler may ask for, and how often.

What the RFC leaves open is read as Google reads it, whose published cases are our tests: misspelt
directives, a missing colon, `index.html` meaning its directory.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

_MAX_BYTES = 500 * 1024  # RFC 9309, section 2.5: at least this much must be read
_MAX_LINE = 16_664  # bytes of a line; what is longer is cut
_MAX_RULES = 100_000
_LINES = re.compile(rb"\r\n|\r|\n")
_TOKEN = re.compile(r"[a-zA-Z_-]+")
_ESCAPED = re.compile(r"%([0-9a-fA-F]{2})")
_NEEDLESS = re.compile(
    r"%(2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
)  # letters, digits, -._~
_NEEDED = re.compile(r'[ "<>]')
_DIRECTORY = re.compile(r"/index\.html?\Z")

_AGENT, _ALLOW, _DISALLOW, _DELAY, _SITEMAP = (
    "user-agent",
    "allow",
    "disallow",
    "crawl-delay",
    "sitemap",
)
# How people spell them.
_MEANT = {
    "user-agent": _AGENT,
    "useragent": _AGENT,
    "user agent": _AGENT,
    "allow": _ALLOW,
    "disallow": _DISALLOW,
    "dissallow": _DISALLOW,
    "dissalow": _DISALLOW,
    "disalow": _DISALLOW,
    "diasllow": _DISALLOW,
    "disallaw": _DISALLOW,
    "crawl-delay": _DELAY,
    "crawldelay": _DELAY,
    "sitemap": _SITEMAP,
    "site-map": _SITEMAP,
}
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class Rule(Struct, frozen=True):
    """A path pattern that is allowed or not. The longest that matches counts; of two, the one that
    allows.
    """

    pattern: str
    allow: bool
    matches: Callable[[str], object]

    @property
    def weight(self) -> tuple[int, bool]:
        return len(self.pattern), self.allow

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.pattern}"


class Robots(Struct, frozen=True):
    """What a host's robots.txt says to one crawler; the heaviest rule first."""

    rules: tuple[Rule, ...] = ()
    delay: float | None = None
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Whether a URL may be fetched. robots.txt itself always may."""
        if not self.rules:
            return True
        rule = self.rule_for(url)
        return rule is None or rule.allow

    def rule_for(self, url: str) -> Rule | None:
        """The rule that decides whether a URL may be fetched; None: none does, so it may."""
        path = (
            path_of(url).replace("%2E", ".") if self.rules else "/robots.txt"
        )  # the one that URLs may keep
        if path == "/robots.txt":
            return None
        return next((rule for rule in self.rules if rule.matches(path)), None)


ALLOW_ALL = Robots()
DISALLOW_ALL = Robots((Rule("/", allow=False, matches=lambda _path: True),))


def parse_robots(body: bytes, agent: str) -> Robots:
    """What robots.txt says to the crawler of this name."""
    wanted = agent.lower()
    specific: list[tuple[str, str]] = []
    general: list[tuple[str, str]] = []
    sitemaps: list[str] = []
    named = False  # whether some group is for this crawler alone
    mine = everyones = ruled = False
    for directive, value in _directives(body):
        if directive == _SITEMAP:
            sitemaps.append(value)
        elif directive == _AGENT:
            if ruled:  # a new group begins
                mine = everyones = ruled = False
            mine |= _names(value, wanted)
            everyones |= value == "*" or value[:2] in ("* ", "*\t")
            named |= mine
        else:
            ruled = True
            if mine:
                specific.append((directive, value))
            if everyones:
                general.append((directive, value))
    return _robots(specific if named else general, sitemaps)


def path_of(url: str) -> str:
    """The part of a URL that rules are about: path and query.

    >>> path_of("http://a.test"), path_of("http://a.test/b?c#d")
    ('/', '/b?c')
    """
    rest = url.partition("#")[0]
    start = rest.find("//")
    rest = rest[start + 2 :] if 0 <= start <= rest.find(":") + 1 or start == 0 else rest
    cut = min((at for mark in "/?;" if (at := rest.find(mark)) >= 0), default=-1)
    if cut < 0:
        return "/"
    path = rest[cut:]
    return path if path[0] == "/" else f"/{path}"


def _names(value: str, wanted: str) -> bool:
    token = _TOKEN.match(value)
    return bool(wanted) and token is not None and token[0].lower() == wanted


def _directives(body: bytes) -> Iterator[tuple[str, str]]:
    for raw in _LINES.split(_text(_whole_lines(body))):
        line = raw[:_MAX_LINE].decode("utf-8", "surrogateescape").partition("#")[0].strip()
        key, colon, value = line.partition(":")
        if not colon:  # a colon that was forgotten; only if there are two words
            words = line.split()
            if len(words) != 2:  # noqa: PLR2004 - a directive and its value
                continue
            key, value = words
        directive = _MEANT.get(key.strip().lower())
        if directive is not None:
            yield directive, value.strip()


def _whole_lines(body: bytes) -> bytes:
    """As much as is read; without its last line if that was cut, for half a path may forbid a whole
    site.
    """
    if len(body) < _MAX_BYTES:
        return body
    cut = body[:_MAX_BYTES]
    return cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]


def _text(body: bytes) -> bytes:
    """As UTF-8 without its byte order mark."""
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            rest = body[len(bom) :]
            return rest if encoding == "utf-8" else rest.decode(encoding, "replace").encode()
    # Half a mark is left by servers that cut it; Google's parser forgives that.
    return body.removeprefix(b"\xef\xbb").removeprefix(b"\xef")


def _robots(directives: list[tuple[str, str]], sitemaps: list[str]) -> Robots:
    rules: list[Rule] = []
    delay: float | None = None
    for directive, value in directives[:_MAX_RULES]:
        if directive == _DELAY:
            delay = _seconds(value) if delay is None else delay
        elif value:
            rules += _rules(_escaped(value), allow=directive == _ALLOW)
    rules.sort(key=lambda rule: rule.weight, reverse=True)
    return Robots(tuple(rules), delay, tuple(dict.fromkeys(sitemaps)))


def _rules(pattern: str, *, allow: bool) -> Iterator[Rule]:
    yield Rule(pattern, allow, _matcher(pattern))
    if allow and _DIRECTORY.search(pattern):
        directory = _DIRECTORY.sub("/$", pattern)
        yield Rule(directory, allow, _matcher(directory))
    # Google's cases have it that an escape allows nothing but itself; what it forbids goes by the
    # RFC.
    spelled = pattern if allow else _spelled(pattern)
    if spelled != pattern:
        yield Rule(spelled, allow, _matcher(spelled))


def _matcher(pattern: str) -> Callable[[str], object]:
    """Whether a path begins as the pattern does; `*` is anything, a final `$` the end."""
    whole = pattern.endswith("$")
    first, *rest = (pattern[:-1] if whole else pattern).split("*")
    if not rest:
        return first.__eq__ if whole else lambda path: path.startswith(first)

    # By hand: a file may have thousands of patterns, and to compile each would hold everything up.
    def matches(path: str) -> bool:
        at = len(first) if path.startswith(first) else -1
        for part in rest[:-1]:  # each where it first fits: nothing is tried twice
            at = _behind(part, path, at)
        if at < 0 or not whole:
            return _behind(rest[-1], path, at) >= 0
        return path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= at

    return matches


def _behind(part: str, path: str, start: int) -> int:
    """The place behind the first such part from a place on; -1: there is none."""
    found = path.find(part, start) if start >= 0 else -1
    return found + len(part) if found >= 0 else -1


def _escaped(text: str) -> str:
    """Escapes in upper case, and bytes beyond ASCII escaped."""
    text = _ESCAPED.sub(lambda found: found[0].upper(), text)
    if text.isascii():
        return text
    raw = text.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)  # noqa: PLR2004 - ASCII


def _spelled(pattern: str) -> str:
    """As canonical URLs have it (RFC 9309, 2.2.2): `/%7Ejoe` is `/~joe`, and a blank is `%20`."""
    plain = _NEEDLESS.sub(lambda found: chr(int(found[1], 16)), pattern)
    return _NEEDED.sub(lambda found: f"%{ord(found[0]):02X}", plain)


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
