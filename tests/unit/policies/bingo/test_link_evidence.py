"""Sums over all links give the same ranks as pages seen one by one; evidence before the fetch."""

import pickle
from math import isfinite, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.learning.links.weights import LinkWeights
from motherlode.policies.bingo.kernels import Floats
from motherlode.policies.bingo.link_evidence import LinkSums, ProspectsWriter, evidence_before_fetch
from motherlode.policies.bingo.link_text import LOG_ODDS_PER_WEIGHT, WeightEvidence
from motherlode.policies.bingo.prospects import Prospects
from support.link_prospects import add_page, link, share, term_of

NAMES = ("owls", "", "an-engine.html")
targets = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from(["owls", "engine", "more", ""])),
    max_size=8,
)


@given(
    st.lists(st.tuples(st.floats(0, 1) | st.just(nan), st.integers(0, 3), targets), max_size=12),
    st.sets(st.integers(1, 12)),
    st.integers(0, 12),
)
@settings(deadline=None)  # the first one compiles
def test_sums_give_the_same_ranks_as_pages_one_by_one(
    pages: list[tuple[float, int, list[tuple[int, str]]]], wanted: set[int], split: int
) -> None:
    one_by_one, written = Prospects(1 << 16), Prospects(1 << 16)  # no two share a slot
    urls = {
        target: link(
            f"http://h{target % 4}.test/{target}/{NAMES[target % 3]}",
        )
        for target in range(1, 13)
    }
    numbers = np.array(sorted(wanted), np.int64)
    keys = np.array([urls[target].key for target in sorted(wanted)], np.int64)
    sums = LinkSums(numbers, keys, np.array([nan], np.float32))
    writer = ProspectsWriter(written, sums)
    for prospects in (one_by_one, written):
        prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8, term_of("engine"): -0.4}))
    for probability, host, links in pages:
        if isfinite(probability):
            page_links = [link(urls[target].url, anchor) for target, anchor in links]
            add_page(one_by_one, probability, *page_links, host=f"h{host}.test")
    for first, batch in ((split, pages[split:]), (0, pages[:split])):  # the latest first
        probabilities = np.array([probability for probability, _, _ in batch], np.float64)
        hosts = [link(f"http://h{host}.test/page").key for _, host, _ in batch]
        written.count_pages(np.array(hosts, np.int64), probabilities)
        sums.add_pages(
            np.arange(first + 1, first + len(batch) + 1),
            probabilities,
            np.cumsum([0, *(len(links) for _, _, links in batch)]),
            np.array([target for _, _, links in batch for target, _ in links], np.int32),
        )
    rows, last_pages, positions = sums.last_links()
    last_links = zip(last_pages, positions, strict=True)
    anchors = [pages[page - 1][2][position][1] for page, position in last_links]
    writer.add_anchors(rows, anchors, "en")
    writer.write([(np.array([target]), [urls[target].url]) for target in range(12, 0, -1)])
    for target, url in urls.items():
        rank = one_by_one.rank(url.key) if target in wanted else None
        assert written.rank(url.key) == (None if rank is None else pytest.approx(rank))


def prospects_after_page(
    *links: int,
    outcomes: dict[int, float],
    probability: float = 0.5,
    weights: LinkWeights = LinkWeights(),  # noqa: B008 - frozen
) -> Prospects:
    """Return the prospects after one page with links to these URLs, some with known outcomes."""
    prospects, last = Prospects(1 << 16), max(links)
    prospects.use_evidence(WeightEvidence({}), weights)
    urls = [number for number in sorted(set(links)) if number not in outcomes]
    known = np.full(last + 2, nan, np.float32)
    known[list(outcomes)] = list(outcomes.values())
    keys = np.array([link(f"http://a.test/{number}").key for number in urls], np.int64)
    sums = LinkSums(np.array(urls, np.int64), keys, known)
    starts, targets = np.array([0, len(links)]), np.array(links, np.int32)
    sums.add_pages(np.array([1]), np.array([probability]), starts, targets)
    ProspectsWriter(prospects, sums).write([])
    return prospects


def with_nearby(share: float, *outcomes: float) -> float:
    """Return a share whose log-odds are moved by half of the evidence of nearby links."""
    nearby = (sum(outcomes) + 2 * share) / (len(outcomes) + 2)
    odds = share / (1 - share) * (nearby / (1 - nearby) / (share / (1 - share))) ** 0.5
    return float(odds / (1 + odds))


def rank_of(prospects: Prospects, number: int) -> float:
    rank = prospects.rank(link(f"http://a.test/{number}").key)
    assert rank is not None
    return rank


def test_the_outcomes_of_nearby_links_are_evidence() -> None:
    outcomes = {1: 0.9, 2: 0.8, 4: 0.1, 9: 0.0}
    prospects = prospects_after_page(1, 2, 3, 4, 5, 6, 7, 8, 9, outcomes=outcomes)
    assert rank_of(prospects, 3) == pytest.approx(with_nearby(share(0.5), 0.9, 0.8, 0.1))
    assert rank_of(prospects, 5) == pytest.approx(with_nearby(share(0.5), 0.8, 0.1))
    assert rank_of(prospects, 8) == pytest.approx(with_nearby(share(0.5), 0.0))
    ranks = prospects.ranks([link(f"http://a.test/{number}").key for number in (3, 5, 8)])
    assert ranks.tolist() == pytest.approx([rank_of(prospects, number) for number in (3, 5, 8)])


def test_without_known_outcomes_nearby_the_parents_share_counts_alone() -> None:
    prospects = prospects_after_page(1, 2, 3, 4, 5, outcomes={1: 0.9})
    assert rank_of(prospects, 5) == pytest.approx(share(0.5))


