"""`lode lab portal`: the portal of the BINGO! paper, generated on a web whose truth is known (SPEC
B30).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import (
    jobs_option,
    json_option,
    least_option,
    numbers,
    parse_names,
    repeat_option,
    seed_option,
    seeds_from,
    seeds_option,
    topic_option,
    topics_from,
)
from motherlode.app.cli.commands.lab.output import check_targets, share, with_bar, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.app.text import count
from motherlode.lab.defaults import PORTAL_POLICIES, PORTAL_SEEDS
from motherlode.policies.registry import policy_names
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.experiments.figures import Top
    from motherlode.lab.experiments.portals import PortalExperiment, PortalResult, PortalRow

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
    help="Measure after these numbers of pages, or shares of the web; seeds count.",
)
@click.option(
    "--best",
    metavar="A,B,...",
    default="100,500,1000,5000",
    show_default=True,
    help="Measure these numbers of pages with the highest confidence.",
)
@click.option(
    "--known",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of best-known pages of a topic: the most linked from other hosts.",
)
@click.option(
    "--policies",
    metavar="A,B,...",
    help=f"The policies to run; by default {', '.join(PORTAL_POLICIES)}.",
)
@seeds_option(PORTAL_SEEDS)
@seed_option(": the draw of the seeds")
@repeat_option
@jobs_option
@json_option
def portal(json_to: str | None, jobs: int | None, **options: Any) -> None:
    """Generate the portal of a topic of WEB, and measure it, as in Tables 1 to 3 of BINGO!.

    Each crawl starts from two pages by default, and is measured after the numbers of pages given
    with --pages. Pages are ranked by confidence, those of best-first by its score. 'all' are the
    pages judged to be on the topic; where --best asks for more, rejected pages follow, the nearest
    first. 'fetched' is every page. Seeds are left out.
    """
    from motherlode.lab.experiments import portals as lab  # noqa: PLC0415 - loaded only to experiment

    check_targets(json_to)
    plan = _plan(**options)
    result = lab.result(plan, with_bar(lab.generate(plan, jobs), len(lab.tasks(plan))))
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
) -> "PortalExperiment":
    from motherlode.lab.experiments.portals import PortalExperiment  # noqa: PLC0415 - loaded only to experiment
    from motherlode.lab.loader import open_web  # noqa: PLC0415

    return PortalExperiment(
        web=str(directory),
        topics=topics_from(directory, topics, least),
        policies=(
            PORTAL_POLICIES
            if policies is None
            else parse_names(policies, policy_names(), "--policies")
        ),
        budgets=budgets_from(pages, open_web(directory).about.pages),
        best=numbers(best, "--best"),
        seeds=seeds_from(seeds),
        **limits,
    )


def budgets_from(text: str, pages: int) -> tuple[int, ...]:
    """Return numbers of pages, the smallest first; a share is one of `pages`, the size of the web.

    >>> budgets_from("20%,5%,400", 11_428)
    (400, 571, 2286)
    """
    try:
        budgets = sorted({_budget(part.strip(), pages) for part in text.split(",")})
    except ValueError:
        budgets = []
    if not budgets or budgets[0] < 1:
        raise UsageError(
            f"--pages {text}: give numbers of pages or shares of the web, such as 500 or 5%,20%."
        )
    return tuple(budgets)


def _budget(text: str, pages: int) -> int:
    if not text.endswith("%"):
        return int(text)
    percent = float(text[:-1])
    if not 0 < percent <= _WHOLE:
        raise ValueError(text)
    return max(1, round(pages * percent / _WHOLE))


def _show(result: "PortalResult") -> None:
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


def _show_extents(result: "PortalResult") -> None:
    budgets = result.plan.budgets
    table = TextTable("policy", "property", *(count(budget, "page") for budget in budgets))
    for policy in result.plan.policies:
        extents = [row.extent for row in result.rows if row.policy == policy]
        for field, name in _PROPERTIES.items():
            table.add(policy, name, *(_figure(getattr(extent, field)) for extent in extents))
    table.show(words=2)


def _show_tops(rows: "Sequence[PortalRow]") -> None:
    table = TextTable(
        "policy", "best results", "on topic", "precision", "recall", "best-known", "crawls"
    )
    for row in rows:
        for top in row.tops:
            table.add(
                row.policy, _size(top), _figure(top.on_topic), share(top.precision),
                share(top.recall), _figure(top.known), top.runs,
            )  # fmt: skip
    table.show()


def _size(top: "Top") -> str:
    from motherlode.lab.experiments.figures import FETCHED, TAKEN  # noqa: PLC0415 - loaded only to experiment

    name = {TAKEN: "all", FETCHED: "fetched"}.get(top.best)
    return f"{top.best:,}" if name is None else f"{name} ({_figure(top.pages)})"


def _figure(value: float | None) -> str:
    """Return whole numbers as such, and means with one digit."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
