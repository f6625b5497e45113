"""The pages of a generated web: which there are, where they lie, what they are about, where they
lead.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from motherlode.lab.generated import prose, tongues
from motherlode.lab.generated.atlas import Atlas, Site
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import Concept, Lexicon

_SLUG = re.compile(r"[^a-z]+")
_DIGITS = re.compile(r"\d+")
_KNOWN = {"/": 0, "/links.html": 1}
# Shares of the pages that are files of another format; the rest is HTML.
_FORMATS = (
    (0.030, "pdf"), (0.042, "docx"), (0.050, "pptx"), (0.058, "odt"),
    (0.068, "txt"), (0.074, "zip"), (0.079, "gz"), (0.083, "tgz"),
)  # fmt: skip
_COPIED = 0.04  # the share of near-duplicates
_STALE = 0.03  # the share of links with an old address, which redirects
_TELLING, _IDLE = 0.75, 0.9  # links whose anchor says where they lead; up to here, says nothing
# Topical locality (Davison 2000): of a page's links to other hosts, so many lead to hosts on its
# topic, then to related topics; up to the last share to general hosts, the rest anywhere.
_ALIKE, _HUB_ALIKE, _RELATED, _GENERAL = 0.6, 0.85, 0.1, 0.85
_TRIES = 3  # to draw another host than the page's own
_ON_TOPIC = 0.72  # of a host's pages; the rest is on related topics and on none
_ASTRAY = 0.05  # the share of a general host's pages that are on some topic
_OLDEST = 4  # pages that every host has before it begins to copy
_SECTIONS = ("articles", "archive", "notes", "a", "library")
_ANCHORS = ("here", "more", "click here", "read on", "this page", "details")


class Leaf(Struct, frozen=True):
    """A page: the n-th of its host. `source` is the page whose text it has, itself if it is no
    copy.
    """

    site: Site
    number: int
    source: int
    topic: str  # empty: on no topic
    concepts: str  # which concepts it is written of: a topic or a theme; empty in another language
    kind: str = "html"
    hub: bool = False


class GeneratedLink(Struct, frozen=True):
    """A link as it stands in a page."""

    url: str
    anchor: str


class GeneratedPages:
    """Every page by its host and number, made when it is asked for."""

    def __init__(self, atlas: Atlas, lexicon: Lexicon) -> None:
        self.atlas = atlas
        self.lexicon = lexicon
        self._seed = atlas.plan.seed
        self._heading = lru_cache(maxsize=20_000)(
            self._make_heading
        )  # popular pages are named often

    def leaf(self, site: Site, number: int) -> Leaf:
        """What the n-th page of a host is. A mirror's page is its original's, at
        another address.
        """
        if (origin := self.atlas.origin(site)) is not site:
            return replace(self.leaf(origin, number), site=site)
        dice = Dice(self._seed, "leaf", site.number, number)
        source = self._source(number, dice)
        if source != number:
            first = self.leaf(site, source)
            return Leaf(site, number, first.source, first.topic, first.concepts)
        hub = number == 1 and not site.tongue and dice.chance(0.6)
        topic = self._topic(site, number, dice)
        kind = "html" if number <= 1 or site.tongue else self._format(dice)
        concepts = (
            "" if site.tongue else topic or site.theme or dice.pick(list(self.lexicon.themes))
        )
        return Leaf(site, number, number, topic, concepts, kind, hub)

    def path(self, leaf: Leaf) -> str:
        """Where a page lies on its host; hosts have different styles."""
        number, slug = leaf.number, self._slug(leaf)
        if number == 0:
            return "/"
        if leaf.hub:
            return "/links.html"
        if leaf.kind != "html":
            return f"/files/{slug}-{number}.{leaf.kind}"
        section = _SECTIONS[number % len(_SECTIONS)]
        styles = (
            f"/{section}/{slug}-{number}.html",
            f"/{slug}_{number}.htm",
            f"/index.php?page={number}",
            f"/{number}/{slug}/",
        )
        return styles[leaf.site.style]

    def at(self, site: Site, target: str) -> Leaf | None:
        """The page at a path."""
        number = _KNOWN.get(target, -1)
        if number < 0 and (digits := _DIGITS.findall(target)):
            number = int(digits[-1][:12])
        if not 0 <= number < site.size:
            return None
        leaf = self.leaf(site, number)
        return leaf if self.path(leaf) == target else None

    def url(self, leaf: Leaf) -> str:
        return f"http://{leaf.site.name}{self.path(leaf)}"

    def title(self, leaf: Leaf) -> str:
        if leaf.site.tongue:
            return tongues.title(tongues.TONGUES[leaf.site.tongue], self._text_dice(leaf))
        name = self._named(leaf)[1]
        return f"Links: {name}" if leaf.hub else name

    def paragraphs(self, leaf: Leaf) -> list[str]:
        """The page's text; a copy has a sentence more than its source."""
        dice = self._text_dice(leaf)
        original = leaf.source == leaf.number
        other = Dice(self._seed, "copy", self.atlas.origin(leaf.site).number, leaf.number)
        if leaf.site.tongue:
            tongue = tongues.TONGUES[leaf.site.tongue]
            tongues.title(tongue, dice)
            found = [tongues.paragraph(tongue, dice) for _ in range(dice.long_tailed(3, 12, 1.5))]
            return found if original else [*found, tongues.title(tongue, other)]
        about = prose.subject(self._concepts(leaf.concepts), dice)
        prose.title(about, dice)
        found = prose.paragraphs(about, self.lexicon, dice)
        if leaf.hub:
            return found[:1]
        return found if original else [*found, other.pick(self.lexicon.sentences)]

    def links(self, leaf: Leaf) -> Iterator[GeneratedLink]:
        """Where a page leads: its own site first, then others; a copy leads where its
        source does.
        """
        site = self.atlas.origin(leaf.site)
        menu = Dice(self._seed, "menu", site.number, leaf.number)
        for number in self._near(leaf, site):
            yield self._link(self.leaf(site, number), menu, site)
        dice = Dice(self._seed, "links", site.number, leaf.source)
        popular = (dice.skewed(site.size, 2.0) for _ in range(dice.long_tailed(3, 60, 1.3)))
        for number in dict.fromkeys(popular):
            yield self._link(self.leaf(site, number), dice, site)
        island = self.atlas.island_behind(site) if leaf.topic and leaf.topic == site.topic else None
        if island is not None and leaf.number % 4 == 0:
            yield GeneratedLink(
                f"http://{self.atlas.tunnel_site(island).name}{tunnel_path(island, 1)}", "A detour"
            )
        for _ in range(dice.between(25, 90) if leaf.hub else dice.long_tailed(1, 30, 1.1)):
            yield self._link(self._outside(leaf, dice), dice, site)

    def beyond_tunnel(self, island: Site, step: int) -> Iterator[GeneratedLink]:
        """The links of a page in a tunnel: general ones, and one that leads on."""
        dice = Dice(self._seed, "tunnel", island.number, step)
        here = self.atlas.tunnel_site(island)
        for _ in range(dice.between(3, 9)):
            yield self._link(self._some_leaf(self.atlas.general_site(dice), dice), dice, here)
        if step < self.atlas.tunnel_length(island):
            yield GeneratedLink(tunnel_path(island, step + 1), dice.pick(_ANCHORS))
        else:
            yield GeneratedLink(f"http://{island.name}/", dice.pick(_ANCHORS))

    def old_path(self, leaf: Leaf, hops: int) -> str:
        """An address that redirects to a page in so many hops."""
        return f"/old/{hops}/{leaf.number}"

    def _near(self, leaf: Leaf, site: Site) -> Iterator[int]:
        """The front page, the hub, and the next pages: up to one of HTML, so that all can be
        reached.
        """
        yield from (number for number in (0, 1) if number != leaf.number)
        for number in range(max(leaf.number + 1, 2), site.size):
            yield number
            if self.leaf(site, number).kind == "html":
                return

    def _outside(self, leaf: Leaf, dice: Dice) -> Leaf:
        site = self._other_site(leaf, dice)
        for _ in range(_TRIES):
            if site.number != leaf.site.number:
                break
            site = self.atlas.alike(site, dice)
        return self._some_leaf(site, dice)

    def _other_site(self, leaf: Leaf, dice: Dice) -> Site:
        """Topical locality: most links from a page on a topic lead to hosts on it
        (Davison 2000).
        """
        draw, atlas = dice.share(), self.atlas
        if leaf.site.tongue:
            return (
                atlas.in_tongue(leaf.site.tongue, dice) if draw < _ALIKE else atlas.any_site(dice)
            )
        if leaf.topic:
            alike = _HUB_ALIKE if leaf.hub else _ALIKE
            if draw < alike:
                return atlas.on_topic(leaf.topic, dice)
            if draw < alike + _RELATED:
                return atlas.on_topic(self._related(leaf.topic, dice), dice)
        return atlas.general_site(dice) if draw < _GENERAL else atlas.any_site(dice)

    def _related(self, topic: str, dice: Dice) -> str:
        """A topic under the same branch of the tree, if there is one."""
        branch = topic.partition("/")[0] + "/"
        alike = [
            other for other in self.atlas.topics if other != topic and other.startswith(branch)
        ]
        return dice.pick(alike or self.atlas.topics)

    def _some_leaf(self, site: Site, dice: Dice) -> Leaf:
        return self.leaf(site, dice.skewed(site.size, 3.0))

    def _link(self, target: Leaf, dice: Dice, here: Site) -> GeneratedLink:
        kind = dice.share()
        if kind < _TELLING:
            anchor = self.title(target)
        else:
            anchor = dice.pick(_ANCHORS) if kind < _IDLE else target.site.name
        path = (
            self.old_path(target, dice.between(1, 4)) if dice.chance(_STALE) else self.path(target)
        )
        same = here.number == target.site.number
        return GeneratedLink(path if same else f"http://{target.site.name}{path}", anchor)

    def _source(self, number: int, dice: Dice) -> int:
        copied = number > _OLDEST and dice.chance(_COPIED)
        return 2 + dice.below(number - 2) if copied else number

    def _topic(self, site: Site, number: int, dice: Dice) -> str:
        """Most pages of a host are on its topic, some on another, some on none."""
        draw = dice.share()
        if not site.topic:
            astray = number > 0 and not site.tongue and draw < _ASTRAY
            return dice.pick(self.atlas.topics) if astray else ""
        if number == 0 or draw < _ON_TOPIC:
            return site.topic
        return self._related(site.topic, dice) if draw < _ON_TOPIC + _RELATED else ""

    def _format(self, dice: Dice) -> str:
        draw = dice.share()
        return next((kind for share, kind in _FORMATS if draw < share), "html")

    def _slug(self, leaf: Leaf) -> str:
        if leaf.site.tongue:
            return leaf.site.tongue
        return self._named(leaf)[0]

    def _named(self, leaf: Leaf) -> tuple[str, str]:
        return self._heading(self.atlas.origin(leaf.site).number, leaf.source, leaf.concepts)

    def _make_heading(self, site: int, source: int, concepts: str) -> tuple[str, str]:
        """What a page in English is called, in its path and above its text."""
        dice = Dice(self._seed, "text", site, source)
        about = prose.subject(self._concepts(concepts), dice)
        slug = _SLUG.sub("-", about.concepts[0].names[0].lower()).strip("-")
        return slug or "page", prose.title(about, dice)

    def _concepts(self, name: str) -> list[Concept]:
        return self.lexicon.topics.get(name) or self.lexicon.themes[name]

    def _text_dice(self, leaf: Leaf) -> Dice:
        return Dice(self._seed, "text", self.atlas.origin(leaf.site).number, leaf.source)


def tunnel_path(island: Site, step: int) -> str:
    return f"/way/{island.number}/{step}.html"
