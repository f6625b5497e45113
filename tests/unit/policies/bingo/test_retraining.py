"""A crawl that learns: its phases, its archetypes, and what becomes of everything after a lesson."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from motherlode.crawl.context import Control, CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.retraining import Request, Result, RetrainingPlan, Study, TrainingProcess
from motherlode.documents.analysis import Manner
from motherlode.fetch.event_loop import run
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.learning.links.model import unpack_link_model
from motherlode.learning.links.weights import LinkWeights
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.link_weights import sample_followed
from motherlode.policies.bingo.retraining import BingoRetrainer
from motherlode.policies.bingo.steering import Phase
from motherlode.policies.bingo.study import StudyRequest, study
from motherlode.portal import Portal
from motherlode.records import LINK_MODEL, TOPIC_MODEL, BadInputError, Lane, Origin, PageId, RunEnd
from motherlode.store.schema import judgements
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import counts_by_topic
from motherlode.store.tables.pages import page_log
from motherlode.workers.worker_pool import InlineWorkerPool
from support.small_webs import record_web
from support.training_webs import BIRDS, VOCABULARY, pages, place, planted


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.training.training_set.common_vocabulary", lambda: VOCABULARY)


def crawled(portal: Path, web: Path, *, pause: bool = False) -> tuple[Progress, list[Progress]]:
    """A crawl by bingo on virtual time, everything on the spot."""
    told: list[Progress] = []

    async def work(opened: Portal) -> Progress:
        workers, replay, control = InlineWorkerPool(Manner()), Replay(open_web(web)), Control()
        await prepare(opened, replay, workers=workers)
        retrainer = BingoRetrainer(
            opened, RetrainingPlan(pause=(lambda: control.stop(RunEnd.FEEDBACK)) if pause else None)
        )
        policy = await retrainer.begin(workers)
        context = CrawlContext(workers, told.append, control, retrainer)
        return await crawl(opened, replay, policy, Limits(100, 2, patience=0.0), context)

    with Portal.crawling(portal, "test") as opened:
        return run_virtually(work(opened)), told


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return record_web(tmp_path / "web", pages())


def portal_of(tmp_path: Path, **settings: object) -> Path:
    return planted(
        tmp_path / "p",
        {**BIRDS, "owls": [place("owl", 0)], "herons": [place("heron", 0)]},
        **settings,
    )


def test_a_crawl_learns_and_then_harvests(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path)
    progress, told = crawled(portal, web)
    phases = list(dict.fromkeys(one.phase for one in told))
    assert phases == ["learning", "harvesting"]
    assert progress.end == RunEnd.DONE
    assert progress.retrainings >= 2
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        kept = {url for url, _, _ in page_log(session)}
        assert {place(kind, n) for kind in ("owl", "heron") for n in range(6)} <= kept
        model = ledger.latest_model(session, TOPIC_MODEL)
        assert model is not None
        TreeClassifier.unpack(model.packed)
        assert model.report["crawl"]["phase"] == "harvesting"
        rows = session.connection.execute(select(judgements.c.model_id)).all()
        assert len(rows) == len(kept)


def test_every_page_is_judged_by_the_last_model(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path, bingo__learn_pages=0)
    crawled(portal, web)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        by_topic = counts_by_topic(session)
        tree = opened.tree()
        names = {tree.path(topic): number for topic, number in by_topic.items()}
    assert names[("owls",)] >= 5
    assert names[("herons",)] >= 5


def archetypes(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [
            one.url or ""
            for one in topic_rows.examples_of(session)
            if one.origin is Origin.ARCHETYPE
        ]


def test_archetypes_join_the_examples_and_are_pages_of_the_crawl(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path)
    crawled(portal, web)
    found = archetypes(portal)
    assert found
    assert all(url.startswith(("http://owl", "http://heron")) for url in found)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        own = [one for one in topic_rows.examples_of(session) if one.origin is Origin.PERSON]
        assert len(own) == 5  # a person's examples are never dropped


def test_a_crawl_goes_on_in_the_phase_that_it_was_in(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path)
    crawled(portal, web)
    _, told = crawled(portal, web)
    assert {one.phase for one in told} == {"harvesting"}


def test_a_person_can_be_heard_before_harvesting(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path)
    progress, told = crawled(portal, web, pause=True)
    assert progress.end == RunEnd.FEEDBACK
    assert {one.phase for one in told} == {"learning"}
    again, told = crawled(portal, web)
    assert again.end == RunEnd.DONE
    assert {one.phase for one in told} == {"harvesting"}


class SlowProcess(TrainingProcess):
    """Where a study takes so long that the whole web could be fetched meanwhile."""

    async def study(
        self, portal: Portal, study: Study[Request, Result], request: Request
    ) -> Result:
        await asyncio.sleep(3600)
        with portal.store.reading() as session:
            return study(session, portal.config, request, None)


@pytest.mark.parametrize("pages", [0, 4, 9, 11, 12])
@pytest.mark.parametrize("pause", [True, False])
def test_not_a_page_more_is_fetched_to_learn_than_was_asked_for(
    tmp_path: Path, web: Path, *, pages: int, pause: bool
) -> None:
    portal = portal_of(tmp_path, bingo__learn_at_home=False)
    seen: list[Progress] = []

    async def work(opened: Portal) -> Progress:
        workers, replay, control = InlineWorkerPool(Manner()), Replay(open_web(web)), Control()
        await prepare(opened, replay, workers=workers)
        stop = (lambda: control.stop(RunEnd.FEEDBACK)) if pause else None
        retrainer = BingoRetrainer(
            opened, RetrainingPlan(SlowProcess(), learn_pages=pages, pause=stop)
        )
        policy = await retrainer.begin(workers)
        context = CrawlContext(workers, seen.append, control, retrainer)
        return await crawl(opened, replay, policy, Limits(100, 4, patience=0.0), context)

    with Portal.crawling(portal, "test") as opened:
        end = run_virtually(work(opened)).end
    examples = 5
    learning = [one.pages + examples for one in seen if one.phase == "learning"]
    assert max(learning, default=0) == (max(pages, examples) if pages else 0)
    assert end == (RunEnd.FEEDBACK if pause and pages else RunEnd.DONE)


def test_what_was_for_later_waits_in_no_queue_of_the_crawl_until_then(
    tmp_path: Path, web: Path
) -> None:
    """The learning phase keeps to the domains of the examples: here, to two hosts of one page each."""
    portal = portal_of(tmp_path)
    crawled(portal, web, pause=True)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert frontier.sizes(session, Lane.HELD)
        assert not frontier.sizes(session)
    crawled(portal, web)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert not frontier.sizes(session, Lane.HELD)


def test_the_papers_own_setting_crawls_too(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path, crawl__policy="bingo-2003")
    progress, _ = crawled(portal, web)
    assert progress.end == RunEnd.DONE
    assert progress.relevant > 0


def test_a_lesson_is_studied_in_a_process_of_its_own(tmp_path: Path, web: Path) -> None:
    portal = portal_of(tmp_path)

    async def work(opened: Portal) -> Phase:
        await prepare(opened, Replay(open_web(web)), workers=InlineWorkerPool(Manner()))
        async with TrainingProcess() as process:
            result = await process.study(opened, study, StudyRequest(Phase.LEARNING))
        return result.phase

    with Portal.crawling(portal, "test") as opened:
        assert run(work(opened)) is Phase.LEARNING


def test_where_there_is_nothing_to_learn_from_it_says_so_from_there(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": []})

    async def work(opened: Portal) -> None:
        async with TrainingProcess() as process:
            await process.study(opened, study, StudyRequest(Phase.LEARNING))

    with (
        Portal.crawling(portal, "test") as opened,
        pytest.raises(BadInputError, match="nothing to learn"),
    ):
        run(work(opened))


def weights_after(portal: Path, web: Path) -> LinkWeights:
    """What a crawl has learned of links."""
    crawled(portal, web)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, LINK_MODEL)
    assert model is not None
    return unpack_link_model(model.packed).weights


def test_a_crawl_learns_from_the_links_that_it_has_followed(
    tmp_path: Path, web: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motherlode.learning.links.weights.MIN_PAGES", 5)
    learned = weights_after(portal_of(tmp_path), web)
    assert learned != LinkWeights()
    assert learned.is_valid()
    for at, setting in enumerate(("bingo__apprentice", "bingo__retrain")):
        assert (
            weights_after(portal_of(tmp_path / str(at), **{setting: False}), web) == LinkWeights()
        )


def test_an_apprentice_learns_from_pages_that_nobody_gave_and_some_of_many() -> None:
    pages = np.array([1, 2, 3, 4, 6, 8])
    assert pages[sample_followed(pages, 1, {PageId(3), PageId(8)})].tolist() == [1, 2, 4, 6]
    assert pages[sample_followed(pages, 2, frozenset())].tolist() == [2, 4, 6, 8]
