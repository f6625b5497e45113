"""What a person says of pages that were found: good or bad for a topic, or not to be learned from (SPEC B21).

It is worked out first and kept then. Nothing else changes until something is learned from it: `relearning`
shows what that would be, and does it.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from motherlode.policies.bingo.steering import is_on_topic
from motherlode.records import ROOT, Mark, PageId, Topic, TopicId, UsageError, Word
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.store.judged import judgements_of
from motherlode.store.marks import Marked, standing_marks
from motherlode.store.pages import KeptPage
from motherlode.store.session import Session
from motherlode.topics import TopicTree, show_path
from motherlode.training.training_set import KIND, page_behind

ALL = "all"


class Sayings(Struct, frozen=True):
    """What a person says of the pages at these URLs. `clear`: nothing any more, of `all` if need be."""

    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    topic: TopicId | None = None  # None: the one that each page is on
    note: str = ""


class Listed(Struct, frozen=True):
    """A mark, as a person wants to see it. `now`: the topic that the page is on. `learned`: by a model."""

    url: str
    title: str
    word: str
    topic: str
    now: str
    confidence: float | None
    given_at: float
    note: str
    learned: bool


def marks_from(session: Session, tree: TopicTree, said: Sayings, now: float) -> list[Mark]:
    """The marks that this comes to. Raises `UsageError` for what makes no sense, and then nothing is kept."""
    return list(_Marking(session, tree, said, now).marks())


def marks_listed(session: Session, tree: TopicTree) -> list[Listed]:
    """All marks that hold, the last first."""
    standing = standing_marks(session)
    judged = judgements_of(session, [one.mark.page for one in standing])
    model = ledger.latest_model(session, KIND)
    learned_at = 0.0 if model is None else model.created_at
    found = []
    for one in reversed(standing):
        said = judged.get(one.mark.page)
        here = show_path(tree.path(said.topic)) if said is not None and is_on_topic(said) else ""
        found.append(
            Listed(
                one.url,
                one.title,
                one.mark.word.name.lower(),
                show_path(tree.path(one.mark.topic)),
                here,
                None if said is None else said.confidence,
                one.mark.given_at,
                one.mark.note,
                one.mark.given_at <= learned_at,
            )
        )
    return found


class _Marking:
    """One person's sayings on their way to marks."""

    def __init__(self, session: Session, tree: TopicTree, said: Sayings, now: float) -> None:
        self._session, self._tree, self._said, self._now = session, tree, said, now
        self._standing = standing_marks(session)

    def marks(self) -> Iterator[Mark]:
        said = self._said
        pages: dict[PageId, Word] = {}
        for word, urls in ((Word.GOOD, said.good), (Word.BAD, said.bad), (Word.DROPPED, said.drop)):
            for url in dict.fromkeys(urls):
                page = self._page(url)
                if pages.setdefault(page.id, word) is not word:
                    raise UsageError(f"{url} cannot be {word.name.lower()} and something else at once.")
                yield from self._marks_on(page, word)
        for url in said.clear:
            page_id = None if url == ALL else self._page(url).id
            if page_id in pages:
                raise UsageError(f"{url} cannot be marked and cleared at once.")
            yield from self._cleared(url, page_id)

    def _marks_on(self, page: KeptPage, word: Word) -> Iterator[Mark]:
        if word is Word.DROPPED:
            yield from (self._mark(page.id, topic, word) for topic in self._taught_by(page))
            return
        topic = self._topic(page, word)
        yield self._mark(page.id, topic, word)
        for one in self._standing:
            if one.mark.page == page.id and self._contradicts(one, topic, word):
                yield self._mark(page.id, one.mark.topic, Word.NOTHING)

    def _contradicts(self, one: Marked, topic: TopicId, word: Word) -> bool:
        """Whether an earlier mark, on another topic, cannot hold together with this."""
        if one.mark.topic == topic:
            return False
        if word is Word.GOOD:
            return one.mark.word is not Word.GOOD and topic in self._tree.descendants(one.mark.topic)
        return one.mark.word is Word.GOOD and one.mark.topic in self._tree.descendants(topic)

    def _cleared(self, url: str, page: PageId | None) -> Iterator[Mark]:
        found = [
            one.mark
            for one in self._standing
            if page in (None, one.mark.page) and self._said.topic in (None, one.mark.topic)
        ]
        if not found:
            raise UsageError("Nothing is marked." if page is None else f"{url} is not marked.")
        yield from (self._mark(one.page, one.topic, Word.NOTHING) for one in found)

    def _topic(self, page: KeptPage, word: Word) -> TopicId:
        chosen = self._chosen(word)
        if chosen is not None:
            return chosen
        judged = judgements_of(self._session, [page.id]).get(page.id)
        if judged is not None and is_on_topic(judged):
            return judged.topic
        if word is Word.BAD:  # it is on no topic, and is to stay so
            return ROOT
        topics = [topic.id for topic in self._tree if not topic.is_others]
        if len(topics) == 1:
            return topics[0]
        raise UsageError(f"{page.page.url} is on no topic; say with --topic which one it is good for.")

    def _chosen(self, word: Word) -> TopicId | None:
        if self._said.topic is None:
            return None
        topic: Topic = self._tree[self._said.topic]
        if topic.is_others:
            raise UsageError("OTHERS is where pages go that no topic wants; --bad with --topic / says so.")
        if topic.parent is None and word is Word.GOOD:
            raise UsageError("The root has no examples of its own; name a topic below it.")
        return topic.id

    def _taught_by(self, page: KeptPage) -> Sequence[TopicId]:
        """The topics that are learned from a page, those that were asked for."""
        within = self._tree.descendants(ROOT if self._said.topic is None else self._said.topic)
        found = [one.mark.topic for one in self._standing if _is_good(one, page.id)]
        for one in topic_rows.examples_of(self._session):
            behind = page_behind(self._session, one.url) if one.url and one.topic in within else None
            if behind is not None and behind.id == page.id:
                found.append(one.topic)
        topics = [topic for topic in dict.fromkeys(found) if topic in within]
        if not topics:
            raise UsageError(
                f"{page.page.url} is no training document there; 'lode topics DIR --all' lists the examples."
            )
        return topics

    def _page(self, url: str) -> KeptPage:
        page = page_behind(self._session, url)
        if page is None:
            raise UsageError(f"{url[:200]} is no page of the portal; only what was fetched can be marked.")
        return page

    def _mark(self, page: PageId, topic: TopicId, word: Word) -> Mark:
        return Mark(page, topic, word, self._now, self._said.note)


def _is_good(one: Marked, page: PageId) -> bool:
    return one.mark.page == page and one.mark.word is Word.GOOD


def withdrawn(
    session: Session, tree: TopicTree, urls: Sequence[str], topic: TopicId, now: float
) -> list[Mark]:
    """What takes marks back that keep these pages from being examples of a topic: a person names them now."""
    pages = {page.id for url in urls if (page := page_behind(session, url)) is not None}
    return [
        Mark(one.mark.page, one.mark.topic, Word.NOTHING, now)
        for one in standing_marks(session)
        if one.mark.page in pages
        and one.mark.word is not Word.GOOD
        and topic in tree.descendants(one.mark.topic)
    ]
