"""`lode lab expert`: the expert search of the BINGO! paper, on a web whose truth is known (SPEC
B31).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from motherlode.app.cli.common import harmless
from motherlode.app.cli.tables import TextTable
from motherlode.app.text import count
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.experiments.experts import ExpertAnswer, ExpertExperiment, ExpertResult


@click.command("expert")
@web_argument
@topic_option
@least_option
@click.option("--query", metavar="WORDS", help="The query; by default the name of each topic.")
@click.option(
    "--pages",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Documents that a crawl may fetch, seeds included.",
)
@seeds_option(3)
@seed_option(": the draw of the seeds")
@repeat_option
@jobs_option
@json_option
def expert(json_to: str | None, jobs: int | None, **options: Any) -> None:
    """Query WEB as 'lode ask' does, and measure the answer, as in Figures 4 and 5 of BINGO!.

    An answer is right if it is labelled with the topic. The order of 'lode ask' is compared with
    four others. Two order the same crawl by confidence alone, or by the query alone. One orders
    only the pages on the topic by the query, as in the paper. The last needs no crawl: the pages
    that the seeds link to, ordered by the query. Seeds are left out of every list.
    """
    from motherlode.lab.experiments import experts as lab  # noqa: PLC0415 - loaded only to experiment

    check_targets(json_to)
    plan = _plan(**options)
    result = lab.result(plan, with_bar(lab.ask(plan, jobs), len(lab.questions(plan))))
    if json_to != "-":
        _show(result)
    write_json(result, json_to)


def _plan(
    *,
    directory: Path,
    topics: Sequence[str],
    least: int | None,
    query: str | None,
    seeds: str,
    **limits: int,
) -> "ExpertExperiment":
    from motherlode.app.services.ask import query_of  # noqa: PLC0415 - loaded only to experiment
    from motherlode.lab.experiments.experts import ExpertExperiment  # noqa: PLC0415

    chosen = topics_from(directory, topics, least)
    if query is not None and len(chosen) > 1:
        raise UsageError("--query needs exactly one --topic, whose pages are the right answers.")
    query_text = "" if query is None else query_of([query])
    return ExpertExperiment(
        web=str(directory), topics=chosen, query=query_text, seeds=seeds_from(seeds), **limits
    )


def _show(result: "ExpertResult") -> None:
    if len(result.runs) == 1:
        _show_answer(result.runs[0])
    else:
        _show_questions(result)
    click.echo()
    _show_means(result)


def _show_answer(run: "ExpertAnswer") -> None:
    reached = run.extent
    click.echo(f'"{harmless(run.query)}", from {count(len(run.seeds), "page")}:')
    for place, url in enumerate(run.seeds, start=1):
        click.echo(f"  {place}  {url}")
    click.echo(
        f"\n{reached.visited:,.0f} URLs visited, {reached.stored:,.0f} pages stored, at most "
        f"{count(int(reached.depth), 'link')} deep; {reached.positive or 0:,.0f} are on the "
        "topic.\n"
    )
    table = TextTable("best answers", "", "score", "right")
    for place, answer in enumerate(run.answers, start=1):
        table.add(
            f"{place:>2}  {answer.url}",
            harmless(answer.title),
            f"{answer.score:.3f}",
            "yes" if answer.right else "no",
        )
    table.show(words=2)


def _show_questions(result: "ExpertResult") -> None:
    """A line a question: how many of the first ten are right in each order, as a share."""
    from motherlode.lab.experiments.experts import Order  # noqa: PLC0415 - loaded only to experiment

    table = TextTable("topic", "query", *Order)
    for run in result.runs:
        precisions = (share(run.rankings[order].precision) for order in Order)
        table.add(run.question.topic, harmless(run.query), *precisions)
    click.echo("Precision at 10:")
    table.show(words=2)


def _show_means(result: "ExpertResult") -> None:
    table = TextTable("ranked by", "precision at 10", "first right", "none in 100", "questions")
    for order, mean in result.means.items():
        table.add(order.value, share(mean.precision), mean.first, mean.without, mean.runs)
    table.show()
