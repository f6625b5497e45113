"""Lengths of time as people write them."""

import click
import pytest

from motherlode.app.cli.types import Duration
from motherlode.app.text import parse_duration


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        *[("0s", 0), ("90s", 90), ("1.5s", 1.5), ("10m", 600), ("2h", 7200), ("1H30M5S", 5405)],
        *[("1.5h", 5400), ("30 m", 1800), ("7D", 604_800), ("2w", 1_209_600), (" 1h 5m ", 3900)],
    ],
)
def test_a_length_of_time(said: str, seconds: float) -> None:
    assert parse_duration(said) == seconds


@pytest.mark.parametrize(
    "said", ["", "m", "90", "10x", "-5s", "1h 5", "nan", "inf", "1e9s", "1y", "٣m", "9" * 50 + "s"]
)
def test_what_is_no_length_of_time(said: str) -> None:
    assert parse_duration(said) is None


def test_no_time_at_all_is_for_those_who_can_do_with_it() -> None:
    assert Duration(zero=True).convert("0s", None, None) == "0s"
    with pytest.raises(click.BadParameter):
        Duration().convert("0s", None, None)
