"""What a person says of archetypes: between the phases of a crawl, or at any other time (SPEC B15).

What was accepted or trimmed is the person's own from then on and never dropped; what was rejected is no
example any more and never becomes one by itself again. What is said is worked out first and kept then, so
that its effect can be seen without keeping anything.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.terms import bag_of
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.archetypes import latest
from motherlode.policies.bingo.relearning import Wanted, relearn
from motherlode.portal.config import Config
from motherlode.records import (
    ROOT,
    BadInputError,
    Document,
    Example,
    ExampleId,
    Feedback,
    Origin,
    Topic,
    TopicId,
    UsageError,
    Verdict,
)
from motherlode.store import Session, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import KeptPage, main_text_of, text_of
from motherlode.topics import TopicTree, show_path
from motherlode.training.link_analysis import standings
from motherlode.training.marks import Marks
from motherlode.training.opinion import telling
from motherlode.training.review import Effect
from motherlode.training.samples import stored_sample
from motherlode.training.training_set import KIND, page_behind

ALL = "all"
_BASE = 500  # pages of a topic that its links are analysed around
_TERMS = 8
_LEARNED = frozenset({Origin.ARCHETYPE, Origin.FEEDBACK})


class Archetype(Struct, frozen=True):
    """A page that a topic is learned from, by the crawler's own choice until a person accepts it."""

    topic: str
    url: str
    title: str
    confidence: float | None  # None: nothing was learned that could say
    authority: float
    terms: tuple[str, ...]  # what speaks most for the topic
    accepted: bool
    trimmed: bool


class Block(Struct, frozen=True):
    """A block of a page's text. `kept`: it is part of the example, all of them where nothing was trimmed."""

    number: int
    text: str
    main: bool
    kept: bool


class Wishes(Struct, frozen=True):
    """What a person wants: URLs to accept and to reject, or `all`; URLs with the topics where they belong;
    URLs with the numbers of the blocks that stand for them, none of them for the whole page again."""

    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    move: tuple[tuple[str, Topic], ...] = ()
    trim: tuple[tuple[str, tuple[int, ...]], ...] = ()
    topic: TopicId | None = None  # of this topic alone
    note: str = ""


class Ruling(Struct, frozen=True):
    """What becomes of the examples, and what is noted."""

    changed: tuple[Example, ...] = ()
    removed: tuple[Example, ...] = ()
    added: tuple[Example, ...] = ()
    verdicts: tuple[Feedback, ...] = ()


# --- looking --------------------------------------------------------------------------------------------


def archetypes(session: Session, tree: TopicTree, topic: TopicId | None = None) -> list[Archetype]:
    """The archetypes of all topics, or of one and those below it, the surest of each topic first."""
    examples = _learned(topic_rows.examples_of(session), tree, topic)
    classifier = latest(session, tree)
    marks = Marks.of(session)
    found: list[Archetype] = []
    for one in tree:
        mine = [
            example
            for example in examples
            if example.topic == one.id and not _is_out(session, marks, example)
        ]
        if not mine:
            continue
        authorities = {
            standing.url: standing.authority for standing in standings(session, tree, one.id, base=_BASE)
        }
        told = [_told(session, tree, example, classifier, authorities) for example in mine]
        found += sorted(told, key=lambda archetype: (-(archetype.confidence or 0.0), archetype.url))
    return found


def listed(session: Session, tree: TopicTree, topic: TopicId | None = None) -> list[Archetype]:
    """The same pages at once: without what takes its time, how sure and how well linked they are."""
    examples = _learned(topic_rows.examples_of(session), tree, topic)
    marks = Marks.of(session)
    place = {one.id: at for at, one in enumerate(tree)}
    left = [one for one in examples if not _is_out(session, marks, one)]
    return [_told(session, tree, one, None, {}) for one in sorted(left, key=lambda one: place[one.topic])]


def archetypes_at(session: Session, tree: TopicTree, url: str) -> list[Archetype]:
    """What a page is learned from as, with the terms that speak for it; of its links nothing."""
    examples = [one for one in topic_rows.examples_of(session) if one.url == url]
    classifier = latest(session, tree)
    return [_told(session, tree, one, classifier, {}) for one in examples]


