"""What scikit-learn makes of the same examples, on all terms: one class a topic, and one for
OTHERS.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array, csr_matrix
from scipy.special import logsumexp

from motherlode.documents.features.spaces import TERMS
from motherlode.lab.learned.figures import MethodScores
from motherlode.lab.learned.pages import LabelledPages
from motherlode.lab.learned.portals import Lesson, SampledPortal
from motherlode.learning.matrix import Floats, Ints, count_matrix, idf_weights, unit_rows
from motherlode.learning.tree import ROOT
from motherlode.records import LodeError


class Matrices(Struct, frozen=True):
    """Examples and unseen pages, over every term of the examples. The class after the topics is
    OTHERS.
    """

    classes: Ints
    counts: csr_array
    unseen_counts: csr_array
    rows: csr_array
    unseen_rows: csr_array


def matrices(portal: SampledPortal, lesson: Lesson, pages: LabelledPages) -> Matrices:
    owned = [
        (place, sample[TERMS])
        for place, topic in enumerate(portal.topics)
        for sample in lesson.documents[portal.numbers[topic]]
    ]
    owned += [(len(portal.topics), sample[TERMS]) for sample in lesson.others[ROOT]]
    bags = [bag for _, bag in owned]
    features = np.unique(np.concatenate([bag.terms for bag in bags]))
    counts = count_matrix(bags, features)
    unseen = count_matrix(
        [sample[TERMS] for sample in pages.samples(portal.unseen.tolist())], features
    )
    idf = idf_weights(counts)
    classes = np.array([place for place, _ in owned], np.int64)
    return Matrices(classes, counts, unseen, unit_rows(counts, idf), unit_rows(unseen, idf))


def naive_bayes(made: Matrices) -> Floats:
    """Log odds of each class by multinomial naive Bayes."""
    model = (
        _library("sklearn.naive_bayes")
        .MultinomialNB(alpha=0.01)
        .fit(_old(made.counts), made.classes)
    )
    joint: Floats = model.predict_joint_log_proba(_old(made.unseen_counts))
    rest = [logsumexp(np.delete(joint, place, axis=1), axis=1) for place in range(joint.shape[1])]
    odds: Floats = joint - np.stack(rest, axis=1)
    return odds


def nearest_centroid(made: Matrices) -> Floats:
    """Minus the squared distance to the centroid of each class, in tf-idf."""
    model = _library("sklearn.neighbors").NearestCentroid().fit(_old(made.rows), made.classes)
    centroids: Floats = model.centroids_
    squares = (centroids**2).sum(axis=1)
    near: Floats = 2 * (made.unseen_rows @ centroids.T) - squares
    return near


def logistic_regression(made: Matrices) -> Floats:
    """The decision value of each class by logistic regression, in tf-idf."""
    model = _library("sklearn.linear_model").LogisticRegression(C=10.0, max_iter=1000, tol=1e-3)
    values: Floats = model.fit(_old(made.rows), made.classes).decision_function(
        _old(made.unseen_rows)
    )
    return np.stack([-values, values], axis=1) if values.ndim == 1 else values


BASELINES: dict[str, Callable[[Matrices], Floats]] = {
    "naive Bayes": naive_bayes,
    "nearest centroid": nearest_centroid,
    "logistic regression": logistic_regression,
}


def judged(portal: SampledPortal, values: Floats) -> MethodScores:
    """A topic is as sure as the surest class of it and its sub-topics, and takes what is surest in
    those.
    """
    best = values.argmax(axis=1)
    scores, accepted = {}, {}
    for topic in portal.topics:
        below = [place for place, other in enumerate(portal.topics) if _under(other, topic, portal)]
        scores[topic] = values[:, below].max(axis=1)
        accepted[topic] = np.isin(best, below)
    return MethodScores(scores, accepted)


def check_library() -> None:
    """Say at once, and not after minutes, that scikit-learn is not here."""
    _library("sklearn")


def _under(topic: str, other: str, portal: SampledPortal) -> bool:
    return portal.numbers[other] in portal.line(topic)


def _library(name: str) -> Any:
    """A library of the optional extra; it is slow to import, and few commands want it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise LodeError("Baselines need the 'lab' extra: pip install 'motherlode[lab]'.") from error


def _old(rows: csr_array) -> csr_matrix:
    """The kind of matrix that every version of scikit-learn takes."""
    return csr_matrix(rows)
