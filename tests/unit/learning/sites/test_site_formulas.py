"""The formulas of the paper on websites, by values worked out by hand (SPEC W3 to W7)."""

from math import log

import pytest

from motherlode.learning.sites.edge_weights import EdgeWeighting, edge_weight, site_rank
from motherlode.learning.sites.internal_order import link_weight, page_rank_in_site
from motherlode.learning.sites.link_rank import link_rank, page_link_weight
from motherlode.learning.sites.measures import (
    ExaminedSite,
    RisingCost,
    harvest_rate,
    pages_per_relevant_site,
)
from motherlode.learning.sites.page_value import page_value, sure_value
from motherlode.learning.sites.site_names import with_name
from motherlode.learning.sites.site_posterior import (
    SiteEvidence,
    corrected,
    is_decided,
    smoothed_prior,
)


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [(EdgeWeighting.LOCAL, 0.7), (EdgeWeighting.GLOBAL, 0.6), (EdgeWeighting.COMBINED, 0.65)],
)
def test_the_edge_of_figure_3_has_the_papers_weights(
    weighting: EdgeWeighting, expected: float
) -> None:
    assert edge_weight(weighting, 0.6, [0.9, 0.5]) == pytest.approx(expected)


def test_a_site_ranks_by_the_mean_weight_of_its_edges() -> None:
    assert site_rank([0.65, 0.25]) == pytest.approx(0.45)


def test_a_page_that_tells_the_classes_apart_weighs_more_whichever_class_it_speaks_for() -> None:
    assert link_weight([0.1, 0.9]) == link_weight([0.9, 0.1]) > link_weight([0.6, 0.4])
    assert page_rank_in_site([0.16, 0.04]) == pytest.approx(0.1)
    assert page_rank_in_site([]) == 0.0


def test_the_error_of_the_page_classifier_is_mixed_into_both_classes() -> None:
    assert corrected(0.8, 0.1) == pytest.approx(0.8 * 0.9 + 0.2 * 0.1)
    evidence = SiteEvidence().with_page(0.8, 0.1)
    assert evidence.target == pytest.approx(log(0.74))
    assert evidence.other == pytest.approx(log(0.26))


def test_a_certain_page_does_not_decide_a_site_alone() -> None:
    """Uncorrected, the posterior would be 1."""
    assert SiteEvidence().with_page(1.0, 0.15).posterior(0.5) == pytest.approx(0.85)


def test_an_error_beyond_one_half_says_nothing() -> None:
    assert SiteEvidence().with_page(1.0, 0.9).posterior(0.5) == pytest.approx(0.5)


def test_the_posterior_of_two_pages_follows_bayes_in_log_space() -> None:
    evidence = SiteEvidence().with_page(0.8, 0.1).with_page(0.6, 0.1)
    target, other = 0.74 * 0.58 * 0.25, 0.26 * 0.42 * 0.75
    assert evidence.posterior(0.25) == pytest.approx(target / (target + other))


def test_a_thousand_pages_do_not_underflow() -> None:
    evidence = SiteEvidence()
    for _ in range(1000):
        evidence = evidence.with_page(0.4, 0.1)
    assert evidence.posterior(0.5) == pytest.approx(0.0, abs=1e-9)


def test_the_prior_is_the_smoothed_share_of_relevant_sites() -> None:
    assert smoothed_prior(0, 0) == 0.5
    assert smoothed_prior(2, 8) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("posterior", "decided"), [(0.91, True), (0.09, True), (0.5, False), (0.89, False)]
)
def test_either_class_ends_the_examination(posterior: float, decided: bool) -> None:  # noqa: FBT001
    assert is_decided(posterior, 0.9) is decided


def test_link_rank_grows_faster_for_irrelevant_sites() -> None:
    weights = [page_link_weight(0.8, 5, 1.0), page_link_weight(0.1, 20, 1.0)]
    assert weights == pytest.approx([5.0, 3.0])
    assert link_rank(weights, 0.8) == pytest.approx(10.0)
    assert link_rank(weights, 0.1) == pytest.approx(80.0)


def test_harvest_rate_and_pages_per_relevant_site_count_the_window_alone() -> None:
    sites = [ExaminedSite(at, at % 20 == 0) for at in range(10, 101, 10)]
    assert harvest_rate(sites, 100, 50) == pytest.approx(3 / 5)
    assert pages_per_relevant_site(sites, 100, 50) == pytest.approx(50 / 3)
    assert pages_per_relevant_site(sites[:1], 10) is None
    assert harvest_rate([], 100) is None


def test_a_cost_that_rises_for_a_whole_window_has_risen_for_good() -> None:
    rising = RisingCost(2.0, window=100)
    good = [rising.add(ExaminedSite(at, is_relevant=True)) for at in range(10, 201, 10)]
    bad = [rising.add(ExaminedSite(at, is_relevant=False)) for at in range(210, 501, 10)]
    assert not any(good)
    assert not bad[5]
    assert bad[-1]


def test_a_cost_that_falls_again_has_not_risen_for_good() -> None:
    rising = RisingCost(2.0, window=100)
    told = [
        rising.add(ExaminedSite(at, is_relevant=at <= 200 or at % 300 < 200))
        for at in range(10, 1201, 10)
    ]
    assert not any(told)


def test_another_page_is_worth_most_where_the_verdict_is_doubtful() -> None:
    assert page_value(0.5, 1) == pytest.approx(0.25)
    assert page_value(0.2, 2) == pytest.approx(0.08)
    assert page_value(0.95, 1) < sure_value(0.9) < page_value(0.85, 1)


def test_names_move_the_log_odds_and_correct_what_is_wrongly_certain() -> None:
    assert log(with_name(0.5, 0.4) / (1.0 - with_name(0.5, 0.4))) == pytest.approx(1.0)
    assert with_name(1e-12, 1.0) == pytest.approx(with_name(0.01, 1.0))
    assert with_name(1.0, -1.0) == pytest.approx(1.0 - with_name(0.0, 1.0))
