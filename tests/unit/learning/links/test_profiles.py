"""What the sites of a topic's examples are about, and how much that says of other pages."""

import numpy as np
import pytest
from msgspec.structs import replace

from motherlode.documents.text.terms import Bag
from motherlode.learning.links.profiles import (
    CUT,
    MIN_PAGES,
    STRENGTH,
    ProfileEvidence,
    Profiles,
    intraclass_correlation,
    learn_profiles,
)
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.scorer import BagBatch

HOSTS, PAGES_OF_HOST = 8, 10
BOILERPLATE = 1  # a term that all pages of all hosts have


def batch_of(*pages: list[int]) -> BagBatch:
    bags = [
        Bag(np.array(sorted(terms), np.uint32), np.ones(len(terms), np.uint32)) for terms in pages
    ]
    return BagBatch.from_bags(bags)


def web_of_sites(*, homogeneous: bool) -> tuple[BagBatch, Ints]:
    """Return pages of hosts on subject 0 (even hosts) or 1, or on subjects in turn.

    A subject has ten words, of which a page has five.
    """
    dice, pages, hosts = np.random.default_rng(1), [], []
    for host in range(HOSTS):
        for page in range(PAGES_OF_HOST):
            subject = host % 2 if homogeneous else page % 2
            words = dice.choice(10, 5, replace=False) + 10 * (subject + 1)
            pages.append([BOILERPLATE, *words.tolist(), 1000 + host])
            hosts.append(host)
    return batch_of(*pages), np.array(hosts)


def evidence_on_web(batch: BagBatch, hosts: Ints, *examples: int) -> Floats:
    profiles = learn_profiles(batch, hosts, [np.array(examples)])
    return ProfileEvidence(profiles).log_odds(batch, np.arange(len(batch)))


def test_where_hosts_are_homogeneous_pages_of_similar_hosts_are_likely() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    evidence = evidence_on_web(batch, hosts, 0, 1)
    assert evidence[hosts % 2 == 0].min() > evidence[hosts % 2 == 1].max()
    profiles = learn_profiles(batch, hosts, [np.array([0, 1])])
    assert profiles.homogeneity > 0.5


def test_where_hosts_have_many_subjects_there_is_no_evidence() -> None:
    batch, hosts = web_of_sites(homogeneous=False)
    profiles = learn_profiles(batch, hosts, [np.array([0, 2])])
    assert profiles.homogeneity < 0.2
    assert np.abs(evidence_on_web(batch, hosts, 0, 2)).max() < 1.5


def test_the_evidence_is_the_standardised_cosine_by_homogeneity() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    profiles = learn_profiles(batch, hosts, [np.array([0, 1])])
    evidence = ProfileEvidence(profiles).log_odds(batch, np.arange(len(batch)))
    standardised = evidence / (STRENGTH * profiles.homogeneity) + CUT
    assert standardised.mean() == pytest.approx(0.0, abs=1e-4)
    assert standardised.std() == pytest.approx(1.0, abs=1e-4)


def test_what_all_hosts_share_is_no_evidence() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    evidence = ProfileEvidence(learn_profiles(batch, hosts, [np.array([0, 1])]))
    new = batch_of([BOILERPLATE], [BOILERPLATE, 20, 21, 22], [BOILERPLATE, 10, 11, 12])
    only_boilerplate, off_topic, on_topic = evidence.log_odds(new, np.arange(3))
    assert only_boilerplate == pytest.approx(off_topic, abs=0.5)
    assert only_boilerplate < on_topic


def test_what_a_single_host_has_does_not_make_hosts_homogeneous() -> None:
    """A site's own name and template are on all of its pages, whatever they are about."""
    batch, hosts = web_of_sites(homogeneous=False)
    own_words = np.isin(batch.terms, 1000 + np.arange(HOSTS))
    assert own_words.sum() == len(batch)
    assert learn_profiles(batch, hosts, [np.array([0, 2])]).homogeneity < 0.2


def test_the_nearest_of_several_topics_counts() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    examples = [np.array([0, 1]), np.array([PAGES_OF_HOST, PAGES_OF_HOST + 1])]
    rows = np.arange(len(batch))
    both = ProfileEvidence(learn_profiles(batch, hosts, examples)).log_odds(batch, rows)
    first = ProfileEvidence(learn_profiles(batch, hosts, examples[:1])).log_odds(batch, rows)
    assert both[hosts % 2 == 1].min() > first[hosts % 2 == 1].max()


def test_a_small_crawl_says_nothing() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    rows = np.array([0])
    few = BagBatch.from_bags([batch.bag(row) for row in range(MIN_PAGES - 1)])
    assert learn_profiles(few, hosts[: MIN_PAGES - 1], [rows]) == Profiles()
    assert learn_profiles(batch, hosts % 2, [rows]) == Profiles()
    assert learn_profiles(batch, hosts, [np.array([], np.int64)]) == Profiles()
    assert learn_profiles(batch_of(), np.array([], np.int64), [rows]) == Profiles()
    nothing = ProfileEvidence(Profiles())
    assert not nothing.has_say
    assert nothing.log_odds(batch, np.arange(3)).tolist() == [0.0, 0.0, 0.0]


def test_pages_without_known_words_have_finite_evidence() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    evidence = ProfileEvidence(learn_profiles(batch, hosts, [np.array([0, 1])]))
    assert np.isfinite(evidence.log_odds(batch_of([], [999_999]), np.arange(2))).all()


@pytest.mark.parametrize(
    ("values", "groups", "correlation"),
    [
        ([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1], 1.0),
        ([0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1], 0.0),
        ([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1], 0.0),
        ([0.0, 1.0], [0, 0], 0.0),
        ([0.0, 1.0], [0, 1], 0.0),
        ([0.0, 2.0, 4.0, 6.0], [0, 0, 1, 1], 7 / 9),  # within 2, between (16 - 2) / 2 = 7
    ],
)
def test_the_intraclass_correlation_is_the_variance_between_groups(
    values: list[float], groups: list[int], correlation: float
) -> None:
    assert intraclass_correlation(np.array(values), np.array(groups)) == pytest.approx(correlation)


def test_profiles_whose_parts_do_not_fit_are_not_valid() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    profiles = learn_profiles(batch, hosts, [np.array([0, 1])])
    topic = profiles.topics[0]
    assert profiles.is_valid()
    assert Profiles().is_valid()
    assert not replace(profiles, idf=profiles.idf[:-4]).is_valid()
    assert not replace(profiles, terms=profiles.terms[:-1]).is_valid()
    assert not replace(profiles, terms=profiles.terms[::-1]).is_valid()
    assert not replace(profiles, topics=(replace(topic, deviation=0.0),)).is_valid()
    assert not replace(profiles, topics=(replace(topic, mean=float("nan")),)).is_valid()
    assert not replace(profiles, topics=(replace(topic, weights=b""),)).is_valid()
    assert not replace(profiles, homogeneity=float("inf")).is_valid()
