"""`lode lab expert`: the expert search of the BINGO! paper, on a web whose truth is known (SPEC B31)."""

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
    seeds_option,
    seeds_told,
    topic_option,
    topics_told,
)
from motherlode.app.cli.commands.lab.output import check_targets, share, watched, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.common import count, harmless
from motherlode.app.cli.tables import Table
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.experiments.experts import Asked, Plan, Result


@click.command("expert")
@web_argument
@topic_option
@least_option
@click.option("--query", metavar="WORDS", help="What to ask; the name of each topic if not told.")
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
def expert(json_to: str | None, jobs: int | None, **asked: Any) -> None:
    """Ask WEB a question as 'lode ask' does, and show how good the answer is: Figures 4 and 5 of BINGO!.

    An answer is right if it is labelled with the topic. Beside the order of 'lode ask' stand the same crawl
    by confidence alone, by the query alone among the pages on the topic (as the paper has it) and among all,
    and, without a crawl, what the seeds link to by the query. Seeds are left out of every list.
    """
    from motherlode.lab.experiments import experts as lab  # noqa: PLC0415 - loaded only to experiment

    check_targets(json_to)
    plan = _plan(**asked)
    result = lab.result(plan, watched(lab.ask(plan, jobs), len(lab.questions(plan))))
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
) -> "Plan":
    from motherlode.app.services.ask import query_of  # noqa: PLC0415 - loaded only to experiment
    from motherlode.lab.experiments.experts import Plan  # noqa: PLC0415

    chosen = topics_told(directory, topics, least)
    if query is not None and len(chosen) > 1:
        raise UsageError("One --query goes with one --topic: its pages are what is right.")
    asked = "" if query is None else query_of([query])
    return Plan(web=str(directory), topics=chosen, query=asked, seeds=seeds_told(seeds), **limits)


def _show(result: "Result") -> None:
    if len(result.runs) == 1:
        _show_answer(result.runs[0])
    else:
        _show_questions(result)
    click.echo()
    _show_means(result)


def _show_answer(asked: "Asked") -> None:
    reached = asked.extent
    click.echo(f'"{harmless(asked.query)}", from {count(len(asked.seeds), "page")}:')
    for place, url in enumerate(asked.seeds, start=1):
        click.echo(f"  {place}  {url}")
    click.echo(
        f"\n{reached.visited:,.0f} URLs visited, {reached.stored:,.0f} pages stored, at most "
        f"{count(int(reached.depth), 'link')} deep; {reached.positive or 0:,.0f} are on the topic.\n"
    )
    table = Table("best answers", "", "score", "right")
    for place, one in enumerate(asked.answers, start=1):
        table.add(
            f"{place:>2}  {one.url}", harmless(one.title), f"{one.score:.3f}", "yes" if one.right else "no"
        )
    table.show(words=2)


def _show_questions(result: "Result") -> None:
    """A line a question: how many of the first ten are right in each order, as a share."""
    from motherlode.lab.experiments.experts import Order  # noqa: PLC0415 - loaded only to experiment

    table = Table("topic", "query", *Order)
    for one in result.runs:
        precisions = (share(one.rankings[order].precision) for order in Order)
        table.add(one.question.topic, harmless(one.query), *precisions)
    click.echo("Precision at 10:")
    table.show(words=2)


def _show_means(result: "Result") -> None:
    table = Table("ranked by", "precision at 10", "first right", "none in 100", "questions")
    for order, mean in result.means.items():
        table.add(order.value, share(mean.precision), mean.first, mean.without, mean.runs)
    table.show()
