"""`lode lab search`: how good the rankings of 'lode search' are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import json_option, seed_option
from motherlode.app.cli.commands.lab.output import bar, check_targets, share, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.common import count
from motherlode.app.cli.tables import Table
from motherlode.records import UsageError
from motherlode.search.ranking import DEFAULT_RANKING, parse_weights

if TYPE_CHECKING:
    from motherlode.lab.experiments.searches import Line, Plan, Result


@click.command("search")
@web_argument
@click.option("--topic", "topics", metavar="TOPIC", multiple=True, help="A topic of the portal (repeatable).")
@click.option(
    "--least",
    type=click.IntRange(2),
    default=40,
    show_default=True,
    help="Without --topic: all that so many pages are labelled with, those below them aside.",
)
@click.option(
    "--examples",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="From how many a topic is learned.",
)
@click.option(
    "--words", type=click.IntRange(0), default=3, show_default=True, help="Queries of a topic's words, each."
)
@click.option(
    "--items", type=click.IntRange(0), default=6, show_default=True, help="Pages of each topic to look for."
)
@click.option(
    "--pages", type=click.IntRange(1), help="Take so many pages of the web, those of the topics first."
)
@click.option(
    "--rank",
    "ranks",
    multiple=True,
    metavar="NAME[=WEIGHT],...",
    help=f"Measure this ranking, too (repeatable); {DEFAULT_RANKING} if none is named.",
)
@click.option(
    "--choose", is_flag=True, help="Choose weights by one half of the topics, and measure them as well."
)
@seed_option(": examples, queries, halves")
@json_option
def search(json_to: str | None, ranks: tuple[str, ...], *, choose: bool, **asked: Any) -> None:
    """Put WEB into a portal, search it, and show how good each ranking of 'lode search' is.

    Right is a page of the topic that a query is about (grade 2), nearly right one of a topic beside it (1).
    Queries are names of topics, words that some pages of a topic have in common, the same words with --topic,
    and what links say of a page, held back from the index; the table has nDCG at 10 of each. Means are over
    these four kinds. Topics are halved by chance: shown is the half that no weights are chosen by. On
    11,000 pages it takes some two minutes.
    """
    from motherlode.lab.experiments import searches as lab  # noqa: PLC0415 - loaded only to measure

    check_targets(json_to)
    for rank in ranks:
        parse_weights(rank)
    plan = _plan(**asked)
    with bar("Pages") as told:
        result = lab.measure(plan, ranks or (DEFAULT_RANKING,), choose=choose, told=told)
    if json_to != "-":
        _show(result)
    write_json(result, json_to)


def _plan(*, directory: Path, topics: Sequence[str], least: int, **limits: Any) -> "Plan":
    from motherlode.lab.experiments.searches import Plan, large_topics  # noqa: PLC0415
    from motherlode.lab.opening import open_web  # noqa: PLC0415 - loaded only to measure

    named = tuple(dict.fromkeys(topic.strip("/") for topic in topics))
    chosen = named or large_topics(open_web(directory).labels(), least)
    if not chosen:
        raise UsageError(f"No topic of {directory} has {least:,} labelled pages.")
    return Plan(web=str(directory), topics=chosen, **limits)


def _show(result: "Result") -> None:
    asked = ", ".join(f"{number:,} {kind}" for kind, number in result.queries.items())
    click.echo(
        f"{count(result.pages, 'page')}, {count(len(result.plan.topics), 'topic')}; queries: {asked}.\n"
    )
    if result.chosen is not None:
        click.echo(f"Chosen by the first half of the topics: {result.chosen}")
        _show_lines(result.first)
        click.echo("\nThe second half:")
    _show_lines(result.second)


def _show_lines(lines: Sequence["Line"]) -> None:
    kinds = list(lines[0].kinds)
    table = Table("ranked by", "nDCG@10", "nDCG@100", "MAP", "MRR", *kinds)
    for one in lines:
        mean = one.mean
        figures = (
            mean.ndcg_10,
            mean.ndcg_100,
            mean.map,
            mean.mrr,
            *(one.kinds[kind].ndcg_10 for kind in kinds),
        )
        table.add(one.rank, *map(share, figures))
    table.show()
