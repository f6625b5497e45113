"""Multinomial logistic regression over named features, with cross-validation over whole sites.

Loss: the mean negative log-likelihood plus the squared weights times `PENALTY` / 2, minimised by
L-BFGS (Byrd, Lu, Nocedal and Zhu, 1995).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha1

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from bench.forms.labelled import LabelledForm
from motherlode.documents.forms.purposes import PurposeModel
from motherlode.records import FormPurpose

Floats = npt.NDArray[np.float64]

FOLDS = 10
PENALTY = 0.01
MIN_SITES = 3  # that a feature must occur on
_LEAST_WEIGHT = 0.01  # features that weigh less for every purpose are left out of the file
_DIGITS = 2
_PURPOSES = tuple(FormPurpose)


def train(forms: Sequence[LabelledForm], penalty: float = PENALTY) -> PurposeModel:
    """Return the model that fits these forms."""
    names = _frequent(forms)
    matrix = _matrix(forms, names)
    truth = np.array([_PURPOSES.index(form.purpose) for form in forms])
    shape = (matrix.shape[1], len(_PURPOSES))
    solution = minimize(
        _loss,
        np.zeros(shape[0] * shape[1]),
        (matrix, truth, penalty),
        "L-BFGS-B",
        jac=True,
        options={"maxiter": 500},
    )
    return _model(names, solution.x.reshape(shape))


def cross_validated(
    forms: Sequence[LabelledForm], salt: str = "", penalty: float = PENALTY
) -> list[FormPurpose]:
    """Return the purpose of each form by a model that has seen no form of its site."""
    purposes = [FormPurpose.OTHER] * len(forms)
    folds = [fold_of(form.site, salt) for form in forms]
    for fold in range(FOLDS):
        rest = [form for form, place in zip(forms, folds, strict=True) if place != fold]
        model = train(rest, penalty)
        for number, place in enumerate(folds):
            if place == fold:
                purposes[number] = model.purpose_of(forms[number].features)
    return purposes


def fold_of(site: str, salt: str = "") -> int:
    """Return the number of the fold that a site is in."""
    return int.from_bytes(sha1(f"{salt}{site}".encode(), usedforsecurity=False).digest()) % FOLDS


def _frequent(forms: Iterable[LabelledForm]) -> list[str]:
    """Return the features that occur on enough sites."""
    sites: dict[str, set[str]] = defaultdict(set)
    for form in forms:
        for feature in form.features:
            sites[feature].add(form.site)
    return sorted(name for name, where in sites.items() if len(where) >= MIN_SITES)


def _matrix(forms: Sequence[LabelledForm], names: Sequence[str]) -> Floats:
    """Return a row of zeros and ones for each form; the last column is 1, for the bias."""
    columns = {name: column for column, name in enumerate(names)}
    matrix = np.zeros((len(forms), len(names) + 1))
    matrix[:, -1] = 1.0
    for row, form in zip(matrix, forms, strict=True):
        row[[columns[name] for name in form.features if name in columns]] = 1.0
    return matrix


def _loss(
    flat: Floats, matrix: Floats, truth: npt.NDArray[np.int64], penalty: float
) -> tuple[float, Floats]:
    """Return the loss and its gradient."""
    weights = flat.reshape(matrix.shape[1], len(_PURPOSES))
    margins = matrix @ weights
    margins -= margins.max(axis=1, keepdims=True)
    probabilities = np.exp(margins)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    rows = np.arange(len(truth))
    likelihood = np.log(probabilities[rows, truth] + 1e-300).sum()
    probabilities[rows, truth] -= 1.0
    shrunk = weights.copy()
    shrunk[-1] = 0.0  # the bias is free
    gradient = matrix.T @ probabilities / len(truth) + penalty * shrunk
    loss = -likelihood / len(truth) + penalty / 2 * float((shrunk**2).sum())
    return float(loss), gradient.ravel()


def _model(names: Sequence[str], weights: Floats) -> PurposeModel:
    rounded = weights.round(_DIGITS)
    return PurposeModel(
        _PURPOSES,
        tuple(rounded[-1].tolist()),
        {
            name: tuple(row.tolist())
            for name, row in zip(names, rounded[:-1], strict=True)
            if abs(row).max() >= _LEAST_WEIGHT
        },
    )
