"""The local search engine (SPEC B20, X3, X8): match, rank, fold, and say why.

The index finds pages and scores them by BM25; the best of those are ranked by whatever parts are asked for.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.lettering import lettered
from motherlode.documents.similarity import NEAR
from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import Bag, spell, unpack
from motherlode.portal import Portal
from motherlode.records import Judgement, LodeError, PageId, TopicId
from motherlode.search.authority import authority_among, topic_authorities
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
from motherlode.search.query_terms import NO_LANGUAGE, StemLookup, characteristic_stems, idf, unit_vector
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
from motherlode.search.results import AssumedJudgements, ResultBuilder, SearchResult
from motherlode.search.snippets import Highlighter
from motherlode.store.judged import judgements_of
from motherlode.store.marks import standing_marks
from motherlode.store.pages import (
    page_at,
    text_of,
    vectors_of_all,
)
from motherlode.store.session import Session
from motherlode.topics import TopicTree, parse_path
from motherlode.training.marks import Marks
from motherlode.urls import Address

MAX_RANKED_WITH_COSINE = 1_000  # pages that are ranked where the vector of each must be read
MAX_RANKED_WITHOUT_COSINE = 10_000
MAX_LIKE_TERMS = 25  # terms of a page that others are compared with
_NOT_JUDGED = Judgement(TopicId(0), 0.0)


class SearchRequest(Struct, frozen=True):
    """What is sought: words, or pages like one; among which pages, ranked how, and which part of it.

    `places`: whether to say of each result where its words were found.
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
    """`total` pages match, of which the best `ranked` by BM25 were put in order; duplicates are in both.

    `weights` are those of the parts that say something of what was asked.
    """

    total: int
    ranked: int
    page: int
    more: bool
    weights: dict[str, float]
    results: tuple[SearchResult, ...]


class QueryMatches(Struct, frozen=True):
    """A query in all forms in which it is needed, and what it found; a vector for each group of languages.

    `by_words`: there are words that a page can have more or less of, so that BM25 says something.
    """

    node: QueryNode | None
    by_words: bool
    weights: dict[str, float]
    hits: IndexHits
    vectors: tuple[dict[int, float], ...] = ()
    language_groups: tuple[LanguageGroup, ...] = ()


class ScoredMatches(Struct, frozen=True):
    """What was found, before it is put in order: each part of every page's score, as it is."""

    matches: QueryMatches
    values: dict[str, Floats]


def search(
    portal: Portal,
    session: Session,
    index: PageIndex,
    tree: TopicTree,
    asked: SearchRequest,
    as_if: AssumedJudgements = {},  # noqa: B006 - it is only read
) -> SearchResults:
    """Raises `QueryError` for a query that cannot be understood, `NoSuchTopicError` for a topic.

    `as_if`: what pages are taken to be judged, in the place of what the store says; those that would not be
    on the topic that is asked for are left out.
    """
    weighed = score_matches(portal, session, index, tree, asked, as_if)
    return rank_matches(session, index, tree, asked, weighed, as_if)


def rank_matches(
    session: Session,
    index: PageIndex,
    tree: TopicTree,
    asked: SearchRequest,
    weighed: ScoredMatches,
    as_if: AssumedJudgements = {},  # noqa: B006 - it is only read
) -> SearchResults:
    """What was found, in order, as far as it is asked for."""
    sought, values = weighed.matches, weighed.values
    hits, weights = sought.hits, sought.weights
    scores, parts = combine_scores(values, weights)
    first = (asked.page - 1) * asked.limit
    best = rank_order(scores, hits.pages) if len(hits.pages) else hits.pages
    chosen, more = fold_duplicates(best, hits.fingerprints, NEAR, first + asked.limit)
    shown = [PageId(int(hits.pages[at])) for at, _ in chosen[first:]]
    places = _places(index, partial(_named, tree), sought, shown) if asked.places else {}
    marks = Marks(standing_marks(session, shown), tree)
    describing = ResultBuilder(session, tree, partial(_finder, sought), as_if, marks)
    found = []
    for place, (at, alike) in enumerate(chosen[first:], start=first + 1):
        why = tuple(
            ScorePart(name, float(values[name][at]), float(parts[name][at]), weight)
            for name, weight in weights.items()
        )
        told = describing.result(place, PageId(int(hits.pages[at])), float(scores[at]), why)
        if told is not None:
            others = [PageId(int(hits.pages[other])) for other in alike]
            told = replace(told, places=places.get(int(hits.pages[at]), {}))
            found.append(describing.folding(told, others))
    return SearchResults(hits.total, len(hits.pages), asked.page, more, weights, tuple(found))


