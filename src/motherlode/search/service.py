"""The local search engine (SPEC B20, X3, X8): match, score, rank, and explain the order.

The index finds pages and scores them by BM25. The best of them are ranked by the score parts that a
request asks for.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.fingerprints import NEAR
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.normalization import lettered
from motherlode.documents.text.terms import spell, unpack
from motherlode.portal import Portal
from motherlode.records import Judgement, LodeError, PageId, TopicId
from motherlode.records.learning import is_accepted
from motherlode.search.authority import authority_among, topic_authorities
from motherlode.search.cosine import cosines_with_vectors
from motherlode.search.index import IndexHits, PageIndex
from motherlode.search.indexer import index_directory, topic_term
from motherlode.search.query import QueryNode, parse_query, positive_words
from motherlode.search.query_builder import (
    KEYWORD_FIELDS,
    TEXT_FIELD_GROUPS,
    Filters,
    LanguageGroup,
    QueryBuilder,
    text_words_of,
)
from motherlode.search.query_terms import (
    NO_LANGUAGE,
    StemLookup,
    characteristic_stems,
    idf,
    unit_vector,
)
from motherlode.search.ranking import (
    AUTHORITY,
    BM25,
    CONFIDENCE,
    COSINE,
    DEFAULT_RANKING,
    TOPIC,
    Floats,
    ScorePart,
    combine_scores,
    fold_duplicates,
    parse_weights,
    rank_order,
    topic_scores,
)
from motherlode.search.results import AssumedJudgements, RankedPage, ResultBuilder, SearchResult
from motherlode.search.snippets import Highlighter
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judgements_of
from motherlode.store.tables.marks import standing_marks
from motherlode.store.tables.pages import page_at, text_of, vectors_of_all
from motherlode.topics import TopicTree, parse_path
from motherlode.training.feedback.marks import PortalMarks
from motherlode.urls import Address

MAX_RANKED_WITH_COSINE = 1_000  # pages; the vector of each has to be read
MAX_RANKED_WITHOUT_COSINE = 10_000
MAX_LIKE_TERMS = 25  # terms of a page that similar pages are searched by
_NOT_JUDGED = Judgement(TopicId(0), 0.0)


class SearchRequest(Struct, frozen=True):
    """A search: words, or pages similar to `like`, with filters, weights and a page of results.

    With `places`, each result says in which fields its words were found.
    """

    weights: dict[str, float]
    text: str = ""
    like: Address | None = None
    any_word: bool = False
    topic: str = ""
    filters: Filters = Filters()
    limit: int = 10
    page: int = 1
    places: bool = False


class SearchResults(Struct, frozen=True):
    """One page of results.

    `total` pages match, of which the best `ranked` by BM25 were ranked; both include duplicates.
    `weights` has only the score parts that apply to the request.
    """

    total: int
    ranked: int
    page: int
    more: bool
    weights: dict[str, float]
    results: tuple[SearchResult, ...]


class QueryMatches(Struct, frozen=True):
    """A parsed query and the pages that match it.

    `has_text_words`: the query has words that a page can match better or worse, so BM25 applies.
    `vectors` has the query's stems once for each language group.
    """

    node: QueryNode | None
    has_text_words: bool
    weights: dict[str, float]
    hits: IndexHits
    vectors: tuple[dict[int, float], ...] = ()
    language_groups: tuple[LanguageGroup, ...] = ()

    def pages(self) -> list[PageId]:
        return [PageId(page) for page in self.hits.pages.tolist()]


class ScoredMatches(Struct, frozen=True):
    """Matching pages with the unscaled values of each score part, not ranked yet."""

    matches: QueryMatches
    values: dict[str, Floats]


class SearchEngine:
    """Searches one portal at one moment of its store and its index.

    `assumed` judgements replace stored judgements; pages that they move off the requested topic are
    not found.
    """

    def __init__(
        self,
        portal: Portal,
        session: Session,
        index: PageIndex,
        tree: TopicTree,
        assumed: AssumedJudgements = {},  # noqa: B006 - only read
    ) -> None:
        self._portal = portal
        self._session = session
        self._index = index
        self._tree = tree
        self._assumed = assumed

    def search(self, request: SearchRequest) -> SearchResults:
        """Return a page of results; raises `QueryError` or `NoSuchTopicError`."""
        return self.rank(request, self.score(request))

    def matching_pages(self, request: SearchRequest) -> list[PageId]:
        """Return all pages that would be ranked, the best by BM25 first."""
        return self._match(request).pages()

    def score(self, request: SearchRequest) -> ScoredMatches:
        """Find the pages to rank and compute their score parts; raises like `search`."""
        topic = self._topic_of(request)
        matches = self._match(request)
        if topic is not None and self._assumed:
            topics = set(self._tree.descendants(topic))
            matches = replace(matches, hits=_drop_off_topic(topics, matches.hits, self._assumed))
        values = self._values(matches)
        if AUTHORITY in matches.weights:
            values[AUTHORITY] = self._authority(topic, matches, values)
        return ScoredMatches(matches, values)

    def rank(self, request: SearchRequest, scored: ScoredMatches) -> SearchResults:
        """Rank scored pages, fold near duplicates, and return the requested page of results."""
        matches = scored.matches
        ranked, more = self._ranked_pages(request, scored)
        marks = PortalMarks(
            standing_marks(self._session, [page.page for page in ranked]), self._tree
        )
        highlighter_for = partial(_highlighter, matches)
        builder = ResultBuilder(self._session, self._tree, highlighter_for, self._assumed, marks)
        results = [result for page in ranked if (result := builder.build(page)) is not None]
        return SearchResults(
            total=matches.hits.total,
            ranked=len(matches.hits.pages),
            page=request.page,
            more=more,
            weights=matches.weights,
            results=tuple(results),
        )

    def _ranked_pages(
        self,
        request: SearchRequest,
        scored: ScoredMatches,
    ) -> tuple[list[RankedPage], bool]:
        """Return the pages to show, and whether more follow."""
        hits, weights, values = scored.matches.hits, scored.matches.weights, scored.values
        scores, scaled = combine_scores(values, weights)
        order = rank_order(scores, hits.pages) if len(hits.pages) else hits.pages
        skipped = (request.page - 1) * request.limit
        folded, more = fold_duplicates(order, hits.fingerprints, NEAR, skipped + request.limit)
        pages, shown = scored.matches.pages(), folded[skipped:]
        bm25_by_place: dict[int, dict[str, float]] = {}
        if request.places:
            bm25_by_place = self._bm25_by_place(scored.matches, [pages[at] for at, _ in shown])
        ranked = [
            RankedPage(
                place=place,
                page=pages[at],
                score=float(scores[at]),
                parts=tuple(
                    ScorePart(name, float(values[name][at]), float(scaled[name][at]), weight)
                    for name, weight in weights.items()
                ),
                bm25_by_place=bm25_by_place.get(pages[at], {}),
                duplicates=tuple(pages[duplicate] for duplicate in duplicates),
            )
            for place, (at, duplicates) in enumerate(shown, start=skipped + 1)
        ]
        return ranked, more

    # --- matching ---

    def _topic_of(self, request: SearchRequest) -> TopicId | None:
        return self._tree.at(parse_path(request.topic)).id if request.topic else None

    def _topic_term_of(self, path: str) -> str:
        return topic_term(self._tree.at(parse_path(path)).id)

    def _builder(self, only_fields: frozenset[str] | None = None) -> QueryBuilder:
        return QueryBuilder(self._index.schema, self._topic_term_of, lettered, only_fields)

    def _match(self, request: SearchRequest) -> QueryMatches:
        topic = self._topic_of(request)
        filters = request.filters
        if topic is not None:
            filters = replace(filters, topics=(topic_term(topic),))
        if request.like is not None:
            return self._match_like(request.like, request.weights, filters)
        return self._match_text(request, filters)

    def _match_text(self, request: SearchRequest, filters: Filters) -> QueryMatches:
        index, text = self._index, request.text
        node = parse_query(text, any_word=request.any_word) if text.strip() else None
        has_text_words = node is not None and _has_text_words(node)
        weights = request.weights if has_text_words else _weights_without_words(request.weights)
        limit = self._max_ranked(weights)
        if node is None:
            hits = index.search(self._builder().build_all(filters), limit)
            return QueryMatches(None, has_text_words, weights, hits)
        languages = filters.languages or index.languages()
        groups = StemLookup(index).language_groups(node, languages)
        hits = index.search(self._builder().build(node, groups, filters), limit)
        vectors: tuple[dict[int, float], ...] = ()
        if COSINE in weights:
            vectors = tuple(_query_vector(index.page_count, node, group) for group in groups)
        return QueryMatches(node, has_text_words, weights, hits, vectors, tuple(groups))

    def _match_like(
        self,
        address: Address,
        weights: dict[str, float],
        filters: Filters,
    ) -> QueryMatches:
        """Match pages that have the characteristic terms of a page."""
        session, url = self._session, address.url[:200]
        page = page_at(session, address.key)
        if page is None:
            raise LodeError(f"The portal has no page at {url}, so no similar pages can be found.")
        bag = unpack(vectors_of_all(session, [page.id], TERMS).get(page.id, b""))
        counts = dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True))
        words = spell(counts, f"{page.title}\n{text_of(session, page.id)}", page.language)
        language = page.language or NO_LANGUAGE
        best = characteristic_stems(self._index, words, counts, language, MAX_LIKE_TERMS)
        if not best:
            raise LodeError(f"The page at {url} has no words, so no similar pages can be found.")
        vector = unit_vector((term.stem.number, term.weight) for term in best)
        stems = [(term.stem, vector[term.stem.number]) for term in best]
        query = self._builder().build_like(stems, filters, page.id)
        hits = self._index.search(query, self._max_ranked(weights))
        return QueryMatches(
            node=None,
            has_text_words=True,
            weights=weights,
            hits=hits,
            vectors=(vector,),
        )

    def _max_ranked(self, weights: dict[str, float]) -> int:
        """Return how many pages are ranked, the best by BM25; all, if no part depends on words."""
        if COSINE in weights:
            return MAX_RANKED_WITH_COSINE
        return MAX_RANKED_WITHOUT_COSINE if BM25 in weights else max(self._index.page_count, 1)

    # --- score parts ---

    def _values(self, matches: QueryMatches) -> dict[str, Floats]:
        """Return the unscaled values of each part but authority, for every matching page."""
        values = {BM25: matches.hits.scores}
        pages = matches.pages()
        if COSINE in matches.weights:
            values[COSINE] = self._cosines(pages, matches.vectors)
        if {CONFIDENCE, TOPIC, AUTHORITY} & matches.weights.keys():
            stored = {**judgements_of(self._session, pages), **self._assumed}
            judgements = [stored.get(page, _NOT_JUDGED) for page in pages]
            confidences = np.array([judgement.confidence for judgement in judgements], np.float64)
            topics = np.array([judgement.topic for judgement in judgements], np.int64)
            topics = np.where(is_accepted(topics, confidences), topics, 0)
            values[CONFIDENCE] = confidences
            values[TOPIC] = topic_scores(confidences, topics, matches.hits.scores)
        return values

    def _cosines(self, pages: Sequence[PageId], vectors: Sequence[dict[int, float]]) -> Floats:
        """Return the cosine of each page with the query, in the language that fits best."""
        packed = vectors_of_all(self._session, pages, TERMS) if vectors else {}
        with_terms = [at for at, page in enumerate(pages) if packed.get(page)]
        cosines = np.zeros(len(pages))
        if with_terms:
            bags = [unpack(packed[pages[at]]) for at in with_terms]
            cosines[with_terms] = cosines_with_vectors(bags, vectors)
        return cosines

    def _authority(
        self,
        topic: TopicId | None,
        matches: QueryMatches,
        values: dict[str, Floats],
    ) -> Floats:
        """Return the authority within the requested topic; without one, among the matches."""
        pages = matches.hits.pages.tolist()
        if topic is not None:
            directory = index_directory(self._portal)
            authorities = topic_authorities(self._session, self._tree, topic, directory)
            return authorities.scores_of(pages)
        relevance = values[BM25 if matches.has_text_words else CONFIDENCE]
        return authority_among(self._session, pages, relevance)

    def _bm25_by_place(
        self,
        matches: QueryMatches,
        pages: Sequence[PageId],
    ) -> dict[int, dict[str, float]]:
        """Return the parts of the BM25 of these pages by title, headings, text and so on."""
        words = text_words_of(matches.node) if matches.node is not None else None
        bm25: dict[int, dict[str, float]] = {}
        if words is None or not pages:
            return bm25
        for place, fields in TEXT_FIELD_GROUPS.items():
            builder = self._builder(fields)
            query = builder.build(words, matches.language_groups, Filters())
            hits = self._index.search(builder.restrict(query, pages), len(pages))
            for page, score in zip(hits.pages.tolist(), hits.scores.tolist(), strict=True):
                if score:
                    bm25.setdefault(page, {})[place] = score
        return bm25


def _drop_off_topic(topics: set[TopicId], hits: IndexHits, assumed: AssumedJudgements) -> IndexHits:
    """Drop pages whose assumed judgement puts them on none of these topics."""
    judgements = [assumed.get(PageId(page)) for page in hits.pages.tolist()]
    is_on = np.array(
        [
            judgement is None or (judgement.topic in topics and judgement.is_accepted)
            for judgement in judgements
        ],
        np.bool_,
    )
    total = hits.total - int((~is_on).sum())
    return IndexHits(total, hits.pages[is_on], hits.scores[is_on], hits.fingerprints[is_on])


def _has_text_words(node: QueryNode) -> bool:
    """Whether a query has words for BM25; a keyword such as a site matches or does not."""
    return any(word.field not in KEYWORD_FIELDS for word in positive_words(node))


def _weights_without_words(weights: dict[str, float]) -> dict[str, float]:
    """Drop the parts that depend on words; topic counts as confidence then.

    With the default weights, confidence alone decides.
    """
    confidence = weights.get(CONFIDENCE, 0.0) + weights.get(TOPIC, 0.0)
    authority = weights.get(AUTHORITY, 0.0)
    if not authority or weights == parse_weights(DEFAULT_RANKING):
        return {CONFIDENCE: 1.0}
    total = confidence + authority
    remaining = {CONFIDENCE: confidence / total, AUTHORITY: authority / total}
    return {name: weight for name, weight in remaining.items() if weight}


def _query_vector(page_count: int, node: QueryNode, group: LanguageGroup) -> dict[int, float]:
    """Return the stems of a query with their idf, as a vector of length one."""
    stems = [stem for word in positive_words(node) for stem in group.stems[word.text]]
    return unit_vector((stem.number, idf(page_count, stem.pages)) for stem in stems)


def _highlighter(matches: QueryMatches, language: str) -> Highlighter:
    if matches.node is None and matches.vectors:
        return Highlighter.of_stems(list(matches.vectors[0]), language)
    return Highlighter(matches.node, language)
