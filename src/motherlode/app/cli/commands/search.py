"""`lode search`: search the pages of a portal."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec.structs import replace

from motherlode.app.cli.commands.index import IndexProgressLine
from motherlode.app.cli.common import (
    harmless,
    highlighted,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.search import SearchParameters
from motherlode.app.services.search.parameters import search_directory
from motherlode.app.services.search.searcher import answer_of
from motherlode.app.text import count
from motherlode.search.ranking import CONFIDENCE
from motherlode.search.results import SearchResult
from motherlode.search.service import SearchResults
from motherlode.training.certainty import margin_text, topic_text

_MAX_LINE_CHARS = 100  # of a query or a title


@click.command("search")
@portal_argument
@request_options(SearchParameters)
@click.option(
    "--as-is", is_flag=True, help="Search the index as it is, without bringing it up to date."
)
@set_option
@json_option
def command(
    directory: Path,
    request: SearchParameters,
    overrides: tuple[str, ...],
    *,
    as_is: bool,
    as_json: bool,
) -> None:
    """Search the pages that DIR holds.

    \b
    lode search DIR 'barn owls'              both words, whatever their endings
    lode search DIR '"barn owl" OR heron*'   a phrase, or words that begin so
    lode search DIR 'owl AND NOT (x OR -y)'  operators and brackets
    lode search DIR 'title:owl nihgt~'       in one field; a word that may be misspelled
    lode search DIR owls --topic birds --rank cosine=1,margin=0.5,authority=0.3 --why

    Fields are title, headings, text, main, anchor, url, site, topic, language and type. Near
    duplicates are shown once. With a filter, the query may be left out. The index is brought up to
    date first.
    """
    parameters = replace(request, why=request.why or as_json)
    progress = None if as_is else IndexProgressLine()
    search = search_directory(directory, parameters, overrides, progress, with_facets=as_json)
    behind, asked = search.ready.behind, search.request
    if as_json:
        show_json(answer_of(asked, search.results, search.facets, behind))
        return
    if behind:
        reason = harmless(search.ready.reason)
        click.echo(f"The index is {count(behind, 'page')} behind: {reason}", err=True)
    searched = asked.text or (asked.like.url if asked.like else "")
    _show(search.results, searched, why=request.why)


def _show(results: SearchResults, searched: str, *, why: bool) -> None:
    query = f"“{harmless(_cut(searched))}”: " if searched else ""
    matches = "1 page matches" if results.total == 1 else f"{results.total:,} pages match"
    ranked = f", the best {results.ranked:,} are ranked" if results.ranked < results.total else ""
    click.echo(f"{query}{matches}{ranked}.")
    if results.total and not results.results:
        click.echo("There is no such page of results.")
    for result in results.results:
        title = click.style(harmless(_cut(result.title) or result.url), bold=True)
        click.echo(f"\n{result.place:>3}. {title}")
        for line in _lines(result, why=why):
            click.echo(f"     {line}")
    if results.more and results.results:
        click.echo(f"\n--page {results.page + 1} shows more.")


def _lines(result: SearchResult, *, why: bool) -> Iterator[str]:
    yield harmless(result.url)
    day = _day(result.fetched_at)
    about = [
        f"score {result.score:.3f}",
        topic_text(result.topic, result.probability) if result.topic else "",
        result.language,
        result.type,
        day,
    ]
    yield harmless(", ".join(text for text in about if text))
    if result.marked:
        yield harmless(f"marked by a user: {', '.join(result.marked)}")
    if why:
        yield from _why(result)
    if result.snippet.text.strip():
        yield highlighted(result.snippet)
    if result.alike:
        more = f", and {result.alike_count - 1:,} more" if result.alike_count > 1 else ""
        yield f"nearly the same: {harmless(result.alike[0])}{more}"


def _why(result: SearchResult) -> Iterator[str]:
    if result.margin is not None and all(part.name != CONFIDENCE for part in result.why):
        yield f"  {margin_text(result.margin)}"
    for part in result.why:
        sum_ = f"{part.scaled:.3f} of the best x {part.weight:.3f} = {part.contribution:.3f}"
        yield f"  {part.label:<10} {part.value:8.3f}, {sum_}"
    if result.places:
        parts = (f"{place} {score:.3f}" for place, score in result.places.items())
        yield f"  words in {', '.join(parts)}"


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_LINE_CHARS else f"{text[:_MAX_LINE_CHARS]} …"
