"""The documents of OTHERS: common vocabulary that is not close, what joins it, and what gives way."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from motherlode.documents.analysing import analyse_one
from motherlode.documents.raw import Raw
from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import Bag, bag_of, unpack
from motherlode.lab.opening import open_web
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
    """A few pages of a real web on a topic: every so many of them, by address."""

    def __init__(self, directory: Path) -> None:
        self._web = open_web(directory)

    def __call__(self, topic: str, number: int = 8) -> list[Bag]:
        urls = sorted(self._web.labels().relevant(topic))
        return [self._bag(url) for url in urls[:: max(len(urls) // number, 1)][:number]]

    def _bag(self, url: str) -> Bag:
        answer = self._web.answer(url)
        assert answer is not None
        analysed = analyse_one(Raw(url, answer.body, "text/html", answer.header("content-type")))
        return unpack(analysed.vectors[TERMS])


def bags(*texts: str) -> list[Bag]:
    return [bag_of(text) for text in texts]


def pages(count: int, host: str = "", start: float = 0.1) -> list[RejectedPage[Bag]]:
    """Return rejected pages, each more confident than the last, on hosts of their own by default."""
    return [
        RejectedPage(host or f"h{n}.test", bag_of(f"word{chr(97 + n % 26)}"), -start * (n + 1))
        for n in range(count)
    ]


def ones(documents: Sequence[Bag]) -> list[int]:
    """Which documents these are, whatever is in them."""
    return [id(document) for document in documents]


def test_a_domain_that_is_the_topic_stands_out(domains: dict[str, Bag]) -> None:
    near = domain_deviations(
        domains, [bags("owls and hawks are birds", "a bird has wings, a nest and eggs at a time")]
    )
    assert max(near, key=lambda name: near[name]) == "birds"
    assert near["birds"] > MAX_DEVIATIONS
    assert sorted(near.values())[len(near) // 2] < 1.0, "most are near to the median"


def test_a_domain_is_as_near_as_it_is_to_the_nearest_topic(domains: dict[str, Bag]) -> None:
    birds, law = bags("the owl and the hawk, a bird each"), bags("the judge in court, a trial by jury")
    near = domain_deviations(domains, [birds, law])
    assert near["birds"] == domain_deviations(domains, [birds])["birds"] > MAX_DEVIATIONS
    assert near["law"] == domain_deviations(domains, [law])["law"] > MAX_DEVIATIONS
    assert {"birds", "law"} & set(common_documents(domains, [birds, law])) == set()


def test_close_domains_are_left_out_and_the_nearest_of_the_others_come_first(domains: dict[str, Bag]) -> None:
    topic = bags(
        "birds with wings and feathers; owls, hawks, ducks, geese; people at work in a house by the water"
    )
    near = domain_deviations(domains, [topic])
    left = common_documents(domains, [topic])
    assert set(domains) - set(left) == {name for name in domains if near[name] >= MAX_DEVIATIONS} != set()
    values = [near[name] for name in left]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1], "they differ"
    assert left == {name: domains[name] for name in left}
    assert list(common_documents(domains, [topic], 3)) == list(left)[:3]


def test_without_topics_or_words_in_common_nothing_is_left_out(domains: dict[str, Bag]) -> None:
    given: list[list[list[Bag]]] = [[], [[]], [bags("Eulen jagen nachts")], [bags("")]]
    for topics in given:
        assert set(common_documents(domains, topics)) == set(domains)
    foreign = [bags("die Eule jagt nachts, der Trainer im match")]  # one word that is also English
    assert set(domain_deviations(domains, foreign)) == set(domains)


def test_without_wordnet_there_is_no_common_vocabulary_and_no_failure() -> None:
    assert domain_deviations({}, [bags("owls")]) == {}
    assert common_documents({}, [bags("owls")]) == {}
    own = bags("mine")
    assert choose_counterexamples([], own, [], 2) == Counterexamples(tuple(own))


@pytest.mark.parametrize(
    ("topic", "going", "staying"),
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
def test_domains_close_to_a_topic_of_a_real_web_go(
    topic: str, going: set[str], staying: set[str], pages_on: PagesOn, vocabulary: dict[str, Bag]
) -> None:
    near = domain_deviations(vocabulary, [pages_on(topic)])
    gone = {name for name in near if near[name] >= MAX_DEVIATIONS}
    assert going <= gone
    assert not staying & gone
    assert len(gone) <= 15
    left = [near[name] for name in common_documents(vocabulary, [pages_on(topic)])]
    assert left == sorted((value for value in near.values() if value < MAX_DEVIATIONS), reverse=True)[:50]


def test_all_of_the_persons_own_are_there_whatever_else_is(domains: dict[str, Bag]) -> None:
    own = bags(*(f"mine {chr(97 + n)}" for n in range(80)))
    others = choose_counterexamples(list(domains.values()), own, pages(500), 20)
    assert ones(others.user) == ones(own)
    assert others.documents == others.user + others.rejected + others.common
    assert len(others.rejected) > 100


def test_rejected_pages_take_the_places_of_common_documents_until_some_are_left() -> None:
    common = bags(*(f"common {chr(97 + n)}" for n in range(50)))
    few = choose_counterexamples(common, (), pages(20), 2)
    assert len(few.rejected) == 10
    assert ones(few.common) == ones(common[:40]), "the first, which are the nearest, stay"
    many = choose_counterexamples(common, bags("mine"), pages(900), 30)
    assert len(many.rejected) == 300
    assert ones(many.common) == ones(common[:20])
    assert choose_counterexamples(common, (), (), 2).common == tuple(common)


def test_the_surest_rejections_join_first() -> None:
    refused = pages(40)
    joining = confident_rejections(refused, 2, CounterexampleLimits(max_per_example=3))
    assert ones(joining) == ones([page.document for page in reversed(refused[-6:])])


@pytest.mark.parametrize(("examples", "trusted"), [(0, 0), (1, 10), (2, 15), (4, 20), (28, 28)])
def test_the_fewer_examples_the_fewer_rejections_are_trusted(examples: int, trusted: int) -> None:
    refused = pages(30)
    joining = confident_rejections(refused, examples, CounterexampleLimits(max_per_example=1_000))
    assert ones(joining) == ones([page.document for page in reversed(refused)])[:trusted]


def test_what_a_topic_wanted_never_joins() -> None:
    wanted = [RejectedPage("a.test", bag_of("owls"), confidence) for confidence in (0.3, 0.0)]
    assert confident_rejections(wanted, 50) == ()


def test_one_host_does_not_stand_for_the_web() -> None:
    large = pages(200, "large.test", start=1.0)  # surer than all others
    small = pages(50)
    joining = confident_rejections([*large, *small], 100)
    from_large = set(ones(joining)) & set(ones([page.document for page in large]))
    assert len(from_large) == 3
    assert len(joining) > 40


def test_pages_without_words_neither_join_nor_count() -> None:
    empty = [RejectedPage(f"e{n}.test", bag_of(""), -9.0) for n in range(10)]
    refused = pages(20)
    assert ones(confident_rejections([*empty, *refused], 18)) == ones(confident_rejections(refused, 18))
    assert len(confident_rejections(refused, 18)) == 18


def test_documents_may_be_of_several_feature_spaces() -> None:
    sample = {TERMS: bag_of("owls"), "anchors": bag_of("hawks")}
    others = choose_counterexamples([sample], [sample], [RejectedPage("a.test", sample, -1.0)] * 3, 18)
    assert others.documents == (sample,) * 4
    assert isinstance(others.documents[0][TERMS].terms, np.ndarray)
