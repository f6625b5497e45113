"""`lode lab search`: measures the rankings of 'lode search'."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import json_option, seed_option
from motherlode.app.cli.commands.lab.output import bar, check_targets, share, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.app.text import count
from motherlode.records import UsageError
from motherlode.search.ranking import DEFAULT_RANKING, parse_weights

if TYPE_CHECKING:
    from motherlode.lab.experiments.searches import (
        RankingQuality,
        SearchExperiment,
        SearchExperimentResult,
    )


@click.command("search")
@web_argument
@click.option(
    "--topic", "topics", metavar="TOPIC", multiple=True, help="A topic of the portal (repeatable)."
)
@click.option(
    "--least",
    type=click.IntRange(2),
    default=40,
    show_default=True,
    help="Without --topic: topics with at least this many labelled pages of their own.",
)
@click.option(
    "--examples",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Number of examples per topic to learn from.",
)
@click.option(
    "--words",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Number of queries per topic that consist of its words.",
)
@click.option(
    "--items",
    type=click.IntRange(0),
    default=6,
    show_default=True,
    help="Number of queries per topic that look for one page by a link text.",
)
@click.option(
    "--pages",
    type=click.IntRange(1),
    help="Take at most this many pages of the web, those of the topics first.",
)
@click.option(
    "--rank",
    "ranks",
    multiple=True,
    metavar="NAME[=WEIGHT],...",
    help=f"Measure this ranking, too (repeatable); by default {DEFAULT_RANKING}.",
)
@click.option(
    "--choose",
    is_flag=True,
    help="Choose weights on one half of the topics, and measure them, too.",
)
@seed_option(": examples, queries, halves")
@json_option
def search(json_to: str | None, ranks: tuple[str, ...], *, choose: bool, **options: Any) -> None:
    """Put WEB into a portal, search it, and measure each ranking of 'lode search'.

    A page of the query's topic has grade 2, a page of a sibling topic grade 1. There are four kinds
    of queries: names of topics, words that pages of a topic share, those words with --topic, and
    link texts that are not in the index. The table shows nDCG at 10 of each kind, and the means.
    Topics are split in two halves at random: weights are chosen on the first, and the figures are
    about the second. On 11,000 pages it takes about two minutes.
    """
    from motherlode.lab.experiments import searches as lab  # noqa: PLC0415 - loaded only to measure

    check_targets(json_to)
    for rank in ranks:
        parse_weights(rank)
    plan = _plan(**options)
    with bar("Pages") as update:
        result = lab.measure(plan, ranks or (DEFAULT_RANKING,), choose=choose, on_progress=update)
    if json_to != "-":
        _show(result)
    write_json(result, json_to)


def _plan(
    *, directory: Path, topics: Sequence[str], least: int, **limits: Any
) -> "SearchExperiment":
    from motherlode.lab.experiments.searches import SearchExperiment, large_topics  # noqa: PLC0415
    from motherlode.lab.loader import open_web  # noqa: PLC0415 - loaded only to measure

    named = tuple(dict.fromkeys(topic.strip("/") for topic in topics))
    chosen = named or large_topics(open_web(directory).labels(), least)
    if not chosen:
        raise UsageError(f"No topic of {directory} has {least:,} labelled pages.")
    return SearchExperiment(web=str(directory), topics=chosen, **limits)


def _show(result: "SearchExperimentResult") -> None:
    asked = ", ".join(f"{number:,} {kind}" for kind, number in result.queries.items())
    click.echo(
        f"{count(result.pages, 'page')}, {count(len(result.plan.topics), 'topic')}; queries: "
        f"{asked}.\n"
    )
    if result.chosen is not None:
        click.echo(f"Chosen by the first half of the topics: {result.chosen}")
        _show_lines(result.first)
        click.echo("\nThe second half:")
    _show_lines(result.second)


def _show_lines(lines: Sequence["RankingQuality"]) -> None:
    kinds = list(lines[0].kinds)
    table = TextTable("ranked by", "nDCG@10", "nDCG@100", "MAP", "MRR", *kinds)
    for line in lines:
        mean = line.mean
        figures = (
            mean.ndcg_10,
            mean.ndcg_100,
            mean.map,
            mean.mrr,
            *(line.kinds[kind].ndcg_10 for kind in kinds),
        )
        table.add(line.rank, *map(share, figures))
    table.show()
