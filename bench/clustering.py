"""Clustering: 5,000 documents of 350 words, the number of clusters chosen among 20."""

from time import perf_counter

import numpy as np

from motherlode.documents.text.terms import Bag
from motherlode.learning.clusters.kmeans import DocumentClusters

DOCUMENTS, WORDS, VOCABULARY = 5_000, 350, 60_000
CLUSTERS, OWN_WORDS = 8, 300
SHARES = (0.25, 0.1)  # of a document's words that are of its cluster


def main() -> None:
    dice = np.random.default_rng(7)
    for share in SHARES:
        truth = dice.integers(0, CLUSTERS, DOCUMENTS)
        bags = [_bag(dice, int(cluster), share) for cluster in truth]
        begin = perf_counter()
        found = DocumentClusters(seed=1).fit(bags)
        seconds = perf_counter() - begin
        number = len(found.centres_)
        right = sum(int(np.bincount(truth[found.clusters_ == one]).max()) for one in range(number))
        print(
            f"{DOCUMENTS:,} documents of {CLUSTERS} kinds, {share:.0%} of their words their own: "
            f"{number} clusters, {right / DOCUMENTS:.1%} of them pure, in {seconds:.1f} s"
        )


def _bag(dice: np.random.Generator, cluster: int, share: float) -> Bag:
    own = (
        (OWN_WORDS ** dice.random(int(WORDS * share))).astype(np.int64)
        + VOCABULARY
        + 1_000 * cluster
    )
    common = (VOCABULARY ** dice.random(WORDS - len(own))).astype(np.int64)
    terms, counts = np.unique(np.concatenate([own, common]), return_counts=True)
    return Bag(terms.astype(np.uint32), counts.astype(np.uint32))
