"""The registry of policies is the only list of them."""

import re
from pathlib import Path

import pytest

import motherlode
from motherlode.policies import baselines
from motherlode.policies.kind import load_policy
from motherlode.policies.registry import (
    BUILT_IN,
    compared_policies,
    policy_names,
    policy_summaries,
)

SOURCE = Path(motherlode.__file__).parent
NAMES = [policy.name for policy in BUILT_IN]


@pytest.mark.parametrize("policy", BUILT_IN, ids=NAMES)
def test_a_kind_has_the_name_that_it_is_registered_by(policy: object) -> None:
    kind = load_policy(policy.name)  # type: ignore[attr-defined]
    assert kind.name == policy.name  # type: ignore[attr-defined]
    assert kind.is_for_portals is not policy.lab_only  # type: ignore[attr-defined]
    assert not (kind.is_for_portals and kind.needs_labels)


def test_baselines_run_under_their_registered_names() -> None:
    classes = (
        baselines.BestFirst,
        baselines.BreadthFirst,
        baselines.DepthFirst,
        baselines.RandomOrder,
        baselines.Oracle,
    )
    assert {policy.name for policy in classes} < set(NAMES)


def test_each_name_is_written_once() -> None:
    words = "|".join(
        name for name in NAMES if name not in {"bingo", "bingo-2003", "tunnel", "websites"}
    )
    literal = re.compile(rf'"(?:{words})"')
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.name != "migrations.py"  # which knows the names of their day
        and literal.search(path.read_text("utf-8"))
    }
    assert found <= {"policies/registry.py"}


def test_every_policy_for_portals_has_a_sentence() -> None:
    summaries = policy_summaries()
    assert tuple(summaries) == policy_names()
    assert all(summary.endswith(".") for summary in summaries.values())


def test_all_policies_are_compared_but_those_that_are_marked() -> None:
    left_out = set(policy_names(for_lab=True)) - set(compared_policies())
    assert left_out == {policy.name for policy in BUILT_IN if not policy.is_compared}
