"""`lode lab calibration`: whether probabilities and estimates mean what they say."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from motherlode.app.cli.commands.lab.options import (
    jobs_option,
    json_option,
    least_option,
    repeat_option,
    seed_option,
    topic_option,
    topics_from,
)
from motherlode.app.cli.commands.lab.output import check_targets, share, with_bar, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.experiments.calibration import CalibrationResult


@click.command("calibration")
@web_argument
@topic_option
@least_option
@click.option(
    "--examples",
    metavar="A,B,...",
    default="5,20,50",
    show_default=True,
    help="Crawl each topic from these numbers of examples.",
)
@click.option(
    "--pages",
    type=click.IntRange(2),
    default=600,
    show_default=True,
    help="Crawl this many pages, examples included.",
)
@seed_option(": the draw of the examples")
@repeat_option
@jobs_option
@json_option
def calibration(  # noqa: PLR0913 - one parameter for each option
    *,
    directory: Path,
    topics: Sequence[str],
    least: int | None,
    examples: str,
    pages: int,
    seed: int,
    repeat: int,
    jobs: int | None,
    json_to: str | None,
) -> None:
    """Crawl for topics of WEB, and compare probabilities and estimated precisions with its labels.

    The error of the probabilities is the expected calibration error, in ten bins, of the pages that
    were put on the topic. The errors of estimates are differences from the true precision, on
    average. The second table says which share of the pages of each certainty is right.
    """
    from motherlode.lab.experiments import calibration as lab  # noqa: PLC0415 - loaded only to experiment

    check_targets(json_to)
    experiment = lab.CalibrationExperiment(
        web=str(directory),
        topics=topics_from(directory, topics, least),
        examples=_numbers(examples),
        pages=pages,
        seed=seed,
        repeat=repeat,
    )
    total = len(lab.calibration_tasks(experiment))
    trials = with_bar(lab.run_calibration(experiment, jobs), total)
    result = lab.calibration_result(experiment, trials)
    if json_to != "-":
        _show(result)
    write_json(result, json_to)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise UsageError(f"--examples takes numbers from 1 on, such as 5,20,50, not '{text[:40]}'.")
    return numbers


def _show(result: "CalibrationResult") -> None:
    table = TextTable(
        "examples", "crawls", "pages", "error", "precision", "error of estimate",
        "of xi-alpha",
    )  # fmt: skip
    for row in result.rows:
        table.add(
            row.examples or "all", row.crawls, row.pages, share(row.error),
            share(row.precision), share(row.estimate_error),
            share(row.xi_alpha_error),
        )  # fmt: skip
    table.show()
    click.echo()
    words = TextTable("certainty", "pages", "probability", "right")
    for group in result.certainties:
        words.add(group.name, group.pages, share(group.probability), share(group.right))
    words.show()
