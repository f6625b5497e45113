"""Search a portal: the query, facets to narrow it down, and sliders for the ranking."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from msgspec import Struct
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.responses import Response

from motherlode.app.errors import NoIndexError
from motherlode.app.jobs.queue import INDEX
from motherlode.app.requests.query_string import query_string_of, request_from_query
from motherlode.app.requests.search import SearchParameters
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.server.errors import status_of, validation_sentence
from motherlode.app.services.feedback.marks import marks_at
from motherlode.app.services.search.parameters import search_portal
from motherlode.app.services.search.searcher import SearchAnswer
from motherlode.app.services.topics.views import topic_names_at
from motherlode.app.web.pages import page
from motherlode.export.text_cleaner import plain
from motherlode.records import LodeError, ReadOnlyError
from motherlode.search.facets import AGES, Facets, FacetValue
from motherlode.search.query import QueryError
from motherlode.search.ranking import DEFAULT_RANKING, SCORE_PARTS, part_label, part_named

router = APIRouter()
SLIDER_STEP = 0.05
_RESULTS_SHOWN = 10  # on a page
_CONTEXT_CHARS = 60  # shown before and after an error
_CHARACTER = re.compile(r"character ([\d,]+)")
_DEFAULT_WEIGHTS = dict.fromkeys(SCORE_PARTS, 0.0) | {
    name: float(weight) for name, weight in (part.split("=") for part in DEFAULT_RANKING.split(","))
}
_AGES = {
    "1d": "the last day",
    "7d": "the last week",
    "30d": "the last month",
    "365d": "the last year",
}
_ABOUT = {
    "bm25": "the words, and the fields that have them",
    "cosine": "how much of the page is about the words",
    "topic": "being on the topic that the words are about",
    "confidence": "how far inside its topic the page lies",
    "authority": "links from pages on the same subject",
}


class Slider(Struct, frozen=True):
    name: str
    label: str
    about: str
    value: float
    usual: float


class FacetChoice(Struct, frozen=True):
    """A value of a facet. `pages` is None if it is chosen and finds nothing."""

    value: str
    label: str
    pages: int | None
    chosen: bool


class Facet(Struct, frozen=True):
    """The choices of one filter; where only one can be chosen, there is one for all."""

    name: str
    label: str
    single: bool
    choices: tuple[FacetChoice, ...]


Weight = Annotated[float | None, Query(ge=0, le=1_000_000)]


class Weights(Struct, frozen=True):
    """The weights of the sliders; None: not given."""

    values: dict[str, float | None]

    def rank(self, otherwise: str) -> str:
        """Return the ranking in the form of `--rank`."""
        if all(value is None for value in self.values.values()):
            return otherwise
        weights = {
            name: _DEFAULT_WEIGHTS[name] if value is None else value
            for name, value in self.values.items()
        }
        if weights == _DEFAULT_WEIGHTS:
            return DEFAULT_RANKING
        return ",".join(f"{name}={value:g}" for name, value in weights.items() if value) or "bm25=0"


def _weights(
    rank_bm25: Weight = None,
    rank_cosine: Weight = None,
    rank_topic: Weight = None,
    rank_confidence: Weight = None,
    rank_authority: Weight = None,
) -> Weights:
    values = (rank_bm25, rank_cosine, rank_topic, rank_confidence, rank_authority)
    return Weights(dict(zip(SCORE_PARTS, values, strict=True)))


def parameters_in(
    request: Request, weights: Annotated[Weights, Depends(_weights)]
) -> SearchParameters:
    """Return the search of an address. Raises `HTTPException` 422 for a value that does not fit."""
    try:
        parameters = request_from_query(SearchParameters, request.query_params.multi_items())
    except msgspec.ValidationError as error:
        raise HTTPException(422, validation_sentence(error)) from error
    return replace(parameters, rank=weights.rank(parameters.rank), limit=_RESULTS_SHOWN, why=False)


SearchQuery = Annotated[SearchParameters, Depends(parameters_in)]


@router.get("/portals/{portal}/search")
def search(request: Request, context: Context, portal: str, parameters: SearchQuery) -> Response:
    return _page(request, context, portal, parameters, "search.html")


@router.get("/portals/{portal}/search/found")
def part(request: Request, context: Context, portal: str, parameters: SearchQuery) -> Response:
    """Return the part of the page that changes with the search."""
    return _page(request, context, portal, parameters, "search_found.html")


def _page(
    request: Request,
    context: ServerContext,
    portal: str,
    parameters: SearchParameters,
    template: str,
) -> Response:
    values: dict[str, Any] = {
        "answer": None,
        "facets": (),
        "problem": "",
        "no_index": "",
        "place": None,
    }
    status = 200
    topics, waiting = _topics_and_marks(context, portal)
    try:
        answer = _answer(context, portal, parameters)
        values["answer"] = answer
        values["facets"] = tuple(_facets(parameters, answer.facets if answer else Facets()))
    except NoIndexError as error:
        values["no_index"] = str(error)
    except ReadOnlyError:
        raise
    except LodeError as error:
        status = status_of(error)
        values["problem"] = context.registry.message(error)
        values["facets"] = tuple(_facets(parameters, Facets()))
        values["place"] = _place(parameters.q, error)
    behind = values["no_index"] or (values["answer"] is not None and values["answer"].behind)
    return page(
        request,
        template,
        status,
        portal=portal,
        parameters=parameters,
        indexing=context.queue.active_job(portal, INDEX.name) if behind else None,
        sliders=tuple(_sliders(parameters.rank)),
        step=SLIDER_STEP,
        here_address=query_string_of(parameters),
        topics=topics,
        waiting=waiting,
        pieces=pieces,
        address=_address,
        **values,
    )


def _address(parameters: SearchParameters, **changes: Any) -> str:
    """Return the query string of a search with some parameters changed."""
    return query_string_of(replace(parameters, **changes))


def _place(query: str, error: LodeError) -> tuple[str, str, str] | None:
    """Return the query before, at and after the character that an error names."""
    match = _CHARACTER.search(str(error)) if isinstance(error, QueryError) else None
    if match is None:
        return None
    at = int(match[1].replace(",", "")) - 1
    return (
        query[max(0, at - _CONTEXT_CHARS) : at],
        query[at : at + 1],
        query[at + 1 : at + 1 + _CONTEXT_CHARS],
    )


def _answer(
    context: ServerContext, portal: str, parameters: SearchParameters
) -> SearchAnswer | None:
    if parameters.is_given:
        return search_portal(context.search_pool, portal, replace(parameters, why=True))
    # Raises if there is no index, before the user types a query.
    with context.search_pool.open(portal):
        return None


def _topics_and_marks(context: ServerContext, portal: str) -> tuple[list[str], int]:
    """Return the topics that pages can be marked for, and the number of marks not learned from."""
    marks = marks_at(context.registry, portal)
    return topic_names_at(context.registry, portal), sum(not mark.learned for mark in marks)


def pieces(text: str, marks: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a snippet, each with whether it is a word of the query.

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
    """Yield the sliders of a ranking; one that cannot be read has the default weights."""
    weights = _numbers(rank) or _DEFAULT_WEIGHTS
    largest = max(1.0, *weights.values())
    for name in SCORE_PARTS:
        yield Slider(
            name=name,
            label=part_label(name),
            about=_ABOUT[name],
            value=round(weights.get(name, 0.0) / largest, 3),
            usual=_DEFAULT_WEIGHTS[name],
        )


def _numbers(rank: str) -> dict[str, float]:
    try:
        parts = [part.partition("=") for part in rank.split(",")]
        return {
            part_named(name.strip()): float(value) if equals else 1.0
            for name, equals, value in parts
        }
    except ValueError:
        return {}


def _facets(parameters: SearchParameters, facets: Facets) -> Iterator[Facet]:
    topic = (parameters.topic,) if parameters.topic else ()
    since = (parameters.since,) if parameters.since else ()
    for name, label, single, chosen, counted in (
        ("topic", "Topic", True, topic, facets.topic),
        ("site", "Site", False, parameters.site, facets.site),
        ("type", "Type", False, parameters.type, facets.type),
        ("language", "Language", False, parameters.language, facets.language),
        ("since", "Fetched", True, since, facets.since),
    ):
        choices = tuple(_choices(name, chosen, counted))
        if len(choices) > 1 or chosen:
            yield Facet(name, label, single, choices)


def _choices(
    name: str, chosen: tuple[str, ...], counted: tuple[FacetValue, ...]
) -> Iterator[FacetChoice]:
    counted_values = {facet_value.value for facet_value in counted}
    for value in chosen:
        if value not in counted_values:
            yield FacetChoice(value, _label(name, value), None, chosen=True)
    for facet_value in counted:
        value = facet_value.value
        yield FacetChoice(value, _label(name, value), facet_value.pages, value in chosen)


def _label(name: str, value: str) -> str:
    return _AGES.get(value, f"since {value}") if name == "since" else value


assert [age for age, _ in AGES] == list(_AGES)  # noqa: S101 - each has its label
