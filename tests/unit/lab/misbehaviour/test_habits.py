"""Habits of hosts: their figures and patterns. What they do is tested over sockets in tests/web."""

import re

import pytest

from motherlode.lab.misbehaviour import Habits
from motherlode.lab.misbehaviour.habits import parse_habit
from motherlode.lab.misbehaviour.scene import Visits
from motherlode.records import BadInputError


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("slow-dripp", "did you mean 'slow-drip'?"),
        ("zzzzzz", "'lode sandbox habits' lists them"),
        ("stall:3", "takes no figure"),
        ("slow-drip:fast", "is no figure for 'slow-drip'"),
        ("slow-drip:nan", "from 0 to 1,000,000"),
        ("slow-drip:-1", "from 0 to 1,000,000"),
        ("robots-error:0", "from 400 to 599"),
        ("gzip-bomb:1000000", "from 1 to 4,000"),
    ],
)
def test_a_habit_that_cannot_be_is_refused_in_a_sentence(told: str, said: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(said)):
        parse_habit(told)


def test_the_first_pattern_that_fits_counts() -> None:
    habits = Habits([("a.*", "stall"), ("*", "reset")], otherwise=lambda _: "garbage")
    assert (habits.of("a.test"), habits.of("b.test")) == (
        parse_habit("stall"),
        parse_habit("reset"),
    )
    assert Habits([("a.*", "stall")], otherwise=lambda _: "garbage").of("b.test") == parse_habit(
        "garbage"
    )
    assert Habits().of("b.test") is None


def test_a_host_remembers_the_visits_of_a_second_and_no_more() -> None:
    visits = Visits()
    for number in range(5000):
        visits.note(number / 10)
    assert visits.count == 5000
    assert visits.in_a_second == 10
    for _ in range(200_000):
        visits.note(500.0)
    assert visits.in_a_second <= 100_000
