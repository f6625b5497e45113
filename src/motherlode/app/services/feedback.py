"""What a person says of archetypes, from any front door (SPEC B15): as options, and as done."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.cli.numbers import numbers_in
from motherlode.app.services.addresses import address_in
from motherlode.policies.bingo.feedback import (
    ALL,
    Archetype,
    Ruling,
    Wishes,
    effect_of,
    keep_ruling,
    ruling_on,
)
from motherlode.portal import Portal
from motherlode.records import ROOT, Origin, Topic, TopicId
from motherlode.store import Session, ledger
from motherlode.store import topics as topic_rows
from motherlode.topics import OTHERS, TopicTree, parse_path, show_path
from motherlode.training.review import Effect
from motherlode.training.training_set import KIND
from motherlode.urls import UrlRules

MAX_NOTE = 2_000
NOTHING = "nothing"


class Sayings(Struct, frozen=True):
    """What is said of which URL, as `lode feedback` has it."""

    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    move: tuple[tuple[str, str], ...] = ()
    trim: str | None = None
    blocks: str | None = None
    topic: str | None = None
    note: str = ""

    @property
    def are_any(self) -> bool:
        return bool(self.accept or self.reject or self.move or self.trim)

    def needs_others(self, tree: TopicTree) -> bool:
        """Whether something is moved to OTHERS, and the portal has none yet."""
        named = any(parse_path(path) == (OTHERS,) for _, path in self.move)
        return named and not any(topic.is_others and topic.parent == ROOT for topic in tree)

    def wishes(self, session: Session, tree: TopicTree, rules: UrlRules) -> Wishes:
        """What they mean in a portal."""

        def meant(url: str) -> str:
            return ALL if url == ALL else address_in(session, url, rules).url

        trim = () if self.trim is None else ((meant(self.trim), blocks_in(self.blocks or "")),)
        return Wishes(
            tuple(map(meant, self.accept)),
            tuple(map(meant, self.reject)),
            tuple(
                (address_in(session, url, rules).url, tree.at(parse_path(path))) for url, path in self.move
            ),
            trim,
            number_of(self.topic, tree),
            self.note.encode(errors="replace").decode()[:MAX_NOTE],
        )

    def options(self) -> tuple[str, ...]:
        """As options of the command line, none of which can be taken for another."""
        single = (("trim", self.trim), ("blocks", self.blocks), ("topic", self.topic), ("note", self.note))
        return (
            *(f"--accept={url}" for url in self.accept),
            *(f"--reject={url}" for url in self.reject),
            *(word for url, topic in self.move for word in (f"--move={url}", topic)),
            *(f"--{name}={value}" for name, value in single if value),
        )


def sayings_in(options: Iterable[str]) -> Sayings:
    """What options say that `Sayings.options` made.

    >>> said = Sayings(("http://a/",), move=(("http://b/", "-x"),), note="why=so")
    >>> sayings_in(said.options()) == said
    True
    """
    words = iter(options)
    said: dict[str, list[str]] = {}
    moves: list[tuple[str, str]] = []
    for word in words:
        name, _, value = word.removeprefix("--").partition("=")
        if name == "move":
            moves.append((value, next(words, "")))
        else:
            said.setdefault(name, []).append(value)
    first = {name: values[0] for name, values in said.items() if name in ("trim", "blocks", "topic", "note")}
    return Sayings(tuple(said.get("accept", ())), tuple(said.get("reject", ())), tuple(moves), **first)


class Done(Struct, frozen=True):
    """What was done, or, if it was only tried, what would be. `effect` is that of learning anew."""

    accepted: list[str]
    rejected: list[str]
    moved: dict[str, str]
    trimmed: list[str]
    kept: bool
    effect: Effect | None = None

    @property
    def told(self) -> str:
        """`1 accepted, 2 rejected`, or `nothing`."""
        said = {
            "accepted": len(self.accepted),
            "rejected": len(self.rejected),
            "moved": len(self.moved),
            "trimmed": len(self.trimmed),
        }
        return ", ".join(f"{number:,} {what}" for what, number in said.items() if number) or NOTHING


def keep(path: Path, sayings: Sayings, overrides: Sequence[str] = ()) -> Done:
    """Do as was said. Raises `LockedError` where somebody else is writing the portal."""
    with Portal.writing(path, "lode feedback", overrides) as portal, portal.store.writing() as session:
        if sayings.needs_others(portal.tree()):
            topic_rows.add_topic(session, ROOT, OTHERS, is_others=True)
        tree = TopicTree(topic_rows.all_topics(session))
        ruling = ruling_on(session, tree, sayings.wishes(session, tree, portal.config.urls), time())
        keep_ruling(session, ruling)
    return _done(ruling, tree, kept=True)


def attempt(path: Path, sayings: Sayings, overrides: Sequence[str] = ()) -> Done:
    """What would come of it; nothing is kept."""
    with Portal.reading(path, overrides) as portal, portal.store.reading() as session:
        tree = portal.tree()
        if sayings.needs_others(tree):
            fresh = TopicId(1 + max(topic.id for topic in topic_rows.all_topics(session)))
            tree = TopicTree([*topic_rows.all_topics(session), Topic(fresh, ROOT, OTHERS, is_others=True)])
        ruling = ruling_on(session, tree, sayings.wishes(session, tree, portal.config.urls), time())
        effect = effect_of(session, tree, portal.config, ruling)
    return _done(ruling, tree, kept=False, effect=effect)


class Candidates(Struct, frozen=True):
    """The archetypes. `waits_for_feedback`: a crawl has learned, and goes on with what is left here."""

    waits_for_feedback: bool
    archetypes: list[Archetype]


def waits(session: Session) -> bool:
    """Whether a crawl has learned, and waits for what a person says."""
    model = ledger.latest_model(session, KIND)
    crawl = {} if model is None else model.report.get("crawl", {})
    return bool(crawl.get("learned")) and crawl.get("phase") == "learning"


def number_of(topic: str | None, tree: TopicTree) -> TopicId | None:
    return None if topic is None else tree.at(parse_path(topic)).id


def blocks_in(text: str) -> tuple[int, ...]:
    """The numbers that a person wrote, in rising order; none of them, for all blocks.

    >>> blocks_in("3-5, 9"), blocks_in("all")
    ((3, 4, 5, 9), ())
    """
    if text.strip() == ALL:
        return ()
    return numbers_in(text, "--blocks")


def blocks_written(numbers: Iterable[int]) -> str:
    """Numbers as a person would write them.

    >>> blocks_written([9, 3, 4, 5, 11]), blocks_written([])
    ('3-5,9,11', '')
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _done(ruling: Ruling, tree: TopicTree, *, kept: bool, effect: Effect | None = None) -> Done:
    moved = {one.url or "": show_path(tree.path(one.topic)) for one in ruling.added}
    return Done(
        [one.url or "" for one in ruling.changed if one.text is None and one.origin is Origin.FEEDBACK],
        [one.url or "" for one in ruling.removed if one.url not in moved],
        moved,
        [one.url or "" for one in ruling.changed if one.text is not None],
        kept,
        effect,
    )
