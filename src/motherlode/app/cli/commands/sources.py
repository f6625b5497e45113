"""`lode sources`: the search sources of a portal, and what they return."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from motherlode.app.cli.common import (
    OptionsAfterDirectory,
    harmless,
    json_option,
    set_option,
    show_json,
)
from motherlode.app.services.back_links import write_back_links
from motherlode.app.services.sources import (
    SECTION,
    SourceAnswer,
    SourceStatus,
    add_source,
    remove_source,
    sources_in,
    try_source,
    try_sources,
)
from motherlode.app.text import count
from motherlode.portal.directory import config_of
from motherlode.portal.settings import named_settings
from motherlode.records import UsageError
from motherlode.sources.search.registry import KINDS, SourceKind

DEFAULT_HITS = 10
MAX_HITS = 100

Command = Callable[..., Any]


@click.group("sources", cls=OptionsAfterDirectory, invoke_without_command=True)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path), required=False)
@set_option
@json_option
@click.option("--kinds", is_flag=True, help="Show all kinds of sources with their terms.")
@click.pass_context
def command(
    ctx: click.Context,
    directory: Path | None,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
    kinds: bool,
) -> None:
    """Show the search sources of the portal DIR, add, remove, try or ask them for links.

    \b
    lode sources --kinds
    lode sources physics add wiki mediawiki --url https://en.wikipedia.org/w/api.php
    lode sources physics try wiki "quantum optics"
    lode sources physics links wiki links.tsv.gz
    lode sources physics remove wiki

    A source returns pages for a query, and 'lode ask --source NAME' begins from them. A key is read
    from an environment variable, and is never stored.
    """
    if kinds:
        _show_kinds(as_json=as_json)
        return
    if directory is None:
        raise UsageError("Name a portal: lode sources DIR. 'lode sources --kinds' lists all kinds.")
    ctx.obj = (directory, overrides)
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise UsageError("--json before a subcommand shows the list; write it after 'try'.")
        return
    sources = sources_in(directory, overrides)
    if as_json:
        show_json(sources)
    else:
        _show_sources(directory, sources)


def _source_options(function: Command) -> Command:
    """Give a command one option for each setting of a source but its kind."""
    for setting in reversed(list(named_settings(SECTION).values())):
        if setting.name != "kind":
            option = f"--{setting.name.replace('_', '-')}"
            kind: type = type(setting.default)
            function = click.option(option, setting.name, type=kind, help=setting.description)(
                function
            )
    return function


@command.command("add")
@click.argument("name")
@click.argument("kind")
@_source_options
@click.pass_obj
def add(place: tuple[Path, tuple[str, ...]], /, name: str, kind: str, **given: Any) -> None:
    """Write a source NAME of a KIND into the lode.toml of DIR; its comments stay."""
    directory, _ = place
    added = add_source(directory, name, kind, given)
    click.echo(f"Added {name} ({added.kind}): {harmless(added.place)}")
    click.echo(f"Terms: {added.terms} {added.terms_url}".rstrip())
    if added.state == "key missing":
        click.echo(f"Its key is missing: set {added.key_variable} in your environment.")
    click.echo(f"Next: lode sources {shlex.quote(str(directory))} try {name} QUERY")


@command.command("remove")
@click.argument("name")
@click.pass_obj
def remove(place: tuple[Path, tuple[str, ...]], /, name: str) -> None:
    """Take the source NAME out of the lode.toml of DIR."""
    directory, _ = place
    remove_source(directory, name)
    click.echo(f"Removed {name}.")


@command.command("try")
@click.argument("words", metavar="[NAME] QUERY...", nargs=-1, required=True)
@click.option(
    "--hits",
    type=click.IntRange(1, MAX_HITS),
    default=DEFAULT_HITS,
    show_default=True,
    help="Number of hits.",
)
@set_option
@json_option
@click.pass_obj
def try_(
    place: tuple[Path, tuple[str, ...]],
    /,
    words: tuple[str, ...],
    hits: int,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Show what the source NAME returns for QUERY; NAME may also be KIND or KIND:URL.

    A single word, or one query in quotes, is asked of all sources of the portal.
    """
    directory, earlier = place
    config = config_of(directory, (*earlier, *overrides))
    if len(words) == 1:
        answer = try_sources(config, words[0], hits)
    else:
        answer = try_source(config, words[0], " ".join(words[1:]), hits)
    if as_json:
        show_json(answer)
    else:
        _show_hits(answer)


@command.command("links")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--hits",
    type=click.IntRange(1, MAX_HITS),
    default=DEFAULT_HITS,
    show_default=True,
    help="Number of links to ask for, of each page.",
)
@click.pass_obj
def links(place: tuple[Path, tuple[str, ...]], /, name: str, file: Path, hits: int) -> None:
    """Ask the source NAME which pages link to the examples, and to those; write FILE.

    FILE is for the policies ordinal-2007 and ordinal (ordinal.edge_files). It is gzipped if it ends
    in .gz.
    """
    directory, _ = place
    found = write_back_links(directory, [name], file, hits)
    for problem in found.problems:
        click.echo(harmless(problem), err=True)
    levels = ", ".join(f"{pages} of level {level}" for level, pages in enumerate(found.pages, 1))
    click.echo(f"Wrote {count(len(found.links), 'link')} to {file}, from pages: {levels}.")
    setting = shlex.quote(f'ordinal.edge_files=["{file}"]')
    click.echo(
        f"Next: lode crawl {shlex.quote(str(directory))} --policy ordinal-2007 --set {setting}"
    )


def _show_hits(answer: SourceAnswer) -> None:
    if not answer.hits:
        click.echo("It returns nothing for this query; try other words.")
    for problem in answer.problems:
        click.echo(harmless(problem), err=True)
    for number, hit in enumerate(answer.hits, start=1):
        click.echo(f"{number:>3}. {click.style(harmless(hit.title or hit.url), bold=True)}")
        click.echo(f"     {harmless(hit.url)}")
        if hit.snippet:
            click.echo(f"     {harmless(hit.snippet)}")


def _show_sources(directory: Path, sources: list[SourceStatus]) -> None:
    where = shlex.quote(str(directory))
    if not sources:
        click.echo("This portal has no search source; 'lode sources --kinds' lists the kinds.")
        click.echo(f"Next: lode sources {where} add NAME KIND")
        return
    for source in sources:
        click.echo(f"{click.style(source.name, bold=True)} ({source.kind}, {source.state})")
        click.echo(f"  {harmless(source.place)}")
        click.echo(f"  {source.terms} {source.terms_url}".rstrip())
    click.echo(f"\n{count(len(sources), 'source')}. Next: lode sources {where} try NAME QUERY")


def _show_kinds(*, as_json: bool) -> None:
    if as_json:
        show_json([msgspec.to_builtins(kind) for kind in KINDS])
        return
    for kind in KINDS:
        click.echo(f"{click.style(kind.name, bold=True)}: {kind.summary}")
        click.echo(f"  {_needs(kind)}")
        click.echo(f"  {kind.terms} {kind.terms_url}".rstrip())


def _needs(kind: SourceKind) -> str:
    option = f"--{kind.place}"
    place = f"needs {option}" if kind.needs_place else f"{option} {kind.default_url} by default"
    key = "" if kind.key == "none" else f"; key in {kind.key_variable}, {kind.key}"
    return f"{place}{key}"
