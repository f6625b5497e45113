"""The support vector machine, beside scikit-learn's, and the estimates made from it."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.svm import LinearSvm
from motherlode.learning.xialpha import XiAlpha


def made(seed: int, count: int = 200, width: int = 60, positive: float = 0.3) -> tuple[csr_array, Ints]:
    """Documents of length one, whose topic shows in some features, with some noise."""
    dice = np.random.default_rng(seed)
    labels = np.where(dice.random(count) < positive, 1, -1)
    labels[:2] = 1, -1
    dense = dice.random((count, width)) * (dice.random((count, width)) < 0.15)
    dense[labels > 0, :5] += dice.random((int((labels > 0).sum()), 5))
    dense[np.arange(count), dice.integers(0, width, count)] += 0.1
    return csr_array(dense / np.linalg.norm(dense, axis=1, keepdims=True)), labels


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("cost", [0.1, 1.0, 10.0])
def test_it_agrees_with_scikit_learn(cost: float, *, balanced: bool) -> None:
    rows, labels = made(1)
    ours = LinearSvm(cost, balanced=balanced, tolerance=1e-6).fit(rows, labels)
    theirs = LinearSVC(
        loss="hinge", C=cost, class_weight="balanced" if balanced else None, tol=1e-8, max_iter=1_000_000
    ).fit(rows, labels)
    assert ours.weights_ == pytest.approx(theirs.coef_[0], abs=1e-3)
    assert ours.bias_ == pytest.approx(float(theirs.intercept_[0]), abs=1e-3)


def objective(rows: csr_array, labels: Ints, machine: LinearSvm, costs: Floats) -> tuple[float, float]:
    """The primal and the dual objective."""
    squared = float(machine.weights_ @ machine.weights_ + machine.bias_**2)
    slacks = np.maximum(0.0, 1.0 - labels * machine.decision(rows))
    return squared / 2 + float(costs @ slacks), float(machine.duals_.sum()) - squared / 2


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 5.0]), st.floats(0.05, 0.9))
@settings(max_examples=25, deadline=None)
def test_there_is_no_gap_between_primal_and_dual(seed: int, cost: float, positive: float) -> None:
    rows, labels = made(seed, 60, 20, positive)
    machine = LinearSvm(cost, tolerance=1e-6).fit(rows, labels)
    costs = machine._costs(labels.astype(float))
    primal, dual = objective(rows, labels, machine, costs)
    assert primal == pytest.approx(dual, rel=1e-3, abs=1e-3)
    assert ((machine.duals_ >= 0) & (machine.duals_ <= costs + 1e-12)).all()
    signed = machine.duals_ * labels
    assert machine.weights_ == pytest.approx(signed @ rows.toarray(), abs=1e-9)


def test_two_documents_against_many_are_learned_from() -> None:
    rows, labels = made(7, 402, 80)
    order = np.argsort(-labels, kind="stable")
    few = np.concatenate([order[:2], order[labels[order] < 0]])
    machine = LinearSvm().fit(rows[few], labels[few])
    rest = np.setdiff1d(np.arange(len(labels)), few)
    values = machine.decision(rows)
    unseen, others = values[rest], values[few[2:]]  # the rest is all on the topic
    assert (unseen[:, None] > others[None, :]).mean() > 0.8
    assert (others > 0).mean() < 0.1


def test_the_same_again_is_the_same_and_survives_pickling() -> None:
    rows, labels = made(3)
    first, second = LinearSvm().fit(rows, labels), LinearSvm().fit(rows, labels)
    assert (first.weights_ == second.weights_).all()
    thawed = pickle.loads(pickle.dumps(first))  # noqa: S301 - our own
    assert (thawed.decision(rows) == first.decision(rows)).all()


def test_confidence_is_the_distance_to_the_plane() -> None:
    rows, labels = made(3)
    machine = LinearSvm().fit(rows, labels)
    assert machine.confidence(rows) * np.linalg.norm(machine.weights_) == pytest.approx(
        machine.decision(rows)
    )


@pytest.mark.parametrize("labels", [[1, 1], [-1, -1], [1, -1]])
def test_the_smallest_sets_do_not_break_it(labels: list[int]) -> None:
    rows = csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    machine = LinearSvm().fit(rows, np.array(labels))
    assert np.sign(machine.decision(rows)).tolist() == labels


# xi-alpha


def left_out(rows: csr_array, labels: Ints, cost: float) -> tuple[float, float, float]:
    """Error, precision and recall by leaving each document out in turn."""
    verdicts = []
    for left_out in range(len(labels)):
        others = np.delete(np.arange(len(labels)), left_out)
        machine = LinearSvm(cost, balanced=False).fit(rows[others], labels[others])
        verdicts.append(1 if machine.decision(rows[[left_out]])[0] > 0 else -1)
    decisions = np.array(verdicts)
    hits = int(((decisions > 0) & (labels > 0)).sum())
    return (
        float((decisions != labels).mean()),
        hits / max(int((decisions > 0).sum()), 1),
        hits / max(int((labels > 0).sum()), 1),
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("cost", [0.5, 2.0])
def test_the_estimates_are_never_better_than_leaving_one_out(seed: int, cost: float) -> None:
    rows, labels = made(seed, 80, 30)
    machine = LinearSvm(cost, balanced=False).fit(rows, labels)
    estimates = XiAlpha().fit(labels, machine.duals_, machine.slacks_)
    error, precision, recall = left_out(rows, labels, cost)
    assert estimates.error_ >= error - 1e-9
    assert estimates.recall_ <= recall + 1e-9
    assert estimates.precision_ <= precision + 0.05  # of the three, the bound that holds only on average


def test_xi_alpha_by_hand() -> None:
    labels = np.array([1, 1, 1, -1, -1])
    duals = np.array([0.1, 0.6, 0.0, 0.2, 0.5])
    slacks = np.array([0.0, 0.0, 1.2, 0.7, 0.0])
    estimates = XiAlpha(rho=2.0).fit(labels, duals, slacks)  # doubtful: the 2nd, 3rd, 4th and 5th
    assert (estimates.error_, estimates.recall_, estimates.precision_) == (4 / 5, 1 / 3, 1 / 3)
    nothing = XiAlpha().fit(np.array([], int), np.array([]), np.array([]))
    assert (nothing.error_, nothing.recall_, nothing.precision_) == (1.0, 0.0, 0.0)
