"""The examples of users and of the crawl are counted apart."""

import pytest

from motherlode.records import Example, Origin, TopicId
from motherlode.records.example_counts import ExampleCounts, count_by_topic, count_examples


def example(origin: Origin, topic: int = 2) -> Example:
    return Example(TopicId(topic), "http://a.test/", origin=origin)


def test_archetypes_count_for_the_crawl_until_a_user_accepts_them() -> None:
    origins = (Origin.PERSON, Origin.QUERY, Origin.FEEDBACK, Origin.ARCHETYPE, Origin.ARCHETYPE)
    assert count_examples(map(example, origins)) == ExampleCounts(user=3, crawl=2, accepted=1)
    assert count_examples(map(example, origins)).given == 2


def test_each_topic_counts_its_own() -> None:
    counts = count_by_topic([example(Origin.PERSON), example(Origin.ARCHETYPE, topic=3)])
    assert counts == {2: ExampleCounts(user=1), 3: ExampleCounts(crawl=1)}


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        (ExampleCounts(), "0 examples"),
        (ExampleCounts(user=1), "1 example"),
        (ExampleCounts(user=4, crawl=16), "4 examples, 16 learned from the crawl"),
        (ExampleCounts(crawl=1_600), "0 examples, 1,600 learned from the crawl"),
    ],
)
def test_the_counts_in_words(counts: ExampleCounts, text: str) -> None:
    assert counts.text() == text


def test_counterexamples_are_named_so() -> None:
    assert ExampleCounts(user=3).text("counterexample") == "3 counterexamples"
