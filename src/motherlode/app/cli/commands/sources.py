"""`lode sources`: the search sources of a portal, and what they return."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from motherlode.app.cli.common import (
    OptionsAfterDirectory,
    harmless,
    json_option,
    set_option,
    show_json,
)
from motherlode.app.cli.request_options import request_options
from motherlode.app.cli.tables import TextTable
from motherlode.app.requests.sources import MAX_TRIED_HITS, AskSourceRequest
from motherlode.app.services.back_links import write_back_links
from motherlode.app.services.named_sources import SECTION
from motherlode.app.services.open_sources import SourceAnswer
from motherlode.app.services.sources import (
    SourceStatus,
    add_source,
    sources_in,
    try_source,
    try_sources,
)
from motherlode.app.services.wrappers import (
    MAX_SHOWN_OPTIONS,
    AskedPortal,
    WrapperView,
    add_wrapper,
    ask_best_wrappers,
    ask_wrapper,
    check_wrapper,
    edit_wrapper,
    remove_wrapper_or_source,
    wrapper_in,
)
from motherlode.app.text import count
from motherlode.portal.directory import config_of
from motherlode.portal.settings import named_settings
from motherlode.records import UsageError
from motherlode.sources.search.registry import KINDS, SourceKind
from motherlode.sources.wrappers.check import FormCheck, FormState
from motherlode.sources.wrappers.form_source import PortalAnswer

MAX_SHOWN_SNIPPET = 200
DEFAULT_LINKS = 10
MAX_SHOWN_LABEL = 40

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
    lode sources physics add https://library.example/search
    lode sources physics try library --title "Quantum optics" --author "Doe, Jane"
    lode sources physics check library
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
@click.argument("name", metavar="URL | NAME KIND")
@click.argument("kind", metavar="", default="")
@click.option("--form", type=click.IntRange(1), help="The number of the form on the page URL.")
@click.option("--name", "new_name", default="", help="What to call the source of the page URL.")
@_source_options
@set_option
@click.pass_obj
def add(
    place: tuple[Path, tuple[str, ...]],
    /,
    name: str,
    kind: str,
    form: int | None,
    new_name: str,
    overrides: tuple[str, ...],
    **given: Any,
) -> None:
    """Make a source of the search form at URL, or write a source NAME of a KIND into lode.toml.

    With a URL, the page's best search form becomes a source that can be asked by title, author,
    year and so on; 'show' lists what its fields ask for, and 'edit' changes it. No source is made
    of forms to log in, register, pay, subscribe or write to somebody.
    """
    directory, earlier = place
    if name.startswith(("http://", "https://")):
        if kind or any(value is not None for value in given.values()):
            raise UsageError("With a URL, only --form and --name can be given.")
        changed = (*earlier, *overrides)
        _show_wrapper(add_wrapper(directory, name, new_name, form or 0, changed))
        return
    if not kind:
        raise UsageError("Name a page with a search form, or a NAME and a KIND.")
    if form is not None or new_name:
        raise UsageError("--form and --name are for the address of a page with a search form.")
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
    remove_wrapper_or_source(directory, name)
    click.echo(f"Removed {name}.")


@command.command("show")
@click.argument("name")
@json_option
@click.pass_obj
def show(place: tuple[Path, tuple[str, ...]], /, name: str, *, as_json: bool) -> None:
    """Show what the fields of the form of the source NAME ask for, with scores."""
    view = wrapper_in(place[0], name)
    if as_json:
        show_json(view)
    else:
        _show_wrapper(view)


@command.command("edit")
@click.argument("name")
@click.argument("changes", metavar="FIELD=ATTRIBUTE...", nargs=-1, required=True)
@click.pass_obj
def edit(place: tuple[Path, tuple[str, ...]], /, name: str, changes: tuple[str, ...]) -> None:
    """Say what fields of the form of the source NAME ask for; FIELD= leaves a field as it is."""
    for change in changes:
        field, equals, attribute = change.partition("=")
        if not equals:
            raise UsageError(f"{change[:60]!r} is no change; write FIELD=ATTRIBUTE.")
        view = edit_wrapper(place[0], name, field, attribute)
    _show_wrapper(view)


@command.command("check")
@click.argument("name")
@set_option
@json_option
@click.pass_obj
def check(
    place: tuple[Path, tuple[str, ...]],
    /,
    name: str,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Compare the form of the source NAME with that of today; exit with 1 if it has changed."""
    result = check_wrapper(place[0], name, (*place[1], *overrides))
    if as_json:
        show_json(result)
    else:
        _show_check(place[0], name, result)
    if not result.is_usable:
        raise click.exceptions.Exit(1)


