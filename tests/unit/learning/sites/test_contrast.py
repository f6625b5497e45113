"""Our model of sites: a contrast of centroids, and a probability for the pages read."""

from math import log

import numpy as np
import pytest

from motherlode.documents.text.terms import Bag, bag_of
from motherlode.learning.sites.contrast import (
    PROFILE_PAGES,
    ContrastScale,
    PackedContrast,
    SiteContrast,
    SiteProfile,
    SiteScore,
    page_weight,
    unpack_contrast,
)
from motherlode.learning.sites.contrast_estimation import fit_contrast

TEMPLATE = "home news contact imprint search menu"
WORDS = {
    "owl": [
        "owls",
        "hunt",
        "mice",
        "night",
        "feather",
        "nest",
        "beak",
        "talon",
        "plumage",
        "raptor",
        "perch",
        "prey",
    ],
    "vote": [
        "voters",
        "elect",
        "parliament",
        "ballot",
        "party",
        "campaign",
        "poll",
        "seat",
        "senate",
        "candidate",
    ],
    "bread": [
        "flour",
        "yeast",
        "dough",
        "oven",
        "crust",
        "loaf",
        "bakery",
        "rye",
        "wheat",
        "knead",
        "proof",
    ],
}


def page(subject: str, number: int) -> Bag:
    words = WORDS[subject]
    chosen = [words[(number * 3 + step) % len(words)] for step in range(6)]
    return bag_of(f"{TEMPLATE} {' '.join(chosen)} " * 3, "en")


def profile(subject: str, site: int, relevance: float = float("nan")) -> SiteProfile:
    pages = [page(subject, site * 5 + number) for number in range(3)]
    return SiteProfile(f"{subject}{site}", pages, relevance)


def sites(named: int = 2, found: int = 4, others: int = 12) -> list[SiteProfile]:
    return [
        *(profile("owl", site, 1.0) for site in range(named)),
        *(profile("owl", site) for site in range(named, named + found)),
        *(profile("vote" if site % 2 else "bread", site) for site in range(others)),
    ]


def test_sites_like_the_named_ones_are_relevant_and_others_are_not() -> None:
    fitted = fit_contrast(sites())
    relevant = {site for site, probability in fitted.probabilities.items() if probability > 0.5}
    assert relevant == {f"owl{number}" for number in range(6)}


def test_what_all_sites_share_says_nothing() -> None:
    fitted = fit_contrast(sites())
    template, owls = fitted.contrast.contrasts([bag_of(TEMPLATE, "en"), page("owl", 99)])
    assert abs(template) < 0.2 < owls


def test_a_named_site_keeps_its_class_whatever_it_says() -> None:
    profiles = [*sites(), profile("owl", 50, 0.0), profile("bread", 51, 1.0)]
    fitted = fit_contrast(profiles)
    assert fitted.probabilities["owl50"] == 0.0
    assert fitted.probabilities["bread51"] == 1.0


def test_one_named_site_is_enough_where_others_are_known() -> None:
    fitted = fit_contrast(sites(named=1, found=3))
    assert fitted.probabilities["owl1"] > 0.5 > fitted.probabilities["bread0"]


def test_without_other_sites_common_vocabulary_stands_for_them() -> None:
    common = [page("bread", number) for number in range(20)]
    fitted = fit_contrast([profile("owl", site, 1.0) for site in range(3)], common)
    (owl,) = fitted.contrast.page_probabilities([page("owl", 99)])
    (bread,) = fitted.contrast.page_probabilities([page("bread", 99)])
    assert owl > bread


def test_named_sites_alone_can_be_fitted() -> None:
    fitted = fit_contrast([profile("owl", 0, 1.0)])
    assert fitted.probabilities == {"owl0": 1.0}
    assert 0.0 < fitted.contrast.page_probabilities([page("vote", 1)])[0] < 1.0


def test_sites_without_any_text_can_be_fitted_and_have_the_prior() -> None:
    empty = [SiteProfile(f"empty{number}", [bag_of("", "en")]) for number in range(3)]
    fitted = fit_contrast([*sites(), *empty])
    assert all(np.isfinite(probability) for probability in fitted.probabilities.values())
    assert fitted.contrast.log_odds(SiteScore()) == pytest.approx(_prior(fitted.contrast))


def test_more_pages_make_a_site_surer() -> None:
    contrast = fit_contrast(sites()).contrast
    pages = [page("owl", number) for number in range(3)]
    one, three = contrast.score_of(pages[:1]), contrast.score_of(pages)
    assert three.squares / three.weight**2 < one.squares / one.weight**2


def test_the_log_odds_follow_from_two_normal_distributions() -> None:
    scale = ContrastScale(0.4, 0.0, between=0.01, within=0.03, share=0.2)
    contrast = SiteContrast(PackedContrast(b"", b"", b"", scale))
    score = SiteScore().with_page(0.3, 100).with_page(0.1, 100)
    assert score.weighted / score.weight == pytest.approx((0.3 + 0.1 / 2) / 1.5)
    variance = 0.01 + 0.03 * (1 + 0.25) / 1.5**2
    expected = 0.4 * (score.weighted / score.weight - 0.2) / variance + log(0.2 / 0.8)
    assert contrast.log_odds(score) == pytest.approx(expected)


def test_later_pages_weigh_less_and_pages_beyond_the_profile_nothing() -> None:
    assert [page_weight(place, 50) for place in range(3)] == pytest.approx([1.0, 1 / 2, 1 / 3])
    score = SiteScore()
    for _ in range(PROFILE_PAGES):
        score = score.with_page(0.2, 100)
    more = score.with_page(-1.0, 100)
    assert more.weighted == score.weighted
    assert more.pages == score.pages + 1


def test_a_contrast_survives_packing() -> None:
    contrast = fit_contrast(sites()).contrast
    again = unpack_contrast(contrast.pack())
    pages = [page("owl", 7), page("vote", 7)]
    assert again.contrasts(pages) == pytest.approx(contrast.contrasts(pages))
    with pytest.raises(ValueError, match="no contrast"):
        unpack_contrast(b"\x80")


def test_the_terms_of_a_page_say_what_they_add() -> None:
    contrast = fit_contrast(sites()).contrast
    bag = page("owl", 3)
    assert sum(part for _, part in contrast.contributions(bag)) == pytest.approx(
        contrast.contrasts([bag])[0]
    )


def _prior(contrast: SiteContrast) -> float:
    share = contrast.scale.share
    return log(share / (1.0 - share))
