"""What `lode train` does is the policy's to say."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from motherlode.app.requests.feedback import FeedbackRequest
from motherlode.app.requests.training import JudgeRequest, TrainRequest
from motherlode.app.services.feedback.archetypes import store_feedback, try_feedback
from motherlode.app.services.judgement import judge_again
from motherlode.app.services.training import (
    preview_training,
    train_directory,
    undo_training_in,
)
from motherlode.policies.baseline_kinds import BREADTH_FIRST_KIND
from motherlode.policies.bingo.kind import BINGO_2003_KIND, BINGO_KIND
from motherlode.policies.bingo.user_retraining import BINGO_TRAINING
from motherlode.policies.kind import load_policy
from motherlode.policies.registry import BUILT_IN, Registration
from motherlode.records import UsageError
from motherlode.training.user_retraining import TOPIC_TRAINING
from support.training_webs import BIRDS, fetch, pages, planted

UNTRAINED = "untrained"
UNTRAINED_KIND = replace(BREADTH_FIRST_KIND, name=UNTRAINED, training=None)


class OwnTrainingError(Exception):
    """The training of this policy was called."""


def _refuse(*_args: object) -> None:
    raise OwnTrainingError


OWN = "own-training"
OWN_KIND = replace(
    BREADTH_FIRST_KIND,
    name=OWN,
    training=replace(TOPIC_TRAINING, retrain=_refuse, undo=_refuse, undoable=_refuse),  # type: ignore[arg-type]
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    registrations = [
        Registration(name, "", f"{__name__}:{attribute}")
        for name, attribute in ((UNTRAINED, "UNTRAINED_KIND"), (OWN, "OWN_KIND"))
    ]
    monkeypatch.setattr("motherlode.policies.registry.BUILT_IN", (*BUILT_IN, *registrations))


def ignore(*_args: object) -> None:
    """Show nothing."""


COMMANDS: dict[str, Callable[[Path], object]] = {
    "train": lambda portal: train_directory(portal, TrainRequest(offline=True), ignore, ignore),
    "preview": lambda portal: preview_training(portal, TrainRequest(preview=True), ignore),
    "undo": lambda portal: undo_training_in(portal, TrainRequest(undo=True)),
    "preview undo": lambda portal: undo_training_in(portal, TrainRequest(undo=True, preview=True)),
}
MORE_COMMANDS: dict[str, Callable[[Path], object]] = {
    **COMMANDS,
    "judge": lambda portal: judge_again(portal, JudgeRequest(again=True), ignore),
    "feedback": lambda portal: store_feedback(portal, FeedbackRequest(accept=("all",))),
    "try feedback": lambda portal: try_feedback(portal, FeedbackRequest(accept=("all",))),
}


@pytest.mark.parametrize("command", MORE_COMMANDS.values(), ids=MORE_COMMANDS.keys())
def test_a_portal_whose_policy_is_not_trained_says_so(
    tmp_path: Path, command: Callable[[Path], object]
) -> None:
    portal = planted(tmp_path / "p", BIRDS, crawl__policy=UNTRAINED)
    with pytest.raises(UsageError, match="Portals crawled by untrained are not trained; "):
        command(portal)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_policy_is_trained_by_its_own_steps(
    tmp_path: Path, command: Callable[[Path], object]
) -> None:
    portal = planted(tmp_path / "p", BIRDS, crawl__policy=OWN)
    with pytest.raises(OwnTrainingError):
        command(portal)


def test_baselines_are_trained_on_the_topic_tree(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS, crawl__policy="breadth-first")
    fetch(portal, pages(), tmp_path / "web")
    request = TrainRequest(offline=True)
    trained = train_directory(portal, request, ignore, ignore)
    assert {topic.path for topic in trained.topics} == {"owls", "herons"}


def test_bingo_is_trained_as_its_crawl_was() -> None:
    assert BINGO_KIND.training is BINGO_2003_KIND.training is BINGO_TRAINING
    without_training = {"tunnel", "tunnel-2002", "ordinal", "ordinal-2007"}
    for_sites = {registration.name for registration in BUILT_IN if registration.finds_sites}
    baselines = {registration.name for registration in BUILT_IN} - {"bingo", "bingo-2003"}
    baselines -= without_training | for_sites
    assert {load_policy(name).training for name in baselines} == {TOPIC_TRAINING}
    assert {load_policy(name).training for name in without_training | for_sites} == {None}
