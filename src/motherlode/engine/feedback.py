"""What a person says of archetypes: between the phases of a crawl, or at any other time (SPEC B15).

What was accepted or trimmed is the person's own from then on and never dropped; what was rejected is no
example any more and never becomes one by itself again. What is said is worked out first and kept then, so
that its effect can be seen without keeping anything.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.terms import bag_of
from motherlode.engine.judging import fitted_to, telling
from motherlode.engine.linking import standings
from motherlode.engine.samples import stored_sample
from motherlode.engine.training import KIND, judged, learn, page_behind
from motherlode.learning.options import LearningOptions
from motherlode.learning.tree import TreeClassifier
from motherlode.records import (
    ROOT,
    BadInputError,
    Document,
    Example,
    ExampleId,
    Feedback,
    Origin,
    PageId,
    Topic,
    TopicId,
    UsageError,
    Verdict,
)
from motherlode.store import Session, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import KeptPage, main_text_of, page_numbered, text_of
from motherlode.topics import OTHERS, TopicTree, show_path

ALL = "all"
_BASE = 500  # pages of a topic that its links are analysed around
_TERMS = 8
_SHOWN = 50  # pages that would change their topic
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


class Estimate(Struct, frozen=True):
    """What xi-alpha expects of a topic, before and after."""

    topic: str
    examples: int
    precision: tuple[float, float]
    recall: tuple[float, float]


class Shift(Struct, frozen=True):
    """A page that would go elsewhere."""

    url: str
    title: str
    before: str
    after: str
    confidence: float


class Effect(Struct, frozen=True):
    """What learning anew would change. Of the pages that go elsewhere, the first so many are told."""

    topics: tuple[Estimate, ...]
    judged: int
    shifted: int
    shifts: tuple[Shift, ...]


# --- looking --------------------------------------------------------------------------------------------


def archetypes(session: Session, tree: TopicTree, topic: TopicId | None = None) -> list[Archetype]:
    """The archetypes of all topics, or of one and those below it, the surest of each topic first."""
    examples = _learned(topic_rows.examples_of(session), tree, topic)
    classifier = latest(session, tree)
    found: list[Archetype] = []
    for one in tree:
        mine = [example for example in examples if example.topic == one.id]
        if not mine:
            continue
        authorities = {
            standing.url: standing.authority for standing in standings(session, tree, one.id, base=_BASE)
        }
        told = [_told(session, tree, example, classifier, authorities) for example in mine]
        found += sorted(told, key=lambda archetype: (-(archetype.confidence or 0.0), archetype.url))
    return found


def latest(session: Session, tree: TopicTree) -> TreeClassifier | None:
    """The model that is in use, for the topics that there are; None: there is none, or it is of old."""
    model = ledger.latest_model(session, KIND)
    try:
        return None if model is None else fitted_to(TreeClassifier.unpack(model.packed), tree)
    except ValueError:
        return None


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


def effect_of(session: Session, tree: TopicTree, options: LearningOptions, ruling: Ruling) -> Effect:
    """What learning from the examples as they would be makes of everything; nothing is kept."""
    before = latest(session, tree)
    if before is None:
        raise BadInputError("Nothing was learned yet that could be compared; 'lode train DIR' does so.")
    examples = examples_after(topic_rows.examples_of(session), ruling)
    syllabus, after = learn(session, tree, options, examples=examples)
    pages, shifted = 0, list[tuple[PageId, int, int, float]]()
    for old, new in zip(judged(session, before), judged(session, after), strict=True):
        pages += len(old)
        shifted += [
            (page, one.topic, other.topic, other.confidence)
            for (page, _, one), (_, _, other) in zip(old, new, strict=True)
            if one.topic != other.topic
        ]
    taught = {topic: len(lessons) for topic, lessons in syllabus.lessons.items()}
    estimates = [
        _estimate(tree, topic.id, taught.get(topic.id, 0), before, after)
        for topic in tree
        if before.nodes(topic.id) or after.nodes(topic.id)
    ]
    shown = sorted(shifted, key=lambda one: (-abs(one[3]), one[0]))[:_SHOWN]
    return Effect(tuple(estimates), pages, len(shifted), tuple(_shift(session, tree, one) for one in shown))


def _estimate(
    tree: TopicTree, topic: TopicId, examples: int, before: TreeClassifier, after: TreeClassifier
) -> Estimate:
    (precision, recall), (precise, recalled) = _expected(before, topic), _expected(after, topic)
    return Estimate(show_path(tree.path(topic)), examples, (precision, precise), (recall, recalled))


def _expected(classifier: TreeClassifier, topic: TopicId) -> tuple[float, float]:
    """What is expected in the best of the spaces."""
    nodes = classifier.nodes(topic).values()
    return max(((node.precision, node.recall) for node in nodes), default=(0.0, 0.0))


def _shift(session: Session, tree: TopicTree, shifted: tuple[PageId, int, int, float]) -> Shift:
    page, before, after, confidence = shifted
    kept = page_numbered(session, page)
    url, title = ("", "") if kept is None else (kept.page.url, kept.title)
    return Shift(url, title, _named(tree, before), _named(tree, after), confidence)


def _named(tree: TopicTree, topic: int) -> str:
    return "/".join(tree.path(TopicId(topic))) or OTHERS
