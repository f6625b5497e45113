"""A user's marks on pages: good or bad for a topic, or not to be learned from (SPEC B21).

New marks are computed first and saved by the caller. They change nothing until the next training:
`training.user_retraining` shows what that would change, and does it.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from motherlode.records import ROOT, TOPIC_MODEL, Mark, PageId, Topic, TopicId, UsageError, Word
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import judgements_of
from motherlode.store.tables.marks import Marked, standing_marks
from motherlode.store.tables.pages import KeptPage
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed
from motherlode.training.training_document import page_at_url

ALL = "all"


class RequestedMarks(Struct, frozen=True):
    """The URLs of pages to mark, and of pages whose marks to clear; `all` clears every mark."""

    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    topic: TopicId | None = None  # None: the one that each page is on
    note: str = ""


class ListedMark(Assessed, frozen=True):
    """A mark as users see it. `now` is the page's topic; `learned`: a model was trained since."""

    url: str
    title: str
    word: str
    topic: str
    now: str
    given_at: float
    note: str
    learned: bool


def new_marks(
    session: Session,
    tree: TopicTree,
    requested: RequestedMarks,
    now: float,
) -> list[Mark]:
    """Return the marks that a request leads to. Raises `UsageError` if it makes no sense."""
    return list(_MarkMaker(session, tree, requested, now).marks())


def list_marks(session: Session, tree: TopicTree) -> list[ListedMark]:
    """Return all marks in force, the latest first."""
    marks = standing_marks(session)
    judgements = judgements_of(session, [marked.mark.page for marked in marks])
    model = ledger.latest_model(session, TOPIC_MODEL)
    learned_at = 0.0 if model is None else model.created_at
    listed = []
    for marked in reversed(marks):
        judgement = judgements.get(marked.mark.page)
        topic_now = ""
        if judgement is not None and judgement.is_accepted:
            topic_now = show_path(tree.path(judgement.topic))
        listed.append(
            ListedMark(
                url=marked.url,
                title=marked.title,
                word=marked.mark.word.name.lower(),
                topic=show_path(tree.path(marked.mark.topic)),
                now=topic_now,
                margin=None if judgement is None else judgement.confidence,
                probability=None if judgement is None else judgement.probability,
                given_at=marked.mark.given_at,
                note=marked.mark.note,
                learned=marked.mark.given_at <= learned_at,
            )
        )
    return listed


