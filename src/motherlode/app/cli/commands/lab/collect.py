"""`lode lab collect`: collections for many subjects at once, by several crawlers side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import (
    jobs_option,
    json_option,
    numbers,
    repeat_option,
    seed_option,
    topics_from,
)
from motherlode.app.cli.commands.lab.output import check_targets, with_bar, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.records import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motherlode.lab.trials.collections import CollectionPlan, CollectionRow

DEFAULT_SUBJECTS = 30


@click.command("collect")
@web_argument
@click.option(
    "--topic",
    "topics",
    metavar="TOPIC",
    multiple=True,
    help="A subject, with its subtopics (repeatable); by default drawn from all large enough.",
)
@click.option(
    "--least",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="Draw subjects that have at least this many labelled pages.",
)
@click.option(
    "--subjects",
    type=click.IntRange(1),
    default=DEFAULT_SUBJECTS,
    show_default=True,
    help="Number of subjects to draw.",
)
@click.option(
    "--hits",
    type=click.IntRange(1, 100),
    default=7,
    show_default=True,
    help="Number of pages that each centroid is made of.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Number of pages off all subjects where the crawl begins.",
)
@click.option(
    "--pages",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Documents that each crawl may fetch, without the hits.",
)
@click.option("--at", metavar="A,B,...", help="Show the figures after these numbers of pages.")
@click.option(
    "--contenders", metavar="A,B,...", help="The crawlers to run; by default all of them."
)
@seed_option(": the draw of subjects, hits and seeds")
@repeat_option
@jobs_option
@json_option
def collect(
    json_to: str | None, jobs: int | None, at: str | None, pages: int, **options: Any
) -> None:
    """Build collections for many subjects of WEB in one crawl, by several crawlers.

    Each crawler has the same hits and off-topic seeds, and fetches as many pages. A collection is
    the best 50 pages of a subject by the centroid of its hits. The oracle knows all labels.
    """
    from motherlode.lab.trials import collections as lab  # noqa: PLC0415 - loaded only to run it

    check_targets(json_to)
    plan = _plan(pages=pages, at=numbers(at, "--at") if at else (pages,), **options)
    results = with_bar(lab.collect(plan, jobs), len(lab.tasks(plan)))
    rows = lab.collection_rows(plan, results)
    if json_to != "-":
        _show(rows, len(plan.subjects))
    write_json(rows, json_to)


def _plan(
    *,
    directory: Path,
    topics: tuple[str, ...],
    least: int,
    subjects: int,
    contenders: str | None,
    **limits: Any,
) -> "CollectionPlan":
    from motherlode.lab.generated.dice import Dice  # noqa: PLC0415 - loaded only to run it
    from motherlode.lab.trials.collections import CONTENDERS, CollectionPlan  # noqa: PLC0415

    chosen = list(topics_from(directory, topics, None if topics else least))
    if not topics:
        chosen = _without_inner_topics(chosen)
        dice = Dice("subjects", limits["seed"])
        while len(chosen) > subjects:
            chosen.pop(dice.below(len(chosen)))
    names = tuple(name.strip() for name in (contenders or "").split(",") if name.strip())
    if limits["at"][-1] > limits["pages"]:
        raise UsageError(f"--at {limits['at'][-1]} is more than --pages {limits['pages']}.")
    return CollectionPlan(
        web=str(directory),
        subjects=tuple(chosen),
        contenders=names or tuple(contender.name for contender in CONTENDERS),
        **limits,
    )


def _without_inner_topics(topics: "Sequence[str]") -> list[str]:
    """Return the topics that have no other topic below them: subjects do not overlap."""
    return [topic for topic in topics if not any(other.startswith(f"{topic}/") for other in topics)]


def _show(rows: "Sequence[CollectionRow]", subjects: int) -> None:
    click.echo(f"{subjects} subjects; means over the draws.\n")
    table = TextTable(
        "contender", "pages", "relevant", "precision 25", "precision 50", "recall", "nuggets",
        "found", "empty", "waiting", "half of oracle",
    )  # fmt: skip
    for row in rows:
        half = "never" if row.half_of_oracle is None else f"{row.half_of_oracle:,.0f}"
        table.add(
            row.contender, row.pages, f"{row.relevant:.0f}", f"{row.precision_25:.2f}",
            f"{row.precision_50:.2f}", f"{row.recall:.2f}", f"{row.nuggets:.0f}",
            f"{row.found:.0f}", f"{row.empty:.1f}", f"{row.frontier:,.0f}", half,
        )  # fmt: skip
    table.show(words=1)
