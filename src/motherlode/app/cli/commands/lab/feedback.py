"""`lode lab feedback`: what a user's feedback makes of a portal, on a web whose labels
are known.
"""

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
    seeds_from,
    seeds_option,
    topic_option,
    topics_from,
)
from motherlode.app.cli.commands.lab.output import check_targets, share, with_bar, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable

if TYPE_CHECKING:
    from motherlode.lab.experiments.feedback import FeedbackExperimentResult


@click.command("feedback")
@web_argument
@topic_option
@least_option
@click.option(
    "--pages",
    type=click.IntRange(2),
    default=600,
    show_default=True,
    help="Crawl this many pages, seeds included, before feedback is given.",
)
@click.option(
    "--marks",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Mark this many pages good, as many bad; answer as many questions.",
)
@seeds_option(5)
@seed_option(": the draw of the seeds")
@repeat_option
@jobs_option
@json_option
def feedback(  # noqa: PLR0913 - one parameter for each option
    *,
    directory: Path,
    topics: Sequence[str],
    least: int | None,
    pages: int,
    marks: int,
    seeds: str,
    seed: int,
    repeat: int,
    jobs: int | None,
    json_to: str | None,
) -> None:
    """Crawl for topics of WEB, give feedback by its labels, train again, and count right and wrong
    pages.

    \b
    none               train again without feedback
    accept all         accept every archetype, right or wrong
    reject the wrong   reject the archetypes that are off the topic
    apply clusters     make subtopics of the topic's clusters
    asked answers      answer questions on the pages that teach most, in rounds of five
    random answers     answer the same number on pages drawn at random
    mark good          mark the most confident pages that are right
    mark good and bad  and the most confident pages that are wrong

    Each row sums over the crawls in which there was anything to accept, reject or mark.
    """
    from motherlode.lab.experiments import feedback as lab  # noqa: PLC0415 - loaded only to experiment

    check_targets(json_to)
    experiment = lab.FeedbackExperiment(
        web=str(directory),
        topics=topics_from(directory, topics, least),
        pages=pages,
        seeds=seeds_from(seeds),
        seed=seed,
        repeat=repeat,
        marks=marks,
    )
    crawls = with_bar(lab.run_feedback(experiment, jobs), len(lab.feedback_tasks(experiment)))
    result = lab.feedback_result(experiment, crawls)
    if json_to != "-":
        _show(result)
    write_json(result, json_to)


def _show(result: "FeedbackExperimentResult") -> None:
    table = TextTable(
        "feedback", "crawls", "given", "right before", "right", "wrong before", "wrong",
        "precision before", "precision", "recall",
    )  # fmt: skip
    for row in result.rows:
        before, after = row.before, row.after
        table.add(
            row.kind, row.crawls, row.given, before.right, after.right, before.wrong, after.wrong,
            share(before.precision), share(after.precision), share(row.recall),
        )  # fmt: skip
    table.show()
