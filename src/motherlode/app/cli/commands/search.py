"""`lode search`: searches what a portal has fetched."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

import click
from msgspec.structs import replace

from motherlode.app.cli.commands.index import announce, progress
from motherlode.app.cli.common import (
    F,
    count,
    harmless,
    json_option,
    marked,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.cli.durations import moment_in
from motherlode.app.services.addresses import address_in
from motherlode.app.services.search import Ready, desk_at, made_ready, told
from motherlode.portal import Portal
from motherlode.records import UsageError
from motherlode.search.facets import Facets
from motherlode.search.last_search import save_last_search
from motherlode.search.query_builder import Filters
from motherlode.search.ranking import DEFAULT_RANKING, SCORE_PARTS, parse_weights
from motherlode.search.results import SearchResult
from motherlode.search.service import SearchRequest, SearchResults
from motherlode.urls import Address

_LONG = 100  # characters of a query, or of a title, that are shown on one line
_MOST_PAGES = 1_000


class Moment(click.ParamType[int]):
    """A day, or a length of time ago, in seconds since 1970. `whole`: the day itself is part of it."""

    name = "day"

    def __init__(self, *, whole: bool = False) -> None:
        self._whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        moment = moment_in(str(value), time(), whole=self._whole)
        if moment is None:
            told = repr(str(value)[:50])
            self.fail(
                f"{told} is not a day; write it like 2026-11-30, or like 7d for a week ago.", param, ctx
            )
        return moment


def _several(name: str, what: str) -> Callable[[F], F]:
    return click.option(f"--{name}", f"{name}s", multiple=True, help=f"{what} (repeatable: any of them).")


@click.command("search")
@portal_argument
@click.argument("words", metavar="QUERY...", nargs=-1)
@click.option("--topic", default="", help="Only pages on this topic or below it, such as science/physics.")
@_several("site", "Only pages of this host or domain")
@_several("type", "Only pages of this type, such as html, pdf or text/plain")
@_several("language", "Only pages in this language, such as en")
@click.option("--since", type=Moment(), help="Only pages fetched since this day, or so long ago (7d).")
@click.option("--until", type=Moment(whole=True), help="Only pages fetched until this day.")
@click.option(
    "--rank",
    default=DEFAULT_RANKING,
    show_default=True,
    metavar="NAME[=WEIGHT],...",
    help=f"What the order is made of: {', '.join(SCORE_PARTS)}, or a weighted sum.",
)
@click.option("--any", "any_word", is_flag=True, help="Any of the words will do, not only all of them.")
@click.option("--like", metavar="URL", help="Instead of a query: pages that are like this one.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Results a page.")
@click.option("--page", type=click.IntRange(1, _MOST_PAGES), default=1, show_default=True, help="Which page.")
@click.option("--why", is_flag=True, help="Show what each result's score is made of.")
@click.option("--as-is", is_flag=True, help="Search the index as it is, without bringing it up to date.")
@set_option
@json_option
def command(  # noqa: PLR0913 - one for each option
    directory: Path,
    words: tuple[str, ...],
    overrides: tuple[str, ...],
    *,
    like: str | None,
    rank: str,
    as_is: bool,
    as_json: bool,
    why: bool,
    **options: Any,
) -> None:
    """Search the pages that DIR holds.

    \b
    lode search DIR 'barn owls'              both words, whatever their endings
    lode search DIR '"barn owl" OR heron*'   a phrase, or words that begin so; also AND, NOT, -word, (...)
    lode search DIR 'title:owl nihgt~'       in one field; a word that may be misspelled
    lode search DIR owls --topic birds --rank cosine=1,confidence=0.5,authority=0.3 --why

    Fields are title, headings, text, main, anchor, url, site, topic, language and type. Pages that say nearly
    the same are shown once. A query may be left out where a filter is given. The index is brought up to date
    first.
    """
    query = " ".join(words).strip()
    with Portal.reading(directory, overrides) as portal:
        asked = _asked(query, _address(like, portal) if like else None, parse_weights(rank), options)
        asked = replace(asked, places=why or as_json)
        ready = Ready() if as_is else _readied(portal)
        with desk_at(portal) as desk:
            found, facets = desk.faceted(asked, time()) if as_json else (desk.search(asked), Facets())
        save_last_search(portal, asked, found)
    if as_json:
        show_json(told(asked, found, facets, ready.behind))
        return
    if ready.behind:
        click.echo(f"The index is {count(ready.behind, 'page')} behind: {harmless(ready.reason)}", err=True)
    _show(found, query or (asked.like.url if asked.like else ""), why=why)


def _readied(portal: Portal) -> Ready:
    announce(portal)
    return made_ready(portal, progress())


def _address(like: str, portal: Portal) -> Address:
    with portal.store.reading() as session:
        return address_in(session, like, portal.config.urls)


def _asked(
    query: str, like: Address | None, weights: dict[str, float], options: dict[str, Any]
) -> SearchRequest:
    def folded(name: str) -> tuple[str, ...]:
        return tuple(value.strip().casefold() for value in options[name])

    filters = Filters(
        sites=folded("sites"),
        types=folded("types"),
        languages=folded("languages"),
        since=options["since"],
        until=options["until"],
    )
    if query and like is not None:
        raise UsageError("Give a query or --like, not both.")
    if not query and like is None and not options["topic"] and filters == Filters():
        raise UsageError("Say what to look for: a query, --like, or a filter such as --topic.")
    return SearchRequest(
        weights=weights,
        text=query,
        like=like,
        any_word=options["any_word"],
        topic=options["topic"],
        filters=filters,
        limit=options["limit"],
        page=options["page"],
    )


# --- on the terminal ------------------------------------------------------------------------------------


def _show(found: SearchResults, sought: str, *, why: bool) -> None:
    what = f"“{harmless(_cut(sought))}”: " if sought else ""
    matches = "1 page matches" if found.total == 1 else f"{found.total:,} pages match"
    ranked = f", the best {found.ranked:,} are ranked" if found.ranked < found.total else ""
    click.echo(f"{what}{matches}{ranked}.")
    if found.total and not found.results:
        click.echo("There is no such page of results.")
    for result in found.results:
        title = click.style(harmless(_cut(result.title) or result.url), bold=True)
        click.echo(f"\n{result.place:>3}. {title}")
        for line in _lines(result, why=why):
            click.echo(f"     {line}")
    if found.more and found.results:
        click.echo(f"\n--page {found.page + 1} shows more.")


def _lines(result: SearchResult, *, why: bool) -> Iterator[str]:
    yield harmless(result.url)
    sure = f" ({result.confidence:+.3f})" if result.confidence is not None and result.topic else ""
    day = _day(result.fetched_at)
    about = [f"score {result.score:.3f}", f"{result.topic}{sure}", result.language, result.type, day]
    yield harmless(", ".join(one for one in about if one))
    if result.marked:
        yield harmless(f"marked by a person: {', '.join(result.marked)}")
    if why:
        yield from _why(result)
    if result.snippet.text.strip():
        yield marked(result.snippet)
    if result.alike:
        more = f", and {result.alike_count - 1:,} more" if result.alike_count > 1 else ""
        yield f"nearly the same: {harmless(result.alike[0])}{more}"


def _why(result: SearchResult) -> Iterator[str]:
    for part in result.why:
        sum_ = f"{part.scaled:.3f} of the best x {part.weight:.3f} = {part.contribution:.3f}"
        yield f"  {part.name:<10} {part.value:8.3f}, {sum_}"
    if result.places:
        told = (f"{place} {score:.3f}" for place, score in result.places.items())
        yield f"  words in {', '.join(told)}"


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]} …"
