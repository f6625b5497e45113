"""`lode lab portal`: the portal of the BINGO! paper, generated on a web whose truth is known (SPEC B30)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import (
    jobs_option,
    json_option,
    least_option,
    named,
    numbers,
    repeat_option,
    seed_option,
    seeds_option,
    seeds_told,
    topic_option,
    topics_told,
)
from motherlode.app.cli.commands.lab.output import check_targets, share, watched, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.common import count
from motherlode.app.cli.tables import Table
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.experiments.figures import Top
    from motherlode.lab.experiments.portals import Plan, Result, Row

_WHOLE = 100.0  # percent
# What Table 1 calls each figure of an `Extent`.
_PROPERTIES = {
    "visited": "visited URLs",
    "stored": "stored pages",
    "links": "extracted links",
    "positive": "positively classified",
    "hosts": "visited hosts",
    "depth": "max crawling depth",
}


@click.command("portal")
@web_argument
@topic_option
@least_option
@click.option(
    "--pages",
    metavar="A,B,...",
    default="5%,20%",
    show_default=True,
    help="Take stock after so many pages, seeds included: numbers, or shares of the web.",
)
@click.option(
    "--best",
    metavar="A,B,...",
    default="100,500,1000,5000",
    show_default=True,
    help="Look at so many of the pages that the crawl is surest of.",
)
@click.option(
    "--known",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="So many pages of a topic, those that most pages of other hosts link to, are its best-known.",
)
@click.option("--policies", metavar="A,B,...", help="bingo, bingo-2003 or best-first; all if not told.")
@seeds_option(2)
@seed_option(": the draw of the seeds")
@repeat_option
@jobs_option
@json_option
def portal(json_to: str | None, jobs: int | None, **asked: Any) -> None:
    """Generate the portal of a topic of WEB from two pages, and show how good it is: Tables 1 to 3 of BINGO!.

    Each crawl is paused after so many pages, and then goes on. Its pages are ranked by their confidence,
    best-first's by its score. 'all' are the pages that were put on the topic; where more are looked at, those
    that were rejected stand behind them, the nearest first. 'fetched' is every page. Seeds are left out.
    """
    from motherlode.lab.experiments import portals as lab  # noqa: PLC0415 - loaded only to experiment

    check_targets(json_to)
    plan = _plan(**asked)
    result = lab.result(plan, watched(lab.generate(plan, jobs), len(lab.tasks(plan))))
    if json_to != "-":
        _show(result)
    write_json(result, json_to)


def _plan(  # noqa: PLR0913 - one parameter an option
    *,
    directory: Path,
    topics: Sequence[str],
    least: int | None,
    pages: str,
    best: str,
    policies: str | None,
    seeds: str,
    **limits: int,
) -> "Plan":
    from motherlode.lab.experiments.portals import POLICIES, Plan  # noqa: PLC0415 - loaded only to experiment
    from motherlode.lab.opening import open_web  # noqa: PLC0415

    return Plan(
        web=str(directory),
        topics=topics_told(directory, topics, least),
        policies=POLICIES if policies is None else named(policies, POLICIES, "--policies"),
        budgets=budgets_told(pages, open_web(directory).about.pages),
        best=numbers(best, "--best"),
        seeds=seeds_told(seeds),
        **limits,
    )


def budgets_told(told: str, pages: int) -> tuple[int, ...]:
    """Numbers of pages, the smallest first; a share is of a web that has so many pages.

    >>> budgets_told("20%,5%,400", 11_428)
    (400, 571, 2286)
    """
    try:
        found = sorted({_budget(part.strip(), pages) for part in told.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        raise UsageError(
            f"--pages {told}: give numbers of pages or shares of the web, such as 500 or 5%,20%."
        )
    return tuple(found)


def _budget(told: str, pages: int) -> int:
    if not told.endswith("%"):
        return int(told)
    percent = float(told[:-1])
    if not 0 < percent <= _WHOLE:
        raise ValueError(told)
    return max(1, round(pages * percent / _WHOLE))


def _show(result: "Result") -> None:
    plan, first = result.plan, result.rows[0]
    topics = plan.topics[0] if len(plan.topics) == 1 else count(len(plan.topics), "topic")
    draws = f", {count(plan.repeat, 'draw')} of seeds each" if plan.repeat > 1 else ""
    click.echo(
        f"{topics}{draws}: {first.topic_pages:,.0f} pages to find, "
        f"{first.known_pages:,.0f} of them best-known{'; means' if first.runs > 1 else ''}.\n"
    )
    click.echo("Table 1: crawl summary data")
    _show_extents(result)
    for number, budget in enumerate(plan.budgets, start=2):
        click.echo(f"\nTable {number}: the best results after {count(budget, 'page')}")
        _show_tops([row for row in result.rows if row.budget == budget])


def _show_extents(result: "Result") -> None:
    budgets = result.plan.budgets
    table = Table("policy", "property", *(count(budget, "page") for budget in budgets))
    for policy in result.plan.policies:
        extents = [row.extent for row in result.rows if row.policy == policy]
        for field, name in _PROPERTIES.items():
            table.add(policy, name, *(_figure(getattr(extent, field)) for extent in extents))
    table.show(words=2)


def _show_tops(rows: "Sequence[Row]") -> None:
    table = Table("policy", "best results", "on topic", "precision", "recall", "best-known", "crawls")
    for row in rows:
        for top in row.tops:
            table.add(
                row.policy, _size(top), _figure(top.on_topic), share(top.precision), share(top.recall),
                _figure(top.known), top.runs,
            )  # fmt: skip
    table.show()


def _size(top: "Top") -> str:
    from motherlode.lab.experiments.figures import FETCHED, TAKEN  # noqa: PLC0415 - loaded only to experiment

    name = {TAKEN: "all", FETCHED: "fetched"}.get(top.best)
    return f"{top.best:,}" if name is None else f"{name} ({_figure(top.pages)})"


def _figure(value: float | None) -> str:
    """Whole figures as such, means with one digit."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
