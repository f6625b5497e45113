"""Expert search: a query, a few pages, a short crawl, ten answers (SPEC B31; BINGO!, 5.3, Figures 4
and 5).

The crawl and its answer are those of `lode ask`, on a portal that is thrown away. Beside the answer
stand the same pages in other orders, and what somebody would find who only looked at what the seeds
link to.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.lab.clock import run_virtually
from motherlode.lab.defaults import RANDOM_SEED, REPEATS
from motherlode.lab.experiments.figures import ANSWERS, Ranking, Rankings, mean_ranking, ranking
from motherlode.lab.experiments.stock import Extent, extent, judged
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.seeds import Seeds, check_seeds, draw_seeds
from motherlode.lab.trials.trial import Budget, TrialSetup, crawl_portal, throwaway
from motherlode.policies.kind import load_policy
from motherlode.portal import Portal
from motherlode.records import Document
from motherlode.search.answers import AnswerPage, answer_query, page_cosines
from motherlode.search.cosine import corpus_idf, cosines_with_query
from motherlode.store import Session
from motherlode.store.tables.judgements import Judged
from motherlode.store.tables.pages import languages_of
from motherlode.topics import Planting, plant_query, plant_seeds
from motherlode.topics.tree_builder import Planted
from motherlode.urls import Address, UrlRules

_DEEP = 100  # places of a list in which a right page is looked for


class Order(StrEnum):
    """What pages are ranked by, and which pages."""

    ASK = "ask"  # confidence plus cosine, as `lode ask` has it
    CONFIDENCE = "confidence"  # the crawl by confidence alone
    FILTERED = "query, on topic"  # by cosine, the pages on the topic: what the paper did
    QUERY = "query, all pages"  # by cosine, all that was fetched
    NEIGHBOURS = "neighbours"  # by cosine, what the seeds link to


class ExpertExperiment(Struct, frozen=True):
    """What to ask. `query`: if not by the name of each topic; `pages`: of the crawl, seeds
    included.
    """

    web: str
    topics: tuple[str, ...]
    pages: Annotated[int, Meta(ge=1)]
    query: str = ""
    seeds: Seeds = 3
    seed: int = RANDOM_SEED
    repeat: Annotated[int, Meta(ge=1)] = REPEATS


class Question(Struct, frozen=True):
    """One of them: a topic, and which draw of its seeds."""

    topic: str
    turn: int


class RatedPage(Struct, frozen=True):
    """A page of the answer; `right`: by its labels."""

    score: float
    url: str
    title: str
    right: bool


class ExpertAnswer(Struct, frozen=True):
    """A question with its answer, the ten best pages, and how good each order of pages is."""

    question: Question
    query: str
    seeds: tuple[str, ...]
    extent: Extent
    answers: list[RatedPage]
    rankings: dict[Order, Ranking]
    seconds: float


class ExpertResult(Struct, frozen=True):
    """Everything there is to tell; `means` are over topics and draws."""

    plan: ExpertExperiment
    means: dict[Order, Rankings]
    runs: list[ExpertAnswer]


def questions(plan: ExpertExperiment) -> list[Question]:
    return [Question(topic, turn) for topic in plan.topics for turn in range(plan.repeat)]


def query_for(topic: str) -> str:
    """The words that a topic is called by, without those above it.

    >>> query_for("Design_and_Technology/Railway_transport")
    'Railway transport'
    """
    return " ".join(topic.rpartition("/")[2].replace("_", " ").split())


class ExpertBench:
    """A web laid open for many questions."""

    def __init__(self, plan: ExpertExperiment) -> None:
        self._plan = plan
        self._web = open_web(Path(plan.web))
        self._readings = Readings(self._web, whole=True)

    def check(self) -> None:
        for topic in self._plan.topics:
            check_seeds(self._web, self._seeds(topic, 0), self._plan.pages)

    def run(self, question: Question) -> ExpertAnswer:
        began = perf_counter()
        seeds = self._seeds(question.topic, question.turn)
        told = {seed.url for seed in seeds}
        topic = self._web.labels().relevant(question.topic) - told
        query = self._plan.query or query_for(question.topic)
        with throwaway(_planting(query, seeds), {}, Timing()) as portal:
            kind = load_policy(portal.config.crawl.policy)
            setup = TrialSetup(kind, seeds, Budget(self._plan.pages), Timing())
            run_virtually(crawl_portal(portal, Replay(self._web, Timing()), setup, self._readings))
            reached, answers, orders = _looked_up(portal, query, len(seeds))
        orders[Order.NEIGHBOURS] = self._neighbours(query, seeds)
        lists = {name: [url for url in orders[name] if url not in told][:_DEEP] for name in Order}
        return ExpertAnswer(
            question=question,
            query=query,
            seeds=tuple(seed.url for seed in seeds),
            extent=reached,
            answers=[_found(one, topic) for one in answers if one.url not in told][:ANSWERS],
            rankings={name: ranking(urls, topic) for name, urls in lists.items()},
            seconds=perf_counter() - began,
        )

    def _seeds(self, topic: str, turn: int) -> tuple[Address, ...]:
        return draw_seeds(self._web.labels(), topic, self._plan.seeds, self._plan.seed + turn)

    def _neighbours(self, query: str, seeds: Sequence[Address]) -> list[str]:
        """What the seeds link to, by the query; how telling a word is, these pages alone say."""
        given = self._readings.examples([seed.url for seed in seeds])
        links = dict.fromkeys(link.url for document in given for link in document.links)
        return _by_query(query, self._readings.documents(list(links)))


def ask(plan: ExpertExperiment, jobs: int | None = None) -> Iterator[ExpertAnswer]:
    """Ask every question, on so many processes, as they are answered."""
    return spread(ExpertBench, plan, questions(plan), jobs)


def result(plan: ExpertExperiment, asked: Sequence[ExpertAnswer]) -> ExpertResult:
    place = {question: place for place, question in enumerate(questions(plan))}
    runs = sorted(asked, key=lambda one: place[one.question])
    return ExpertResult(
        plan, {name: mean_ranking([one.rankings[name] for one in runs]) for name in Order}, runs
    )


def _planting(query: str, seeds: Sequence[Address]) -> Planting:
    """The topic of `lode ask`: the query itself and the seeds are its examples."""
    (asked,) = plant_query(query).topics
    (given,) = plant_seeds([(asked.path, [seed.url for seed in seeds])], UrlRules()).topics
    return Planting((Planted(asked.path, (*asked.examples, *given.examples)),))


def _looked_up(
    portal: Portal, query: str, seeds: int
) -> tuple[Extent, tuple[AnswerPage, ...], dict[Order, list[str]]]:
    """How far the crawl is, its answer, and its pages in every order."""
    tree = portal.tree()
    (topic,) = (one.id for one in tree if not one.is_others)
    with portal.store.reading() as session:
        told = answer_query(session, tree, topic, query, _DEEP + seeds)
        on, off = judged(session, tree)
        like = _likeness(session, query, [*on, *off])
        orders = {
            Order.ASK: [one.url for one in told.finds],
            Order.CONFIDENCE: [one.url for one in (*on, *off)],
            Order.FILTERED: _best({one.url: like[one.url] for one in on}),
            Order.QUERY: _best(like),
        }
        return extent(session, len(on)), told.finds, orders


def _likeness(session: Session, query: str, pages: Sequence[Judged]) -> dict[str, float]:
    """The cosine of each page with the query, by its address."""
    found = page_cosines(session, query, languages_of(session, {one.page for one in pages}))
    return {one.url: found.get(one.page, 0.0) for one in pages}


def _by_query(query: str, documents: Mapping[str, Document]) -> list[str]:
    bags = {
        url: unpack(document.vectors[TERMS])
        for url, document in documents.items()
        if document.vectors.get(TERMS)
    }
    languages = {url: documents[url].language for url in bags}
    every = list(bags.values())
    return _best(
        cosines_with_query(query, bags, languages, lambda features: corpus_idf([every], features))
    )


def _best(scores: Mapping[str, float]) -> list[str]:
    """Those that have anything of the query, the most like it first; equals in order of their
    addresses.
    """
    return sorted((url for url in scores if scores[url] > 0), key=lambda url: (-scores[url], url))


def _found(find: AnswerPage, topic: frozenset[str]) -> RatedPage:
    return RatedPage(find.score, find.url, find.title, find.url in topic)
