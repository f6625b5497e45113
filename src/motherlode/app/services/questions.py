"""A search as an address says it: `lode search` with its options, so that it can be shared."""

from time import time
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import asdict, replace

from motherlode.app.cli.durations import moment_in
from motherlode.app.server.search_pool import Desks
from motherlode.app.services.addresses import address_in
from motherlode.app.services.search import Found, told
from motherlode.portal import Portal
from motherlode.records import UsageError
from motherlode.search.last_search import save_last_search
from motherlode.search.query_builder import Filters
from motherlode.search.ranking import DEFAULT_RANKING, parse_weights
from motherlode.search.service import SearchRequest
from motherlode.urls import Address


class Question(Struct, frozen=True):
    """What is sought, in the words of the command line; `q` is the query."""

    q: str = ""
    like: str = ""
    topic: str = ""
    site: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    rank: str = DEFAULT_RANKING
    any: bool = False
    limit: int = 10
    page: int = 1
    why: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether anything is sought at all."""
        said = (self.q.strip(), self.like, self.topic, self.site, self.type, self.language)
        return any(said) or bool(self.since or self.until)

    def address(self, **changes: Any) -> str:
        """What stands behind the question mark; what is as always is left out.

        >>> Question("barn owls", site=("a.test", "b.test")).address(page=2)
        'q=barn+owls&site=a.test&site=b.test&page=2'
        """
        said, usual = asdict(replace(self, **changes)), asdict(Question())
        told = {
            name: 1 if value is True else value
            for name, value in said.items()
            if value != usual[name] and name != "why"
        }
        return urlencode(told, doseq=True, errors="replace")


def found(desks: Desks, name: str, question: Question) -> Found:
    """Search a portal. Raises `LodeError` for what cannot be sought, `NoIndexError` without an index."""
    with desks.at(name) as (portal, desk):
        asked = _asked(question, portal)
        results, facets = desk.faceted(asked, time())
        behind = desks.standing(portal).behind
    return told(asked, results, facets, behind)


def remembered(desks: Desks, name: str, question: Question) -> None:
    """Search, and have it be the last search, as `--results` means it."""
    with desks.at(name) as (portal, desk):
        asked = _asked(question, portal)
        save_last_search(portal, asked, desk.search(asked))


def _asked(question: Question, portal: Portal) -> SearchRequest:
    text = question.q.strip()
    if text and question.like:
        raise UsageError("Give a query or a page that others are to be like, not both.")
    if not question.is_asked:
        raise UsageError("Say what to look for: a query, a page that others are to be like, or a filter.")
    return SearchRequest(
        parse_weights(question.rank),
        text,
        _liked(question.like, portal) if question.like else None,
        question.any,
        question.topic,
        _filters(question),
        question.limit,
        question.page,
        question.why,
    )


def _liked(url: str, portal: Portal) -> Address:
    with portal.store.reading() as session:
        return address_in(session, url, portal.config.urls)


def _filters(question: Question) -> Filters:
    def folded(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(value.strip().casefold() for value in values if value.strip())

    return Filters(
        sites=folded(question.site),
        types=folded(question.type),
        languages=folded(question.language),
        since=_moment(question.since, whole=False),
        until=_moment(question.until, whole=True),
    )


def _moment(text: str, *, whole: bool) -> int | None:
    if not text.strip():
        return None
    moment = moment_in(text.strip(), time(), whole=whole)
    if moment is None or abs(moment) >= 2**62:
        told = repr(text[:50])
        raise UsageError(f"{told} is not a day; write it like 2026-11-30, or like 7d for a week ago.")
    return moment