@command.command("try")
@click.argument("words", metavar="[NAME] [QUERY...]", nargs=-1)
@request_options(AskSourceRequest, leave_out=("query",))
@set_option
@json_option
@click.pass_obj
def try_(
    place: tuple[Path, tuple[str, ...]],
    /,
    words: tuple[str, ...],
    request: AskSourceRequest,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Show what the source NAME returns for QUERY; NAME may also be KIND or KIND:URL.

    A single word, or one query in quotes, is asked of all sources of the portal. A source that was
    made of a search form can also be asked by title, author, year and so on; without NAME, those
    three are asked whose forms fit best.
    """
    directory, earlier = place
    changed = (*earlier, *overrides)
    config = config_of(directory, changed)
    hits = request.hits
    if not words:
        _show_portals(ask_best_wrappers(directory, request, changed), as_json=as_json)
        return
    if request != AskSourceRequest(hits=hits):
        asked = replace(request, query=" ".join(words[1:]))
        _show_answer(ask_wrapper(config, words[0], asked), as_json=as_json)
        return
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
    type=click.IntRange(1, MAX_TRIED_HITS),
    default=DEFAULT_LINKS,
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
    back_links = write_back_links(directory, [name], file, hits)
    for problem in back_links.problems:
        click.echo(harmless(problem), err=True)
    levels = ", ".join(
        f"{pages} of level {level}" for level, pages in enumerate(back_links.pages, 1)
    )
    click.echo(f"Wrote {count(len(back_links.links), 'link')} to {file}, from pages: {levels}.")
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


def _show_answer(answer: PortalAnswer, *, as_json: bool) -> None:
    if as_json:
        show_json(answer)
        return
    values = ", ".join(f"{name}={value}" for name, value in answer.values.items())
    click.echo(f"Asked for {harmless(values)}.")
    if answer.nothing_found:
        click.echo("The portal has found nothing.")
    elif answer.is_whole_page:
        click.echo("No list of results stands out; this is the page as a whole:")
    elif not answer.records:
        click.echo("The answer has no results that could be read.")
    _show_records(answer)


def _show_portals(portals: list[AskedPortal], *, as_json: bool) -> None:
    if as_json:
        show_json(portals)
        return
    for portal in portals:
        click.echo(f"{click.style(portal.name, bold=True)} (similarity {portal.similarity:.2f})")
        if portal.answer is None:
            click.echo(harmless(portal.problem), err=True)
        else:
            _show_answer(portal.answer, as_json=False)


def _show_records(answer: PortalAnswer) -> None:
    for number, record in enumerate(answer.records, start=1):
        click.echo(f"{number:>3}. {click.style(harmless(record.title or record.link), bold=True)}")
        click.echo(f"     {harmless(record.link)}")
        if record.snippet:
            click.echo(f"     {harmless(record.snippet[:MAX_SHOWN_SNIPPET])}")


def _show_wrapper(view: WrapperView) -> None:
    click.echo(f"{click.style(view.name, bold=True)}: form {view.form} of {harmless(view.page)}")
    click.echo(f"  sent to {harmless(view.action)} by {view.method.upper()}")
    table = TextTable("field", "label", "asks for", "score", "options")
    for field in view.fields:
        options = ", ".join(field.options[:MAX_SHOWN_OPTIONS])
        more = len(field.options) - MAX_SHOWN_OPTIONS
        table.add(
            harmless(field.name),
            harmless(field.label[:MAX_SHOWN_LABEL]),
            harmless(field.attribute) or "-",
            f"{field.score:.2f}" if field.score else "",
            harmless(options) + (f" and {more} more" if more > 0 else ""),
        )
    table.show(words=3)


def _show_check(directory: Path, name: str, result: FormCheck) -> None:
    place = f"{shlex.quote(str(directory))}"
    texts = {
        FormState.SAME: f"The form of {name} is as it was when the source was made.",
        FormState.COMPATIBLE: f"The form of {name} has changed in ways that do not matter.",
        FormState.CHANGED: f"The form of {name} has changed, so it is not asked any more.",
        FormState.GONE: f"The form of {name} is gone.",
    }
    click.echo(texts[result.state])
    for change in result.changes:
        click.echo(f"  {harmless(change)}")
    if not result.is_usable:
        click.echo(f"Next: lode sources {place} remove {name}, then add it again.")


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
