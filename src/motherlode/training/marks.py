"""What marks mean for learning and for judging (SPEC B21): a person's word counts for more than a model's.

Marks lie over the examples and change none of them. So whoever learns, `lode train` or a crawl, learns by
them, and what is taken back leaves nothing behind.
"""

from collections.abc import Iterator, Sequence
from typing import Self

from msgspec.structs import replace

from motherlode.records import ROOT, Example, Judgement, Origin, PageId, TopicId, Word
from motherlode.store import topics as topic_rows
from motherlode.store.marks import Marked, standing_marks
from motherlode.store.session import Session
from motherlode.topics import TopicTree, show_path

_SAID = {Word.GOOD: "good for", Word.BAD: "bad for", Word.DROPPED: "not to be learned from for"}
LEAST = 0.001  # the confidence in a page that is on a topic by a person's word alone


class Marks:
    """All marks of a portal that hold."""

    def __init__(self, standing: Sequence[Marked], tree: TopicTree) -> None:
        self._tree = tree
        self._by_page: dict[PageId, list[Marked]] = {}
        for one in standing:
            self._by_page.setdefault(one.mark.page, []).append(one)
        self._by_url = {one.url: one.mark.page for one in standing}
        self.standing = standing

    @classmethod
    def of(cls, session: Session) -> Self:
        return cls(standing_marks(session), TopicTree(topic_rows.all_topics(session)))

    @property
    def pages(self) -> list[PageId]:
        """The pages that anything was said of."""
        return list(self._by_page)

    def on(self, page: PageId) -> list[Marked]:
        return self._by_page.get(page, [])

    def page_at(self, url: str) -> PageId | None:
        """The page at a URL, if anything was said of it."""
        return self._by_url.get(url)

    def keep_out(self, page: PageId, topic: TopicId) -> bool:
        """Whether a page is no example of a topic any more; of OTHERS: it is good for a topic beside."""
        said = self.on(page)
        if said and self._tree[topic].is_others:
            beside = self._tree.descendants(self._tree[topic].parent or ROOT)
            return any(one.mark.word is Word.GOOD and one.mark.topic in beside for one in said)
        return any(
            one.mark.word in (Word.BAD, Word.DROPPED) and topic in self._tree.descendants(one.mark.topic)
            for one in said
        )

    def examples(self) -> Iterator[Example]:
        """What is good for its topic."""
        return (_example(one, one.mark.topic) for one in self.standing if one.mark.word is Word.GOOD)

    def counterexamples(self) -> Iterator[Example]:
        """What is bad for a topic, under the topic above: there it is one of OTHERS."""
        for one in self.standing:
            if one.mark.word is Word.BAD:
                yield _example(one, self._tree[one.mark.topic].parent or ROOT)

    def overrule(self, page: PageId, said: Judgement) -> Judgement:
        """What is thought of a page, as far as a person has said nothing else."""
        for one in reversed(self.on(page)):  # the last word first
            if one.mark.word is Word.GOOD:
                is_there = said.topic in self._tree.descendants(one.mark.topic)
                return said if is_there else replace(said, topic=one.mark.topic, confidence=LEAST)
        bad = [one.mark.topic for one in self.on(page) if one.mark.word is Word.BAD]
        while (wrong := self._first_above(said.topic, bad)) is not None:
            above = self._tree[wrong].parent or ROOT
            sure = min(said.confidence, 0.0) if above == ROOT else said.confidence
            said = replace(said, topic=above, confidence=sure)
        return said

    def _first_above(self, topic: TopicId, bad: Sequence[TopicId]) -> TopicId | None:
        """The topic itself or one above it that a page is bad for; where it is on none, there is nothing."""
        if topic == ROOT:
            return None
        return next((one for one in bad if topic in self._tree.descendants(one)), None)


def said_on(marks: Marks, tree: TopicTree, page: PageId) -> tuple[str, ...]:
    """What a person said of a page, such as `good for owls`."""
    return tuple(f"{_SAID[one.mark.word]} {show_path(tree.path(one.mark.topic))}" for one in marks.on(page))


def _example(one: Marked, topic: TopicId) -> Example:
    return Example(topic, one.url, one.title, origin=Origin.FEEDBACK, added_at=one.mark.given_at)
