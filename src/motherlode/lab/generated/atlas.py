"""Who is who in a generated web: for each host its name, size, theme and part, by arithmetic alone.

Hosts are numbered by falling size. They take turns through the slots of a cycle (a topic each, then
general ones, then other languages), so that the hosts of a topic are every n-th host: no list is
kept of anything, and a web of a hundred million pages costs no more than one of a hundred.
"""

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from math import isqrt

from msgspec import Struct
from msgspec.structs import replace

from motherlode.lab.description import WebPlan
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import Lexicon
from motherlode.lab.generated.tongues import TONGUES
from motherlode.lab.generated.topics import TOPICS

_LEAST = 2  # pages that every host has
_NUMBER = re.compile(r"[a-z](\d+)\.")
_LETTERS = re.compile(r"[^a-z]+")
_TURN = 8  # of eight rows of hosts, one is islands and one is mirrors
_ISLAND, _MIRROR = 2, 5


class Part(Enum):
    """What a host is for."""

    PLAIN = "plain"
    ISLAND = "island"  # on a topic, and reached only through a tunnel
    MIRROR = "mirror"  # the same pages as another host, or the first of them


class Site(Struct, frozen=True):
    """A host. It is on a topic, or on a general theme, or in another language."""

    number: int
    name: str
    size: int
    part: Part
    topic: str = ""
    theme: str = ""
    tongue: str = ""
    framed: bool = False
    style: int = 0
    encoding: str = "utf-8"


