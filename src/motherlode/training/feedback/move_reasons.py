"""Explain in words why pages move from one topic to another by a new model (SPEC B15, B21, X8).

A page moves by what a user said of it, by the level of a topic (how far its plane was moved), or by
the terms that count for and against the topic. All pages of a flow are explained by the mean of a
few of them.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from motherlode.documents.features.spaces import Sample
from motherlode.documents.text.terms import spell
from motherlode.learning.term_evidence import SEMANTIC, SITES
from motherlode.learning.tree import ROOT, TreeClassifier
from motherlode.records import Feedback, PageId, TopicId, Word
from motherlode.store.session import Session
from motherlode.store.tables.pages import page_numbered, text_of
from motherlode.topics import TopicTree, show_path
from motherlode.training.feedback.marks import PortalMarks
from motherlode.training.samples import stored_sample

MAX_REASON_TERMS = 4
_CANDIDATE_TERMS = 12  # of which the text of a page has the words
_SAMPLE_PAGES = 5  # of a flow

Term = tuple[str, int]  # feature space and number
Parts = Mapping[Term, float]  # the part of each term in the distance from a topic's plane


class TopicMove(Struct, frozen=True):
    """A page that leaves a topic, joins one, or both; None stands for OTHERS."""

    page: PageId
    left: TopicId | None
    joined: TopicId | None


class TermChange(Struct, frozen=True):
    """A term, and its part in the distance from a topic's plane before and after."""

    word: str
    before: float
    after: float


class PlaneChange(Struct, frozen=True):
    """How the distance from a topic's plane changes, for one page or on the mean of several.

    A page is on the topic if the sum of its parts exceeds the level. Arriving pages gain.
    """

    topic: str
    arrives: bool
    levels: tuple[float, float]
    before: Parts
    after: Parts

    @property
    def gain_by_level(self) -> float:
        old, new = self.levels
        return old - new if self.arrives else new - old

    def gains_by_term(self) -> dict[Term, float]:
        """Return how much each term drives the move, the strongest first."""
        sign = 1.0 if self.arrives else -1.0
        gains = {
            term: sign * (self.after.get(term, 0.0) - self.before.get(term, 0.0))
            for term in {**self.before, **self.after}
        }
        return dict(sorted(gains.items(), key=lambda gain: (-gain[1], gain[0])))


def change_in_words(change: PlaneChange, words: Mapping[Term, str]) -> str:
    """Return why pages move: by the level or by terms, whichever does more; empty if unknown."""
    gains = change.gains_by_term()
    terms = [
        TermChange(words[term], change.before.get(term, 0.0), change.after.get(term, 0.0))
        for term, gain in gains.items()
        if gain > 0 and term in words
    ]
    by_level = change.gain_by_level
    if by_level > 0 and (by_level > sum(gains.values()) or not terms):
        old, new = change.levels
        direction = "fell" if new < old else "rose"
        return (
            f"the level that a page must reach for {change.topic} {direction} "
            f"from {old:.3f} to {new:.3f}"
        )
    return terms_in_words(terms[:MAX_REASON_TERMS], change.topic, arrives=change.arrives)


def terms_in_words(terms: Sequence[TermChange], topic: str, *, arrives: bool) -> str:
    """Return how terms count now, those that changed alike together.

    >>> barn, mice = TermChange("barn", 0.0, 0.1), TermChange("mice", 0.1, 0.2)
    >>> terms_in_words([barn, mice], "owls", arrives=True)
    'barn now counts for owls; mice counts more for owls'
    """
    words_by_phrase: dict[str, list[str]] = {}
    for term in terms:
        words_by_phrase.setdefault(_phrase(term, arrives=arrives), []).append(term.word)
    return "; ".join(
        f"{', '.join(words)} {phrase if len(words) > 1 else phrase.replace('count', 'counts')} "
        f"{topic}"
        for phrase, words in words_by_phrase.items()
    )


def _phrase(term: TermChange, *, arrives: bool) -> str:
    if arrives:
        if term.after <= 0:
            return "count less against"
        return "count more for" if term.before > 0 else "now count for"
    if term.after >= 0:
        return "count less for"
    return "count more against" if term.before < 0 else "now count against"


