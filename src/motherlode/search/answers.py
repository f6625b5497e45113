"""The answer to a query out of a portal: pages of its topic, ranked, folded, with what they say (SPEC B31).

A page's score is the sum of two figures: the confidence of its judgement, which is its distance to the plane
of the topic, and the cosine of its terms with those of the query, tf times idf (BINGO!, 3.6 and 5.3).
Both are products of vectors of length one, so neither drowns the other.

Where the topic is the only one, pages that were nearly judged to be on it may be answers, too, if their
cosine makes up for the doubt: a model of a few examples is strict, and what it just rejects is as a rule what
was sought (docs/design.md has figures).
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import bag_of, places_of, unpack
from motherlode.records import ROOT, Origin, PageId, TopicId
from motherlode.search.cosine import corpus_idf, cosines_with_query
from motherlode.search.snippets import Snippet, cut_snippet
from motherlode.store import topics as topic_rows
from motherlode.store.judged import Judged, judged_for, vectors_in
from motherlode.store.pages import count_pages, languages_of, main_text_of, page_numbered, vectors_of_all
from motherlode.store.session import Session
from motherlode.store.similar import near
from motherlode.topics import TopicTree
from motherlode.training.training_set import page_behind

_CANDIDATES = 5_000  # pages of the topic, the surest, that are ranked, and as many that are near it
_FARTHEST = -1.0  # distance to the plane: no cosine makes up for more
_SAMPLE = 20_000  # pages that idf is counted in
_LOOKED_AT = 200_000  # characters of a page that a snippet is taken from
_PLACES = 2_000  # words of the query in it


class AnswerPage(Struct, frozen=True):
    """A page of the answer. `near`: it is not quite on the topic, by its judgement. `alike` are addresses of
    pages that say nearly the same."""

    url: str
    title: str
    score: float
    confidence: float
    cosine: float
    seed: bool
    near: bool
    snippet: Snippet
    alike: tuple[str, ...] = ()


class QueryAnswer(Struct, frozen=True):
    """What a portal knows for a query."""

    topic: str
    pages: int
    on_topic: int
    finds: tuple[AnswerPage, ...]


class _Scored(Struct, frozen=True):
    page: Judged
    cosine: float

    @property
    def score(self) -> float:
        return self.page.confidence + self.cosine


def answer_query(
    session: Session, tree: TopicTree, topic: TopicId, query: str, most: int = 20
) -> QueryAnswer:
    """The best pages for a query among those on a topic, at most so many."""
    candidates = _candidates(session, tree, topic)
    languages = languages_of(session, {one.page for one in candidates})
    found = page_cosines(session, query, languages)
    scored = [_Scored(one, found.get(one.page, 0.0)) for one in candidates]
    ranked = sorted((one for one in scored if one.score > 0), key=lambda one: (-one.score, one.page.page))
    on_topic = sum(one.confidence > 0 for one in candidates)
    seeds = _seeds(session, tree, topic)
    finds = tuple(
        AnswerPage(
            one.page.url,
            one.page.title,
            one.score,
            one.page.confidence,
            one.cosine,
            one.page.page in seeds,
            one.page.confidence <= 0,
            query_snippet(main_text_of(session, one.page.page), query, languages.get(one.page.page, "")),
            alike,
        )
        for one, alike in _folded(session, ranked, most)
    )
    return QueryAnswer("/".join(tree.path(topic)), count_pages(session), on_topic, finds)


def _candidates(session: Session, tree: TopicTree, topic: TopicId) -> list[Judged]:
    """The pages of a topic; where no other topic may have been meant, also those that are nearest to it."""
    on = judged_for(session, tree.descendants(topic), _CANDIDATES)
    alone = [one.id for one in tree.children(ROOT) if not one.is_others] == [topic]
    near = judged_for(session, [ROOT], _CANDIDATES, above=_FARTHEST) if alone else []
    return on + [one for one in near if one.confidence <= 0]


def query_snippet(text: str, query: str, language: str = "en") -> Snippet:
    """The part of a text that has most of the query's words close together; the beginning, if it has none."""
    line = text[:_LOOKED_AT].replace("\n", " ")
    wanted = frozenset(bag_of(query, language).terms.tolist())
    found = [place for place, _ in zip(places_of(wanted, line, language), range(_PLACES), strict=False)]
    return cut_snippet(line, found)


def page_cosines(session: Session, query: str, languages: Mapping[PageId, str]) -> dict[PageId, float]:
    """The cosine with the query of each of these pages, which come with their languages."""
    packed = vectors_of_all(session, languages.keys(), TERMS)
    bags = {page: unpack(vector) for page, vector in packed.items()}
    every = max(1, count_pages(session) // _SAMPLE)
    batches = ([unpack(packed) for _, packed in batch] for batch in vectors_in(session, TERMS, every))
    return cosines_with_query(query, bags, languages, lambda features: corpus_idf(batches, features))


def _seeds(session: Session, tree: TopicTree, topic: TopicId) -> set[PageId]:
    """The pages that a person gave for the topic."""
    below = set(tree.descendants(topic))
    given = (
        one.url
        for one in topic_rows.examples_of(session)
        if one.url and one.topic in below and one.origin is Origin.PERSON
    )
    return {page.id for url in given if (page := page_behind(session, url)) is not None}


def _folded(
    session: Session, ranked: Sequence[_Scored], most: int
) -> Iterator[tuple[_Scored, tuple[str, ...]]]:
    """The best pages, each with the addresses of those that say nearly the same and are left out for it."""
    urls = {one.page.page: one.page.url for one in ranked}
    told: set[PageId] = set()
    for one in ranked:
        page = one.page.page
        if page in told:
            continue
        if most <= 0:
            return
        most -= 1
        kept = page_numbered(session, page)
        close = near(session, kept.fingerprint) if kept is not None else []
        alike = [other for other in close if other in urls and other != page and other not in told]
        told |= {page, *alike}
        yield one, tuple(urls[other] for other in alike)
