"""Every policy keeps the contract, and a policy that breaks it is told how."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.policies.follows import QUEUE, follow_links
from motherlode.policies.kind import LabelledWeb, PolicySetup, load_policy
from motherlode.policies.policy import Miss, Moves, PolicyDefaults, Visit
from motherlode.policies.registry import is_policy, policy_names
from motherlode.policies.testing import BrokenContractError, check_policy
from motherlode.portal import Portal
from motherlode.records import ROOT, Follow, Judgement, Note, UrlKey
from motherlode.urls import url_key
from support.crawl_runs import go_out
from support.small_webs import record_web
from support.training_webs import BIRDS, VOCABULARY, pages, planted

HOST = "a.example.org"


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal that a crawl by BINGO! has trained."""
    folder = tmp_path_factory.mktemp("contract")
    portal = planted(folder / "birds", BIRDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("motherlode.training.training_set.common_vocabulary", lambda: VOCABULARY)
        go_out(portal, record_web(folder / "web", pages()))
    return portal


@pytest.mark.parametrize("name", policy_names(for_lab=True))
def test_every_policy_keeps_the_contract(birds: Path, name: str) -> None:
    labels = LabelledWeb({"http://a.example.org/"}, lambda: {"http://a.example.org/1": 1})
    overrides = [f"crawl.policy={name}"] if is_policy(name) else []
    with Portal.reading(birds, overrides) as portal:
        made = [load_policy(name).make(PolicySetup(portal, labels=labels)) for _ in range(20)]
    policies = iter(made)

    def make() -> object:
        policy = next(policies)
        assert policy is not None
        return policy

    check_policy(make)  # type: ignore[arg-type]


class GoodPolicy(PolicyDefaults):
    """Keeps the contract."""

    name = "good"

    def seed(self) -> Iterable[Follow]:
        return ()

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        return Moves(follow_links(visit, 1.0))


class NoNumber(GoodPolicy):
    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        return Moves(follow_links(visit, float("nan")))


class WrongKey(GoodPolicy):
    def seed(self) -> Iterable[Follow]:
        return [Follow("http://a.example.org/", UrlKey(1), QUEUE, 1.0)]


class TooFew(GoodPolicy):
    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        return [None] * (len(visits) - 1) if visits else []


class BatchJudge(GoodPolicy):
    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        return [Judgement(ROOT, float(len(visits)))] * len(visits)


class WrongDepth(GoodPolicy):
    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        return Moves([replace(follow, depth=0) for follow in follow_links(visit, 1.0)])


class SharedState(GoodPolicy):
    calls: list[int] = []  # noqa: RUF012 - that is its mistake

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        self.calls.append(1)
        return Moves(follow_links(visit, float(len(self.calls))))


class OddNote(GoodPolicy):
    def missed(self, _miss: Miss) -> Moves:
        return Moves(notes=[Note("odd", "key", object())])


class Insistent(GoodPolicy):
    """Offers a follow again that cannot be queued."""

    def seed(self) -> Iterable[Follow]:
        return [Follow("http://a.example.org/", url_key("http://a.example.org/", HOST), QUEUE, 1.0)]

    def not_queued(self, follow: Follow) -> Moves:
        return Moves([follow])

    def unwritten_notes(self) -> Sequence[Note]:
        return ()


class OddUnwrittenNote(Insistent):
    def unwritten_notes(self) -> Sequence[Note]:
        return [Note("odd", "key", object())]


class FileReader(GoodPolicy):
    def seed(self) -> Iterable[Follow]:
        Path("/dev/null").read_text(encoding="ascii")
        open("/dev/null", encoding="ascii").close()  # noqa: PTH123 - as it should not
        return ()


def test_a_policy_that_keeps_the_contract_passes() -> None:
    check_policy(GoodPolicy)


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        (NoNumber, "steer gives .* a rank that is not finite"),
        (WrongKey, "seed gives .* the key of another URL"),
        (TooFew, "judge returns not one judgement for each page"),
        (BatchJudge, "judge depends on which pages are judged together"),
        (WrongDepth, "steer returns links of another depth"),
        (SharedState, "steer returns other moves for the same pages"),
        (OddNote, "missed returns a note that JSON cannot hold"),
        (Insistent, "not_queued goes on for ever"),
        (OddUnwrittenNote, "unwritten_notes returns a note that JSON cannot hold"),
        (FileReader, "reads or writes files"),
    ],
)
def test_a_policy_that_breaks_the_contract_is_told_how(policy: type[GoodPolicy], rule: str) -> None:
    with pytest.raises(BrokenContractError, match=rule):
        check_policy(policy)
