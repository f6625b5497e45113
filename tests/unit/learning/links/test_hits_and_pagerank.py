"""Hubs, authorities and PageRank on small graphs."""

import numpy as np
import pytest

from motherlode.learning.links.hits import HubsAndAuthorities
from motherlode.learning.links.pagerank import PageRank


def hits(
    links: list[tuple[int, int]], hosts: list[int], relevance: list[float] | None = None
) -> HubsAndAuthorities:
    pairs = np.array(links, np.int64).reshape(-1, 2)
    weights = None if relevance is None else np.array(relevance)
    return HubsAndAuthorities().fit(pairs[:, 0], pairs[:, 1], np.array(hosts, np.int64), weights)


def test_a_page_that_many_link_to_is_an_authority_and_they_are_hubs() -> None:
    scores = hits([(0, 3), (1, 3), (2, 3), (2, 4)], [0, 1, 2, 3, 4])
    assert int(scores.authorities_.argmax()) == 3
    assert int(scores.hubs_.argmax()) == 2
    assert np.linalg.norm(scores.authorities_) == pytest.approx(1.0)


def test_all_pages_of_a_host_have_one_vote() -> None:
    from_one_host = [(page, 10) for page in range(8)]
    from_two_hosts = [(8, 11), (9, 11)]
    scores = hits([*from_one_host, *from_two_hosts], [0] * 8 + [1, 2, 3, 4])
    assert scores.authorities_[11] > scores.authorities_[10]


def test_links_to_many_pages_of_one_host_make_no_better_hub() -> None:
    to_host_9 = [(0, target) for target in range(2, 8)]
    links = [*to_host_9, (1, 8), (1, 9), (10, 8), (10, 9), (11, 2)]
    scores = hits(links, [0, 1, *[9] * 6, 2, 3, 4, 5])
    assert scores.hubs_[1] > scores.hubs_[0]


def test_links_within_a_host_do_not_count() -> None:
    scores = hits([(0, 1), (1, 0)], [7, 7])
    assert scores.authorities_.tolist() == [0.0, 0.0]
    assert scores.hubs_.tolist() == [0.0, 0.0]


def test_a_relevant_page_passes_on_more_authority() -> None:
    links = [(0, 2), (1, 3)]
    scores = hits(links, [0, 1, 2, 3], [1.0, 0.1, 1.0, 1.0])
    assert scores.authorities_[2] > scores.authorities_[3]


def test_a_repeated_link_counts_once() -> None:
    once = hits([(0, 1), (2, 3)], [0, 1, 2, 3])
    twice = hits([(0, 1), (0, 1), (2, 3)], [0, 1, 2, 3])
    assert once.authorities_ == pytest.approx(twice.authorities_)


@pytest.mark.parametrize("hosts", [[], [0], [0, 1, 2]])
def test_graphs_without_links_have_no_hubs(hosts: list[int]) -> None:
    scores = hits([], hosts)
    assert scores.hubs_.tolist() == scores.authorities_.tolist() == [0.0] * len(hosts)


def test_the_scores_of_a_disconnected_graph_converge() -> None:
    scores = hits([(0, 1), (2, 3), (4, 5), (4, 3)], [0, 1, 2, 3, 4, 5])
    assert scores.rounds_ < 500
    assert int(scores.authorities_.argmax()) == 3


# PageRank


def test_the_pages_of_a_ring_have_equal_ranks() -> None:
    ring = PageRank().fit(np.array([0, 1, 2]), np.array([1, 2, 0]), 3)
    assert ring.ranks_ == pytest.approx([1 / 3] * 3)


def test_pages_without_links_do_not_lower_the_sum_of_ranks() -> None:
    pagerank = PageRank().fit(np.array([0, 1]), np.array([2, 2]), 3)
    assert pagerank.ranks_.sum() == pytest.approx(1.0)
    assert int(pagerank.ranks_.argmax()) == 2


def test_two_pages_by_hand() -> None:
    # x = 0.15 / 2 + 0.85 (y / 2), y = 0.15 / 2 + 0.85 (x + y / 2): page 0 links to 1, 1 to none
    pagerank = PageRank().fit(np.array([0]), np.array([1]), 2)
    assert pagerank.ranks_ == pytest.approx([0.350877, 0.649123], abs=1e-6)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_without_links_all_ranks_are_equal(count: int) -> None:
    empty = np.array([], np.int64)
    ranks = PageRank().fit(empty, empty, count).ranks_
    assert ranks == pytest.approx([1 / count] * count if count else [])
