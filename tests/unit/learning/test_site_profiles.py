"""What the sites of a topic's examples are about, and how much that says of other pages."""

import numpy as np
import pytest
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.planes import is_consistent
from motherlode.learning.scorer import BagBatch
from motherlode.learning.site_profiles import (
    MIN_HOMOGENEITY,
    MIN_PAGES,
    STRENGTH,
    Profiles,
    ProfileScorer,
    intraclass_correlation,
    learn_profiles,
)
from motherlode.learning.term_evidence import SITES
from motherlode.learning.tree import ROOT, TreeClassifier
from motherlode.policies.bingo.levels import hand_down

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
    return ProfileScorer(profiles).contributions(batch, np.arange(len(batch)))[:, 0]


def test_where_hosts_are_homogeneous_pages_of_similar_hosts_are_likely() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    evidence = evidence_on_web(batch, hosts, 0, 1)
    assert evidence[hosts % 2 == 0].min() > evidence[hosts % 2 == 1].max()
    profiles = learn_profiles(batch, hosts, [np.array([0, 1])])
    assert profiles.homogeneity > 0.5


def test_where_hosts_have_many_subjects_there_is_no_evidence() -> None:
    batch, hosts = web_of_sites(homogeneous=False)
    assert learn_profiles(batch, hosts, [np.array([0, 2])]) == Profiles()


def test_the_evidence_is_the_standardised_cosine_by_homogeneity() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    profiles = learn_profiles(batch, hosts, [np.array([0, 1])])
    parts = ProfileScorer(profiles).contributions(batch, np.arange(len(batch)))
    standardised = parts / (STRENGTH * profiles.homogeneity)
    assert standardised.mean() == pytest.approx(0.0, abs=1e-4)
    assert standardised.std() == pytest.approx(1.0, abs=1e-4)


def test_what_all_hosts_share_is_no_evidence() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    scorer = ProfileScorer(learn_profiles(batch, hosts, [np.array([0, 1])]))
    new = batch_of([BOILERPLATE], [BOILERPLATE, 20, 21, 22], [BOILERPLATE, 10, 11, 12])
    only_boilerplate, off_topic, on_topic = scorer.contributions(new, np.arange(3))[:, 0]
    assert only_boilerplate == pytest.approx(off_topic, abs=0.04)
    assert only_boilerplate < on_topic


def test_what_a_single_host_has_does_not_make_hosts_homogeneous() -> None:
    """A site's own name and template are on all of its pages, whatever they are about."""
    batch, hosts = web_of_sites(homogeneous=False)
    own_words = np.isin(batch.terms, 1000 + np.arange(HOSTS))
    assert own_words.sum() == len(batch)
    assert learn_profiles(batch, hosts, [np.array([0, 2])]).homogeneity < MIN_HOMOGENEITY


def test_each_topic_has_its_own_profile_and_one_without_example_pages_has_none() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    nothing = np.array([], np.int64)
    examples = [np.array([0, 1]), nothing, np.array([PAGES_OF_HOST, PAGES_OF_HOST + 1])]
    profiles = learn_profiles(batch, hosts, examples)
    rows = np.arange(len(batch))
    parts = ProfileScorer(profiles).contributions(batch, rows)
    assert (parts[:, 0] > parts[:, 2]).tolist() == (hosts % 2 == 0).tolist()
    assert not parts[:, 1].any()
    last = ProfileScorer(profiles.only([2])).contributions(batch, rows)
    assert last == pytest.approx(parts[:, 2:])


def test_a_small_crawl_says_nothing() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    rows = np.array([0])
    few = BagBatch.from_bags([batch.bag(row) for row in range(MIN_PAGES - 1)])
    assert learn_profiles(few, hosts[: MIN_PAGES - 1], [rows]) == Profiles()
    assert learn_profiles(batch, hosts % 2, [rows]) == Profiles()
    assert learn_profiles(batch, hosts, [np.array([], np.int64)]) == Profiles()
    assert learn_profiles(batch_of(), np.array([], np.int64), [rows]) == Profiles()
    assert not ProfileScorer(Profiles()).has_say
    assert Profiles().only([1]) == Profiles()


def test_pages_without_known_words_have_finite_evidence() -> None:
    batch, hosts = web_of_sites(homogeneous=True)
    scorer = ProfileScorer(learn_profiles(batch, hosts, [np.array([0, 1])]))
    assert np.isfinite(scorer.contributions(batch_of([], [999_999]), np.arange(2))).all()


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
    assert not replace(profiles, topics=(replace(topic, weights=topic.weights[4:]),)).is_valid()
    assert not replace(profiles, homogeneity=float("inf")).is_valid()


def profiled_tree(topics: dict[int, int]) -> tuple[TreeClassifier, TreeClassifier, BagBatch, Ints]:
    """Return a classifier of topics by one example page each, the same with profiles, and a web."""
    batch, hosts = web_of_sites(homogeneous=True)
    documents = {topic: [{TERMS: batch.bag(row)}] for topic, row in topics.items()}
    others = {ROOT: [{TERMS: batch_of([BOILERPLATE, 90, 91, 92]).bag(0)}]}
    plain = TreeClassifier().fit(dict.fromkeys(topics, ROOT), documents, others)
    profiles = learn_profiles(batch, hosts, [np.array([row]) for row in topics.values()])
    return plain, plain.with_profiles(profiles, list(topics)), batch, hosts


def test_pages_of_sites_like_those_of_the_examples_lie_farther_inside() -> None:
    plain, profiled, batch, hosts = profiled_tree({2: 0, 3: PAGES_OF_HOST})
    rows = np.arange(len(batch))
    before = plain.distances_for_rows({TERMS: batch}, rows)
    after = profiled.distances_for_rows({TERMS: batch}, rows)
    for topic, subject in ((2, 0), (3, 1)):
        added = after[topic] - before[topic]
        assert added[hosts % 2 == subject].min() > 0 > added[hosts % 2 != subject].max()


def test_a_packed_classifier_has_the_profiles_and_its_explanation_adds_up() -> None:
    _, profiled, batch, _ = profiled_tree({2: 0, 3: PAGES_OF_HOST})
    unpacked = TreeClassifier.unpack(profiled.pack())
    sample = {TERMS: batch.bag(1)}
    parts = unpacked.explain(sample, 3)
    assert [part < 0 for space, _, part in parts if space == SITES] == [True]
    total = sum(part for _, _, part in parts) + unpacked.planes(3)[TERMS].bias
    assert total == pytest.approx(float(unpacked.distances([sample])[3][0]), abs=1e-6)


def test_profiles_of_other_topics_make_a_model_inconsistent() -> None:
    _, profiled, _, _ = profiled_tree({2: 0, 3: PAGES_OF_HOST})
    (group,) = profiled.groups_[TERMS]
    assert is_consistent(group)
    assert not is_consistent(replace(group, profiles=group.profiles.only([0])))


def test_a_topic_that_hands_its_plane_down_hands_down_its_profile() -> None:
    _, profiled, batch, _ = profiled_tree({2: 0, 3: PAGES_OF_HOST})
    handed = hand_down(profiled, {3: 4})
    rows = np.arange(len(batch))
    assert handed.distances_for_rows({TERMS: batch}, rows, 3)[4] == pytest.approx(
        profiled.distances_for_rows({TERMS: batch}, rows)[3]
    )
