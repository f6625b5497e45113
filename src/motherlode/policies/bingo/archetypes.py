"""Which pages of a crawl join the training documents of its topics (BINGO!, section 3.1; SPEC B13).

In the paper each set of training documents judges who joins the next one. From few examples such a topic
walks away: the pages that it is surest of are a little beside it, the plane learned from them takes more of
those, and a few lessons later none of its archetypes is on the topic. So who joins is asked of the person's
own examples alone, at every lesson anew (docs/quality.md, "Archetypes that walked away").
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import time

from msgspec import Struct

from motherlode.learning.archetypes import ArchetypeChange, choose_archetypes, choose_near_examples
from motherlode.learning.tree import Sample, TreeClassifier
from motherlode.portal.config import Config
from motherlode.records import ROOT, Example, Origin, PageId, TopicId, Verdict
from motherlode.store import Session, ledger
from motherlode.store.judged import judged_for
from motherlode.store.pages import page_numbered
from motherlode.topics import TopicTree
from motherlode.training.link_analysis import Neighbourhood
from motherlode.training.marks import Marks
from motherlode.training.opinion import still_of_use
from motherlode.training.samples import samples_in
from motherlode.training.training_set import KIND, Desk, Lesson, can_tell

BASE = 500  # pages of a topic, the surest: archetypes are among them, and its links are analysed around them

Around = Callable[[TopicId], Neighbourhood]


class Joining(Struct, frozen=True):
    """The examples that join those of the topics, and the archetypes of before that leave."""

    added: list[Example] = []
    dropped: list[Example] = []


def joining(
    session: Session,
    tree: TopicTree,
    examples: Sequence[Example],
    config: Config,
    _around: Around,
    desk: Desk,
) -> Joining:
    """By what the person's own examples teach, and the pages that they surely reject."""
    own = tuple(own_of(examples))
    if not can_tell(desk.taught(own)):
        return Joining()
    syllabus, judge = desk.enriched(own)
    found, candidates = Joining([], []), _Candidates(session, tree, examples)
    most = min(config.crawl.authorities, config.crawl.confident)
    for number, lessons in syllabus.lessons.items():
        topic = TopicId(number)
        mine = [one for one in examples if one.topic == topic and one.origin is Origin.ARCHETYPE]
        taught = [(one, lesson.sample) for one in mine if (lesson := desk.lesson_of(one)) is not None]
        before = _sure(judge, tree, topic, {one.url or "": sample for one, sample in taught})
        training = _sure(judge, tree, topic, {_name(one): one.sample for one in lessons})
        pages = candidates.of(topic)
        sure = _sure(judge, tree, topic, candidates.samples(pages, config.learning.spaces))
        bar = _bar(judge, topic, training)
        _note(found, topic, mine, choose_near_examples(before, sure, bar, most))
    return found


def joining_2003(
    session: Session,
    tree: TopicTree,
    examples: Sequence[Example],
    config: Config,
    around: Around,
    desk: Desk,
) -> Joining:
    """As in the paper: by the model that is in use, which learned from the archetypes of before."""
    classifier = latest(session, tree)
    if classifier is None:
        return Joining()
    syllabus = desk.syllabus(tuple(examples))
    found, candidates = Joining([], []), _Candidates(session, tree, examples)
    for number, lessons in syllabus.lessons.items():
        topic = TopicId(number)
        confidences = {url: sure for url, (_, sure) in candidates.of(topic).items()}
        if not confidences:
            continue
        authorities = {one.url: one.authority for one in around(topic).standings() if one.url in confidences}
        change = choose_archetypes(
            _sure(classifier, tree, topic, {_name(one): one.sample for one in lessons}),
            confidences,
            {url: score for url, score in authorities.items() if score > 0},
            {_name(one) for one in lessons if one.example.origin is not Origin.ARCHETYPE},
            limits=(config.crawl.authorities, config.crawl.confident),
        )
        _note(found, topic, [one.example for one in lessons], change)
    return found


def own_of(examples: Iterable[Example]) -> Iterator[Example]:
    """Those that a person gave."""
    return (one for one in examples if one.origin is not Origin.ARCHETYPE)


def latest(session: Session, tree: TopicTree) -> TreeClassifier | None:
    """The model that is in use, for the topics that there are; None: there is none, or it is of old."""
    model = ledger.latest_model(session, KIND)
    return None if model is None else still_of_use(model.packed, tree)


class _Candidates:
    """Pages that a topic is sure of, and that may become archetypes."""

    def __init__(self, session: Session, tree: TopicTree, examples: Iterable[Example]) -> None:
        self._session = session
        self._marks = Marks.of(session)
        self._taken = {one.url for one in examples if one.url} | _refused(session, tree)

    def of(self, topic: TopicId) -> dict[str, tuple[PageId, float]]:
        """By their URLs; with how sure the topic is by the model in use."""
        return {
            one.url: (one.page, one.confidence)
            for one in judged_for(self._session, [topic], BASE)
            if one.url not in self._taken and not self._marks.keep_out(one.page, topic)
        }

    def samples(self, pages: Mapping[str, tuple[PageId, float]], spaces: Sequence[str]) -> dict[str, Sample]:
        """The same pages in these feature spaces."""
        url_of = {page: url for url, (page, _) in pages.items()}
        batches = samples_in(self._session, spaces, only=sorted(url_of))
        return {url_of[page]: sample for batch in batches for page, sample in batch}


def _note(found: Joining, topic: TopicId, here: Iterable[Example], change: ArchetypeChange) -> None:
    now = time()
    found.added.extend(Example(topic, url, origin=Origin.ARCHETYPE, added_at=now) for url in change.added)
    found.dropped.extend(one for one in here if (one.url or f"#{one.id}") in change.dropped)


def _sure(
    classifier: TreeClassifier, tree: TopicTree, topic: TopicId, samples: Mapping[str, Sample]
) -> dict[str, float]:
    """How sure a topic is of documents, by their names."""
    distances = classifier.distances(list(samples.values()), tree[topic].parent or ROOT).get(topic)
    values = [0.0] * len(samples) if distances is None else distances.tolist()
    return dict(zip(samples, values, strict=True))


def _bar(classifier: TreeClassifier, topic: TopicId, training: Mapping[str, float]) -> float:
    """What a page must beat to become an archetype: how sure the topic is of its own documents if it has not
    seen them, for training flatters; and, as from few that says little, half of how sure it is of them."""
    held_out = max((plane.held_out for plane in classifier.planes(topic).values()), default=0.0)
    return max(held_out, sum(training.values()) / len(training) / 2)


def _name(lesson: Lesson) -> str:
    return lesson.example.url or f"#{lesson.example.id}"


def _refused(session: Session, tree: TopicTree) -> set[str]:
    """The pages that a person does not want as archetypes of any topic."""
    said = [one for topic in tree for one in ledger.feedback_on(session, topic.id)]
    pages = [page_numbered(session, one.page) for one in said if one.verdict is Verdict.BAD]
    return {page.page.url for page in pages if page is not None}
