"""Phrases of titles and texts: what names something, and in which form."""

import pytest

from motherlode.documents.text.phrases import (
    known_phrases,
    names_in,
    runs_of,
    segments_of,
    things_in,
)
from motherlode.documents.text.prose import is_citation, is_prose, is_reference_heading


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Barn owl", {"barn owl": 1.0, "owl": 0.5}),
        ("Battle of the Somme", {"battl of the somm": 1.0, "battl": 0.5, "somm": 0.5}),
        ("The birds of prey", {"bird of prei": 1.0, "bird": 0.5, "prei": 0.5}),
        ("World War II", {"world war ii": 1.0, "war ii": 0.5}),
        ("Darwin's finches", {"darwin finch": 1.0, "finch": 0.5}),
        ("Vitamin C | Home", {"vitamin c": 1.0}),
        ("Health & safety", {"health and safeti": 1.0, "health": 0.5, "safeti": 0.5}),
        ("Week 6: Algorithms", {"algorithm": 1.0}),
        ("東京都", {"東京": 0.5, "京都": 0.5}),
        ("A guide to bone spavin", {"bone spavin": 0.5, "spavin": 0.5}),
        ("beef patty usually", {"beef patti": 1.0, "patti": 0.5}),
        ("folded around", {}),
        ("typically", {}),
        ("disease caused", {"diseas": 1.0}),
        ("Continue reading", {}),
        ("et al.", {}),
        ("Links", {}),
        ("edit", {}),
        ("doi:10.1126/science.1253451", {}),
        ("PMID 25504713", {}),
        ("ISBN 0-7136-3647-8", {}),
        ("st_read()", {}),
        ("addControl()", {}),
        ("www.example.org", {}),
        ("II", {}),
        ("October", {}),
        ("", {}),
    ],
)
def test_a_name_is_made_of_phrases(name: str, keys: dict[str, float]) -> None:
    assert {key: named.weight for key, named in names_in(name).items()} == keys


@pytest.mark.parametrize(
    ("line", "language", "things"),
    [
        ("Borage is an annual herb, and is eaten.", "en", ["annual herb", "herb"]),
        ("It is worn with a ribbon on the left.", "en", ["ribbon"]),
        ("Der Uhu ist ein Vogel und jagt.", "de", ["Uhu", "Vogel"]),
        ("Nothing was said.", "en", []),
    ],
)
def test_what_follows_an_article_is_a_thing(line: str, language: str, things: list[str]) -> None:
    assert [thing.text for thing in things_in(line, language).values()] == things


@pytest.mark.parametrize(
    ("text", "known", "phrases"),
    [
        ("In World War II many died.", {"war", "world war ii"}, ["World War II"]),
        ("He kept a barn owl.", {"owl", "barn", "barn owl"}, ["barn owl", "owl"]),
        ("Kings of Prussia, Poland", {"king of prussia", "prussia poland"}, ["Kings of Prussia"]),
        ("The owls' nests", {"owl", "nest"}, ["owls", "nests"]),
        ("Nothing is known.", set(), []),
    ],
)
def test_the_longest_phrases_of_a_text_are_found(
    text: str, known: set[str], phrases: list[str]
) -> None:
    found = [phrase.text for run in runs_of(text) for phrase in known_phrases(run, known)]
    assert found == phrases


def test_a_capital_says_nothing_at_the_beginning_of_a_sentence() -> None:
    known = {"owl", "poland"}
    runs = runs_of("Owls hunt in Poland. Owls sleep by day; (Poland too).")
    is_free = [phrase.is_free for run in runs for phrase in known_phrases(run, known)]
    assert is_free == [False, True, False, False]


def test_a_capital_says_nothing_at_the_end_of_a_longer_phrase() -> None:
    (run,) = runs_of("the United States")
    phrases = known_phrases(run, {"state", "unit state"})
    assert [(phrase.text, phrase.is_free) for phrase in phrases] == [
        ("United States", True),
        ("States", False),
    ]


@pytest.mark.parametrize("unit", ["a", " ", "1", "-", "a ", "a.", "|", "A. ", "' ", "東"])
def test_long_names_and_lines_take_no_longer_than_others(unit: str) -> None:
    """Where an expression tries every beginning again, a million characters take hours."""
    text = unit * (1_000_000 // len(unit))
    assert len(names_in(text)) <= 2
    assert sum(len(run) for run in runs_of(text[:100_000])) <= 100_000
    assert is_citation(text[:100_000]) in (True, False)
    assert is_prose(text) in (True, False)
    assert not is_reference_heading(text)


def test_a_title_has_segments() -> None:
    assert segments_of("Barn owl | Birds: Kent — Home") == ["Barn owl", "Birds", "Kent", "Home"]
    assert segments_of("") == []