def score_matches(
    portal: Portal,
    session: Session,
    index: PageIndex,
    tree: TopicTree,
    asked: SearchRequest,
    as_if: AssumedJudgements = {},  # noqa: B006 - it is only read
) -> ScoredMatches:
    """Find the pages that are to be ranked, and the parts of their scores. Takes and raises what `search`
    does."""
    topic = _topic(tree, asked)
    sought = _sought(session, index, tree, asked)
    if topic is not None and as_if:
        sought = replace(sought, hits=_staying(sought.hits, set(tree.descendants(topic)), as_if))
    values = _values(session, sought, as_if)
    if AUTHORITY in sought.weights:
        values[AUTHORITY] = _authority(portal, session, tree, topic, sought, values)
    return ScoredMatches(sought, values)


def _named(tree: TopicTree, topic: str) -> str:
    return topic_term(tree.at(parse_path(topic)).id)


def matching_pages(session: Session, index: PageIndex, tree: TopicTree, asked: SearchRequest) -> list[PageId]:
    """All pages that are ranked for what is asked, the best by BM25 first."""
    return [PageId(page) for page in _sought(session, index, tree, asked).hits.pages.tolist()]


def _topic(tree: TopicTree, asked: SearchRequest) -> TopicId | None:
    return tree.at(parse_path(asked.topic)).id if asked.topic else None


def _sought(session: Session, index: PageIndex, tree: TopicTree, asked: SearchRequest) -> QueryMatches:
    topic = _topic(tree, asked)
    matcher = QueryBuilder(index.schema, partial(_named, tree), lettered)
    filters = asked.filters if topic is None else _within(asked.filters, topic)
    if asked.like:
        return _like(session, index, matcher, asked, filters)
    return _ask(index, matcher, asked, filters)


def _staying(hits: IndexHits, topics: set[TopicId], as_if: AssumedJudgements) -> IndexHits:
    """Those that would be on one of these topics, or of which nothing else is thought."""
    thought = [as_if.get(PageId(page)) for page in hits.pages.tolist()]
    stay = np.array([one is None or (one.topic in topics and one.confidence > 0) for one in thought], bool)
    left = hits.total - int((~stay).sum())
    return IndexHits(left, hits.pages[stay], hits.scores[stay], hits.fingerprints[stay])


def _within(filters: Filters, topic: TopicId) -> Filters:
    return replace(filters, topics=(topic_term(topic),))


# --- what is sought -------------------------------------------------------------------------------------


def _most(index: PageIndex, weights: dict[str, float]) -> int:
    """How many pages are ranked, the best by BM25; all, where what is asked for has nothing to do with it."""
    if COSINE in weights:
        return MAX_RANKED_WITH_COSINE
    return MAX_RANKED_WITHOUT_COSINE if BM25 in weights else max(index.page_count, 1)


def _ask(index: PageIndex, matcher: QueryBuilder, asked: SearchRequest, filters: Filters) -> QueryMatches:
    node = parse_query(asked.text, any_word=asked.any_word) if asked.text.strip() else None
    by_words = node is not None and _has_words(node)
    weights = asked.weights if by_words else _wordless(asked.weights)
    most = _most(index, weights)
    if node is None:
        return QueryMatches(None, by_words, weights, index.search(matcher.everything(filters), most))
    tongues = StemLookup(index).language_groups(node, filters.languages or index.languages())
    hits = index.search(matcher.query(node, tongues, filters), most)
    vectors = tuple(_vector(index, node, tongue) for tongue in tongues) if COSINE in weights else ()
    return QueryMatches(node, by_words, weights, hits, vectors, tuple(tongues))


def _has_words(node: QueryNode) -> bool:
    """Whether words are wanted; a site, say, a page has or has not."""
    return any(word.field not in KEYWORD_FIELDS for word in positive_words(node))


def _wordless(weights: dict[str, float]) -> dict[str, float]:
    """The weights where there are no words: without what goes by them, and a page's topic is asked alone.

    Where nobody said otherwise, confidence alone decides.
    """
    sure = weights.get(CONFIDENCE, 0.0) + weights.get(TOPIC, 0.0)
    known = weights.get(AUTHORITY, 0.0)
    if not known or weights == parse_weights(DEFAULT_RANKING):
        return {CONFIDENCE: 1.0}
    left = {CONFIDENCE: sure / (sure + known), AUTHORITY: known / (sure + known)}
    return {name: weight for name, weight in left.items() if weight}


def _vector(index: PageIndex, node: QueryNode, tongue: LanguageGroup) -> dict[int, float]:
    """The query's stems, each with its idf, in a vector of length one."""
    stems = [stem for word in positive_words(node) for stem in tongue.stems[word.text]]
    return unit_vector((stem.number, idf(index.page_count, stem.pages)) for stem in stems)