class Atlas:
    """All hosts of a web."""

    def __init__(self, plan: WebPlan, lexicon: Lexicon) -> None:
        self.plan = plan
        self._words = [
            word for word in (_label(c.names[0]) for c in lexicon.themes["groups"]) if word
        ]
        self._themes = list(lexicon.themes)
        known = list(TOPICS)[: max(2, min(len(TOPICS), plan.hosts // 5))]
        self.topics = _shuffled(known, Dice(plan.seed, "topics"))
        self.general = max(1, len(self.topics) // 3)
        self.tongues = _shuffled(list(TONGUES), Dice(plan.seed, "tongues"))[
            : max(1, len(self.topics) // 6)
        ]
        self.cycle = len(self.topics) + self.general + len(self.tongues)
        self.site = lru_cache(maxsize=20_000)(self._site)

    def find(self, name: str) -> Site | None:
        """The host of this name."""
        found = _NUMBER.search(name)
        number = int(found[1]) if found and len(found[1]) < 12 else -1  # noqa: PLR2004 - no web has more
        if not 0 <= number < self.plan.hosts:
            return None
        site = self.site(number)
        return site if site.name == name else None

    def on_topic(self, topic: str, dice: Dice) -> Site:
        """Some host on a topic, the larger ones more often."""
        return self._drawn(self.topics.index(topic), dice)

    def general_site(self, dice: Dice) -> Site:
        return self._drawn(len(self.topics) + dice.below(self.general), dice)

    def in_tongue(self, tongue: str, dice: Dice) -> Site:
        slot = len(self.topics) + self.general + self.tongues.index(tongue)
        return self._drawn(slot, dice)

    def any_site(self, dice: Dice) -> Site:
        return self._drawn(dice.below(self.cycle), dice)

    def alike(self, site: Site, dice: Dice) -> Site:
        """Some host of the same kind, perhaps the same."""
        return self._drawn(site.number % self.cycle, dice)

    def entrance(self, island: Site) -> Site:
        """The host on the same topic whose pages lead into the tunnel to an island."""
        return self.site(island.number - self.cycle)

    def island_behind(self, site: Site) -> Site | None:
        """The island to which a host has the entrance."""
        number = site.number + self.cycle
        if site.part is Part.PLAIN and site.topic and number < self.plan.hosts:
            island = self.site(number)
            return island if island.part is Part.ISLAND else None
        return None

    def origin(self, site: Site) -> Site:
        """The host that a mirror copies; of any other, the host itself."""
        return self.site(site.number - self.cycle) if site.part is Part.MIRROR else site

    def tunnel_site(self, island: Site) -> Site:
        """The general host whose pages are the tunnel."""
        return self.site(self._tunnel_number(island.number))

    def islands_through(self, site: Site) -> Iterator[Site]:
        """The islands whose tunnels run through a host."""
        if (
            len(self.topics) <= site.number < len(self.topics) + self.general
        ):  # no other host has any
            for slot in range(len(self.topics)):
                row = (_ISLAND - 3 * slot) % _TURN or _TURN
                numbers = range(slot + row * self.cycle, self.plan.hosts, _TURN * self.cycle)
                yield from (self.site(n) for n in numbers if self._tunnel_number(n) == site.number)

    def tunnel_length(self, island: Site) -> int:
        return 3 + island.number % 6

    def _drawn(self, slot: int, dice: Dice) -> Site:
        """A host of a slot that ordinary links may lead to: never an island."""
        rows = (self.plan.hosts - slot - 1) // self.cycle + 1
        site = self.site(slot + self.cycle * dice.skewed(rows, 2.0))
        return self.entrance(site) if site.part is Part.ISLAND else site

    def _site(self, number: int) -> Site:
        dice = Dice(self.plan.seed, "host", number)
        name, size, part = self._name(number, dice), self._size(number), self._part(number)
        if part is Part.MIRROR:
            return replace(
                self.site(number - self.cycle), number=number, name=name, size=size, part=part
            )
        slot = number % self.cycle
        topic = self.topics[slot] if slot < len(self.topics) else ""
        tongue = self.tongues[slot - self.cycle] if slot >= self.cycle - len(self.tongues) else ""
        encodings = (
            TONGUES[tongue].encodings
            if tongue
            else ("utf-8", "utf-8", "iso-8859-1", "windows-1252")
        )
        return Site(
            number=number,
            name=name,
            size=size,
            part=part,
            topic=topic,
            theme="" if topic or tongue else dice.pick(self._themes),
            tongue=tongue,
            framed=dice.chance(0.08),
            style=dice.below(4),
            encoding=dice.pick(encodings),
        )

    def _part(self, number: int) -> Part:
        slot, row = number % self.cycle, number // self.cycle
        turn = (row + 3 * slot) % _TURN if row and slot < len(self.topics) else 0
        return {_ISLAND: Part.ISLAND, _MIRROR: Part.MIRROR}.get(turn, Part.PLAIN)

    def _tunnel_number(self, island: int) -> int:
        return len(self.topics) + island % self.general

    def _size(self, number: int) -> int:
        """How many pages a host has; a mirror never more than its original."""
        if self._part(number) is Part.MIRROR:
            return min(self._share(number), self._share(number - self.cycle))
        above = number + self.cycle
        mirrored = above < self.plan.hosts and self._part(above) is Part.MIRROR
        return max(self._share(number), self._share(above)) if mirrored else self._share(number)

    def _share(self, number: int) -> int:
        return self._start(number + 1) - self._start(number)

    def _start(self, number: int) -> int:
        """How many pages lie on the hosts before this one: some on each, and of the rest the root
        of their share, so that sizes fall like rank ** -0.5. In whole numbers: powers of fractions
        may be rounded differently on another machine, and that were another web.
        """
        rest = self.plan.pages - _LEAST * self.plan.hosts
        return _LEAST * number + isqrt(rest * rest * number // self.plan.hosts)

    def _name(self, number: int, dice: Dice) -> str:
        word = dice.pick(self._words)
        kind = dice.share()
        if kind < 0.25:  # noqa: PLR2004 - a share of the hosts
            return f"www.{word}{number}.test"
        if kind < 0.4:  # noqa: PLR2004 - and another: several hosts under one domain
            shared = Dice(self.plan.seed, "domain", number // self.cycle % 7).pick(self._words)
            return f"{word}{number}.{shared}.test"
        return f"{word}{number}.test"


def _label(word: str) -> str:
    """A word as part of a host name; empty if it makes none."""
    label = _LETTERS.sub("", word.lower())
    return label if 3 <= len(label) <= 12 else ""  # noqa: PLR2004 - as names of hosts are


def _shuffled(things: list[str], dice: Dice) -> list[str]:
    rest = list(things)
    return [rest.pop(dice.below(len(rest))) for _ in things]