def blocks_of(session: Session, url: str) -> tuple[KeptPage, list[Block]]:
    """A page and the blocks of its text. Raises `UsageError` where there is no such page."""
    page = _page(session, url)
    lines = text_of(session, page.id).split("\n")
    main = set(main_text_of(session, page.id).split("\n"))
    chosen = [one.text for one in topic_rows.examples_of(session) if one.url == url and one.text is not None]
    kept = {line for text in chosen for line in text.split("\n")} if chosen else set(lines)
    return page, [
        Block(number, line, line in main, line in kept) for number, line in enumerate(lines, start=1)
    ]


def _told(
    session: Session,
    tree: TopicTree,
    example: Example,
    classifier: TreeClassifier | None,
    authorities: dict[str, float],
) -> Archetype:
    path, url = show_path(tree.path(example.topic)), example.url or ""
    trimmed, accepted = example.text is not None, example.origin is Origin.FEEDBACK
    page = page_behind(session, url)
    sure: float | None = None
    terms: tuple[str, ...] = ()
    if page is not None and classifier is not None:
        sample = stored_sample(session, page, tuple(classifier.groups_))
        said = classifier.distances([sample], tree[example.topic].parent or ROOT).get(example.topic)
        sure = None if said is None else float(said[0])
        document = Document(title=page.title, language=page.language, text=text_of(session, page.id))
        speaking = telling(classifier, sample, example.topic, document)
        terms = tuple(one.word for one in speaking if one.part > 0 and not one.word.startswith("#"))[:_TERMS]
    title = example.title if page is None else page.title
    return Archetype(path, url, title, sure, authorities.get(url, 0.0), terms, accepted, trimmed)


def _is_out(session: Session, marks: Marks, example: Example) -> bool:
    """Whether a person has marked its page since, so that nothing is learned from it."""
    page = page_behind(session, example.url) if marks.standing and example.url else None
    return page is not None and marks.keep_out(page.id, example.topic)


# --- ruling ---------------------------------------------------------------------------------------------


def ruling_on(session: Session, tree: TopicTree, wishes: Wishes, now: float) -> Ruling:
    """What the wishes come to. Raises `UsageError` for what is no archetype, or is wanted in two ways."""
    _check_once(wishes)
    examples = topic_rows.examples_of(session)
    pool = _learned(examples, tree, wishes.topic)
    named = {url for url, _ in (*wishes.move, *wishes.trim)}
    trimmed = [
        _trimmed(session, one, numbers)
        for url, numbers in wishes.trim
        for one in _at(url, [one for one in examples if _is_within(one, tree, wishes.topic)], examples)
    ]
    accepted = _meant(wishes.accept, pool, examples, named | set(wishes.reject))
    rejected = _meant(wishes.reject, pool, examples, named | set(wishes.accept))
    moved = [(one, _goal(one, topic)) for url, topic in wishes.move for one in _at(url, pool, examples)]
    joined = [replace(one, topic=topic.id, origin=Origin.FEEDBACK, id=ExampleId(0)) for one, topic in moved]
    left = [*rejected, *(one for one, _ in moved)]
    good = [*accepted, *trimmed, *joined]
    return Ruling(
        (*(replace(one, origin=Origin.FEEDBACK) for one in accepted), *trimmed),
        tuple(left),
        tuple(joined),
        (
            *_verdicts(session, left, Verdict.BAD, wishes, now),
            *_verdicts(session, good, Verdict.GOOD, wishes, now),
        ),
    )


def keep_ruling(session: Session, ruling: Ruling) -> None:
    """Do as was said; the next lesson learns from it."""
    for one in ruling.removed:
        topic_rows.remove_example(session, one.topic, one.url or "")
    for one in ruling.changed:
        topic_rows.change_example(session, one)
    topic_rows.add_examples(session, ruling.added)
    for verdict in ruling.verdicts:
        ledger.give_feedback(session, verdict)


def examples_after(examples: Iterable[Example], ruling: Ruling) -> list[Example]:
    """The examples as they would be."""
    gone = {one.id for one in ruling.removed}
    changed = {one.id: one for one in ruling.changed}
    return [*(changed.get(one.id, one) for one in examples if one.id not in gone), *ruling.added]


