"""What a model makes of pages that were judged before, and what moves by it (SPEC B15, B21).

It only reads. Whoever likes what it shows keeps it in one transaction; so trying cannot differ from doing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.rescoring import Thoughts
from motherlode.records import ROOT, Judgement, ModelId, PageId
from motherlode.store.judged import judgements_of, keep_judgements
from motherlode.store.pages import page_numbered
from motherlode.store.session import Session
from motherlode.topics import OTHERS, TopicTree
from motherlode.training.corpus import Judged, Library, Shelf, judged

NOT_JUDGED = "not judged"
_SHOWN = 50  # pages that go elsewhere, of arrivals and of leavings
_AT_ONCE = 5_000

Telling = Callable[[int, int], object]  # told how many pages of how many are done


class Estimate(Struct, frozen=True):
    """What xi-alpha expects of a topic, before and after."""

    topic: str
    examples: int
    precision: tuple[float, float]
    recall: tuple[float, float]


class Flow(Struct, frozen=True):
    """How many pages go from one topic to another."""

    before: str
    after: str
    pages: int


class Shift(Struct, frozen=True):
    """A page that goes elsewhere, and how sure one was and is of it."""

    url: str
    title: str
    before: str
    after: str
    was: float | None
    confidence: float


class Placed(Struct, frozen=True):
    """A search result with its place before and after; None: it was, or is, not among the best."""

    url: str
    title: str
    topic: str
    before: int | None
    after: int | None


class Effect(Struct, frozen=True):
    """What another model changes. Of the pages that go elsewhere the surest are told: those that come to a
    topic, and those that leave theirs for none. `order` is that of a search, where it was about one."""

    topics: tuple[Estimate, ...]
    judged: int
    shifted: int
    flows: tuple[Flow, ...]
    shifts: tuple[Shift, ...]
    order: tuple[Placed, ...] = ()

    @property
    def is_first(self) -> bool:
        """Whether nothing was judged before."""
        return all(flow.before == NOT_JUDGED for flow in self.flows) and self.shifted == self.judged


def thoughts_on(
    session: Session,
    classifier: TreeClassifier,
    only: Sequence[PageId] | None = None,
    told: Telling = lambda _done, _of: None,
) -> Thoughts:
    """What a model, and whoever marked pages, thinks of all pages, or of these."""
    return Thoughts.together(_thought(session, classifier, only, told))


def keep_thoughts(session: Session, thoughts: Thoughts, model: ModelId) -> int:
    """Keep them in the place of what was thought before. Returns how many they are."""
    number = 0
    for portion in _portions(thoughts):
        said = [(page, Judgement(one.topic, one.confidence, model)) for page, one in portion]
        keep_judgements(session, said)
        number += len(said)
    return number


def effect_on(
    session: Session,
    tree: TopicTree,
    thoughts: Thoughts,
    models: tuple[TreeClassifier | None, TreeClassifier],
    taught: Mapping[int, int],
) -> Effect:
    """What moves if these thoughts are kept; `taught` has the number of each topic's training documents."""
    before, after = models
    flows: Counter[tuple[str, str]] = Counter()
    moved: list[_Moved] = []
    for one in _moving(session, tree, thoughts):
        flows[one.before, one.after] += 1
        moved.append(one)
    arrivals = sorted((one for one in moved if one.after != OTHERS), key=lambda one: (-one.now, one.page))
    leavings = sorted((one for one in moved if one.after == OTHERS), key=lambda one: (-one.then, one.page))
    return Effect(
        tuple(_estimates(tree, before, after, taught)),
        len(thoughts.pages),
        len(moved),
        tuple(Flow(*way, number) for way, number in sorted(flows.items(), key=lambda one: (-one[1], one[0]))),
        tuple(_shift(session, one) for one in (*arrivals[:_SHOWN], *leavings[:_SHOWN])),
    )


def _thought(
    session: Session, classifier: TreeClassifier, only: Sequence[PageId] | None, told: Telling
) -> Iterator[Judged]:
    library = Library(session, Shelf(0))  # each page is looked at once
    of, done = library.size if only is None else len(only), 0
    for some in judged(session, library.read(tuple(classifier.groups_), only=only), classifier):
        yield some
        done += len(some.pages)
        told(min(done, of), of)
    if done < of:  # some pages have no words at all
        told(of, of)


def _portions(thoughts: Thoughts) -> Iterator[list[tuple[PageId, Judgement]]]:
    every = iter(thoughts)
    while portion := list(islice(every, _AT_ONCE)):
        yield portion


class _Moved(Struct, frozen=True):
    page: PageId
    before: str
    after: str
    was: float | None
    now: float

    @property
    def then(self) -> float:
        return 0.0 if self.was is None else self.was


def _moving(session: Session, tree: TopicTree, thoughts: Thoughts) -> Iterator[_Moved]:
    for portion in _portions(thoughts):
        known = judgements_of(session, [page for page, _ in portion])
        for page, now in portion:
            was = known.get(page)
            before, after = _named(tree, was), _named(tree, now)
            if before != after:
                yield _Moved(page, before, after, None if was is None else was.confidence, now.confidence)


def _named(tree: TopicTree, said: Judgement | None) -> str:
    if said is None:
        return NOT_JUDGED
    if said.topic == ROOT or said.confidence <= 0:
        return OTHERS
    return "/".join(tree.path(said.topic))


def _estimates(
    tree: TopicTree, before: TreeClassifier | None, after: TreeClassifier, taught: Mapping[int, int]
) -> Iterator[Estimate]:
    for topic in tree:
        planes = [() if one is None else one.planes(topic.id).values() for one in (before, after)]
        if any(planes):
            # what is expected in the best of the spaces
            then, now = (
                max(((n.precision, n.recall) for n in found), default=(0.0, 0.0)) for found in planes
            )
            path = "/".join(tree.path(topic.id))
            yield Estimate(path, taught.get(topic.id, 0), (then[0], now[0]), (then[1], now[1]))


def _shift(session: Session, moved: _Moved) -> Shift:
    kept = page_numbered(session, moved.page)
    url, title = ("", "") if kept is None else (kept.page.url, kept.title)
    return Shift(url, title, moved.before, moved.after, moved.was, moved.now)
