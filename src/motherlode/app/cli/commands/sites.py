"""`lode sites`: find whole websites like some that a user names, show them, and curate them."""

import shlex
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

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
_DONE_TEXTS = {
    ChoiceKind.ACCEPT: "accepted as relevant",
    ChoiceKind.REJECT: "rejected",
    ChoiceKind.CLEAR: "left undecided",
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

    Naming sites or limits crawls; run it again to resume. Without them, DIR's sites are shown, or
    the one of SITE. --crawl crawls on with the usual limits.

    \b
    lode sites museums --like https://museum.example/ --like https://gallery.example/ --sites 50
    lode sites museums --csv seeds.csv --fast --time 1h
    lode sites museums
    lode sites museums --show undecided
    lode sites museums www.museum.example
    lode sites museums --accept a.example --reject b.example
    lode sites museums --undo
    lode sites museums --export museums.svg
    lode sites museums --pages 2000

    A site is a host, unless --site says otherwise, before or after the crawl:

    \b
    lode sites museums --site www.a.example,shop.a.example --site b.example/~anna
    """
    wants_crawl = request.wants_crawl
    wanted = (wants_crawl, not choices.is_empty, listing.name is not None, export_to is not None)
    if sum(wanted) > 1:
        raise UsageError(
            "Crawl, choose sites, export them or see one of them: one of these at a time."
        )
    if wants_crawl or not (directory / CONFIG).is_file():
        _crawl(directory, request, as_json=as_json)
        return
    _keep_groups(directory, request)
    if not choices.is_empty:
        _choose(directory, request, choices, as_json=as_json)
    elif export_to is not None:
        _export(directory, request, listing, export_to, force=force, as_json=as_json)
    elif listing.name is not None:
        _show_site(directory, request, listing, as_json=as_json)
    else:
        _show_list(directory, request, listing, as_json=as_json)


def _crawl(directory: Path, request: SitesRequest, *, as_json: bool) -> None:
    from motherlode.app.cli.commands.crawl import show_end  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.cli.display import Display  # noqa: PLC0415
    from motherlode.app.services.sites.crawl import find_sites  # noqa: PLC0415

    latest: deque[Progress] = deque(maxlen=1)
    show = partial(Display, quiet=as_json, on_update=latest.append)

    def say(sentence: str) -> None:
        click.echo(harmless(sentence), err=as_json)

    with on_interruption(lambda: _exit_interrupted(request, *latest)):
        progress, result = find_sites(directory, request, show, say)
    if as_json:
        show_json(result)
    else:
        show_end(progress)
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


def _keep_groups(directory: Path, request: SitesRequest) -> None:
    if request.groups:
        from motherlode.app.services.sites.crawl import keep_groups  # noqa: PLC0415 - if wanted

        keep_groups(directory, request.groups)


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
        click.echo(harmless(f"Leading to it: {', '.join(site.mirrors)}"))
    if site.names:
        click.echo(harmless(f"Others call it: {'; '.join(site.names)}"))
    _show_terms(site)
    _show_pages(site)
    _show_links("Linked by", site.linked_by, site.link_count)
    _show_links("It links to", site.links_to, site.target_count)
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
            told = ", ".join(f"{term.word} {abs(term.part):.3f}" for term in terms)
            click.echo(harmless(f"{words}: {told}"))


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
    for choice in (*result.made, *result.undone):
        prefix = "Taken back: " if result.undone else ""
        click.echo(f"{prefix}{harmless(choice.site)} {_DONE_TEXTS[ChoiceKind(choice.choice)]}.")
    changes = (("now relevant", result.became_relevant), ("not any more", result.became_irrelevant))
    for words, sites in changes:
        if sites:
            hidden = len(sites) - _MAX_CHANGES_SHOWN
            more = f" and {hidden:,} more" if hidden > 0 else ""
            named = harmless(", ".join(sites[:_MAX_CHANGES_SHOWN]))
            click.echo(f"{count(len(sites), 'other site')} {words}: {named}{more}.")
    if not result.became_relevant and not result.became_irrelevant:
        click.echo("No verdict about another site changed.")


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
