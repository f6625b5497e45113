"""Which words pages on a topic mention."""

from math import log

import numpy as np
import pytest

from motherlode.learning.links.mentions import Mentions, learn_mentions


def lifts(mentions: Mentions) -> dict[int, float]:
    terms, values = mentions.lookup()
    return dict(zip(terms.tolist(), values.tolist(), strict=True))


def part(*pages: tuple[list[int], float]) -> tuple[np.ndarray, np.ndarray]:
    """Pages by their terms, and how likely each is on the topic."""
    terms = np.array([term for page, _ in pages for term in page], np.uint32)
    return terms, np.array([sure for page, sure in pages for _ in page])


def test_a_lift_is_how_much_likelier_a_page_with_the_word_is_on_the_topic() -> None:
    mentions = learn_mentions([part(([7, 9], 1.0), ([7], 0.8)), part(([9, 3], 0.0), ([3], 0.2))], share=0.5)
    assert lifts(mentions) == pytest.approx(
        {
            3: log((0.2 + 2 * 0.5) / (2 + 2) / 0.5),
            7: log((1.8 + 2 * 0.5) / (2 + 2) / 0.5),
            9: log((1.0 + 2 * 0.5) / (2 + 2) / 0.5),
        },
        abs=1e-6,
    )
    assert mentions.is_valid()


def test_a_word_of_one_page_says_nothing_and_of_too_many_those_of_most_pages_are_kept() -> None:
    pages = [([1, 2, 3], 1.0), ([1, 2], 1.0), ([1], 0.0)]
    assert sorted(lifts(learn_mentions([part(*pages)], 0.5))) == [1, 2]
    assert sorted(lifts(learn_mentions([part(*pages)], 0.5, most=1))) == [1]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_of_nothing_nothing_is_learned(share: float) -> None:
    assert learn_mentions([], share) == Mentions()
    assert learn_mentions([part(([1], 0.0), ([1], 0.0))], 0.0) == Mentions()


@pytest.mark.parametrize(
    ("terms", "values"),
    [([2, 1], [0.0, 0.0]), ([1, 1], [0.0, 0.0]), ([1], [0.0, 0.0]), ([1, 2], [0.0, np.nan])],
)
def test_what_cannot_be_looked_up_is_not_sound(terms: list[int], values: list[float]) -> None:
    packed = np.array(terms, np.uint32).tobytes(), np.array(values, np.float32).tobytes()
    assert not Mentions(*packed).is_valid()
    assert not Mentions(b"123", b"123").is_valid()
