"""`lode sites`: find whole websites like some that a user names, show them, and curate them."""

import shlex
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.interruption import exit_interrupted, on_interruption
from motherlode.app.cli.request_options import request_options
from motherlode.app.cli.tables import TextTable
from motherlode.app.requests.sites import SiteChoicesRequest, SiteListRequest, SitesRequest
from motherlode.app.text import count
from motherlode.portal.directory import CONFIG
from motherlode.records import ChoiceKind, LodeError, RunEnd, UsageError
from motherlode.training.certainty import certainty_text, probability_text

if TYPE_CHECKING:
    from motherlode.app.services.sites.choices import SiteChoicesResult
    from motherlode.app.services.sites.verdict_changes import VerdictChanges
    from motherlode.app.services.sites.views import (
        LinkedSiteView,
        SiteList,
        SiteSummary,
        SiteView,
    )
    from motherlode.crawl.progress import Progress

_MAX_TITLE_CHARS = 100
_MAX_CHANGES_SHOWN = 20
_CHOICE_TEXTS = {
    "accept": "accepted",
    "reject": "rejected",
    "like": "named as like",
    "unlike": "named as unlike",
}
_MADE_TEXTS = {
    ChoiceKind.ACCEPT: "accepted as relevant",
    ChoiceKind.REJECT: "rejected",
    ChoiceKind.CLEAR: "left undecided",
}
_UNDONE_TEXTS = {
    ChoiceKind.ACCEPT: "no longer accepted",
    ChoiceKind.REJECT: "no longer rejected",
    ChoiceKind.CLEAR: "your earlier choice about it counts again",
}


