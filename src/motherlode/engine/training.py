"""What a portal learns from: its examples out of the store, and what they are told from (SPEC B7, B16)."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.spaces import TERMS, Surroundings
from motherlode.documents.terms import spell, unpack
from motherlode.engine.samples import sample_of, stored_sample
from motherlode.learning.options import SETTINGS, LearningOptions
from motherlode.learning.others import Rejected, common_documents, topped_up
from motherlode.learning.tree import UNKNOWN, Sample, TreeClassifier
from motherlode.lexicon.vocabulary import common_vocabulary
from motherlode.lexicon.wordnet import NoWordNetError
from motherlode.records import ROOT, Document, Example, Judgement, ModelId, PageId, TopicId
from motherlode.store import topics as topic_rows
from motherlode.store.judged import keep_judgements, rejected_at, vectors_in
from motherlode.store.pages import (
    KeptPage,
    known_url,
    page_at,
    page_numbered,
    redirect_of,
    text_of,
    url_numbered,
    vectors_of,
)
from motherlode.store.session import Session
from motherlode.topics import OTHERS, TopicTree, virtual
from motherlode.urls import host_of, url_key

KIND = "tree"
_REJECTED = 1_000  # pages that are looked at for counterexamples
_FOLDS = 5
_TERMS = 10
_MAX_HOPS = 25


class Lesson(Struct, frozen=True):
    """A training document: an example, as a page or, where there is none, by what is said of it."""

    example: Example
    sample: Sample
    document: Document  # title, language and text, for the words behind the terms
    virtual: bool = False


class Syllabus(Struct, frozen=True):
    """All that a portal learns from. `missing` are examples that teach nothing: they were never fetched."""

    parents: dict[int, int]
    lessons: dict[int, tuple[Lesson, ...]]
    others: dict[int, tuple[Sample, ...]]
    missing: tuple[Example, ...] = ()
    wordless: str = ""  # why there is no common vocabulary


class Lore(Struct, frozen=True):
    """What is reported of one topic."""

    topic: int
    path: str
    examples: int
    virtual: int
    features: dict[str, int]
    precision: dict[str, float]
    recall: dict[str, float]
    error: dict[str, float]
    terms: tuple[str, ...]
    confusions: dict[str, int]  # where documents went that were left out of the training


def syllabus_of(session: Session, tree: TopicTree, options: LearningOptions) -> Syllabus:
    """Gather what there is to learn from."""
    lessons: dict[int, list[Lesson]] = defaultdict(list)
    own: dict[int, list[Sample]] = defaultdict(list)
    missing = []
    for example in topic_rows.examples_of(session):
        lesson = _lesson(session, example, options.spaces)
        topic = tree[example.topic]
        if lesson is None:
            missing.append(example)
        elif topic.is_others:
            own[int(topic.parent or 0)].append(lesson.sample)
        else:
            lessons[topic.id].append(lesson)
    parents = {int(topic.id): int(topic.parent) for topic in tree if topic.parent and not topic.is_others}
    gathered = {topic: tuple(found) for topic, found in lessons.items()}
    others, wordless = _others(session, parents, gathered, own, options.spaces)
    return Syllabus(parents, gathered, others, tuple(missing), wordless)


def fit(syllabus: Syllabus, options: LearningOptions) -> TreeClassifier:
    """The classifier that this teaches."""
    documents = {topic: [one.sample for one in found] for topic, found in syllabus.lessons.items()}
    untrained = TreeClassifier(SETTINGS[options.setting], options.spaces, options.rule)
    return untrained.fit(syllabus.parents, documents, syllabus.others)


def report_on(
    classifier: TreeClassifier, syllabus: Syllabus, tree: TopicTree, options: LearningOptions
) -> list[Lore]:
    """What can be said of each topic that was learned."""
    confusions = _confusions(syllabus, tree, options)
    found = []
    for topic in tree:
        nodes = classifier.nodes(topic.id)
        if not nodes:
            continue
        lessons = _under(topic.id, syllabus.parents, syllabus.lessons)
        found.append(
            Lore(
                topic.id,
                "/".join(tree.path(topic.id)),
                len(lessons),
                sum(lesson.virtual for lesson in lessons),
                {space: len(node.places) // 4 for space, node in nodes.items()},
                {space: node.precision for space, node in nodes.items()},
                {space: node.recall for space, node in nodes.items()},
                {space: node.error for space, node in nodes.items()},
                tuple(_words(classifier, topic.id, lessons)),
                confusions.get(topic.id, {}),
            )
        )
    return found


def judge_stored(session: Session, classifier: TreeClassifier, model: ModelId) -> int:
    """Judge every page of the store anew. Returns how many there were."""
    judged = 0
    spaces = tuple(classifier.groups_)
    for found in vectors_in(session, TERMS):
        if spaces == (TERMS,):
            samples: list[Sample] = [{TERMS: unpack(packed)} for _, packed in found]
        else:
            samples = [_sample(session, page, spaces) for page, _ in found]
        verdicts = classifier.judge(samples)
        made = [
            (page, Judgement(TopicId(said.topic), said.confidence, model))
            for (page, _), said in zip(found, verdicts, strict=True)
        ]
        keep_judgements(session, made)
        judged += len(made)
    return judged


def page_behind(session: Session, url: str) -> KeptPage | None:
    """The page at a URL, wherever redirects lead from it; None: it was never fetched."""
    known = known_url(session, url_key(url, host_of(url)))
    for _ in range(_MAX_HOPS):
        if known is None:
            return None
        page = page_at(session, url_key(known.url, host_of(known.url)))
        target = redirect_of(session, known.id) if page is None else None
        if page is not None or target is None:
            return page
        known = url_numbered(session, target)
    return None


def _lesson(session: Session, example: Example, spaces: Collection[str]) -> Lesson | None:
    page = page_behind(session, example.url) if example.url else None
    if page is not None and vectors_of(session, page.id):
        said = Document(title=page.title, language=page.language, text=text_of(session, page.id))
        return Lesson(example, stored_sample(session, page, spaces), said)
    document = virtual.document_of(example)
    if document is None:
        return None
    sample = sample_of(document, spaces, Surroundings(example.url or ""))
    return Lesson(example, sample, document, virtual=True)


def _others(
    session: Session,
    parents: Mapping[int, int],
    lessons: Mapping[int, Sequence[Lesson]],
    own: Mapping[int, Sequence[Sample]],
    spaces: Collection[str],
) -> tuple[dict[int, tuple[Sample, ...]], str]:
    """The counterexamples of every parent: the person's, rejected pages, and common vocabulary."""
    try:
        texts, wordless = common_vocabulary(), ""
    except NoWordNetError as error:
        texts, wordless = {}, str(error)
    documents = {name: virtual.virtual_document(name, [text]) for name, text in texts.items()}
    bags = {name: unpack(document.vectors[TERMS]) for name, document in documents.items()}
    found: dict[int, tuple[Sample, ...]] = {}
    for parent in sorted(set(parents.values())):
        topics = [
            [lesson.sample[TERMS] for lesson in _under(topic, parents, lessons) if TERMS in lesson.sample]
            for topic, above in parents.items()
            if above == parent
        ]
        near = common_documents(bags, topics)
        common = [sample_of(documents[name], spaces, Surroundings()) for name in near]
        rejected = _rejected(session, TopicId(parent), spaces) if parent == ROOT else ()
        most = max((len(bags) for bags in topics), default=0)
        joined = topped_up(common, own.get(parent, ()), rejected, most)
        found[parent] = joined.documents
    return found, wordless


