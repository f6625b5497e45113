"""The choice of archetypes, on small tables."""

from motherlode.learning.archetypes import ArchetypeChange, choose_archetypes, choose_near_examples


def test_candidates_must_exceed_the_mean_of_the_training_documents() -> None:
    change = choose_archetypes({"a": 0.4, "b": 0.6}, {"c": 0.9, "d": 0.5, "e": 0.51}, {"d": 1.0})
    assert change == ArchetypeChange(("c", "e"), ("a", "b"), 0.5)


def test_authorities_and_confident_pages_are_candidates() -> None:
    confidences = {f"p{n}": 1.0 - n / 100 for n in range(50)}
    change = choose_archetypes({"a": 0.1}, confidences, {"p40": 9.0, "p49": 8.0}, limits=(2, 3))
    assert change.added == ("p0", "p1")  # at most min(N_auth, N_conf)
    assert choose_archetypes({"a": 0.1}, confidences, {"p40": 9.0}, limits=(1, 1)).added == ("p0",)


def test_an_authority_of_low_confidence_is_no_archetype() -> None:
    change = choose_archetypes({"a": 0.5}, {"b": 0.2}, {"b": 5.0, "unjudged": 9.0})
    assert change == ArchetypeChange(mean=0.5)


def test_the_users_own_examples_are_never_dropped() -> None:
    training = {"own": 0.1, "old": 0.2}
    change = choose_archetypes(training, {"new": 0.9}, {}, user_pages={"own"})
    assert change.dropped == ("old",)


def test_nothing_is_dropped_if_nothing_is_added() -> None:
    assert choose_archetypes({"a": 0.9, "b": 0.1}, {}, {}).dropped == ()
    assert choose_archetypes({}, {"a": 0.3}, {}) == ArchetypeChange(("a",), (), 0.0)


def test_training_documents_are_no_candidates_again() -> None:
    assert choose_archetypes({"a": 0.5}, {"a": 0.9}, {"a": 1.0}).added == ()


def test_archetypes_stay_near_the_examples() -> None:
    change = choose_near_examples(
        {"old": 0.5, "gone": 0.1}, {"a": 0.4, "b": 0.3, "c": 0.6, "old": 0.9}, 0.3, 5
    )
    assert change == ArchetypeChange(("c", "a"), ("gone",), 0.3)
    assert choose_near_examples({}, {"a": 0.4, "c": 0.6}, 0.3, 1).added == ("c",)
