"""A training says why pages move, and can be undone: exactly, or not at all."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from motherlode.policies.bingo.user_retraining import retrain
from motherlode.portal import Portal
from motherlode.records import ROOT, TOPIC_MODEL, PageId, UsageError
from motherlode.search.authority import topic_authorities
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_judgements import MAX_TRAININGS
from motherlode.store.tables.marks import give_marks
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from motherlode.training.feedback.mark_changes import RequestedMarks, list_marks, new_marks
from motherlode.training.feedback.review import NOT_JUDGED, Effect
from motherlode.training.user_retraining import (
    RetrainingOptions,
    UndoableTraining,
    rejudge,
    save_rejudged,
    save_retrained,
    undo_training,
)
from support.databases import both_databases
from support.search_portals import SamplePage, fill_portal, found_hosts
from support.training_webs import EACH, VOCABULARY, number_of, place, planted, text

OWLS = [place("owl", number) for number in range(EACH)]
HERONS = [place("heron", number) for number in range(EACH)]
NEWS = [place("news", number) for number in range(EACH)]
PAGES = {
    place(kind, number): SamplePage(f"{kind.title()} {number}", text(kind, number))
    for kind in ("owl", "heron", "news")
    for number in range(EACH)
}
# A heron is among the owls' examples, so the topic is learned as both.
TOPICS = {"owls": [OWLS[0], HERONS[0]], "OTHERS": NEWS[:2]}
SOON = 4e9  # the time of marks that are given after every training here


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Path:
    settings = {"store__url": database_url} if database_url else {}
    planted(tmp_path / "p", TOPICS, learning__semantic="off", **settings)
    fill_portal(tmp_path / "p", PAGES)
    train(tmp_path / "p")
    return tmp_path / "p"


def train(path: Path, only: tuple[PageId, ...] | None = None) -> Effect:
    options = RetrainingOptions(only=only, offline=True)
    with Portal.reading(path) as portal, portal.store.reading() as session:
        retrained = retrain(session, portal.tree(), portal.config, options)
    with Portal.crawling(path, "test") as portal:
        save_retrained(portal, retrained, {})
    return retrained.effect


def undo(path: Path) -> UndoableTraining:
    with Portal.writing(path, "test") as portal:
        return undo_training(portal)


def mark(path: Path, bad: Sequence[str], good: Sequence[str] = ()) -> None:
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        tree = portal.tree()
        topic = tree.at(parse_path("owls")).id
        requested = RequestedMarks(bad=tuple(bad), good=tuple(good), topic=topic)
        give_marks(session, new_marks(session, tree, requested, SOON))


def rows_of(path: Path, query: str) -> list[tuple[Any, ...]]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return [tuple(row) for row in session.connection.exec_driver_sql(query)]


def state_of(path: Path) -> list[list[tuple[Any, ...]]]:
    """Return all that a training changes: the models in force, and every judgement."""
    models = "SELECT id, created_at, packed FROM models WHERE kind = 'tree' ORDER BY id"
    return [rows_of(path, models), rows_of(path, "SELECT * FROM judgements ORDER BY page_id")]


# --- reasons ---


def test_every_move_has_its_reason_before_anything_is_saved(portal: Path) -> None:
    mark(portal, bad=HERONS[:3], good=OWLS[2:4])
    before = state_of(portal)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        options = RetrainingOptions(offline=True)
        effect = retrain(session, opened.tree(), opened.config, options).effect
    assert state_of(portal) == before
    (flow,) = effect.flows
    assert (flow.before, flow.after, flow.pages) == ("owls", "OTHERS", EACH)
    assert flow.reason.startswith("you marked 3 pages bad for owls; “heron”")
    assert flow.reason.endswith(" now count against owls")
    reasons = {page.url: page.reason for page in effect.shifts}
    assert {reasons[url] for url in HERONS[:3]} == {"you marked it bad for owls"}
    assert all("“heron”" in reasons[url] for url in HERONS[3:])
    assert all(reasons[url].endswith(" now count against owls") for url in HERONS[3:])


def test_a_page_that_is_marked_good_comes_for_that_reason(portal: Path) -> None:
    mark(portal, bad=(), good=[NEWS[4]])
    effect = train(portal)
    reasons = {page.url: page.reason for page in effect.shifts}
    assert reasons[NEWS[4]] == "you marked it good for owls"


def test_the_first_training_says_that_nothing_was_judged_before(tmp_path: Path) -> None:
    planted(tmp_path / "p", TOPICS, learning__semantic="off")
    fill_portal(tmp_path / "p", PAGES)
    effect = train(tmp_path / "p")
    assert effect.is_first
    assert {page.reason for page in effect.shifts} == {"it was not judged before"}


# --- undo ---


@both_databases
def test_undo_restores_the_model_and_every_judgement(portal: Path) -> None:
    before = state_of(portal)
    mark(portal, bad=HERONS[:3], good=OWLS[2:4])
    effect = train(portal)
    assert state_of(portal) != before
    assert found_hosts(portal, "heron", topic="owls") == []
    undone = undo(portal).effect
    assert state_of(portal) == before
    assert (undone.judged, undone.shifted) == (len(PAGES), effect.shifted)
    (there,), (back,) = effect.flows, undone.flows
    assert (back.before, back.after, back.pages) == (there.after, there.before, there.pages)
    assert found_hosts(portal, "heron", topic="owls")  # the search index follows
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert not any(mark.learned for mark in list_marks(session, opened.tree()))
    assert train(portal).flows == effect.flows  # the marks are still there


def test_trainings_are_undone_one_after_the_other(portal: Path) -> None:
    states = []
    for url in HERONS[: MAX_TRAININGS + 1]:
        states.append(state_of(portal))
        mark(portal, bad=[url])
        train(portal)
    for state in reversed(states[-MAX_TRAININGS:]):
        undo(portal)
        assert state_of(portal)[1] == state[1]
    with pytest.raises(UsageError, match="There is no training to take back"):
        undo(portal)


def test_the_first_training_can_be_undone(portal: Path) -> None:
    undone = undo(portal).effect
    assert state_of(portal) == [[], []]
    assert {flow.after for flow in undone.flows} == {NOT_JUDGED}
    assert undone.shifted == len(PAGES)
    assert undone.shifts == ()
    with pytest.raises(UsageError, match="There is no training to take back"):
        undo(portal)
    train(portal)
    assert rows_of(portal, "SELECT id FROM models WHERE kind = 'tree'") == [(3,)]


def test_what_was_computed_with_the_undone_model_is_computed_again(portal: Path) -> None:
    mark(portal, bad=HERONS[:3])
    train(portal)
    owls = number_of(portal, "owls")

    def model_of_authorities() -> int:
        with Portal.reading(portal) as opened, opened.store.reading() as session:
            return topic_authorities(session, opened.tree(), owls, portal.parent).model

    by_training = model_of_authorities()
    undo(portal)
    assert model_of_authorities() > by_training


def test_pages_that_were_judged_again_in_between_go_back_too(portal: Path) -> None:
    before = state_of(portal)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        first = PageId(rows_of(portal, "SELECT min(id) FROM pages")[0][0])
        assert opened.tree()
        assert ledger.latest_model(session, TOPIC_MODEL)
    mark(portal, bad=HERONS[:3])
    train(portal, only=(first,))
    with Portal.crawling(portal, "test") as opened:
        with opened.store.reading() as session:
            rejudged = rejudge(session, opened.tree(), None, lambda _done, _total: None)
        save_rejudged(opened, rejudged)
    assert state_of(portal)[1] != before[1]
    undo(portal)
    assert state_of(portal) == before


def test_after_a_crawl_a_training_is_not_undone(portal: Path) -> None:
    train(portal)
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        ledger.start_run(session, "crawl", "bingo", 1.0)
    before = state_of(portal)
    with pytest.raises(UsageError, match="Pages were fetched since the latest training") as refused:
        undo(portal)
    assert "'lode train DIR'" in str(refused.value)
    assert state_of(portal) == before


def test_after_a_topic_was_removed_a_training_is_not_undone(portal: Path) -> None:
    train(portal)
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        topic_rows.remove_topics(session, [number_of(portal, "owls")], ROOT, [])
    with pytest.raises(UsageError, match=r"Topics were removed .* 'lode topics DIR restore'"):
        undo(portal)


KILLED_WHILE_UNDOING = """
import os, signal, sys
from pathlib import Path
from motherlode.store.tables import former_judgements as former
keep = former.keep_judgements
def killed(*arguments):
    keep(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
former.keep_judgements = killed
from motherlode.training.user_retraining import undo_training
from motherlode.portal import Portal
with Portal.writing(Path(sys.argv[1]), "test") as portal:
    undo_training(portal)
"""


def test_a_kill_while_undoing_leaves_everything_as_it_was(portal: Path) -> None:
    first = state_of(portal)
    mark(portal, bad=HERONS[:3])
    train(portal)
    before = state_of(portal)
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_UNDOING, portal], check=False)
    assert killed.returncode < 0
    assert state_of(portal) == before
    undo(portal)
    assert state_of(portal) == first
