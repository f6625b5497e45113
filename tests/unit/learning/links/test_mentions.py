"""The lifts of words that pages on a topic mention."""

from math import log

import numpy as np
import pytest

from motherlode.learning.links.mentions import Mentions, learn_mentions


def lifts(mentions: Mentions) -> dict[int, float]:
    terms, values = mentions.lookup()
    return dict(zip(terms.tolist(), values.tolist(), strict=True))


def part(*pages: tuple[list[int], float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the terms of pages, and for each term the probability of its page."""
    terms = np.array([term for page, _ in pages for term in page], np.uint32)
    return terms, np.array([probability for page, probability in pages for _ in page])


def test_lifts_are_as_computed_by_hand() -> None:
    parts = [part(([7, 9], 1.0), ([7], 0.8)), part(([9, 3], 0.0), ([3], 0.2))]
    mentions = learn_mentions(parts, share=0.5)
    assert lifts(mentions) == pytest.approx(
        {
            3: log((0.2 + 2 * 0.5) / (2 + 2) / 0.5),
            7: log((1.8 + 2 * 0.5) / (2 + 2) / 0.5),
            9: log((1.0 + 2 * 0.5) / (2 + 2) / 0.5),
        },
        abs=1e-6,
    )
    assert mentions.is_valid()


def test_the_words_on_most_pages_are_kept_but_none_of_a_single_page() -> None:
    pages = [([1, 2, 3], 1.0), ([1, 2], 1.0), ([1], 0.0)]
    assert sorted(lifts(learn_mentions([part(*pages)], 0.5))) == [1, 2]
    assert sorted(lifts(learn_mentions([part(*pages)], 0.5, limit=1))) == [1]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_without_pages_or_topic_there_are_no_mentions(share: float) -> None:
    assert learn_mentions([], share) == Mentions()
    assert learn_mentions([part(([1], 0.0), ([1], 0.0))], 0.0) == Mentions()


@pytest.mark.parametrize(
    ("terms", "values"),
    [([2, 1], [0.0, 0.0]), ([1, 1], [0.0, 0.0]), ([1], [0.0, 0.0]), ([1, 2], [0.0, np.nan])],
)
def test_mentions_that_are_not_ascending_or_not_finite_are_invalid(
    terms: list[int], values: list[float]
) -> None:
    packed = np.array(terms, np.uint32).tobytes(), np.array(values, np.float32).tobytes()
    assert not Mentions(*packed).is_valid()
    assert not Mentions(b"123", b"123").is_valid()