def test_the_evidence_of_nearby_links_is_kept_pickled_and_copied() -> None:
    prospects = prospects_after_page(1, 2, outcomes={1: 0.9})
    evidence = (
        with_nearby(
            share(0.5),
            0.9,
        )
        / (1 - with_nearby(share(0.5), 0.9))
        / (share(0.5) / (1 - share(0.5)))
    )
    odds = share(0.5, 0.0) / (1 - share(0.5, 0.0)) * evidence
    (rank,) = add_page(prospects, 0.0, link("http://a.test/2"))
    assert rank == pytest.approx(odds / (1 + odds), rel=1e-5)
    assert rank_of(prospects, 2) == pytest.approx(rank)
    copy: Prospects = pickle.loads(pickle.dumps(prospects))  # noqa: S301 - our own
    assert rank_of(copy, 2) == pytest.approx(rank)
    empty = Prospects(1 << 16)
    empty.add_missing_from(prospects)
    assert rank_of(empty, 2) == pytest.approx(rank, rel=1e-5)


def test_the_parts_of_a_rank_include_nearby_links() -> None:
    prospects = prospects_after_page(1, 2, outcomes={1: 0.9})
    parts = prospects.rank_parts(link("http://a.test/2").key)
    assert parts is not None
    assert parts.near == pytest.approx(with_nearby(share(0.5), 0.9) - share(0.5))
    assert parts.rank == pytest.approx(parts.parents + parts.host + parts.words + parts.near)
    single = prospects_after_page(2, outcomes={})
    single.set_nearby(link("http://a.test/2").key, 0.9, 1)
    assert rank_of(single, 2) == pytest.approx(parts.rank)


def test_nearby_links_count_by_the_learned_weight() -> None:
    plain = prospects_after_page(1, 2, outcomes={1: 0.9})
    prospects = prospects_after_page(1, 2, outcomes={1: 0.9}, weights=LinkWeights(near=2.0))
    key = link("http://a.test/2").key
    evidence = [
        log(rank / (1 - rank)) - log(share(0.5) / (1 - share(0.5)))
        for rank in (rank_of(plain, 2), rank_of(prospects, 2))
    ]
    assert prospects.rank(key) is not None
    assert evidence[1] == pytest.approx(2 * evidence[0], rel=1e-4)


def log_odds(probability: float) -> float:
    return log(probability / (1 - probability))


class FetchedPages:
    """Pages 1, 2 and so on at the URLs of the same numbers, with links to one another."""

    def __init__(self, probabilities: list[float], links: list[list[int]]) -> None:
        numbers = np.arange(1, len(probabilities) + 1)
        self.urls = [f"http://a.test/{number}" for number in numbers]
        self.outcomes = np.array(probabilities)
        self.prospects = Prospects(1 << 16)
        keys = np.array([link(url).key for url in self.urls], np.int64)
        outcomes = np.array([nan, *probabilities, nan], np.float32)
        self.sums = LinkSums(numbers, keys, outcomes, numbers)
        self.prospects.count_pages(keys, self.outcomes)
        starts = np.cumsum([0, *map(len, links)])
        targets = np.array([target for page in links for target in page], np.int32)
        self.sums.add_pages(numbers, self.outcomes, starts, targets)

    def evidence(
        self,
        *kinds: WeightEvidence,
        anchors: list[tuple[str, str]] | None = None,
    ) -> Floats:
        rows = self.sums.last_links()[0]
        urls = [self.urls[row] for row in rows]
        anchors = anchors or [("", "en")] * len(rows)
        outcomes = self.outcomes[rows]
        return evidence_before_fetch(self.prospects, self.sums, outcomes, kinds, anchors, urls)


def test_a_page_is_no_evidence_for_itself() -> None:
    """Its parents, the other pages of its host and nearby links are."""
    fetched = FetchedPages([0.9, 0.2, 0.6], links=[[1, 2, 3], [2], [1]])
    assert fetched.sums.last_links()[0].tolist() == [0, 1, 2]
    shares = []
    for page, parents in ((0, [0.6]), (1, [0.9]), (2, [0.9])):
        others = [outcome for index, outcome in enumerate(fetched.outcomes) if index != page]
        shares.append(share(*parents, host_share=(sum(others) + 0.5) / (len(others) + 5)))
    rows = fetched.evidence()
    assert rows[:, 0].tolist() == pytest.approx([log_odds(value) for value in shares], rel=1e-5)
    nearby_outcomes: list[list[float]] = [[], [0.9, 0.6], [0.9, 0.2]]
    nearby = [
        log_odds(with_nearby(value, *outcomes)) - log_odds(value)
        for value, outcomes in zip(shares, nearby_outcomes, strict=True)
    ]
    assert rows[:, 3].tolist() == pytest.approx(nearby, abs=1e-5)


def test_each_kind_of_text_evidence_has_a_column() -> None:
    fetched = FetchedPages([0.5, 0.5], links=[[2], [1]])
    kinds = WeightEvidence({term_of("owls"): 0.8}), WeightEvidence({term_of("herons"): -0.4})
    rows = fetched.evidence(*kinds, anchors=[("owls", "en"), ("Herons", "")])
    assert rows[:, 1].tolist() == pytest.approx([LOG_ODDS_PER_WEIGHT * 0.8 / 2, 0.0])
    assert rows[:, 2].tolist() == pytest.approx([0.0, -LOG_ODDS_PER_WEIGHT * 0.4 / 2])
    assert fetched.evidence(kinds[0]).shape == (2, 4)
