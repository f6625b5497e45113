"""How sure a topic is, in figures and in words."""

import msgspec
import pytest

from motherlode.training.certainty import Assessed, certainty_text, margin_text, topic_text

UNKNOWN = {"margin": None, "probability": None, "certainty": None, "confidence": None}


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (None, ""),
        (0.0, "doubtful (0.00)"),
        (0.29, "doubtful (0.29)"),
        (0.4951, "doubtful (0.49)"),  # cut, so that it agrees with the word
        (0.5, "likely (0.50)"),
        (0.72, "likely (0.72)"),
        (0.8499, "likely (0.84)"),
        (0.85, "sure (0.85)"),
        (0.998, "sure (0.99)"),  # no model is certain
        (1 - 1e-13, "sure (0.99)"),
        (1.0, "sure (1.00)"),  # a user said so
    ],
)
def test_a_probability_has_a_word(probability: float | None, text: str) -> None:
    assert certainty_text(probability) == text


@pytest.mark.parametrize(
    ("topic", "probability", "text"),
    [
        ("birds/owls", 0.9, "birds/owls, sure (0.90)"),
        ("birds/owls", None, "birds/owls"),
        ("", None, "no topic"),
    ],
)
def test_a_topic_is_shown_with_its_probability(
    topic: str, probability: float | None, text: str
) -> None:
    assert topic_text(topic, probability) == text


@pytest.mark.parametrize(
    ("margin", "text"),
    [(0.31, "margin +0.310"), (-0.02, "margin -0.020"), (None, "margin unknown")],
)
def test_a_margin_has_its_sign(margin: float | None, text: str) -> None:
    assert margin_text(margin) == text


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        (
            Assessed(margin=0.3, probability=0.72),
            {"margin": 0.3, "probability": 0.72, "certainty": "likely", "confidence": 0.3},
        ),
        (Assessed(margin=0.3, probability=None), UNKNOWN | {"margin": 0.3, "confidence": 0.3}),
        (Assessed(margin=None, probability=None), UNKNOWN),
    ],
)
def test_a_record_has_the_word_and_the_older_name(
    record: Assessed, fields: dict[str, object]
) -> None:
    assert msgspec.to_builtins(record) == fields
    assert msgspec.convert(fields, Assessed) == record


def test_the_word_follows_a_change_of_the_probability() -> None:
    record = Assessed(margin=0.3, probability=0.72)
    changed = msgspec.structs.replace(record, margin=0.1, probability=0.2)
    assert (changed.certainty, changed.confidence) == ("doubtful", 0.1)
