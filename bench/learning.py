"""Learning: a hyperplane beside scikit-learn's, judging by a tree beside plain products, a million links."""

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag
from motherlode.learning.links.hits import HubsAndAuthorities
from motherlode.learning.links.pagerank import PageRank
from motherlode.learning.svm import LinearSvm
from motherlode.learning.tree import TreeClassifier

DOCUMENTS, FEATURES, WORDS = 5_000, 2_000, 120
TOPICS = (10, 120)
EXAMPLES, PAGES, VOCABULARY, TERMS_A_PAGE = 20, 2_000, 60_000, 350
NODES, EDGES = 100_000, 1_000_000
ROUNDS = 5


def main() -> None:
    dice = np.random.default_rng(7)
    _hyperplane(dice)
    for topics in TOPICS:
        _judging(dice, topics)
    _links(dice)


def _median(work: Callable[[], object]) -> float:
    work()  # so that what is compiled is
    seconds = []
    for _ in range(ROUNDS):
        begin = perf_counter()
        work()
        seconds.append(perf_counter() - begin)
    return median(seconds)


def _hyperplane(dice: np.random.Generator) -> None:
    """As many documents and features as the issue names; half of the words tell the class."""
    labels = np.where(dice.random(DOCUMENTS) < 0.2, 1, -1)
    columns = _zipf(dice, (DOCUMENTS, WORDS), FEATURES)
    columns[labels > 0, : WORDS // 4] = _zipf(
        dice, (int((labels > 0).sum()), WORDS // 4), FEATURES // 10
    )
    rows = np.repeat(np.arange(DOCUMENTS, dtype=np.int32), WORDS)
    table = csr_array(
        (np.ones(DOCUMENTS * WORDS), (rows, columns.ravel().astype(np.int32))),
        shape=(DOCUMENTS, FEATURES),
    )
    table.data = 1.0 + np.log(table.data)
    lengths = np.sqrt((table.multiply(table)).sum(axis=1))
    table.data /= np.repeat(lengths, np.diff(table.indptr))
    ours = _median(lambda: LinearSvm(balanced=False).fit(table, labels))
    theirs = _median(lambda: LinearSVC(loss="hinge", max_iter=10_000).fit(table, labels))
    print(f"a hyperplane, {DOCUMENTS:,} documents by {FEATURES:,} features:")
    print(
        f"  ours, with dual variables {ours * 1000:6.1f} ms, scikit-learn's liblinear {theirs * 1000:6.1f} ms"
    )


def _judging(dice: np.random.Generator, topics: int) -> None:
    def bag(topic: int) -> Bag:
        own = topic * 300 + _zipf(dice, TERMS_A_PAGE // 3, 300)
        common = _zipf(dice, TERMS_A_PAGE, VOCABULARY)
        terms, counts = np.unique(np.concatenate([own, common]), return_counts=True)
        return Bag((terms * 71_569 % 2**32).astype(np.uint32), counts.astype(np.uint32))

    def sample(topic: int) -> Sample:
        made = bag(topic)
        order = np.argsort(made.terms)
        return {TERMS: Bag(made.terms[order], made.counts[order])}

    parents = dict.fromkeys(range(2, topics + 2), 1)
    documents = {topic: [sample(topic) for _ in range(EXAMPLES)] for topic in parents}
    begin = perf_counter()
    tree = TreeClassifier().fit(parents, documents)
    fitting = perf_counter() - begin
    pages = [sample(int(dice.integers(2, topics + 2))) for _ in range(PAGES)]
    batched = _median(lambda: tree.judge(pages)) / PAGES
    single = _median(lambda: [tree.judge([page]) for page in pages[:200]]) / 200
    print(
        f"judging a page of {np.mean([len(page[TERMS]) for page in pages]):,.0f} terms by {topics} topics: "
        f"{batched * 1e6:.0f} us in a batch, {single * 1e6:.0f} us alone; "
        f"training {fitting:.2f} s, model {len(tree.pack()) / 1e6:.1f} MB"
    )


def _links(dice: np.random.Generator) -> None:
    sources, targets = dice.integers(0, NODES, EDGES), _zipf(dice, EDGES, NODES)
    hosts = dice.integers(0, NODES // 20, NODES)
    relevance = dice.random(NODES)
    hits = _median(lambda: HubsAndAuthorities().fit(sources, targets, hosts, relevance))
    ranks = _median(lambda: PageRank().fit(sources, targets, NODES))
    print(f"{EDGES:,} links: hubs and authorities {hits:.2f} s, PageRank {ranks:.2f} s")


def _zipf(
    dice: np.random.Generator, shape: int | tuple[int, int], most: int
) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """Numbers below `most`, the small ones often, as words are."""
    return (most ** dice.random(shape)).astype(np.int64) - 1
