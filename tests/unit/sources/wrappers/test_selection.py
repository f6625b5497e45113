"""Which portals are asked for an object."""

from motherlode.sources.wrappers.attributes import Attribute, PersonName, PortalQuery
from motherlode.sources.wrappers.matching import FieldMatch, Matching
from motherlode.sources.wrappers.selection import best_portals, similarity_to


def matching(**scores: float) -> Matching:
    return Matching(
        tuple(
            FieldMatch(f"f{name}", Attribute(name.replace("_", "-")), score)
            for name, score in scores.items()
        )
    )


PORTALS = {
    "library": matching(title=0.9, author=0.9, year=0.9),
    "articles": matching(title=0.9, author=0.8),
    "engine": matching(any=0.9),
    "shop": matching(any=0.6),
    "people": matching(first_name=0.7, last_name=0.7),
    "weak": matching(year=0.4),
}
PAPER = PortalQuery(title="Owls", authors=(PersonName("Doe", "J"),), year=1999)


def test_the_three_portals_of_the_largest_sum_are_asked_in_their_order() -> None:
    names = [name for name, _ in best_portals(PORTALS, PAPER)]
    assert names == ["library", "articles", "engine"]


def test_similarities_are_summed_over_attributes_that_the_object_has() -> None:
    assert similarity_to(PORTALS["library"], PAPER) == 0.9 + 0.9 + 0.9
    assert similarity_to(PORTALS["library"], PortalQuery(title="Owls")) == 0.9


def test_names_and_years_count_once() -> None:
    assert similarity_to(PORTALS["people"], PAPER) == 0.7
    span = matching(year_from=0.8, year_to=0.8)
    assert similarity_to(span, PAPER) == 0.8


def test_weak_matches_are_skipped_even_if_fewer_than_three_are_left() -> None:
    assert best_portals({"weak": PORTALS["weak"]}, PAPER) == []
    assert best_portals(PORTALS, PortalQuery()) == []


def test_an_object_with_more_attributes_may_prefer_another_portal() -> None:
    portals = {"a": matching(title=0.9), "b": matching(title=0.7, publisher=0.7)}
    assert best_portals(portals, PortalQuery(title="Owls"), 1)[0][0] == "a"
    assert best_portals(portals, PortalQuery(title="Owls", publisher="P"), 1)[0][0] == "b"