class MoveReasons:
    """Explains moves between a former classifier and a new one.

    `rejected` are the archetypes that a user rejected. `since` is the time of the former training.
    """

    def __init__(
        self,
        session: Session,
        tree: TopicTree,
        classifiers: tuple[TreeClassifier | None, TreeClassifier],
        *,
        rejected: Collection[Feedback] = (),
        since: float = 0.0,
    ) -> None:
        self._session, self._tree = session, tree
        self._before, self._after = classifiers
        self._rejected, self._since = rejected, since
        self._marks = PortalMarks.of(session)

    def of_page(self, move: TopicMove) -> str:
        """Return why a page moves; empty if that is not known."""
        return self._by_user(move) or self._by_plane([move])

    def of_flow(self, moves: Sequence[TopicMove]) -> str:
        """Return why pages move that leave the same topic and join the same one."""
        reasons = (self._by_news(moves[0]), self._by_plane(moves[:_SAMPLE_PAGES]))
        return "; ".join(filter(None, reasons))

    def _by_user(self, move: TopicMove) -> str:
        for marked in reversed(self._marks.on(move.page)):
            below = self._tree.descendants(marked.mark.topic)
            topic = self._name(marked.mark.topic)
            if marked.mark.word is Word.GOOD and move.joined in below:
                return f"you marked it good for {topic}"
            if marked.mark.word is Word.BAD and move.left in below:
                return f"you marked it bad for {topic}"
        if any(given.page == move.page and given.topic == move.left for given in self._rejected):
            return f"you rejected it as an archetype of {self._name(move.left)}"
        return ""

    def _by_news(self, move: TopicMove) -> str:
        """Return what a user has said about the topics of a move since the former training."""
        marks = [marked.mark for marked in self._marks.marks if marked.mark.given_at > self._since]
        good = sum(mark.word is Word.GOOD and mark.topic == move.joined for mark in marks)
        bad = sum(mark.word is Word.BAD and mark.topic == move.left for mark in marks)
        rejected = sum(
            given.topic == move.left and given.given_at > self._since for given in self._rejected
        )
        parts = [
            f"you marked {_pages(good)} good for {self._name(move.joined)}" if good else "",
            f"you marked {_pages(bad)} bad for {self._name(move.left)}" if bad else "",
            f"you rejected {_pages(rejected)} of {self._name(move.left)}" if rejected else "",
        ]
        return "; ".join(filter(None, parts))

    def _by_plane(self, moves: Sequence[TopicMove]) -> str:
        if self._before is None:
            return ""
        pages = [page for move in moves if (page := self._page(move.page)) is not None]
        if not pages or moves[0].left == moves[0].joined:
            return ""
        topic, arrives = self._decisive_topic(moves[0], pages[0].sample)
        name = self._name(topic)
        if topic not in self._before.parents:
            return f"{name} is learned for the first time"
        if topic not in self._after.parents:
            return f"{name} has nothing to learn from any more"
        change = PlaneChange(
            topic=name,
            arrives=arrives,
            levels=(_level(self._before, topic), _level(self._after, topic)),
            before=_mean_parts(self._before, pages, topic),
            after=_mean_parts(self._after, pages, topic),
        )
        strongest = list(change.gains_by_term())[:_CANDIDATE_TERMS]
        return change_in_words(change, _words(strongest, pages))

    def _decisive_topic(self, move: TopicMove, sample: Sample) -> tuple[TopicId, bool]:
        """Return the topic that decides a move, and whether the page arrives there.

        It is the first from the root down that newly accepts the page, or no longer does.
        """
        left, joined = self._line(move.left), self._line(move.joined)
        for topic in joined:
            if topic not in left and not self._accepts(self._before, topic, sample):
                return topic, True
        for topic in left:
            if topic not in joined and not self._accepts(self._after, topic, sample):
                return topic, False
        return (joined[-1], True) if joined else (left[-1], False)  # a rival was nearer

    def _accepts(self, classifier: TreeClassifier | None, topic: TopicId, sample: Sample) -> bool:
        if classifier is None:
            return False
        parent = self._tree[topic].parent or ROOT
        distances = classifier.distances([sample], parent).get(topic)
        return distances is not None and float(distances[0]) > 0

    def _line(self, topic: TopicId | None) -> list[TopicId]:
        """Return the topics from below the root down to this one; none for OTHERS."""
        line: list[TopicId] = []
        while topic is not None and topic != ROOT:
            line.insert(0, topic)
            topic = self._tree[topic].parent
        return line

    def _page(self, page: PageId) -> "_Page | None":
        stored = page_numbered(self._session, page)
        if stored is None:
            return None
        spaces = {*self._after.groups_, *(self._before.groups_ if self._before else ())}
        text = f"{stored.title}\n{text_of(self._session, page)}"
        return _Page(stored_sample(self._session, stored, spaces), text, stored.language)

    def _name(self, topic: TopicId | None) -> str:
        return "" if topic is None else show_path(self._tree.path(topic))


class _Page(Struct, frozen=True):
    sample: Sample
    text: str
    language: str


def _mean_parts(classifier: TreeClassifier, pages: Sequence[_Page], topic: TopicId) -> Parts:
    parts: dict[Term, float] = {}
    for page in pages:
        for space, term, part in classifier.explain(page.sample, topic):
            parts[space, term] = parts.get((space, term), 0.0) + part / len(pages)
    return parts


def _level(classifier: TreeClassifier, topic: TopicId) -> float:
    """Return the mean level over the feature spaces: what the parts of a page must exceed."""
    planes = classifier.planes(topic).values()
    return -sum(plane.bias for plane in planes) / len(planes)


def _words(terms: Sequence[Term], pages: Sequence[_Page]) -> dict[Term, str]:
    """Return the words of terms as the pages spell them; terms of other pages have none."""
    numbers = {term for _, term in terms}
    spelled: dict[int, str] = {}
    for page in reversed(pages):  # the first page has the last word
        spelled |= spell(numbers, page.text, page.language)
    is_single = len(pages) == 1
    labels = {
        SEMANTIC: "what it is about" if is_single else "what they are about",
        SITES: "the site it is like" if is_single else "the sites they are like",
    }
    return {
        (space, term): labels.get(space) or f"\u201c{spelled[term]}\u201d"
        for space, term in terms
        if space in labels or term in spelled
    }


def _pages(number: int) -> str:
    return "1 page" if number == 1 else f"{number:,} pages"