def _rejected(session: Session, topic: TopicId, spaces: Collection[str]) -> Iterator[Rejected[Sample]]:
    """Pages of the crawl that no topic wanted, without those that nothing is known of."""
    for one in rejected_at(session, topic, _REJECTED):
        if one.confidence > UNKNOWN:
            yield Rejected(host_of(one.url), _sample(session, one.page, spaces), one.confidence)


def _sample(session: Session, page: PageId, spaces: Collection[str]) -> Sample:
    vectors = vectors_of(session, page)
    if set(spaces) <= set(vectors):
        return {space: unpack(vectors[space]) for space in spaces}
    kept = page_numbered(session, page)
    return {} if kept is None else stored_sample(session, kept, spaces)


def _under(topic: int, parents: Mapping[int, int], lessons: Mapping[int, Sequence[Lesson]]) -> list[Lesson]:
    """The training documents of a topic and of all below it."""
    found = list(lessons.get(topic, ()))
    for child, above in parents.items():
        if above == topic:
            found += _under(child, parents, lessons)
    return found


def _words(classifier: TreeClassifier, topic: int, lessons: Sequence[Lesson]) -> Iterator[str]:
    """The words behind the terms that speak most for a topic, as its documents spell them."""
    wanted = [term for term, _ in classifier.characteristic(topic, TERMS, 2 * _TERMS)]
    spelled: dict[int, str] = {}
    for lesson in lessons:
        document = lesson.document
        told = spell(wanted, f"{document.title}\n{document.text}", document.language)
        spelled = {**told, **spelled}
    found = [spelled[term] for term in wanted if term in spelled]
    yield from found[:_TERMS]


def _confusions(syllabus: Syllabus, tree: TopicTree, options: LearningOptions) -> dict[int, dict[str, int]]:
    """Where each topic's documents go if the training leaves them out, a fifth of them at a time."""
    told: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for fold in range(_FOLDS):
        kept = {
            topic: tuple(one for place, one in enumerate(found) if place % _FOLDS != fold or len(found) == 1)
            for topic, found in syllabus.lessons.items()
        }
        left = [
            (topic, one)
            for topic, found in syllabus.lessons.items()
            for place, one in enumerate(found)
            if place % _FOLDS == fold and len(found) > 1
        ]
        if not left:
            continue
        classifier = fit(replace(syllabus, lessons=kept), options)
        for (topic, _), said in zip(left, classifier.judge([one.sample for _, one in left]), strict=True):
            named = "/".join(tree.path(TopicId(said.topic)))
            if said.others:
                named = f"{named}/{OTHERS}".lstrip("/")
            for above in _line(topic, syllabus.parents):
                told[above][named] += 1
    return {topic: dict(sorted(found.items())) for topic, found in told.items()}


def _line(topic: int, parents: Mapping[int, int]) -> Iterator[int]:
    """A topic and all above it, without the root."""
    while topic in parents:
        yield topic
        topic = parents[topic]
