"""The documents of OTHERS: the user's own, rejected pages, and common vocabulary."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag, bag_of, unpack
from motherlode.lab.loader import open_web
from motherlode.learning.counterexamples import (
    MAX_DEVIATIONS,
    CounterexampleLimits,
    Counterexamples,
    RejectedPage,
    choose_counterexamples,
    common_documents,
    confident_rejections,
    domain_deviations,
)
from motherlode.lexicon import NoWordNetError, common_vocabulary
from support.helpers import lacks

# Ten domains that share a few words, so that a topic is a little near to each.
SHARED = "a thing that people make or use in a house, at work, in a place or at a time"
SMALL = {
    "birds": "bird wing feather nest egg song owl hawk duck goose",
    "fish": "fish fin scale water salmon trout river gill",
    "music": "music song melody violin piano concert orchestra",
    "law": "court judge law trial jury lawyer sentence",
    "food": "bread butter soup meat cook kitchen salt",
    "ships": "ship sail harbour captain deck anchor",
    "money": "money bank coin debt loan interest",
    "sport": "team ball goal match stadium player",
    "school": "teacher pupil lesson classroom school learn",
    "clothes": "shirt coat trousers hat shoe dress",
}


@pytest.fixture
def domains() -> dict[str, Bag]:
    return {name: bag_of(f"{SHARED} {text}") for name, text in SMALL.items()}


@pytest.fixture(scope="session")
def vocabulary() -> dict[str, Bag]:
    try:
        return {name: bag_of(text) for name, text in common_vocabulary().items()}
    except NoWordNetError as error:
        lacks(f"WordNet 3.0: {error}")


@pytest.fixture(scope="session")
def pages_on(recorded_webs: Path) -> "PagesOn":
    return PagesOn(recorded_webs / "schools")


class PagesOn:
    """Returns a few pages of a real web on a topic, at equal steps in the order of their URLs."""

    def __init__(self, directory: Path) -> None:
        self._web = open_web(directory)

    def __call__(self, topic: str, number: int = 8) -> list[Bag]:
        urls = sorted(self._web.labels().relevant(topic))
        return [self._bag(url) for url in urls[:: max(len(urls) // number, 1)][:number]]

    def _bag(self, url: str) -> Bag:
        response = self._web.answer(url)
        assert response is not None
        raw = Raw(url, response.body, "text/html", response.header("content-type"))
        return unpack(analyse_one(raw).vectors[TERMS])


def bags(*texts: str) -> list[Bag]:
    return [bag_of(text) for text in texts]


def pages(count: int, host: str = "", start: float = 0.1) -> list[RejectedPage[Bag]]:
    """Return rejected pages, each more confident than the last, by default on different hosts."""
    return [
        RejectedPage(host or f"h{n}.test", bag_of(f"word{chr(97 + n % 26)}"), -start * (n + 1))
        for n in range(count)
    ]


def identities(documents: Sequence[Bag]) -> list[int]:
    """Return numbers that are equal only for the same objects, even if other texts are equal."""
    return [id(document) for document in documents]


def test_a_domain_on_the_topic_stands_out(domains: dict[str, Bag]) -> None:
    topic = bags("owls and hawks are birds", "a bird has wings, a nest and eggs at a time")
    deviations = domain_deviations(domains, [topic])
    assert max(deviations, key=lambda name: deviations[name]) == "birds"
    assert deviations["birds"] > MAX_DEVIATIONS
    assert sorted(deviations.values())[len(deviations) // 2] < 1.0, "most are near the median"


def test_the_nearest_topic_counts(domains: dict[str, Bag]) -> None:
    birds = bags("the owl and the hawk, a bird each")
    law = bags("the judge in court, a trial by jury")
    deviations = domain_deviations(domains, [birds, law])
    assert deviations["birds"] == domain_deviations(domains, [birds])["birds"] > MAX_DEVIATIONS
    assert deviations["law"] == domain_deviations(domains, [law])["law"] > MAX_DEVIATIONS
    assert {"birds", "law"} & set(common_documents(domains, [birds, law])) == set()


def test_close_domains_are_left_out_and_near_domains_come_first(domains: dict[str, Bag]) -> None:
    birds = "birds with wings and feathers; owls, hawks, ducks, geese"
    topic = bags(f"{birds}; people at work in a house by the water")
    deviations = domain_deviations(domains, [topic])
    common = common_documents(domains, [topic])
    close = {name for name in domains if deviations[name] >= MAX_DEVIATIONS}
    assert set(domains) - set(common) == close != set()
    values = [deviations[name] for name in common]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1], "they differ"
    assert common == {name: domains[name] for name in common}
    assert list(common_documents(domains, [topic], 3)) == list(common)[:3]


def test_without_topics_or_words_in_common_nothing_is_left_out(domains: dict[str, Bag]) -> None:
    topic_lists: list[list[list[Bag]]] = [[], [[]], [bags("Eulen jagen nachts")], [bags("")]]
    for topics in topic_lists:
        assert set(common_documents(domains, topics)) == set(domains)
    foreign = [bags("die Eule jagt nachts, der Trainer im match")]  # one word that is also English
    assert set(domain_deviations(domains, foreign)) == set(domains)


def test_without_wordnet_there_is_no_common_vocabulary_and_no_failure() -> None:
    assert domain_deviations({}, [bags("owls")]) == {}
    assert common_documents({}, [bags("owls")]) == {}
    own = bags("mine")
    assert choose_counterexamples([], own, [], 2) == Counterexamples(tuple(own))


@pytest.mark.parametrize(
    ("topic", "close", "distant"),
    [
        ("Science/Biology/Birds", {"birds", "mammals"}, {"law", "computers", "sport", "music"}),
        ("Science/Biology/Mammals", {"mammals"}, {"law", "computers", "government"}),
        ("Science/Physics/General_Physics", {"physics"}, {"birds", "law", "dishes", "family"}),
        ("Science/Physics/Space_Astronomy", {"the sky", "physics"}, {"birds", "law", "dishes"}),
        ("Science/Chemistry", {"chemistry", "minerals and metals"}, {"family", "dance", "crime"}),
        ("Mathematics", {"mathematics"}, {"birds", "dishes", "clothes"}),
        ("IT", {"computers"}, {"birds", "dishes", "religion"}),
        ("Music", {"music"}, {"birds", "chemistry", "crime"}),
        ("Religion", {"religion"}, {"birds", "dishes", "machines"}),
        ("Language_and_literature/Languages", {"language"}, {"birds", "dishes", "weapons"}),
        ("Citizenship/Politics_and_government", {"government"}, {"birds", "dishes", "colours"}),
    ],
)
def test_domains_close_to_a_topic_of_a_real_web_are_left_out(
    topic: str, close: set[str], distant: set[str], pages_on: PagesOn, vocabulary: dict[str, Bag]
) -> None:
    deviations = domain_deviations(vocabulary, [pages_on(topic)])
    left_out = {name for name in deviations if deviations[name] >= MAX_DEVIATIONS}
    assert close <= left_out
    assert not distant & left_out
    assert len(left_out) <= 15
    common = [deviations[name] for name in common_documents(vocabulary, [pages_on(topic)])]
    below = sorted((value for value in deviations.values() if value < MAX_DEVIATIONS), reverse=True)
    assert common == below[:50]


def test_all_of_the_users_own_documents_are_in_others(domains: dict[str, Bag]) -> None:
    own = bags(*(f"mine {chr(97 + n)}" for n in range(80)))
    others = choose_counterexamples(list(domains.values()), own, pages(500), 20)
    assert identities(others.user) == identities(own)
    assert others.documents == others.user + others.rejected + others.common
    assert len(others.rejected) > 100


def test_rejected_pages_replace_common_documents_but_some_stay() -> None:
    common = bags(*(f"common {chr(97 + n)}" for n in range(50)))
    few = choose_counterexamples(common, (), pages(20), 2)
    assert len(few.rejected) == 10
    assert identities(few.common) == identities(common[:40]), "the first (nearest) stay"
    many = choose_counterexamples(common, bags("mine"), pages(900), 30)
    assert len(many.rejected) == 300
    assert identities(many.common) == identities(common[:20])
    assert choose_counterexamples(common, (), (), 2).common == tuple(common)


def test_the_most_confident_rejections_join_first() -> None:
    rejected_pages = pages(40)
    trusted = confident_rejections(rejected_pages, 2, CounterexampleLimits(max_per_example=3))
    assert identities(trusted) == identities(
        [page.document for page in reversed(rejected_pages[-6:])],
    )


@pytest.mark.parametrize(("examples", "count"), [(0, 0), (1, 10), (2, 15), (4, 20), (28, 28)])
def test_the_fewer_examples_the_fewer_rejections_are_trusted(examples: int, count: int) -> None:
    rejected_pages = pages(30)
    trusted = confident_rejections(
        rejected_pages,
        examples,
        CounterexampleLimits(max_per_example=1_000),
    )
    documents = [page.document for page in reversed(rejected_pages)]
    assert identities(trusted) == identities(documents)[:count]


def test_an_accepted_page_never_joins() -> None:
    accepted = [RejectedPage("a.test", bag_of("owls"), confidence) for confidence in (0.3, 0.0)]
    assert confident_rejections(accepted, 50) == ()


def test_one_host_does_not_stand_for_the_web() -> None:
    large = pages(200, "large.test", start=1.0)  # more confident than all others
    small = pages(50)
    trusted = confident_rejections([*large, *small], 100)
    from_large = set(identities(trusted)) & set(identities([page.document for page in large]))
    assert len(from_large) == 3
    assert len(trusted) > 40


def test_pages_without_words_neither_join_nor_count() -> None:
    empty = [RejectedPage(f"e{n}.test", bag_of(""), -9.0) for n in range(10)]
    rejected_pages = pages(20)
    trusted = confident_rejections(rejected_pages, 18)
    assert len(trusted) == 18
    assert identities(confident_rejections([*empty, *rejected_pages], 18)) == identities(trusted)


def test_documents_may_be_of_several_feature_spaces() -> None:
    sample = {TERMS: bag_of("owls"), "anchors": bag_of("hawks")}
    rejected = [RejectedPage("a.test", sample, -1.0)] * 3
    others = choose_counterexamples([sample], [sample], rejected, 18)
    assert others.documents == (sample,) * 4
    assert isinstance(others.documents[0][TERMS].terms, np.ndarray)
