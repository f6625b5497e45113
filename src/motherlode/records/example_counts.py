"""Count a topic's examples: those of the user, and those that the crawl chose by itself."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from motherlode.records.identifiers import TopicId
from motherlode.records.topics import Example, Origin


class ExampleCounts(Struct, frozen=True):
    """The number of examples, by who chose them.

    `user` counts pages and queries that a user gave, marked or accepted; `crawl` counts archetypes
    that no user has accepted. `accepted` are those of `user` that are archetypes.
    """

    user: int = 0
    crawl: int = 0
    accepted: int = 0

    @property
    def given(self) -> int:
        """The examples that no model has chosen."""
        return self.user - self.accepted

    @property
    def total(self) -> int:
        return self.user + self.crawl

    def text(self, noun: str = "example") -> str:
        """Return the numbers in words, such as `4 examples, 16 learned from the crawl`."""
        plural = "" if self.user == 1 else "s"
        learned = f", {self.crawl:,} learned from the crawl" if self.crawl else ""
        return f"{self.user:,} {noun}{plural}{learned}"


def count_examples(examples: Iterable[Example]) -> ExampleCounts:
    return count_origins(example.origin for example in examples)


def count_origins(origins: Iterable[str]) -> ExampleCounts:
    """Return the counts of examples that are given by their origins alone."""
    counts = Counter(origins)
    crawl = counts[Origin.ARCHETYPE]
    return ExampleCounts(counts.total() - crawl, crawl, accepted=counts[Origin.FEEDBACK])


def count_by_topic(examples: Iterable[Example]) -> dict[TopicId, ExampleCounts]:
    """Return the counts of each topic that has an example of its own."""
    by_topic: dict[TopicId, list[Example]] = {}
    for example in examples:
        by_topic.setdefault(example.topic, []).append(example)
    return {topic: count_examples(group) for topic, group in by_topic.items()}