@click.command("sites")
@portal_argument
@request_options(SiteListRequest, "listing")
@request_options(SitesRequest)
@request_options(SiteChoicesRequest, "choices")
@click.option(
    "--export",
    "export_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the sites that --show names to a .csv, .json, .html (bookmarks), .gexf, .graphml, "
    ".svg or .png file.",
)
@click.option("--force", is_flag=True, help="With --export: replace an existing file.")
@json_option
def command(  # noqa: PLR0913 - one for each kind of option
    directory: Path,
    listing: SiteListRequest,
    request: SitesRequest,
    choices: SiteChoicesRequest,
    *,
    export_to: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find whole websites like some that you name, show them, and curate them.

    Sites to find others like, --sites, --pages and --time start a crawl; run it again to resume.
    --crawl crawls on with the usual limits. Otherwise DIR's sites are shown, or the one of SITE.

    \b
    lode sites museums --like https://museum.example/ --like https://gallery.example/ --sites 50
    lode sites museums --csv seeds.csv --fast --time 1h
    lode sites museums
    lode sites museums --show undecided
    lode sites museums www.museum.example
    lode sites museums --accept a.example --reject b.example
    lode sites museums --undo
    lode sites museums --forget www.misspelt.example
    lode sites museums --export museums.svg
    lode sites museums --pages 2000

    A site is a host, unless --site says otherwise, before or after the crawl:

    \b
    lode sites museums --site www.a.example,shop.a.example --site b.example/~anna
    """
    wants_crawl = request.wants_crawl or not (directory / CONFIG).is_file()
    wanted = (wants_crawl, not choices.is_empty, listing.name is not None, export_to is not None)
    if sum(wanted) > 1:
        raise UsageError(
            "Crawl, choose sites, export them or see one of them: one of these at a time."
        )
    _check_options(request, wants_crawl=wants_crawl, lists=not any(wanted), exports=wanted[-1])
    if wants_crawl:
        _crawl(directory, request, as_json=as_json)
        return
    if request.groups:
        only_groups = not any(wanted) and not _given("show", "limit")
        _group(directory, request, as_json=as_json and only_groups, aside=as_json)
        if only_groups:
            return
    if not choices.is_empty:
        _choose(directory, request, choices, as_json=as_json)
    elif export_to is not None:
        _export(directory, request, listing, export_to, force=force, as_json=as_json)
    elif listing.name is not None:
        _show_site(directory, request, listing, as_json=as_json)
    else:
        _show_list(directory, request, listing, as_json=as_json)


def _check_options(request: SitesRequest, *, wants_crawl: bool, lists: bool, exports: bool) -> None:
    """Raise `UsageError` for an option that would not mean anything in this command."""
    if not wants_crawl and request.crawl_options:
        options = ", ".join(request.crawl_options)
        raise UsageError(f"{options}: for a crawl only; add --crawl, a limit or sites to look for.")
    if not lists:
        listing_only = _given("limit") if exports else _given("show", "limit")
        if listing_only:
            allowed = "the list of sites" if exports else "the list of sites and for --export"
            raise UsageError(f"{', '.join(listing_only)}: only for {allowed}.")
    if not exports and _given("force"):
        raise UsageError("--force: only with --export, to replace the file.")


def _given(*names: str) -> list[str]:
    """Return those of some options that are on the command line, as the user writes them."""
    context = click.get_current_context()
    return [
        f"--{name}"
        for name in names
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]


def _crawl(directory: Path, request: SitesRequest, *, as_json: bool) -> None:
    from motherlode.app.cli.commands.crawl import show_end  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.cli.display import Display  # noqa: PLC0415
    from motherlode.app.services.sites.crawl import find_sites  # noqa: PLC0415

    latest: deque[Progress] = deque(maxlen=1)
    show = partial(Display, quiet=as_json, on_update=latest.append)

    def say(sentence: str) -> None:
        click.echo(harmless(sentence), err=as_json)

    with on_interruption(lambda: _exit_interrupted(request, *latest)):
        crawl = find_sites(directory, request, show, say)
    progress, result = crawl.progress, crawl.result
    if as_json:
        show_json(result)
    else:
        show_end(progress, crawl.end_reason)
        if not result.problem and progress.end != RunEnd.INTERRUPTED:
            click.echo(f"Next: lode sites {shlex.quote(str(directory))}")
    if progress.end == RunEnd.INTERRUPTED:
        _exit_interrupted(request, progress)
    if result.problem:
        raise LodeError(result.problem)


def _exit_interrupted(request: SitesRequest, progress: "Progress | None" = None) -> NoReturn:
    if progress is None:
        exit_interrupted()
    exit_interrupted(request, request.remaining(progress.pages, progress.seconds))


# --- what one site is -----------------------------------------------------------------------------


def _group(directory: Path, request: SitesRequest, *, as_json: bool, aside: bool) -> None:
    """Store what counts as one site and print what that changes, on standard error if `aside`."""
    from motherlode.app.services.sites.groups import group_sites  # noqa: PLC0415 - to run it

    def say(sentence: str) -> None:
        click.echo(harmless(sentence), err=aside)

    result = group_sites(directory, request.groups, request.settings, say)
    if as_json:
        show_json(result)
        return
    for sentence in result.messages:
        say(sentence)
    if result.changes is not None:
        _show_changes(result.changes, say)


# --- the list -------------------------------------------------------------------------------------


def _show_list(
    directory: Path, request: SitesRequest, listing: SiteListRequest, *, as_json: bool
) -> None:
    from motherlode.app.services.sites.views import sites_in  # noqa: PLC0415 - loaded to run it

    sites = sites_in(directory, listing, request.settings)
    if as_json:
        show_json(sites)
        return
    if sites.sites:
        _show_table(sites.sites)
    _show_counts(sites, listing)
    if sites.advice:
        click.echo(harmless(sites.advice))
    _show_next(sites, shlex.quote(str(directory)))


def _show_table(sites: tuple["SiteSummary", ...]) -> None:
    table = TextTable("site", "relevant", "state", "yours", "pages", "linked by")
    for site in sites:
        table.add(
            harmless(site.site),
            certainty_text(site.probability) or "unknown",
            site.state,
            _CHOICE_TEXTS.get(site.choice, "-"),
            site.pages,
            f"{site.referrers:,} of {site.linked_by:,}",
        )
    table.show(words=4)


def _show_counts(sites: "SiteList", listing: SiteListRequest) -> None:
    counts = sites.counts
    hidden = counts.shown - len(sites.sites)
    if hidden:
        click.echo(f"{count(hidden, 'more site')}; a higher --limit shows them.")
    elif not sites.sites:
        click.echo(f"No site is shown by --show {listing.show}.")
    click.echo(
        f"\n{count(counts.sites, 'site')}: {counts.relevant:,} relevant, "
        f"{counts.undecided:,} without a choice of yours; {counts.waiting:,} more waiting."
    )


def _show_next(sites: "SiteList", place: str) -> None:
    undecided = next((site for site in sites.sites if not site.choice), None)
    if undecided is not None:
        name = shlex.quote(harmless(undecided.site))
        click.echo(f"Next: lode sites {place} {name}")
    if sites.counts.waiting:
        click.echo(f"To crawl on: lode sites {place} --crawl")


# --- one site -------------------------------------------------------------------------------------


def _show_site(
    directory: Path, request: SitesRequest, listing: SiteListRequest, *, as_json: bool
) -> None:
    from motherlode.app.services.sites.views import site_in  # noqa: PLC0415 - loaded to run it

    site = site_in(directory, listing, request.settings)
    if as_json:
        show_json(site)
        return
    summary = site.summary
    title = f"  {harmless(summary.title[:_MAX_TITLE_CHARS])}" if summary.title else ""
    click.echo(f"{click.style(harmless(summary.site), bold=True)}{title}")
    click.echo(harmless(summary.home))
    click.echo(_state_text(site))
    if site.mirrors:
        click.echo(harmless(f"Mirrors: {', '.join(site.mirrors)}"))
    if site.names:
        click.echo(harmless(f"Others call it: {'; '.join(site.names)}"))
    _show_terms(site)
    _show_pages(site)
    _show_links("Linked by", site.linked_by, site.link_count)
    _show_links("It links to", site.links_to, site.target_count)
    if site.advice:
        click.echo(f"\n{harmless(site.advice)}")
        return
    place, name = shlex.quote(str(directory)), shlex.quote(harmless(summary.site))
    click.echo(f"\nNext: lode sites {place} --accept {name}, or --reject {name}")


def _state_text(site: "SiteView") -> str:
    summary = site.summary
    reason = f" ({site.reason})" if site.reason else ""
    choice = _CHOICE_TEXTS.get(summary.choice)
    yours = f", {choice} by you" if choice else ""
    probability = certainty_text(summary.probability) or "unknown"
    return (
        f"Relevant: {probability}{yours}. {count(summary.pages, 'page')}, {summary.state}{reason}."
    )


def _show_terms(site: "SiteView") -> None:
    for words, sign in (("For it", 1), ("Against it", -1)):
        terms = [term for term in site.terms if term.part * sign > 0]
        if terms:
            parts = ", ".join(f"{term.word} {abs(term.part):.3f}" for term in terms)
            click.echo(harmless(f"{words}: {parts}"))


def _show_pages(site: "SiteView") -> None:
    if site.best_pages:
        click.echo(f"\nBest pages of {site.summary.pages:,}:")
    for page in site.best_pages:
        title = harmless(page.title[:_MAX_TITLE_CHARS])
        click.echo(
            f"  {probability_text(page.probability)}  {harmless(page.url)}  {title}".rstrip()
        )


def _show_links(heading: str, links: tuple["LinkedSiteView", ...], total: int) -> None:
    if not links:
        return
    relevant = sum(link.relevant for link in links)
    shown = "" if total == len(links) else f"; the first {len(links)}"
    click.echo(f"\n{heading} {count(total, 'site')}, {relevant:,} relevant{shown}:")
    for link in links:
        probability = certainty_text(link.probability) or "not examined"
        weight = "" if heading != "Linked by" else f", weight {link.weight:.2f}"
        pages = count(link.pages, "page")
        click.echo(harmless(f"  {link.site}  {probability}, by {pages}{weight}"))


# --- choices --------------------------------------------------------------------------------------


def _choose(
    directory: Path, request: SitesRequest, choices: SiteChoicesRequest, *, as_json: bool
) -> None:
    from motherlode.app.services.sites.choices import choose_sites  # noqa: PLC0415 - to run it

    def say(sentence: str) -> None:
        click.echo(sentence, err=as_json)

    result = choose_sites(directory, choices, request.settings, say=say)
    if as_json:
        show_json(result)
    else:
        _show_choices(result)


def _show_choices(result: "SiteChoicesResult") -> None:
    for problem in result.problems:
        click.echo(harmless(problem), err=True)
    for choice in result.made:
        mirror = f" ({choice.mirror} is a mirror of it)" if choice.mirror else ""
        done = _MADE_TEXTS[ChoiceKind(choice.choice)]
        click.echo(f"{harmless(choice.site)} {done}{harmless(mirror)}.")
    for choice in result.undone:
        click.echo(f"Undone: {harmless(choice.site)}, {_UNDONE_TEXTS[ChoiceKind(choice.choice)]}.")
    for site in result.forgotten:
        click.echo(f"{harmless(site)} is no longer one of the sites that you named.")
    _show_changes(result, click.echo)


def _show_changes(
    changes: "SiteChoicesResult | VerdictChanges", say: Callable[[str], None]
) -> None:
    """Print which other sites changed their verdict."""
    if changes.not_learned:
        say(harmless(f"Nothing was learned from it: {changes.not_learned}"))
        return
    for words, sites in (
        ("now relevant", changes.became_relevant),
        ("no longer relevant", changes.became_irrelevant),
    ):
        if sites:
            hidden = len(sites) - _MAX_CHANGES_SHOWN
            more = f" and {hidden:,} more" if hidden > 0 else ""
            named = harmless(", ".join(sites[:_MAX_CHANGES_SHOWN]))
            verb = "is" if len(sites) == 1 else "are"
            say(f"{count(len(sites), 'other site')} {verb} {words}: {named}{more}.")
    if not changes.became_relevant and not changes.became_irrelevant:
        say("No verdict about another site changed.")


def _export(
    directory: Path,
    request: SitesRequest,
    listing: SiteListRequest,
    target: Path,
    *,
    force: bool,
    as_json: bool,
) -> None:
    from motherlode.app.services.sites.export import export_sites  # noqa: PLC0415 - to run it

    result = export_sites(directory, target, listing, request.settings, force=force)
    if as_json:
        show_json(result)
    else:
        click.echo(f"Wrote {count(result.sites, 'site')} to {result.output}.")