class _MarkMaker:
    """Turns a request into marks."""

    def __init__(
        self,
        session: Session,
        tree: TopicTree,
        requested: RequestedMarks,
        now: float,
    ) -> None:
        self._session, self._tree, self._requested, self._now = session, tree, requested, now
        self._existing = standing_marks(session)

    def marks(self) -> Iterator[Mark]:
        requested = self._requested
        urls_by_word = (
            (Word.GOOD, requested.good),
            (Word.BAD, requested.bad),
            (Word.DROPPED, requested.drop),
        )
        pages: dict[PageId, Word] = {}
        for word, urls in urls_by_word:
            for url in dict.fromkeys(urls):
                page = self._page(url)
                if pages.setdefault(page.id, word) is not word:
                    name = word.name.lower()
                    raise UsageError(f"{url} cannot be {name} and something else at once.")
                yield from self._marks_on(page, word)
        for url in requested.clear:
            page_id = None if url == ALL else self._page(url).id
            if page_id in pages:
                raise UsageError(f"{url} cannot be marked and cleared at once.")
            yield from self._cleared(url, page_id)

    def _marks_on(self, page: KeptPage, word: Word) -> Iterator[Mark]:
        if word is Word.DROPPED:
            for topic in self._topics_with_example(page):
                yield self._mark(page.id, topic, word)
            return
        topic = self._topic(page, word)
        yield self._mark(page.id, topic, word)
        for marked in self._existing:
            if marked.mark.page == page.id and self._contradicts(marked, topic, word):
                yield self._mark(page.id, marked.mark.topic, Word.NOTHING)

    def _contradicts(self, marked: Marked, topic: TopicId, word: Word) -> bool:
        """Return whether an earlier mark, on another topic, contradicts this word."""
        if marked.mark.topic == topic:
            return False
        is_good = marked.mark.word is Word.GOOD
        if word is Word.GOOD:
            return not is_good and topic in self._tree.descendants(marked.mark.topic)
        return is_good and marked.mark.topic in self._tree.descendants(topic)

    def _cleared(self, url: str, page: PageId | None) -> Iterator[Mark]:
        marks = [
            marked.mark
            for marked in self._existing
            if page
            in (
                None,
                marked.mark.page,
            )
            and self._requested.topic in (None, marked.mark.topic)
        ]
        if not marks:
            raise UsageError("Nothing is marked." if page is None else f"{url} is not marked.")
        yield from (self._mark(mark.page, mark.topic, Word.NOTHING) for mark in marks)

    def _topic(self, page: KeptPage, word: Word) -> TopicId:
        requested = self._requested_topic(word)
        if requested is not None:
            return requested
        judgement = judgements_of(self._session, [page.id]).get(page.id)
        if judgement is not None and judgement.is_accepted:
            return judgement.topic
        if word is Word.BAD:  # it is on no topic, and stays so
            return ROOT
        topics = [topic.id for topic in self._tree if not topic.is_others]
        if len(topics) == 1:
            return topics[0]
        raise UsageError(
            f"{page.page.url} is on no topic; say with --topic which one it is good for.",
        )

    def _requested_topic(self, word: Word) -> TopicId | None:
        if self._requested.topic is None:
            return None
        topic: Topic = self._tree[self._requested.topic]
        if topic.is_others:
            raise UsageError(
                "OTHERS is where pages go that no topic wants; --bad with --topic / says so.",
            )
        if topic.parent is None and word is Word.GOOD:
            raise UsageError("The root has no examples of its own; name a topic below it.")
        return topic.id

    def _topics_with_example(self, page: KeptPage) -> Sequence[TopicId]:
        """Return the topics, within the requested one, that have this page as an example."""
        requested = ROOT if self._requested.topic is None else self._requested.topic
        within = self._tree.descendants(requested)
        topics = [marked.mark.topic for marked in self._existing if _is_good(marked, page.id)]
        for example in topic_rows.examples_of(self._session):
            if not example.url or example.topic not in within:
                continue
            example_page = page_at_url(self._session, example.url)
            if example_page is not None and example_page.id == page.id:
                topics.append(example.topic)
        unique = [topic for topic in dict.fromkeys(topics) if topic in within]
        if not unique:
            url = page.page.url
            raise UsageError(f"{url} is no training document; 'lode topics DIR --all' lists them.")
        return unique

    def _page(self, url: str) -> KeptPage:
        page = page_at_url(self._session, url)
        if page is None:
            raise UsageError(
                f"{url[:200]} is no page of the portal; only what was fetched can be marked.",
            )
        return page

    def _mark(self, page: PageId, topic: TopicId, word: Word) -> Mark:
        return Mark(page, topic, word, self._now, self._requested.note)


def _is_good(marked: Marked, page: PageId) -> bool:
    return marked.mark.page == page and marked.mark.word is Word.GOOD


def withdrawn_marks(
    session: Session, tree: TopicTree, urls: Sequence[str], topic: TopicId, now: float
) -> list[Mark]:
    """Return what withdraws the marks that exclude these pages, now examples, from a topic."""
    pages = {page.id for url in urls if (page := page_at_url(session, url)) is not None}
    return [
        Mark(marked.mark.page, marked.mark.topic, Word.NOTHING, now)
        for marked in standing_marks(session)
        if marked.mark.page in pages
        and marked.mark.word is not Word.GOOD
        and topic in tree.descendants(marked.mark.topic)
    ]
