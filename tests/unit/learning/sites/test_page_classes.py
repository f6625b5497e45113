"""The paper's page classifier: several centroids a class (SPEC W2)."""

import numpy as np
import pytest

from motherlode.documents.text.terms import Bag, bag_of
from motherlode.learning.sites.page_classes import (
    OTHER,
    TARGET,
    PageClasses,
    choose_page_classes,
    class_shares,
    unpack_page_classes,
)

OWLS = ["owls hunt mice at night in the forest", "barn owls nest in old barns at night"]
SHOPS = ["order feathers online with free shipping", "our shop ships orders online within a day"]
VOTES = ["voters elect a parliament in the election", "the election of parliament by voters"]


def bags(texts: list[str]) -> list[Bag]:
    return [bag_of(text, "en") for text in texts]


def test_the_shares_follow_the_logarithm_of_the_distance() -> None:
    shares = class_shares(np.array([[0.5, 0.25]]))
    assert shares[0] == pytest.approx([1 / 3, 2 / 3])


def test_distances_are_clamped_and_a_page_far_from_all_has_equal_shares() -> None:
    shares = class_shares(np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.2, 1.0]]))
    assert shares[:, TARGET] == pytest.approx([0.5, 1.0, 0.5, 0.5])
    assert shares.sum(axis=1) == pytest.approx(1.0)


def test_a_class_of_two_kinds_of_pages_needs_two_centroids() -> None:
    classes = PageClasses(2).fit([bags(OWLS + SHOPS), bags(VOTES)])
    owl, shop, vote = classes.confidences(bags([OWLS[0], SHOPS[1], VOTES[1]]))
    assert owl[TARGET] > 0.9
    assert shop[TARGET] > 0.9
    assert vote[OTHER] > 0.9
    assert (classes.classes_ == TARGET).sum() == 2


def test_an_empty_page_is_as_likely_in_either_class() -> None:
    classes = PageClasses(1).fit([bags(OWLS), bags(VOTES)])
    assert classes.confidences(bags([""]))[0].tolist() == [0.5, 0.5]


def test_the_error_is_measured_by_leaving_sites_out() -> None:
    sites = [[bags([text]) for text in OWLS * 3], [bags([text]) for text in VOTES * 3]]
    assert choose_page_classes(sites).error_ == 0.0
    mixed = [[bags([text]) for text in OWLS * 3], [bags([text]) for text in OWLS * 3]]
    assert choose_page_classes(mixed).error_ == pytest.approx(0.5, abs=0.2)


def test_the_number_of_centroids_is_the_one_of_least_error_and_the_smaller_of_equals() -> None:
    sites = [[bags([text]) for text in OWLS * 3], [bags([text]) for text in VOTES * 3]]
    assert choose_page_classes(sites).clusters == 1


def test_classes_survive_packing() -> None:
    classes = PageClasses(2).fit([bags(OWLS + SHOPS), bags(VOTES)])
    again = unpack_page_classes(classes.pack())
    pages = bags([OWLS[0], VOTES[0]])
    assert again.confidences(pages) == pytest.approx(classes.confidences(pages), abs=1e-6)
    with pytest.raises(ValueError, match="no page classes"):
        unpack_page_classes(b"nothing")


def test_the_terms_of_a_page_say_which_class_they_speak_for() -> None:
    classes = PageClasses(1).fit([bags(OWLS), bags(VOTES)])
    parts = dict(classes.contributions(bag_of("night voters", "en")))
    night, voters = (int(bag_of(word, "en").terms[0]) for word in ("night", "voters"))
    assert parts[night] > 0 > parts[voters]
