"""The terms and the meaning of a document as evidence: their parts in its distance from a plane."""

import numpy as np

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.text.terms import Bag
from motherlode.learning.planes import PlaneGroup, TopicPlane
from motherlode.learning.scorer import BagBatch
from motherlode.learning.semantic import SemanticScorer
from motherlode.learning.site_profiles import ProfileScorer

SEMANTIC = "semantic"  # in place of a space: the meaning of a document
SITES = "sites"  # in place of a space: how near a document is to the sites of the examples
WHOLE_DOCUMENT = 0  # in place of a term number: all words together


def term_contributions_to(
    bag: Bag | None,
    group: PlaneGroup,
    plane: TopicPlane,
) -> list[tuple[int, float]]:
    """Return the part of each known term in a document's distance from one plane."""
    if bag is None:
        return []
    features = np.frombuffer(group.features, np.uint32)
    idf = np.full(len(bag), group.unseen_idf)
    _, in_bag, in_group = np.intersect1d(
        bag.terms,
        features,
        assume_unique=True,
        return_indices=True,
    )
    idf[in_bag] = np.frombuffer(group.idf, np.float32)[in_group]
    values = (1.0 + np.log(bag.counts)) * idf
    length = float(np.linalg.norm(values)) or 1.0
    weights = np.zeros(len(features))
    indices = np.frombuffer(plane.feature_indices, np.uint32)
    weights[indices] = np.frombuffer(plane.weights, np.float32)
    parts = (values[in_bag] * weights[in_group] / length).tolist()
    terms = features[in_group].tolist()
    return [(term, part) for term, part in zip(terms, parts, strict=True) if part]


def semantic_contribution(
    bag: Bag, group: PlaneGroup, plane: TopicPlane, meanings: Meanings
) -> float | None:
    """Return the part of a document's meaning; None for a plane that does not use meanings."""
    if plane.centroid is None:
        return None
    vectors = BagBatch.from_bags([bag]).vectors(meanings)
    scorer = SemanticScorer(group.others_mean, [plane.centroid])
    return float(scorer.contributions(vectors)[0, 0])


def site_contribution(bag: Bag, group: PlaneGroup, plane: TopicPlane) -> float | None:
    """Return the part of nearness to the sites of the examples; None without their profiles."""
    profiles = group.profiles.only([group.planes.index(plane)])
    scorer = ProfileScorer(profiles)
    if not scorer.has_say:
        return None
    return float(scorer.contributions(BagBatch.from_bags([bag]), np.array([0]))[0, 0])


def characteristic_terms(
    group: PlaneGroup, plane: TopicPlane, limit: int
) -> list[tuple[int, float]]:
    """Return the terms of highest positive weight for a plane, with their weights."""
    features = np.frombuffer(group.features, np.uint32)
    terms = features[np.frombuffer(plane.feature_indices, np.uint32)]
    weights = np.frombuffer(plane.weights, np.float32)
    best = np.argsort(-weights, kind="stable")[:limit]
    return [(int(terms[i]), float(weights[i])) for i in best if weights[i] > 0]
