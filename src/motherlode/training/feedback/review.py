"""Judge all pages by a model, and compare with the judgements in the store (SPEC B15, B21).

Nothing is written before the caller saves the judgements, so a trial run cannot differ from the
real one.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from motherlode.learning.precision import estimate_precision
from motherlode.learning.tree import TreeClassifier
from motherlode.records import Feedback, Judgement, MeanProbability, ModelId, PageId, TopicId
from motherlode.records.example_counts import ExampleCounts
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_judgements import FormerJudgements
from motherlode.store.tables.judgements import (
    counts_by_topic,
    judged_pages,
    judgements_of,
    keep_judgements,
    mean_probabilities,
)
from motherlode.store.tables.pages import page_numbered
from motherlode.topics import OTHERS, TopicTree
from motherlode.training.certainty import Assessed, certainty_text
from motherlode.training.corpus import CorpusCache, JudgedBatch, PageCorpus, judge_batches
from motherlode.training.feedback.move_reasons import MoveReasons, TopicMove
from motherlode.training.judgement_table import JudgementTable
from motherlode.training.training_document import pages_of_given

NOT_JUDGED = "not judged"
_MAX_MOVED_PAGES = 50  # shown of those that come to a topic, and of those that leave for OTHERS
_MAX_EXPLAINED_FLOWS = 10
_BATCH_PAGES = 5_000

ProgressCallback = Callable[[int, int], object]  # called with the pages done, and all pages


class TopicEstimate(Struct, frozen=True):
    """The pages of a topic and their estimated precision, before and after; None: unknown.

    `examples` counts all; `examples_from` counts those of users and of the crawl.
    """

    topic: str
    examples: int
    pages: tuple[int, int]
    precision: tuple[float | None, float | None]
    examples_from: ExampleCounts = ExampleCounts()


class TopicFlow(Struct, frozen=True):
    """The number of pages that go from one topic to another; `reason`, in words, if it is known."""

    before: str
    after: str
    pages: int
    reason: str = ""


class ReassignedPage(Assessed, frozen=True):
    """A page that changes its topic, with the reason in words.

    `was` and `was_probability` are its margin and its probability before.
    """

    url: str
    title: str
    before: str
    after: str
    was: float | None
    reason: str = ""
    was_probability: float | None = None

    @property
    def certainty_change(self) -> str:
        """How sure the topics are, such as `sure (0.91) before, likely (0.72) now`."""
        sides = ((self.was_probability, "before"), (self.probability, "now"))
        return ", ".join(
            f"{certainty_text(probability)} {when}"
            for probability, when in sides
            if probability is not None
        )


class MovedResult(Struct, frozen=True):
    """A search result with its position before and after; None if it was, or is, not shown."""

    url: str
    title: str
    topic: str
    before: int | None
    after: int | None


class Effect(Struct, frozen=True):
    """The changes that another model makes.

    Of the pages that change their topic, the most confident are listed: those that come to a topic,
    and those that leave theirs for OTHERS. `order` is that of a search, if one was compared.
    """

    topics: tuple[TopicEstimate, ...]
    judged: int
    shifted: int
    flows: tuple[TopicFlow, ...]
    shifts: tuple[ReassignedPage, ...]
    order: tuple[MovedResult, ...] = ()

    @property
    def is_first(self) -> bool:
        """Whether no page was judged before."""
        no_flow_from_topic = all(flow.before == NOT_JUDGED for flow in self.flows)
        return no_flow_from_topic and self.shifted == self.judged


def judge_pages(
    session: Session,
    classifier: TreeClassifier,
    only: Sequence[PageId] | None = None,
    on_progress: ProgressCallback = lambda _done, _total: None,
    rejected: Sequence[Feedback] | None = None,
) -> JudgementTable:
    """Return the judgements of all pages, or of `only` these; users overrule the model.

    `rejected` are archetypes; by default, all that users rejected.
    """
    batches = _judged_batches(session, classifier, only, on_progress, rejected)
    return JudgementTable.together(batches)


def save_judgements(session: Session, judgements: JudgementTable, model: ModelId) -> int:
    """Replace the judgements of pages in the store, and return how many there are."""
    count = 0
    for batch in _batches(judgements):
        rows = [
            (
                page,
                replace(judgement, model=model),
            )
            for page, judgement in batch
        ]
        keep_judgements(session, rows)
        count += len(rows)
    return count


def effect_of_judgements(
    session: Session,
    tree: TopicTree,
    judgements: JudgementTable,
    models: tuple[TreeClassifier | None, TreeClassifier],
    example_counts: Mapping[TopicId, ExampleCounts],
    reasons: MoveReasons | None = None,
) -> Effect:
    """Return what changes if these judgements are saved.

    `models` are the old and the new one; `example_counts` has the number of training documents of
    each topic.
    """
    moves = list(_moves(session, tree, judgements))
    effect = effect_of_moves(session, moves, reasons)
    known = {topic for model in models if model is not None for topic in model.parents}
    given = pages_of_given(session, topic_rows.examples_of(session))
    means = mean_probabilities(session, given), judgements.mean_probabilities(given)
    pages = _pages_by_topic(session, moves)
    estimates = tuple(
        _estimate(tree, topic.id, pages[topic.id], means, example_counts)
        for topic in tree
        if topic.id in known
    )
    return replace(effect, topics=estimates, judged=len(judgements.pages))


def effect_of_former(session: Session, tree: TopicTree, former: FormerJudgements) -> Effect:
    """Return what changes if all judgements are again what they were before a training."""
    judgement_of: dict[PageId, Judgement | None] = dict.fromkeys(judged_pages(session))
    judgement_of |= dict(former)
    moves = list(_moves(session, tree, judgement_of.items()))
    return replace(effect_of_moves(session, moves, None), judged=len(judgement_of))


def effect_of_moves(
    session: Session, moves: Sequence["_Move"], reasons: MoveReasons | None
) -> Effect:
    """Return an effect without estimates: how many pages move, from where to where, and why."""
    by_flow: dict[tuple[str, str], list[_Move]] = {}
    for move in moves:
        by_flow.setdefault((move.before, move.after), []).append(move)
    arrivals = sorted(
        (move for move in moves if move.joined is not None),
        key=lambda move: (-move.new_margin, move.page),
    )
    departures = sorted(
        (move for move in moves if move.after == OTHERS),
        key=lambda move: (-move.old_margin, move.page),
    )
    shown = (*arrivals[:_MAX_MOVED_PAGES], *departures[:_MAX_MOVED_PAGES])
    flows = sorted(by_flow.items(), key=lambda flow: (-len(flow[1]), flow[0]))
    return Effect(
        topics=(),
        judged=0,
        shifted=len(moves),
        flows=tuple(
            TopicFlow(*topics, len(of_flow), _flow_reason(of_flow, reasons, number))
            for number, (topics, of_flow) in enumerate(flows)
        ),
        shifts=tuple(_moved_page(session, move, reasons) for move in shown),
    )


def _flow_reason(moves: Sequence["_Move"], reasons: MoveReasons | None, number: int) -> str:
    if reasons is None or number >= _MAX_EXPLAINED_FLOWS:
        return ""
    if moves[0].old is None:
        return "they were not judged before"
    return reasons.of_flow([move.topics for move in moves])


def _judged_batches(
    session: Session,
    classifier: TreeClassifier,
    only: Sequence[PageId] | None,
    on_progress: ProgressCallback,
    rejected: Sequence[Feedback] | None,
) -> Iterator[JudgedBatch]:
    corpus = PageCorpus(session, CorpusCache(0))  # each page is read once
    total, done = corpus.page_count if only is None else len(only), 0
    batches = corpus.batches(tuple(classifier.groups_), only=only)
    for judged in judge_batches(session, batches, classifier, rejected):
        yield judged
        done += len(judged.pages)
        on_progress(min(done, total), total)
    if done < total:  # some pages have no words at all
        on_progress(total, total)


def _batches(judgements: JudgementTable) -> Iterator[list[tuple[PageId, Judgement]]]:
    rows = iter(judgements)
    while batch := list(islice(rows, _BATCH_PAGES)):
        yield batch


class _Move(Struct, frozen=True):
    page: PageId
    before: str
    after: str
    left: TopicId | None  # None: OTHERS, or not judged
    joined: TopicId | None
    old: Judgement | None
    new: Judgement | None

    @property
    def old_margin(self) -> float:
        return 0.0 if self.old is None else self.old.confidence

    @property
    def new_margin(self) -> float:
        return 0.0 if self.new is None else self.new.confidence

    @property
    def topics(self) -> TopicMove:
        return TopicMove(self.page, self.left, self.joined)


def _moves(
    session: Session, tree: TopicTree, judgements: Iterable[tuple[PageId, Judgement | None]]
) -> Iterator[_Move]:
    rows = iter(judgements)
    while batch := list(islice(rows, _BATCH_PAGES)):
        stored = judgements_of(session, [page for page, _ in batch])
        for page, judgement in batch:
            old = stored.get(page)
            before, after = _topic_name(tree, old), _topic_name(tree, judgement)
            if before != after:
                yield _Move(
                    page=page,
                    before=before,
                    after=after,
                    left=_accepted_topic(old),
                    joined=_accepted_topic(judgement),
                    old=old,
                    new=judgement,
                )


def _accepted_topic(judgement: Judgement | None) -> TopicId | None:
    return judgement.topic if judgement is not None and judgement.is_accepted else None


def _topic_name(tree: TopicTree, judgement: Judgement | None) -> str:
    if judgement is None:
        return NOT_JUDGED
    if not judgement.is_accepted:
        return OTHERS
    return "/".join(tree.path(judgement.topic))


def _pages_by_topic(
    session: Session, moves: Iterable[_Move]
) -> defaultdict[TopicId, tuple[int, int]]:
    """Return the number of pages on each topic, before and after."""
    before = counts_by_topic(session)
    after = Counter(before)
    for move in moves:
        if move.left is not None:
            after[move.left] -= 1
        if move.joined is not None:
            after[move.joined] += 1
    pages = {topic: (before.get(topic, 0), number) for topic, number in after.items()}
    return defaultdict(lambda: (0, 0), pages)


def _estimate(
    tree: TopicTree,
    topic: TopicId,
    pages: tuple[int, int],
    means: tuple[Mapping[TopicId, MeanProbability], Mapping[TopicId, MeanProbability]],
    example_counts: Mapping[TopicId, ExampleCounts],
) -> TopicEstimate:
    examples = example_counts.get(topic, ExampleCounts())
    estimates = [estimate_precision(mean.get(topic), examples.given) for mean in means]
    before, after = (None if estimate is None else estimate.value for estimate in estimates)
    return TopicEstimate(
        topic="/".join(tree.path(topic)),
        examples=examples.total,
        pages=pages,
        precision=(before, after),
        examples_from=examples,
    )


def _moved_page(session: Session, move: _Move, reasons: MoveReasons | None) -> ReassignedPage:
    stored = page_numbered(session, move.page)
    url, title = ("", "") if stored is None else (stored.page.url, stored.title)
    return ReassignedPage(
        url=url,
        title=title,
        before=move.before,
        after=move.after,
        was=None if move.old is None else move.old.confidence,
        reason=_page_reason(move, reasons),
        was_probability=None if move.old is None else move.old.probability,
        margin=move.new_margin,
        probability=None if move.new is None else move.new.probability,
    )


def _page_reason(move: _Move, reasons: MoveReasons | None) -> str:
    if reasons is None:
        return ""
    return "it was not judged before" if move.old is None else reasons.of_page(move.topics)
