"""Search results as users see them (SPEC B20)."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from motherlode.records import Judgement, PageId
from motherlode.search.ranking import ScorePart
from motherlode.search.snippets import Highlighter, Snippet
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judgements_of
from motherlode.store.tables.pages import main_text_of, page_numbered, urls_of_pages
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed
from motherlode.training.feedback.marks import PortalMarks, mark_labels

MAX_TITLE_CHARS = 300
MAX_DUPLICATE_URLS = 10  # listed with a result

# Judgements that replace stored judgements, such as those of a model that is not adopted yet.
AssumedJudgements = Mapping[PageId, Judgement]


class RankedPage(Struct, frozen=True):
    """A page at its place in the ranking, with the parts of its score and its near duplicates.

    `bm25_by_place` is what title, headings, text, anchors and address contribute to its BM25.
    """

    place: int
    page: PageId
    score: float
    parts: tuple[ScorePart, ...]
    bm25_by_place: dict[str, float] = {}
    duplicates: tuple[PageId, ...] = ()


class SearchResult(Assessed, frozen=True):
    """A page that was found.

    `score` is from 0 to 1, `why` its parts. `places` is what title, headings, text, anchors and
    address contribute to its BM25. `alike` are URLs of near duplicates, `alike_count` counts all of
    them. `marked` are the user's relevance marks, such as `good for owls`.
    """

    place: int
    url: str
    title: str
    score: float
    topic: str
    language: str
    type: str
    fetched_at: float
    snippet: Snippet
    why: tuple[ScorePart, ...]
    places: dict[str, float] = field(default_factory=dict)
    alike: tuple[str, ...] = ()
    alike_count: int = 0
    marked: tuple[str, ...] = ()


class ResultBuilder:
    """Builds results from ranked pages; `highlighter_for` takes the language of a page."""

    def __init__(
        self,
        session: Session,
        tree: TopicTree,
        highlighter_for: Callable[[str], Highlighter],
        assumed: AssumedJudgements,
        marks: PortalMarks,
    ) -> None:
        self._session = session
        self._tree = tree
        self._highlighter_for = highlighter_for
        self._assumed = assumed
        self._marks = marks

    def build(self, ranked: RankedPage) -> SearchResult | None:
        """Return the result for a page, or None if the store does not have it any more."""
        page = ranked.page
        stored = page_numbered(self._session, page)
        if stored is None:
            return None
        judgement = self._judgement_of(page)
        text = main_text_of(self._session, page)
        return SearchResult(
            place=ranked.place,
            url=stored.page.url,
            title=_shorten_title(" ".join(stored.title[: 4 * MAX_TITLE_CHARS].split())),
            score=ranked.score,
            topic=self._topic_path(judgement),
            margin=None if judgement is None else judgement.confidence,
            probability=None if judgement is None else judgement.probability,
            language=stored.language,
            type=stored.page.mime,
            fetched_at=stored.page.fetched_at,
            snippet=self._highlighter_for(stored.language).snippet(text),
            why=ranked.parts,
            places=ranked.bm25_by_place,
            alike=self._urls_of(ranked.duplicates[:MAX_DUPLICATE_URLS]),
            alike_count=len(ranked.duplicates),
            marked=mark_labels(self._marks, self._tree, page),
        )

    def _judgement_of(self, page: PageId) -> Judgement | None:
        return self._assumed.get(page) or judgements_of(self._session, [page]).get(page)

    def _topic_path(self, judgement: Judgement | None) -> str:
        """Return the path of the page's topic, empty if it is on none."""
        if judgement is None or not judgement.is_accepted:
            return ""
        return show_path(self._tree.path(judgement.topic))

    def _urls_of(self, pages: Sequence[PageId]) -> tuple[str, ...]:
        if not pages:
            return ()
        urls = urls_of_pages(self._session, pages)
        return tuple(urls[page] for page in pages if page in urls)


def _shorten_title(text: str) -> str:
    return text if len(text) <= MAX_TITLE_CHARS else f"{text[: MAX_TITLE_CHARS - 2]} …"
