"""Searching a portal: one box, what to narrow it down to, what the order is made of."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from msgspec import Struct
from starlette.responses import Response

from motherlode.app.jobs.queue import INDEX
from motherlode.app.server.context import Here, Services
from motherlode.app.server.errors import status_of
from motherlode.app.server.search_pool import NoIndexError
from motherlode.app.services.questions import Question, found
from motherlode.app.services.search import Found
from motherlode.app.services.topic_views import names_in
from motherlode.app.web.pages import page
from motherlode.export.cleaning import plain
from motherlode.records import LodeError, ReadOnlyError
from motherlode.search.facets import AGES, Facets, FacetValue
from motherlode.search.query import MAX_QUERY_CHARS, QueryError
from motherlode.search.ranking import DEFAULT_RANKING, SCORE_PARTS
from motherlode.store.marks import standing_marks
from motherlode.training.mark_changes import marks_listed

router = APIRouter()
FINEST = 0.05  # step of a slider
_AROUND = 60  # characters that are shown around an error
_CHARACTER = re.compile(r"character ([\d,]+)")
_USUAL = dict.fromkeys(SCORE_PARTS, 0.0) | {
    name: float(weight) for name, weight in (part.split("=") for part in DEFAULT_RANKING.split(","))
}
_AGES = {"1d": "the last day", "7d": "the last week", "30d": "the last month", "365d": "the last year"}
_ABOUT = {
    "bm25": "the words, and where they stand",
    "cosine": "how much of the page is about them",
    "topic": "being on the topic that the words are about",
    "confidence": "how sure the page's topic is of it",
    "authority": "links from pages on the same subject",
}


class Slider(Struct, frozen=True):
    name: str
    about: str
    value: float
    usual: float


class Choice(Struct, frozen=True):
    """A value that results can be narrowed down to. `pages` is None where it is chosen and finds nothing."""

    value: str
    label: str
    pages: int | None
    chosen: bool


class Facet(Struct, frozen=True):
    """The choices of one filter; where only one can be chosen, there is one for all."""

    name: str
    label: str
    single: bool
    choices: tuple[Choice, ...]


Values = Annotated[list[Annotated[str, Query(max_length=500)]], Query(max_length=50)]
Line = Annotated[str, Query(max_length=2_000)]
Weight = Annotated[float | None, Query(ge=0, le=1_000_000)]


class Weights(Struct, frozen=True):
    """What the sliders say; None: nothing."""

    said: dict[str, float | None]

    def rank(self, otherwise: str) -> str:
        """The ranking as `--rank` has it."""
        if all(value is None for value in self.said.values()):
            return otherwise
        told = {name: _USUAL[name] if value is None else value for name, value in self.said.items()}
        if told == _USUAL:
            return DEFAULT_RANKING
        return ",".join(f"{name}={value:g}" for name, value in told.items() if value) or "bm25=0"


def _weights(
    rank_bm25: Weight = None,
    rank_cosine: Weight = None,
    rank_topic: Weight = None,
    rank_confidence: Weight = None,
    rank_authority: Weight = None,
) -> Weights:
    said = (rank_bm25, rank_cosine, rank_topic, rank_confidence, rank_authority)
    return Weights(dict(zip(SCORE_PARTS, said, strict=True)))


def question_in(  # noqa: PLR0913 - one for each field
    weights: Annotated[Weights, Depends(_weights)],
    *,
    q: Annotated[str, Query(max_length=10 * MAX_QUERY_CHARS)] = "",
    like: Annotated[str, Query(max_length=4_000)] = "",
    topic: Line = "",
    site: Values = [],  # noqa: B006 - FastAPI copies it
    type: Values = [],  # noqa: A002, B006 - as on the command line
    language: Values = [],  # noqa: B006
    since: Annotated[str, Query(max_length=40)] = "",
    until: Annotated[str, Query(max_length=40)] = "",
    rank: Line = DEFAULT_RANKING,
    page: Annotated[int, Query(ge=1, le=1_000)] = 1,
    any: bool = False,  # noqa: A002
) -> Question:
    """A search, out of an address."""
    return Question(
        q.strip(),
        like.strip(),
        topic.strip(),
        tuple(filter(None, site)),
        tuple(filter(None, type)),
        tuple(filter(None, language)),
        since.strip(),
        until.strip(),
        weights.rank(rank or DEFAULT_RANKING),
        any,
        page=page,
        why=True,
    )


Asked = Annotated[Question, Depends(question_in)]


@router.get("/portals/{portal}/search")
def search(request: Request, here: Here, portal: str, asked: Asked) -> Response:
    return _page(request, here, portal, asked, "search.html")


@router.get("/portals/{portal}/search/found")
def part(request: Request, here: Here, portal: str, asked: Asked) -> Response:
    """The part of the page that changes with what is asked."""
    return _page(request, here, portal, asked, "search_found.html")


def _page(request: Request, here: Services, portal: str, asked: Question, template: str) -> Response:
    told: dict[str, Any] = {"found": None, "facets": (), "problem": "", "no_index": "", "place": None}
    status = 200
    topics, waiting = _standing(here, portal)
    try:
        answer = _answer(here, portal, asked)
        told["found"] = answer
        told["facets"] = tuple(_facets(asked, answer.facets if answer else Facets()))
    except NoIndexError as error:
        told["no_index"] = str(error)
    except ReadOnlyError:
        raise
    except LodeError as error:
        status = status_of(error)
        told["problem"] = here.shelf.told(error)
        told["facets"] = tuple(_facets(asked, Facets()))
        told["place"] = _place(asked.q, error)
    behind = told["no_index"] or (told["found"] is not None and told["found"].behind)
    return page(
        request,
        template,
        status,
        portal=portal,
        asked=asked,
        indexing=here.board.under_way(portal, INDEX.name) if behind else None,
        sliders=tuple(_sliders(asked.rank)),
        step=FINEST,
        here_address=asked.address(),
        topics=topics,
        waiting=waiting,
        pieces=pieces,
        **told,
    )


def _place(query: str, error: LodeError) -> tuple[str, str, str] | None:
    """The query before, at and behind the character that an error speaks of."""
    found = _CHARACTER.search(str(error)) if isinstance(error, QueryError) else None
    if found is None:
        return None
    at = int(found[1].replace(",", "")) - 1
    return query[max(0, at - _AROUND) : at], query[at : at + 1], query[at + 1 : at + 1 + _AROUND]


def _answer(here: Services, portal: str, asked: Question) -> Found | None:
    if asked.is_asked:
        return found(here.desks, portal, asked)
    with here.desks.at(portal):  # so that one is told beforehand where there is no index
        return None


def _standing(here: Services, portal: str) -> tuple[list[str], int]:
    """The topics that a page can be good for, and how many marks wait to be learned from."""
    with here.shelf.reading(portal) as opened, opened.store.reading() as session:
        tree = opened.tree()
        marks = marks_listed(session, tree) if standing_marks(session) else []
        return names_in(tree), sum(not one.learned for one in marks)


def pieces(text: str, marks: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, bool]]:
    """A snippet in pieces, each with whether it is a word of the query.

    >>> list(pieces("an owl sat", ((3, 6),)))
    [('an ', False), ('owl', True), (' sat', False)]
    """
    shown, end = plain(text), 0
    for start, to in marks:
        yield shown[end:start], False
        yield shown[start:to], True
        end = to
    yield shown[end:], False


def _sliders(rank: str) -> Iterator[Slider]:
    """What was asked for, on the scale of the sliders; what cannot be read is as it usually is."""
    said = _numbers(rank) or _USUAL
    most = max(1.0, *said.values())
    for name in SCORE_PARTS:
        yield Slider(name, _ABOUT[name], round(said.get(name, 0.0) / most, 3), _USUAL[name])


def _numbers(rank: str) -> dict[str, float]:
    try:
        parts = [part.partition("=") for part in rank.split(",")]
        return {name.strip(): float(value) if equals else 1.0 for name, equals, value in parts}
    except ValueError:
        return {}


def _facets(asked: Question, facets: Facets) -> Iterator[Facet]:
    topic = (asked.topic,) if asked.topic else ()
    since = (asked.since,) if asked.since else ()
    for name, label, single, chosen, counted in (
        ("topic", "Topic", True, topic, facets.topic),
        ("site", "Site", False, asked.site, facets.site),
        ("type", "Type", False, asked.type, facets.type),
        ("language", "Language", False, asked.language, facets.language),
        ("since", "Fetched", True, since, facets.since),
    ):
        choices = tuple(_choices(name, chosen, counted))
        if len(choices) > 1 or chosen:
            yield Facet(name, label, single, choices)


def _choices(name: str, chosen: tuple[str, ...], counted: tuple[FacetValue, ...]) -> Iterator[Choice]:
    known = {one.value for one in counted}
    for value in chosen:
        if value not in known:
            yield Choice(value, _labelled(name, value), None, chosen=True)
    for one in counted:
        yield Choice(one.value, _labelled(name, one.value), one.pages, one.value in chosen)


def _labelled(name: str, value: str) -> str:
    return _AGES.get(value, f"since {value}") if name == "since" else value


assert [age for age, _ in AGES] == list(_AGES)  # noqa: S101 - each has its words
