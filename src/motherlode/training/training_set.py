"""What a portal learns from: its examples out of the store, and what they are told from (SPEC B7, B16)."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.meanings import Meanings, NoMeaningsError, meanings_are_here, word_meanings
from motherlode.documents.spaces import TERMS, Surroundings
from motherlode.learning.counterexamples import (
    Counterexamples,
    DomainBags,
    RejectedPage,
    choose_counterexamples,
    common_documents,
)
from motherlode.learning.options import SETTINGS, LearningOptions, SemanticMode
from motherlode.learning.tree import Sample, TreeClassifier
from motherlode.lexicon.vocabulary import common_vocabulary, vocabulary_is_here
from motherlode.lexicon.wordnet import NoWordNetError
from motherlode.records import (
    ROOT,
    TOPIC_MODEL,
    BadInputError,
    Document,
    Example,
    NotYetError,
    PageId,
    TopicId,
    UrlState,
)
from motherlode.store import topics as topic_rows
from motherlode.store.pages import (
    KeptPage,
    known_url,
    page_at,
    redirect_of,
    text_of,
    url_numbered,
    urls_of_pages,
)
from motherlode.store.session import Session
from motherlode.topics import TopicTree, virtual
from motherlode.training.corpus import Library, Shelf, judged
from motherlode.training.marks import Marks
from motherlode.training.samples import sample_of, stored_sample, surroundings_of
from motherlode.urls import host_of, url_key

KIND = TOPIC_MODEL
_LOOKED_AT = 100  # pages for each example, to find counterexamples among; ten of them may join
_LOOKED_AT_MOST = 2_500  # pages for all examples; a few of each host may join
_MAX_HOPS = 25


class Lesson(Struct, frozen=True):
    """A training document: an example, as a page or, where there is none, by what is said of it."""

    example: Example
    sample: Sample
    document: Document  # title, language and text, for the words behind the terms
    page: PageId | None = None

    @property
    def virtual(self) -> bool:
        return self.page is None


class Missing(Struct, frozen=True):
    """An example that teaches nothing, and why."""

    example: Example
    why: str
    waits: bool = False  # it may be fetched another time


Lessons = dict[int, tuple[Lesson, ...]]  # by topic
LessonOf = Callable[[Example], Lesson | None]
_Taught = dict[int, Lesson]  # by page; where there is none, by minus the example's number


class Syllabus(Struct, frozen=True):
    """All that a portal learns from. A page that several examples of a topic lead to is one lesson."""

    parents: dict[int, int]
    lessons: Lessons
    others: dict[int, Counterexamples[Sample]]
    missing: tuple[Missing, ...] = ()
    shown: frozenset[PageId] = frozenset()  # pages that are examples, of topics or of OTHERS
    wordless: str = ""  # why there is no common vocabulary
    meanings: Meanings | None = None  # of words


class Desk:
    """What whoever learns has at hand: what examples teach, and the pages of the store. Nothing of it is
    looked up or learned twice."""

    def __init__(
        self,
        session: Session,
        tree: TopicTree,
        options: LearningOptions,
        shelf: Shelf | None = None,
        *,
        offline: bool = False,
    ) -> None:
        self._session, self._options = session, options
        self.library = Library(session, shelf)
        self.lesson_of: LessonOf = cache(partial(_lesson, session, spaces=options.spaces))
        gather = partial(syllabus_of, session, tree, options, offline=offline, lesson_of=self.lesson_of)
        self.syllabus = cache(lambda examples: gather(examples=examples))
        self.taught = cache(lambda examples: fit(self.syllabus(examples), options))
        self.enriched = cache(self._enriched)

    def _enriched(self, examples: tuple[Example, ...]) -> tuple[Syllabus, TreeClassifier]:
        """What examples teach together with the pages that they surely reject."""
        syllabus, classifier = self.syllabus(examples), self.taught(examples)
        richer = with_rejected(self._session, syllabus, classifier, self.library)
        return richer, classifier if richer is syllabus else fit(richer, self._options)


def learn(
    session: Session,
    tree: TopicTree,
    options: LearningOptions,
    *,
    offline: bool = False,
    examples: Sequence[Example] | None = None,
    desk: Desk | None = None,
) -> tuple[Syllabus, TreeClassifier]:
    """The classifier of a portal's topics, and what it was fitted on; `examples`, if not those of the store.

    It follows from examples, pages and options alone. Raises `BadInputError` where they teach nothing.
    """
    desk = desk or Desk(session, tree, options, offline=offline)
    given = tuple(topic_rows.examples_of(session) if examples is None else examples)
    syllabus = desk.syllabus(given)
    spaces = ", ".join(options.spaces)
    if not syllabus.lessons and not syllabus.missing:
        raise BadInputError(
            "There is nothing to learn from: no topic has an example ('lode topics DIR example')."
        )
    if not syllabus.lessons:
        first = syllabus.missing[0]
        kind = NotYetError if any(one.waits for one in syllabus.missing) else BadInputError
        raise kind(
            f"There is nothing to learn from in the space of {spaces}: no example was fetched that has words "
            f"({first.example.url or first.example.title}: {first.why})."
        )
    if not can_tell(desk.taught(given)):
        why = f" ({syllabus.wordless.rstrip('.')})" if syllabus.wordless else ""
        raise BadInputError(
            f"There is nothing in the space of {spaces} to tell the topic from: add another topic beside it, "
            f"or counterexamples under OTHERS{why}."
        )
    return desk.enriched(given)


def syllabus_of(
    session: Session,
    tree: TopicTree,
    options: LearningOptions,
    *,
    offline: bool = False,
    examples: Sequence[Example] | None = None,
    lesson_of: LessonOf | None = None,
) -> Syllabus:
    """Gather what a person gave to learn from, and common vocabulary to tell it from."""
    lesson_of = lesson_of or partial(_lesson, session, spaces=options.spaces)
    given = topic_rows.examples_of(session) if examples is None else examples
    found, missing = _gathered(session, tree, given, lesson_of)
    lessons: Lessons = {
        int(topic): tuple(taught.values()) for topic, taught in found.items() if not tree[topic].is_others
    }
    against = _against(session, tree, found, lesson_of)
    own = {parent: [lesson.sample for lesson in taught.values()] for parent, taught in against.items()}
    parents = {int(topic.id): int(topic.parent) for topic in tree if topic.parent and not topic.is_others}
    texts, wordless = _vocabulary(offline=offline)
    return Syllabus(
        parents,
        lessons,
        _others(parents, lessons, own, texts, options.spaces),
        tuple(missing),
        frozenset(
            lesson.page
            for taught in (*found.values(), *against.values())
            for lesson in taught.values()
            if lesson.page
        ),
        wordless,
        _meanings(options, offline=offline),
    )


def _gathered(
    session: Session, tree: TopicTree, examples: Iterable[Example], lesson_of: LessonOf
) -> tuple[dict[TopicId, _Taught], list[Missing]]:
    """What the examples of each topic teach, and pages that were marked good; and what teaches nothing."""
    marks = Marks.of(session)
    found: dict[TopicId, _Taught] = defaultdict(dict)
    missing = []
    for example in (*examples, *marks.examples()):
        if tree[example.topic].parent is None:  # it belongs to all topics, and so to none
            continue
        lesson = lesson_of(example)
        if lesson is None:
            missing.append(_missing(session, example))
        elif lesson.page is None or not marks.keep_out(lesson.page, example.topic):
            key = lesson.page or -example.id
            if key not in found[example.topic] or _is_trimmed(example):
                found[example.topic][key] = lesson
    return {topic: taught for topic, taught in found.items() if taught}, missing


def _against(
    session: Session, tree: TopicTree, found: Mapping[TopicId, _Taught], lesson_of: LessonOf
) -> dict[int, _Taught]:
    """What a person gave for OTHERS below each parent, and pages that were marked bad for a topic there."""
    against: dict[int, _Taught] = defaultdict(dict)
    for topic, taught in found.items():
        if tree[topic].is_others:
            against[int(tree[topic].parent or ROOT)] |= taught
    for example in Marks.of(session).counterexamples():
        lesson = lesson_of(example)
        if lesson is not None and lesson.page is not None:
            against[int(example.topic)].setdefault(lesson.page, lesson)
    return against


def with_rejected(
    session: Session, syllabus: Syllabus, classifier: TreeClassifier, library: Library
) -> Syllabus:
    """The same, with pages among the counterexamples that this classifier surely rejects.

    What an earlier model thought of them has no say: a person adds examples because pages were rejected that
    should not have been, and those are not to be held against the examples. It is a sample of all pages.
    """
    parents, lessons = syllabus.parents, syllabus.lessons
    most = max((len(under(topic, parents, lessons)) for topic in _below(ROOT, parents)), default=0)
    here: Counterexamples[Sample] = syllabus.others.get(ROOT, Counterexamples())
    every = max(library.size // (_LOOKED_AT * max(most, 1)), library.every_so_many(_LOOKED_AT_MOST))
    refused = [
        one
        for said in judged(session, library.read(tuple(classifier.groups_), every), classifier)
        for one in said.refused()
        if one[0] not in syllabus.shown
    ]
    named = urls_of_pages(session, [page for page, _, _ in refused])
    rejected = [RejectedPage(host_of(named[page]), sample, sure) for page, sample, sure in refused]
    joined = choose_counterexamples(here.common, here.user, rejected, most)
    return replace(syllabus, others={**syllabus.others, ROOT: joined}) if joined.rejected else syllabus


def fit(syllabus: Syllabus, options: LearningOptions) -> TreeClassifier:
    """The classifier that this teaches."""
    documents = {topic: [one.sample for one in found] for topic, found in syllabus.lessons.items()}
    others = {parent: found.documents for parent, found in syllabus.others.items()}
    untrained = TreeClassifier(SETTINGS[options.setting], options.spaces, options.rule, syllabus.meanings)
    return untrained.fit(syllabus.parents, documents, others)


def can_tell(classifier: TreeClassifier) -> bool:
    """Whether there is any topic below the root that it knows: else no document goes anywhere."""
    return any(group.parent == ROOT for groups in classifier.groups_.values() for group in groups)


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
    """What an example teaches: the part of its page that a person chose; else the page, if that says
    anything; or else what is said of it."""
    page = page_behind(session, example.url) if example.url else None
    if page is not None and _is_trimmed(example):
        return _trimmed(session, example, page, spaces)
    if page is not None:
        sample = stored_sample(session, page, spaces)
        if any(map(len, sample.values())):
            said = Document(title=page.title, language=page.language, text=text_of(session, page.id))
            return Lesson(example, sample, said, page.id)
    document = virtual.document_of(example)
    if document is None:
        return None
    sample = sample_of(document, spaces, Surroundings(example.url or ""))
    return Lesson(example, sample, document) if any(map(len, sample.values())) else None


def _is_trimmed(example: Example) -> bool:
    """Whether a person chose a part of the page to stand for it (SPEC B15)."""
    return example.url is not None and example.text is not None


def _trimmed(session: Session, example: Example, page: KeptPage, spaces: Collection[str]) -> Lesson | None:
    """A page by its title and the part of it that a person chose; its surroundings are those of the page."""
    document = virtual.virtual_document(page.title, [example.text or ""], page.language)
    surroundings = surroundings_of(session, page.page.url, page.page.key, spaces)
    sample = sample_of(document, spaces, surroundings)
    return Lesson(example, sample, document, page.id) if any(map(len, sample.values())) else None


def _missing(session: Session, example: Example) -> Missing:
    """An example that teaches nothing, and why."""
    if not example.url:
        return Missing(example, "no words")
    known = known_url(session, url_key(example.url, host_of(example.url)))
    if page_behind(session, example.url) is not None:
        return Missing(example, known.reason if known is not None and known.reason else "no words")
    if known is None or not known.reason:
        return Missing(example, "not fetched")
    if known.state is UrlState.OPEN:
        return Missing(example, f"{known.reason}; it is tried again next time", waits=True)
    return Missing(example, known.reason)


def _vocabulary(*, offline: bool) -> tuple[dict[str, str], str]:
    """Texts of common vocabulary; and if there are none, why."""
    if offline and not vocabulary_is_here():
        return {}, "WordNet, which common vocabulary is made of, is not here, and nothing is to be fetched."
    try:
        return common_vocabulary(), ""
    except NoWordNetError as error:
        return {}, str(error)


def _meanings(options: LearningOptions, *, offline: bool) -> Meanings | None:
    """What words mean, if that is wanted; and if nobody insists, where it can be had."""
    useful = TERMS in options.spaces and SETTINGS[options.setting].semantic_weight > 0
    if not useful or options.semantic is SemanticMode.OFF:
        return None
    if options.semantic is SemanticMode.AUTO:
        return _meanings_or_none()
    if offline and not meanings_are_here():
        raise BadInputError(
            "What words mean ('learning.semantic') is not known here, and nothing is to be fetched."
        )
    return word_meanings()


def _meanings_or_none() -> Meanings | None:
    try:
        return word_meanings() if meanings_are_here() else None
    except (NoMeaningsError, NoWordNetError):
        return None


def _others(
    parents: Mapping[int, int],
    lessons: Lessons,
    own: Mapping[int, Sequence[Sample]],
    texts: Mapping[str, str],
    spaces: Collection[str],
) -> dict[int, Counterexamples[Sample]]:
    """The counterexamples of every parent: the person's, and common vocabulary."""
    samples, domains = _common_samples(tuple(texts.items()), (TERMS, *spaces))
    samples = {name: {space: sample[space] for space in spaces} for name, sample in samples.items()}
    found: dict[int, Counterexamples[Sample]] = {}
    for parent in sorted(set(parents.values())):
        topics = [
            [lesson.sample[TERMS] for lesson in under(topic, parents, lessons) if TERMS in lesson.sample]
            for topic in _below(parent, parents)
        ]
        common = [samples[name] for name in common_documents(domains, topics)]
        found[parent] = choose_counterexamples(common, own.get(parent, ()), (), 0)
    return found


@lru_cache(1)
def _common_samples(
    texts: tuple[tuple[str, str], ...], spaces: Collection[str]
) -> tuple[dict[str, Sample], DomainBags]:
    """The texts of common vocabulary in these spaces. They are the same at every lesson, and in English."""
    documents = {name: Document(title=name, text=text, language=virtual.LANGUAGE) for name, text in texts}
    samples = {name: sample_of(one, spaces, Surroundings()) for name, one in documents.items()}
    return samples, DomainBags({name: sample[TERMS] for name, sample in samples.items()})


def _below(parent: int, parents: Mapping[int, int]) -> list[int]:
    return [topic for topic, above in parents.items() if above == parent]


def under(topic: int, parents: Mapping[int, int], lessons: Lessons) -> list[Lesson]:
    """The training documents of a topic and of all below it."""
    found = list(lessons.get(topic, ()))
    for child in _below(topic, parents):
        found += under(child, parents, lessons)
    return found
