"""How a portal changes by a user's feedback and another training (SPEC B15, B21).

The labels of the web stand in for the user. Every kind of feedback is tried on the same crawl.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from time import time
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.lab.clock import run_virtually
from motherlode.lab.defaults import RANDOM_SEED, REPEATS
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.seeds import Seeds, check_seeds, draw_seeds
from motherlode.lab.trials.trial import (
    Budget,
    TrialSetup,
    crawl_portal,
    plant_topic,
    policy_settings,
    throwaway,
)
from motherlode.policies.bingo.archetype_list import (
    list_unscored_archetypes,
)
from motherlode.policies.bingo.feedback import (
    ALL,
    RequestedFeedback,
    changes_from,
    options_after,
)
from motherlode.policies.bingo.user_retraining import retrain
from motherlode.policies.kind import load_policy
from motherlode.policies.registry import BINGO
from motherlode.portal import Portal
from motherlode.portal.directory import plant_into
from motherlode.records import Mark, PageId, TopicId, Word
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import Judged, judged_for, judged_pages
from motherlode.store.tables.marks import give_marks, take_back
from motherlode.store.tables.pages import urls_of_pages
from motherlode.topics import TopicTree, clean_name, plant_found
from motherlode.training.clusters import ClusterOptions, FewPagesError, clusters_of
from motherlode.training.feedback.questions import answered_pages, choose_questions
from motherlode.training.user_retraining import RetrainingOptions
from motherlode.urls import Address

TRAIN = "none"
ACCEPT = "accept all"
REJECT = "reject the wrong"
CLUSTERS = "apply clusters"
MARK_GOOD = "mark good"
MARK_BOTH = "mark good and bad"
ASKED = "asked answers"
RANDOM = "random answers"
KINDS = (TRAIN, ACCEPT, REJECT, CLUSTERS, ASKED, RANDOM, MARK_GOOD, MARK_BOTH)
ANSWERS_PER_ROUND = 5  # as many as `lode feedback --ask` asks before it trains

ChoosePages = Callable[[int], Sequence[PageId]]


class FeedbackExperiment(Struct, frozen=True):
    """What to run.

    `marks`: how many pages are marked good, how many bad, and how many questions are answered.
    """

    web: str
    topics: tuple[str, ...]
    pages: int
    seeds: Seeds = 5
    seed: int = RANDOM_SEED
    repeat: Annotated[int, Meta(ge=1)] = REPEATS
    marks: Annotated[int, Meta(ge=1)] = 10


class FeedbackTask(Struct, frozen=True):
    """One crawl, on a topic from one draw of seeds."""

    topic: str
    turn: int


class OnTopic(Struct, frozen=True):
    """How many pages on a topic are right by the labels, and how many are wrong; seeds left out."""

    right: int
    wrong: int

    @property
    def precision(self) -> float | None:
        pages = self.right + self.wrong
        return self.right / pages if pages else None


class FeedbackTrial(Struct, frozen=True):
    """What one kind of feedback on `given` pages led to; `before` is the crawl as it ended.

    `relevant`: how many of the pages that were fetched belong to the topic.
    """

    task: FeedbackTask
    kind: str
    given: int
    before: OnTopic
    after: OnTopic
    relevant: int


class FeedbackRow(Struct, frozen=True):
    """A kind of feedback: sums over the crawls in which any was given."""

    kind: str
    crawls: int
    given: int
    before: OnTopic
    after: OnTopic
    relevant: int

    @property
    def recall(self) -> float | None:
        """The share of the relevant pages fetched that are on the topic after the feedback."""
        return self.after.right / self.relevant if self.relevant else None


class FeedbackExperimentResult(Struct, frozen=True):
    """All crawls, and a row for each kind of feedback."""

    experiment: FeedbackExperiment
    rows: list[FeedbackRow]
    trials: list[FeedbackTrial]


class FeedbackBench:
    """A web, open for many crawls with feedback."""

    def __init__(self, experiment: FeedbackExperiment) -> None:
        self._experiment = experiment
        self._web = open_web(Path(experiment.web))
        self._readings = Readings(self._web)

    def check(self) -> None:
        for topic in self._experiment.topics:
            check_seeds(self._web, self._seeds(FeedbackTask(topic, 0)), self._experiment.pages)

    def run(self, task: FeedbackTask) -> list[FeedbackTrial]:
        seeds, timing, kind = self._seeds(task), Timing(), load_policy(BINGO)
        relevant = self._web.labels().relevant(task.topic) - {seed.url for seed in seeds}
        with throwaway(plant_topic(seeds), policy_settings(kind), timing) as portal:
            setup = TrialSetup(kind, seeds, Budget(self._experiment.pages), timing)
            run_virtually(crawl_portal(portal, Replay(self._web, timing), setup, self._readings))
            trial = _Trial(portal, task, relevant, frozenset(seed.url for seed in seeds))
            return list(trial.run(self._experiment.marks))

    def _seeds(self, task: FeedbackTask) -> tuple[Address, ...]:
        experiment = self._experiment
        return draw_seeds(
            self._web.labels(), task.topic, experiment.seeds, experiment.seed + task.turn
        )


class _TakenBackError(Exception):
    """Raised to undo the changes of a trial."""


class _Trial:
    """A crawled portal, and the labels that the user goes by."""

    def __init__(
        self, portal: Portal, task: FeedbackTask, relevant: Collection[str], seeds: Collection[str]
    ) -> None:
        self._portal, self._task = portal, task
        self._relevant, self._seeds = relevant, seeds
        self._topic = next(
            topic.id for topic in portal.tree() if _is_topic(portal.tree(), topic.id)
        )
        with portal.store.reading() as session:
            self._before = self._counted(judged.url for judged in self._judged(session))
            fetched = urls_of_pages(session, judged_pages(session))
            self._url_of = {page: url for page, url in fetched.items() if url not in seeds}

    def run(self, marks: int) -> Iterator[FeedbackTrial]:
        """Yield a trial for each kind of feedback; marks come last, because they are stored."""
        yield self._trained(TRAIN, RequestedFeedback())
        yield self._trained(ACCEPT, RequestedFeedback(accept=(ALL,)))
        yield self._trained(REJECT, RequestedFeedback(reject=self._wrong_archetypes()))
        yield self._with_clusters()
        yield self._answered(ASKED, marks, self._asked)
        yield self._answered(RANDOM, marks, self._drawn)
        with self._portal.store.reading() as session:
            examples = {example.url for example in topic_rows.examples_of(session)}
            shown = [judged for judged in self._judged(session) if judged.url not in examples]
        good = [judged for judged in shown if judged.url in self._relevant][:marks]
        bad = [judged for judged in shown if judged.url not in self._relevant][:marks]
        self._mark(good, Word.GOOD)
        yield self._trained(MARK_GOOD, RequestedFeedback(), given=len(good))
        self._mark(bad, Word.BAD)
        yield self._trained(MARK_BOTH, RequestedFeedback(), given=len(good) + len(bad))

    def _with_clusters(self) -> FeedbackTrial:
        """Make subtopics of the topic's clusters, train, and take them back."""
        portal = self._portal
        before = self._before
        trial = FeedbackTrial(self._task, CLUSTERS, 0, before, before, self._fetched_relevant())
        with suppress(FewPagesError, _TakenBackError), portal.store.writing() as session:
            clustering = clusters_of(session, portal.tree(), self._topic, ClusterOptions())
            path = portal.tree().path(self._topic)
            found = [
                (
                    (*path, clean_name(cluster.name)),
                    [(page.url, page.title) for page in cluster.pages],
                )
                for cluster in clustering.clusters
            ]
            if len(found) > 1:
                given = plant_into(session, plant_found(found))
                trial = self._trained_in(session, CLUSTERS, RequestedFeedback(), given)
            raise _TakenBackError
        return trial

    def _answered(self, kind: str, count: int, choose: ChoosePages) -> FeedbackTrial:
        """Answer questions by the labels in rounds, train, and take the answers back."""
        given, now = 0, time()
        while given < count:
            pages = choose(min(ANSWERS_PER_ROUND, count - given))
            if not pages:
                break
            with self._portal.batch() as session:
                give_marks(session, [self._answer(page, now) for page in pages])
            given += len(pages)
        trial = self._trained(kind, RequestedFeedback(), given=given)
        if given:
            with self._portal.batch() as session:
                take_back(session)
        return trial

    def _answer(self, page: PageId, now: float) -> Mark:
        is_right = self._url_of[page] in self._relevant
        return Mark(page, self._topic, Word.GOOD if is_right else Word.BAD, now)

    def _asked(self, count: int) -> list[PageId]:
        """Return the pages whose answers would teach most, by a model of the answers so far."""
        portal, tree = self._portal, self._portal.tree()
        with portal.store.reading() as session:
            trained = retrain(session, tree, portal.config, RetrainingOptions())
            questions = choose_questions(session, tree, trained.classifier, count)
        return [question.page for question in questions if question.page in self._url_of]

    def _drawn(self, count: int) -> list[PageId]:
        """Return pages drawn at random from those that were fetched and judged."""
        with self._portal.store.reading() as session:
            answered = answered_pages(session, self._portal.tree())
        pages = sorted(set(self._url_of) - answered)
        seed = f"{self._task.topic} {self._task.turn} {len(answered)}"
        return Random(seed).sample(pages, min(count, len(pages)))  # noqa: S311 - no secret

    def _judged(self, session: Session) -> Sequence[Judged]:
        """Return the pages on the topic, the most confident first."""
        return judged_for(session, [self._topic], 2**31)

    def _wrong_archetypes(self) -> tuple[str, ...]:
        with self._portal.store.reading() as session:
            archetypes = list_unscored_archetypes(session, self._portal.tree())
        return tuple(
            archetype.url for archetype in archetypes if archetype.url not in self._relevant
        )

    def _mark(self, pages: Sequence[Judged], word: Word) -> None:
        with self._portal.batch() as session:
            give_marks(session, [Mark(judged.page, self._topic, word, time()) for judged in pages])

    def _trained(
        self, kind: str, requested: RequestedFeedback, given: int | None = None
    ) -> FeedbackTrial:
        """Train with feedback as `lode train` would, without saving anything."""
        with self._portal.store.reading() as session:
            return self._trained_in(session, kind, requested, given)

    def _trained_in(
        self, session: Session, kind: str, requested: RequestedFeedback, given: int | None
    ) -> FeedbackTrial:
        tree = TopicTree(topic_rows.all_topics(session))
        changes = changes_from(session, tree, requested, time())
        options = options_after(session, tree, changes)
        trained = retrain(session, tree, self._portal.config, options)
        accepted = [page for page, judgement in trained.judgements if judgement.is_accepted]
        after = self._counted(urls_of_pages(session, accepted).values())
        changed = len(changes.changed) + len(changes.removed)
        given = changed if given is None else given
        relevant = self._fetched_relevant()
        return FeedbackTrial(self._task, kind, given, self._before, after, relevant)

    def _fetched_relevant(self) -> int:
        """Return how many of the pages that were fetched belong to the topic."""
        return sum(url in self._relevant for url in self._url_of.values())

    def _counted(self, urls: Iterator[str] | Collection[str]) -> OnTopic:
        """Return how many of these pages are right; seeds, which the user knows already, do not
        count.
        """
        is_right = [url in self._relevant for url in urls if url not in self._seeds]
        return OnTopic(right=sum(is_right), wrong=len(is_right) - sum(is_right))


