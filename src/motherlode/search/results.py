"""What a person is shown of a page that was found (SPEC B20)."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.records import Judgement, PageId
from motherlode.search.ranking import ScorePart
from motherlode.search.snippets import Highlighter, Snippet
from motherlode.store.judged import judgements_of
from motherlode.store.pages import main_text_of, page_numbered, urls_of_pages
from motherlode.store.session import Session
from motherlode.topics import TopicTree, show_path
from motherlode.training.marks import Marks, said_on

_MAX_TITLE = 300
_ALIKE = 10  # addresses of near duplicates that are named

AssumedJudgements = Mapping[PageId, Judgement]


class SearchResult(Struct, frozen=True):
    """A page that was found. `score` is from 0 to 1; `why` are its parts. `places`: what title, headings,
    text, anchors and address each bring to its BM25. `alike` say nearly the same."""

    place: int
    url: str
    title: str
    score: float
    topic: str
    confidence: float | None
    language: str
    type: str
    fetched_at: float
    snippet: Snippet
    why: tuple[ScorePart, ...]
    places: dict[str, float] = {}
    alike: tuple[str, ...] = ()
    alike_count: int = 0
    marked: tuple[str, ...] = ()  # what a person said of it, such as `good for owls`


class ResultBuilder:
    """Tells of pages what a person wants to see of them.

    `finding` makes what knows the words that were sought, in texts of one language.
    """

    def __init__(
        self,
        session: Session,
        tree: TopicTree,
        finding: Callable[[str], Highlighter],
        as_if: AssumedJudgements,
        marks: Marks,
    ) -> None:
        self._session = session
        self._tree = tree
        self._finding = finding
        self._as_if = as_if
        self._marks = marks

    def result(
        self, place: int, page: PageId, score: float, why: tuple[ScorePart, ...]
    ) -> SearchResult | None:
        """None: the store has it no more."""
        kept = page_numbered(self._session, page)
        if kept is None:
            return None
        judged = self._as_if.get(page) or judgements_of(self._session, [page]).get(page)
        on_topic = judged is not None and judged.confidence > 0
        return SearchResult(
            place,
            kept.page.url,
            _shortened(" ".join(kept.title[: 4 * _MAX_TITLE].split())),
            score,
            show_path(self._tree.path(judged.topic)) if judged is not None and on_topic else "",
            judged.confidence if judged is not None else None,
            kept.language,
            kept.page.mime,
            kept.page.fetched_at,
            self._finding(kept.language).snippet(main_text_of(self._session, page)),
            why,
            marked=said_on(self._marks, self._tree, page),
        )

    def folding(self, told: SearchResult, others: Sequence[PageId]) -> SearchResult:
        """The same, with the addresses of its near duplicates."""
        if not others:
            return told
        named = others[:_ALIKE]
        urls = urls_of_pages(self._session, named)
        alike = tuple(urls[page] for page in named if page in urls)
        return replace(told, alike=alike, alike_count=len(others))


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_TITLE else f"{text[: _MAX_TITLE - 2]} …"
