"""The answer of `lode ask` to a query: the best pages of its topic, with snippets (SPEC B31).

The score of a page is the sum of its margin and its cosine (BINGO!, 3.6 and 5.3). The
margin is its distance to the plane of the topic, the cosine is that of its tf-idf vector with
the query. Both are products of vectors of length one, so neither outweighs the other.

If the portal has only one topic, narrowly rejected pages may be answers, too, if their cosine makes
up for it: a model trained on a few examples is strict, and the pages that it narrowly rejects are
usually what the user wants (docs/design.md has figures).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import bag_of, places_of, unpack
from motherlode.records import ROOT, Origin, PageId, TopicId
from motherlode.search.cosine import corpus_idf, cosines_with_query
from motherlode.search.snippets import Snippet, cut_snippet
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import Judged, judged_for, off_topic, vectors_in
from motherlode.store.tables.near_duplicates import near
from motherlode.store.tables.pages import (
    count_pages,
    languages_of,
    main_text_of,
    page_numbered,
    vectors_of_all,
)
from motherlode.topics import TopicTree
from motherlode.training.certainty import Assessed
from motherlode.training.training_document import page_at_url

MAX_CANDIDATES = 5_000  # pages on the topic with the highest margin, and as many rejected
MIN_CONFIDENCE = -1.0  # of rejected pages: no cosine makes up for less
IDF_SAMPLE_PAGES = 20_000
MAX_SEARCHED_CHARS = 200_000  # of a page, for its snippet
MAX_MATCHES = 2_000  # words of the query in a page, for its snippet


class AnswerPage(Assessed, frozen=True):
    """A page of the answer.

    `near` pages were narrowly rejected. `alike` are the URLs of near duplicates.
    """

    url: str
    title: str
    score: float
    cosine: float
    seed: bool
    near: bool
    snippet: Snippet
    alike: tuple[str, ...] = ()


class QueryAnswer(Struct, frozen=True):
    """The best pages for a query, and how many pages the portal and its topic have."""

    topic: str
    pages: int
    on_topic: int
    finds: tuple[AnswerPage, ...]


class _Candidate(Struct, frozen=True):
    page: Judged
    cosine: float

    @property
    def id(self) -> PageId:
        return self.page.page

    @property
    def score(self) -> float:
        return self.page.confidence + self.cosine


def answer_query(
    session: Session, tree: TopicTree, topic: TopicId, query: str, limit: int = 20
) -> QueryAnswer:
    """Return the best pages on a topic for a query, at most `limit`."""
    judged = _judged_candidates(session, tree, topic)
    languages = languages_of(session, {page.page for page in judged})
    cosines = page_cosines(session, query, languages)
    candidates = [_Candidate(page, cosines.get(page.page, 0.0)) for page in judged]
    ranked = sorted(
        (candidate for candidate in candidates if candidate.score > 0),
        key=lambda candidate: (-candidate.score, candidate.id),
    )
    seeds = _seeds(session, tree, topic)
    pages = tuple(
        AnswerPage(
            url=candidate.page.url,
            title=candidate.page.title,
            score=candidate.score,
            margin=candidate.page.confidence,
            probability=candidate.page.probability,
            cosine=candidate.cosine,
            seed=candidate.id in seeds,
            near=not candidate.page.is_accepted,
            snippet=query_snippet(
                main_text_of(session, candidate.id), query, languages.get(candidate.id, "")
            ),
            alike=duplicates,
        )
        for candidate, duplicates in islice(_without_duplicates(session, ranked), limit)
    )
    on_topic = sum(page.is_accepted for page in judged)
    return QueryAnswer("/".join(tree.path(topic)), count_pages(session), on_topic, pages)


def _judged_candidates(session: Session, tree: TopicTree, topic: TopicId) -> list[Judged]:
    """Return the pages on a topic; if there is no other topic, also narrowly rejected pages."""
    on_topic = judged_for(session, tree.descendants(topic), MAX_CANDIDATES)
    if [child.id for child in tree.children(ROOT) if not child.is_others] != [topic]:
        return on_topic
    return on_topic + off_topic(session, MAX_CANDIDATES, MIN_CONFIDENCE, 0.0)


def query_snippet(text: str, query: str, language: str = "en") -> Snippet:
    """Return the part of a text with most of the query's words close together, or its beginning."""
    line = text[:MAX_SEARCHED_CHARS].replace("\n", " ")
    terms = frozenset(bag_of(query, language).terms.tolist())
    return cut_snippet(line, list(islice(places_of(terms, line, language), MAX_MATCHES)))


def page_cosines(
    session: Session,
    query: str,
    languages: Mapping[PageId, str],
) -> dict[PageId, float]:
    """Return the cosine with the query of each page in `languages`."""
    vectors = vectors_of_all(session, languages.keys(), TERMS)
    bags = {page: unpack(vector) for page, vector in vectors.items()}
    step = max(1, count_pages(session) // IDF_SAMPLE_PAGES)
    sample = vectors_in(session, TERMS, step)
    batches = ([unpack(vector) for _, vector in batch] for batch in sample)
    idf_of = partial(corpus_idf, batches)
    return cosines_with_query(query, bags, languages, idf_of)


def _seeds(session: Session, tree: TopicTree, topic: TopicId) -> set[PageId]:
    """Return the pages that the user gave as examples of the topic."""
    topics = set(tree.descendants(topic))
    urls = (
        example.url
        for example in topic_rows.examples_of(session)
        if example.url and example.topic in topics and example.origin is Origin.PERSON
    )
    return {page.id for url in urls if (page := page_at_url(session, url)) is not None}


def _without_duplicates(
    session: Session, ranked: Sequence[_Candidate]
) -> Iterator[tuple[_Candidate, tuple[str, ...]]]:
    """Yield the best candidates, each with the URLs of the near duplicates left out for it."""
    urls = {candidate.id: candidate.page.url for candidate in ranked}
    seen: set[PageId] = set()
    for candidate in ranked:
        page = candidate.id
        if page in seen:
            continue
        stored = page_numbered(session, page)
        similar = near(session, stored.fingerprint) if stored is not None else []
        seen.add(page)
        duplicates = [other for other in similar if other in urls and other not in seen]
        seen.update(duplicates)
        yield candidate, tuple(urls[other] for other in duplicates)