def _check_once(wishes: Wishes) -> None:
    """Nothing is both accepted and rejected, or moved besides; `all` leaves out what is named otherwise."""
    named = [
        *((url, "accepted") for url in set(wishes.accept) - {ALL}),
        *((url, "rejected") for url in set(wishes.reject) - {ALL}),
        *((url, "moved") for url, _ in wishes.move),
    ]
    trimmed = {url for url, _ in wishes.trim}
    ways: dict[str, str] = {}
    for url, way in named:
        other = ways.setdefault(url, way)
        if other != way or (url in trimmed and way != "accepted"):
            raise UsageError(f"{url} cannot be {way} and {other if other != way else 'trimmed'} at once.")
    if ALL in wishes.accept and ALL in wishes.reject:
        raise UsageError("All of them cannot be accepted and rejected at once.")


def _meant(
    urls: Sequence[str], pool: Sequence[Example], examples: Sequence[Example], besides: Collection[str]
) -> list[Example]:
    """The examples at these URLs; `all` are the archetypes that nothing was said of before, nor now."""
    found = {one.id: one for url in urls if url != ALL for one in _at(url, pool, examples)}
    if ALL in urls:
        found |= {one.id: one for one in pool if one.origin is Origin.ARCHETYPE and one.url not in besides}
    return list(found.values())


def _at(url: str, pool: Sequence[Example], examples: Sequence[Example]) -> list[Example]:
    found = [one for one in pool if one.url == url]
    if found:
        return found
    if any(one.url == url and one.origin not in _LEARNED for one in examples):
        raise UsageError(
            f"{url} is an example that you gave yourself; 'lode topics DIR example' edits those."
        )
    if any(one.url == url for one in examples):
        raise UsageError(f"{url} is an archetype of another topic.")
    raise UsageError(f"{url} is no archetype; 'lode feedback DIR' lists them.")


def _goal(example: Example, topic: Topic) -> Topic:
    if topic.parent is None:
        raise UsageError("The root has no examples of its own; name a topic below it, or OTHERS.")
    if topic.id == example.topic:
        raise UsageError(f"{example.url} is there already; --accept keeps it there.")
    return topic


def _trimmed(session: Session, example: Example, numbers: tuple[int, ...]) -> Example:
    """The example with the text of these blocks alone; the crawler's own choice becomes the person's."""
    page, blocks = blocks_of(session, example.url or "")
    origin = Origin.FEEDBACK if example.origin is Origin.ARCHETYPE else example.origin
    if not numbers:
        return replace(example, text=None, origin=origin)
    if numbers[-1] > len(blocks):
        raise UsageError(f"{example.url} has {len(blocks):,} blocks; there is no block {numbers[-1]:,}.")
    text = "\n".join(blocks[number - 1].text for number in numbers)
    if not len(bag_of(text, page.language)):
        raise UsageError("There is no word in these blocks that tells anything; choose others.")
    return replace(example, text=text, origin=origin)


def _verdicts(
    session: Session, examples: Iterable[Example], verdict: Verdict, wishes: Wishes, now: float
) -> Iterable[Feedback]:
    for one in examples:
        page = page_behind(session, one.url or "")
        if page is not None:
            yield Feedback(page.id, one.topic, verdict, now, wishes.note)


def _learned(examples: Iterable[Example], tree: TopicTree, topic: TopicId | None) -> list[Example]:
    """What is no person's own choice from the beginning."""
    return [one for one in examples if one.origin in _LEARNED and _is_within(one, tree, topic)]


def _is_within(example: Example, tree: TopicTree, topic: TopicId | None) -> bool:
    return example.url is not None and (topic is None or example.topic in tree.descendants(topic))


def _page(session: Session, url: str) -> KeptPage:
    page = page_behind(session, url)
    if page is None:
        raise UsageError(f"{url} was never fetched, so there is nothing to show of it.")
    return page


# --- trying ---------------------------------------------------------------------------------------------


def effect_of(session: Session, tree: TopicTree, config: Config, ruling: Ruling) -> Effect:
    """What learning from the examples as they would be makes of everything; nothing is kept."""
    if ledger.latest_model(session, KIND) is None:
        raise BadInputError("Nothing was learned yet that could be compared; 'lode train DIR' does so.")
    examples = examples_after(topic_rows.examples_of(session), ruling)
    return relearn(session, tree, config, Wanted(examples=tuple(examples))).effect