def feedback_tasks(experiment: FeedbackExperiment) -> list[FeedbackTask]:
    """Return every crawl of an experiment."""
    return [
        FeedbackTask(topic, turn)
        for topic in experiment.topics
        for turn in range(experiment.repeat)
    ]


def run_feedback(
    experiment: FeedbackExperiment, jobs: int | None = None
) -> Iterator[list[FeedbackTrial]]:
    """Yield the trials of each crawl as it finishes, on this many processes."""
    return spread(FeedbackBench, experiment, feedback_tasks(experiment), jobs)


def feedback_result(
    experiment: FeedbackExperiment, crawls: Sequence[Sequence[FeedbackTrial]]
) -> FeedbackExperimentResult:
    """Return a row for each kind of feedback: sums over the crawls in which any was given."""
    trials = [trial for crawl in crawls for trial in crawl]
    trials.sort(key=lambda trial: (trial.task.topic, trial.task.turn, KINDS.index(trial.kind)))
    return FeedbackExperimentResult(experiment, [_row(kind, trials) for kind in KINDS], trials)


def _row(kind: str, trials: Sequence[FeedbackTrial]) -> FeedbackRow:
    of_kind = [trial for trial in trials if trial.kind == kind and (trial.given or kind == TRAIN)]
    return FeedbackRow(
        kind=kind,
        crawls=len(of_kind),
        given=sum(trial.given for trial in of_kind),
        before=_sum(of_kind, lambda trial: trial.before),
        after=_sum(of_kind, lambda trial: trial.after),
        relevant=sum(trial.relevant for trial in of_kind),
    )


def _sum(trials: Sequence[FeedbackTrial], counts_of: Callable[[FeedbackTrial], OnTopic]) -> OnTopic:
    counts = [counts_of(trial) for trial in trials]
    return OnTopic(sum(count.right for count in counts), sum(count.wrong for count in counts))


def _is_topic(tree: TopicTree, topic: TopicId) -> bool:
    return tree[topic].parent is not None and not tree[topic].is_others
