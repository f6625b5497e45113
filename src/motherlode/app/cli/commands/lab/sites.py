"""`lode lab sites`: how well whole websites are classified and found, by several crawlers."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import (
    jobs_option,
    json_option,
    numbers,
    parse_names,
    seed_option,
)
from motherlode.app.cli.commands.lab.output import check_targets, share, with_bar, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.sites.classification import ClassificationRow
    from motherlode.lab.sites.crawl_plan import (
        HubRow,
        SiteCrawlPlan,
        SiteCrawlResult,
        SiteCrawlRow,
    )

CLASSIFICATION, CRAWL = "classification", "crawl"
PARTS = (CLASSIFICATION, CRAWL)
MIN_SITES = 9  # of a subject: five are named in a crawl, and some have to be left to find


@click.command("sites")
@web_argument
@click.option(
    "--subject",
    "subjects",
    metavar="LABEL",
    multiple=True,
    help="A subject of sites (repeatable); by default all that have enough sites.",
)
@click.option(
    "--least",
    type=click.IntRange(3),
    default=MIN_SITES,
    show_default=True,
    help="Number of sites that a subject of the crawls has at least.",
)
@click.option(
    "--only",
    type=click.Choice(PARTS),
    help="Run one part of the experiment; by default both.",
)
@click.option(
    "--named",
    metavar="A,B,...",
    default="3,5",
    show_default=True,
    help="Numbers of sites that are named before a crawl.",
)
@click.option(
    "--unlike",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Number of sites on other subjects that are named as counterexamples.",
)
@click.option(
    "--at",
    metavar="A,B,...",
    default="25,50,100,200",
    show_default=True,
    help="Show crawls after these numbers of pages, without those of the named sites.",
)
@click.option(
    "--contenders", metavar="A,B,...", help="The crawlers to run; by default all of them."
)
@click.option(
    "--classifiers", metavar="A,B,...", help="The classifiers to run; by default all of them."
)
@seed_option(": the folds, and the sites that are named")
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Repeat with this many draws, and show means.",
)
@jobs_option
@json_option
@click.option(
    "--plot",
    "plot_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Plot relevant sites over pages: .png, .svg, or both if FILE has no suffix.",
)
def sites(
    json_to: str | None,
    plot_to: Path | None,
    jobs: int | None,
    only: str | None,
    **options: Any,
) -> None:
    """Classify the sites of WEB, and crawl for them, by several crawlers.

    A site is a host, and its subject is the commonest label of its pages, if a quarter of them have
    it. Classification is measured by cross-validation over all labelled sites. In a crawl a few
    sites of a subject are named, and all others are to be found. The oracle knows all labels.
    """
    check_targets(json_to, plot_to)
    if plot_to is not None and only == CLASSIFICATION:
        raise UsageError("--plot shows crawls; leave out --only classification.")
    classifiers = options.pop("classifiers")
    crawls = None if only == CLASSIFICATION else _crawl_plan(**options)
    result: dict[str, object] = {}
    if only != CRAWL:
        classified = _classify(options, classifiers, jobs)
        result[CLASSIFICATION] = classified
        if json_to != "-":
            _show_classification(classified)
    if crawls is not None:
        rows, hubs = _crawl(crawls, jobs, plot_to)
        result[CRAWL], result["hub"] = rows, hubs
        if json_to != "-":
            _show_crawls(rows)
            _show_hubs(hubs)
    write_json(result, json_to)


def _subjects(directory: Path, named: Sequence[str], least: int) -> tuple[str, ...]:
    """Return the subjects that were named, or all with enough sites."""
    from motherlode.lab.loader import open_web  # noqa: PLC0415 - loaded only to run it
    from motherlode.lab.sites.labelled_sites import LabelledSites  # noqa: PLC0415
    from motherlode.lab.trials.document_cache import Readings  # noqa: PLC0415

    if named:
        return tuple(dict.fromkeys(named))
    web = open_web(directory)
    large = LabelledSites(web, Readings(web)).subjects(least)
    if not large:
        raise UsageError(f"No subject of {directory} has {least} sites; give a smaller --least.")
    return large


def _classify(
    options: dict[str, Any], classifiers: str | None, jobs: int | None
) -> "list[ClassificationRow]":
    from motherlode.lab.sites import classification as lab  # noqa: PLC0415 - loaded only to run it

    directory = options["directory"]
    names = lab.CLASSIFIERS
    plan = lab.ClassificationPlan(
        classifiers=(
            names if classifiers is None else parse_names(classifiers, names, "--classifiers")
        ),
        web=str(directory),
        subjects=_subjects(directory, options["subjects"], lab.MIN_SITES),
        seed=options["seed"],
        repeat=options["repeat"],
    )
    results = with_bar(lab.classify(plan, jobs), len(lab.tasks(plan)))
    return lab.classification_rows(plan, results)


def _crawl_plan(
    *,
    directory: Path,
    subjects: Sequence[str],
    least: int,
    named: str,
    at: str,
    contenders: str | None,
    **limits: Any,
) -> "SiteCrawlPlan":
    from motherlode.lab.sites import crawl_plan as plans  # noqa: PLC0415 - loaded only to run it

    names = tuple(contender.name for contender in plans.SITE_CONTENDERS)
    return plans.SiteCrawlPlan(
        web=str(directory),
        named=numbers(named, "--named"),
        at=numbers(at, "--at"),
        contenders=names if contenders is None else parse_names(contenders, names, "--contenders"),
        subjects=_subjects(directory, subjects, least),
        **limits,
    )


def _crawl(
    plan: "SiteCrawlPlan", jobs: int | None, plot_to: Path | None
) -> "tuple[list[SiteCrawlRow], list[HubRow]]":
    from motherlode.lab.sites.crawl_plan import tasks  # noqa: PLC0415 - loaded only to run it
    from motherlode.lab.sites.crawl_rows import crawl_rows, hub_rows  # noqa: PLC0415
    from motherlode.lab.sites.crawls import crawl_for_sites  # noqa: PLC0415

    results = with_bar(crawl_for_sites(plan, jobs), len(tasks(plan)))
    if plot_to is not None:
        _draw(plan, results, plot_to)
    return crawl_rows(plan, results), hub_rows(plan, results)


def _draw(plan: "SiteCrawlPlan", results: "Sequence[SiteCrawlResult]", target: Path) -> None:
    from motherlode.lab.sites.crawl_rows import found_curves  # noqa: PLC0415 - only to plot
    from motherlode.lab.trials.plots import Panel, plot_panels  # noqa: PLC0415

    panels = [
        Panel(
            title=f"{named} sites named",
            x="pages read",
            y="relevant sites found",
            lines=found_curves(plan, results, named),
        )
        for named in plan.named
    ]
    title = f"Sites on {', '.join(plan.subjects)}"
    for file in plot_panels(panels, target, title=title):
        click.echo(f"Plotted {file}.", err=True)


def _show_classification(rows: "Sequence[ClassificationRow]") -> None:
    click.echo("Classification, by cross-validation over all labelled sites\n")
    table = TextTable("classifier", "subject", "sites", "F", "precision", "recall", "pages/site")
    for row in rows:
        table.add(
            row.classifier, row.subject, f"{row.sites:.0f}", f"{row.f:.2f}", f"{row.precision:.2f}",
            f"{row.recall:.2f}", row.pages,
        )  # fmt: skip
    table.show(words=2)
    click.echo()


def _show_crawls(rows: "Sequence[SiteCrawlRow]") -> None:
    click.echo("Crawls, means over the subjects and draws; named sites do not count\n")
    table = TextTable(
        "crawler", "named", "after", "pages", "requests", "examined", "found", "of",
        "pages/relevant site", "harvest rate", "precision", "of oracle",
    )  # fmt: skip
    for row in rows:
        table.add(
            row.contender, row.named, row.at, f"{row.pages:.0f}", f"{row.requests:.0f}",
            row.examined, row.found, row.to_find, row.pages_per_relevant_site,
            share(row.harvest_rate), share(row.precision), share(row.of_oracle),
        )  # fmt: skip
    table.show()
    click.echo()


def _show_hubs(rows: "Sequence[HubRow]") -> None:
    """Print when each crawler came to the site with most links to it, if it is off the subject."""
    click.echo("The site that most others link to, where it is on another subject\n")
    table = TextTable("crawler", "named", "crawls", "examined it", "as number")
    for row in rows:
        table.add(row.contender, row.named, row.crawls, row.examined, row.place)
    table.show()
