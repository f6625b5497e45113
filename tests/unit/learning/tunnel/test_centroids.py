"""Centroids of subjects, and the correlation of documents with them (SPEC T1, T2)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.text.terms import Bag, bag_of, sequences_of
from motherlode.learning.options import CentroidWeighting
from motherlode.learning.tunnel.centroids import fit_centroids, unpack_centroids

BIRDS, TRAINS = 2, 5
HITS = {
    TRAINS: [bag_of("railway engine steam station"), bag_of("railway station platform engine")],
    BIRDS: [bag_of("owl wing feather nest"), bag_of("owl heron wing nest egg")],
}
WORDS = st.lists(
    st.sampled_from(["owl", "wing", "nest", "railway", "engine", "steam", "tea"]), max_size=30
)


def test_a_document_is_nearest_to_the_subject_whose_words_it_has() -> None:
    centroids = fit_centroids(HITS)
    rows = centroids.correlations([bag_of("the owl in its nest"), bag_of("an engine on a railway")])
    assert centroids.subjects.tolist() == [BIRDS, TRAINS]
    assert rows.argmax(axis=1).tolist() == [0, 1]
    assert rows[0, 1] == rows[1, 0] == 0.0


def test_only_terms_that_two_hits_of_a_subject_share_are_in_its_centroid() -> None:
    centroids = fit_centroids(HITS)
    row = centroids.correlations([bag_of("heron egg feather steam platform")])[0]
    assert row.tolist() == [0.0, 0.0]
    alone = fit_centroids({BIRDS: [bag_of("owl wing")], TRAINS: HITS[TRAINS]})
    assert alone.correlations([bag_of("owl")])[0, 0] > 0  # a single hit has no other to share with


def test_the_paper_s_weights_are_the_share_of_a_term_s_frequency_that_a_subject_has() -> None:
    hits = {BIRDS: [bag_of("owl owl owl tree")], TRAINS: [bag_of("engine owl tree tree tree")]}
    centroids = fit_centroids(hits, CentroidWeighting.RATIO)
    weights = {"owl": 3 / 4, "tree": 1 / 4}
    length = math.hypot(*weights.values())
    row = centroids.correlations([bag_of("owl"), bag_of("tree"), bag_of("engine")])
    assert row[0, 0] == pytest.approx(weights["owl"] / length)
    assert row[1, 0] == pytest.approx(weights["tree"] / length)
    assert row[2].tolist() == pytest.approx([0.0, 1 / math.hypot(1, 1 / 4, 3 / 4)])


def test_a_document_without_known_words_correlates_with_nothing() -> None:
    rows = fit_centroids(HITS).correlations([bag_of("tea"), bag_of("")])
    assert not rows.any()


@given(WORDS)
def test_correlations_are_from_0_to_1_and_do_not_depend_on_the_company(words: list[str]) -> None:
    centroids = fit_centroids(HITS)
    bag = bag_of(" ".join(words))
    alone = centroids.correlations([bag])[0]
    together = centroids.correlations([*HITS[BIRDS], bag, *HITS[TRAINS]])[2]
    assert np.allclose(alone, together)
    assert (alone >= 0).all()
    assert (alone <= 1 + 1e-9).all()


def test_the_parts_of_a_document_s_terms_add_up_to_its_cosine() -> None:
    centroids = fit_centroids(HITS)
    bag = bag_of("owl owl wing railway")
    parts = centroids.contributions(bag, BIRDS)
    assert sum(part for _, part in parts) == pytest.approx(centroids.correlations([bag])[0, 0])
    assert [part for _, part in parts] == sorted((part for _, part in parts), reverse=True)


def test_names_count_each_term_once_and_may_be_empty() -> None:
    centroids = fit_centroids(HITS)
    names = sequences_of(["owl owl", "owl", "", "tea"])
    rows = centroids.correlations_of_names(names)
    assert rows.shape == (4, 2)
    assert rows[0].tolist() == rows[1].tolist()
    assert rows[0, 0] > 0
    assert not rows[2:].any()
    assert centroids.correlations_of_names([]).shape == (0, 2)


def test_packed_centroids_judge_alike() -> None:
    centroids = fit_centroids(HITS)
    again = unpack_centroids(centroids.pack())
    bags = [bag_of("owl nest"), bag_of("railway")]
    assert (again.correlations(bags) == centroids.correlations(bags)).all()
    assert again.pack() == centroids.pack()
    assert again.heaviest_terms(BIRDS, 1) == centroids.heaviest_terms(BIRDS, 1)


@pytest.mark.parametrize("packed", [b"", b"nonsense", b"\x81\xa7version\x63"])
def test_bytes_that_are_no_centroids_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="no centroids"):
        unpack_centroids(packed)


def test_one_subject_with_one_hit_is_enough() -> None:
    centroids = fit_centroids({BIRDS: [bag_of("owl wing")]})
    assert centroids.correlations([bag_of("owl")])[0, 0] > 0


def test_hits_without_words_make_an_empty_centroid() -> None:
    empty = Bag(np.array([], np.uint32), np.array([], np.uint32))
    centroids = fit_centroids({BIRDS: [empty], TRAINS: HITS[TRAINS]})
    assert centroids.correlations([bag_of("owl railway")])[0].tolist()[0] == 0.0
