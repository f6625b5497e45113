"""The prose of a page: its own sentences, without citations, tables and menus."""

import pytest

from motherlode.documents.text.prose import is_citation, is_prose, is_reference_heading, prose_of


@pytest.mark.parametrize(
    ("line", "is_cited"),
    [
        ("Jarvis, E. D. et al. (2014). Whole-genome analyses. Science 346 (6215): 1320-31.", True),
        ("Ericson PG, Anderson CL (2006). Diversification of Neoaves. Biol Lett 2: 543-7.", True),
        ("^ Cramp, S. Handbook of the Birds, vol. IV. ISBN 0-19-857507-6", True),
        ('"Owls". The Owl Pages. Retrieved 2006-08-27. https://owls.test/', True),
        ("The owl was described by Linnaeus in 1758, and it hunts at night in old woods.", False),
        ("Payne (1971) kept barn owls in the dark, and they found mice by their hearing.", False),
    ],
)
def test_a_citation_is_known_by_its_signs(line: str, is_cited: bool) -> None:  # noqa: FBT001
    assert is_citation(line) is is_cited


@pytest.mark.parametrize(
    ("heading", "is_reference"),
    [
        ("References", True),
        ("5. External links [edit]", True),
        ("Notes and references", True),
        ("Einzelnachweise", True),
        ("Voir aussi", True),
        ("Literature of Japan", False),
        ("Habitat", False),
        ("", False),
    ],
)
def test_headings_of_references_are_known(heading: str, is_reference: bool) -> None:  # noqa: FBT001
    assert is_reference_heading(heading) is is_reference


@pytest.mark.parametrize(
    ("line", "language", "expected"),
    [
        ("Owls are birds of prey.", "en", True),
        (
            "Kingdom: Animalia Phylum: Chordata Class: Aves Order: Strigiformes Family: Strigidae",
            "en",
            False,
        ),
        ("Home | Contents | Links", "en", False),
        ("フクロウは夜に狩りをする。", "ja", True),
        ("Die Eule jagt in der Nacht.", "de", True),
    ],
)
def test_prose_is_known_by_its_end_and_its_function_words(
    line: str,
    language: str,
    expected: bool,  # noqa: FBT001
) -> None:
    assert is_prose(line, language) is expected


def test_sections_of_references_are_left_out_until_the_next_heading() -> None:
    owls, herons = "Owls hunt at night.", "Herons hunt in the water."
    text = "\n".join([owls, "See also", "A list of the hawks of the world.", "Herons", herons])
    assert prose_of(text, {"See also", "Herons"}) == [owls, herons]


def test_a_page_without_sentences_keeps_its_lines() -> None:
    assert prose_of("Barn owl\nTawny owl\n", ()) == ["Barn owl", "Tawny owl"]