def _like(
    session: Session, index: PageIndex, matcher: QueryBuilder, asked: SearchRequest, filters: Filters
) -> QueryMatches:
    """What is most telling of a page is what is sought in others."""
    assert asked.like is not None  # noqa: S101 - by the caller
    page = page_at(session, asked.like.key)
    if page is None:
        raise LodeError(f"The portal has no page at {asked.like.url[:200]}, so none can be like it.")
    bag = unpack(vectors_of_all(session, [page.id], TERMS).get(page.id, b""))
    counts = dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True))
    spelled = spell(counts, f"{page.title}\n{text_of(session, page.id)}", page.language)
    best = characteristic_stems(index, spelled, counts, page.language or NO_LANGUAGE, MAX_LIKE_TERMS)
    if not best:
        raise LodeError(f"The page at {asked.like.url[:200]} has no words, so none can be like it.")
    vector = unit_vector((one.stem.number, one.weight) for one in best)
    weights = [(one.stem, vector[one.stem.number]) for one in best]
    hits = index.search(matcher.like(weights, filters, page.id), _most(index, asked.weights))
    return QueryMatches(None, True, asked.weights, hits, (vector,))  # noqa: FBT003 - by words, though nobody typed them


def _finder(sought: QueryMatches, language: str) -> Highlighter:
    """What knows the words that are sought in a text of this language."""
    if sought.node is None and sought.vectors:
        return Highlighter.of_stems(list(sought.vectors[0]), language)
    return Highlighter(sought.node, language)


# --- the parts of a score -------------------------------------------------------------------------------


def _values(session: Session, sought: QueryMatches, as_if: AssumedJudgements) -> dict[str, Floats]:
    """Each part as it is, for every page that is ranked; authority is not among them."""
    values = {BM25: sought.hits.scores}
    pages = [PageId(page) for page in sought.hits.pages.tolist()]
    if COSINE in sought.weights:
        values[COSINE] = _cosines(session, pages, sought.vectors)
    if {CONFIDENCE, TOPIC, AUTHORITY} & sought.weights.keys():
        judged = {**judgements_of(session, pages), **as_if}
        said = [judged.get(page, _NOT_JUDGED) for page in pages]
        sure = np.array([one.confidence for one in said], np.float64)
        topics = np.array([one.topic if one.confidence > 0 else 0 for one in said], np.int64)
        values[CONFIDENCE] = sure
        values[TOPIC] = topic_scores(sure, topics, sought.hits.scores)
    return values


def _cosines(session: Session, pages: Sequence[PageId], vectors: Sequence[dict[int, float]]) -> Floats:
    """The cosine of each page with the query, by the language that fits best.

    Frequencies are damped, 1 + log tf; idf is the query's alone (lnc.ltc in SMART's notation), so that a page
    is as long as it was whatever else is fetched.
    """
    packed = vectors_of_all(session, pages, TERMS) if vectors else {}
    told = [at for at, page in enumerate(pages) if packed.get(page)]
    found = np.zeros(len(pages))
    if told:
        bags = [unpack(packed[pages[at]]) for at in told]
        found[told] = cosines_of(bags, vectors)
    return found


def cosines_of(bags: Sequence[Bag], vectors: Sequence[dict[int, float]]) -> Floats:
    """The greatest of the cosines of each bag, none of them empty, with vectors of length one."""
    terms = np.concatenate([bag.terms for bag in bags])
    damped = 1.0 + np.log(np.concatenate([bag.counts for bag in bags]))
    starts = np.cumsum([0, *(len(bag) for bag in bags[:-1])])
    lengths = np.sqrt(np.add.reduceat(damped**2, starts))
    best = np.zeros(len(bags))
    for vector in vectors:
        products = np.zeros(len(bags))
        for term, weight in vector.items():
            places = np.flatnonzero(terms == np.uint32(term))
            products[starts.searchsorted(places, "right") - 1] += weight * damped[places]
        best = np.maximum(best, products / lengths)
    return best


def _authority(
    portal: Portal,
    session: Session,
    tree: TopicTree,
    topic: TopicId | None,
    sought: QueryMatches,
    values: dict[str, Floats],
) -> Floats:
    """Within the topic that was asked for; without one, among what was found."""
    pages = sought.hits.pages.tolist()
    if topic is not None:
        return topic_authorities(session, tree, topic, index_directory(portal)).of(pages)
    return authority_among(session, pages, values[BM25 if sought.by_words else CONFIDENCE])


def _places(
    index: PageIndex, named: Callable[[str], str], sought: QueryMatches, shown: Sequence[PageId]
) -> dict[int, dict[str, float]]:
    """What words in each place bring to the BM25 of these pages."""
    words = text_words_of(sought.node) if sought.node is not None else None
    found: dict[int, dict[str, float]] = {}
    if words is None or not shown:
        return found
    for place, fields in TEXT_FIELD_GROUPS.items():
        matcher = QueryBuilder(index.schema, named, lettered, fields)
        hits = index.search(
            matcher.among(matcher.query(words, sought.language_groups, Filters()), shown), len(shown)
        )
        for page, score in zip(hits.pages.tolist(), hits.scores.tolist(), strict=True):
            if score:
                found.setdefault(page, {})[place] = score
    return found
