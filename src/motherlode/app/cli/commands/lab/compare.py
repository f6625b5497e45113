"""`lode lab compare`: policies side by side on a labelled web."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import (
    jobs_option,
    json_option,
    least_option,
    numbers,
    plot_option,
    repeat_option,
    seed_option,
    seeds_from,
    seeds_option,
    topic_option,
    topics_from,
)
from motherlode.app.cli.commands.lab.output import check_targets, draw, share, with_bar, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.app.cli.types import FiniteNumber
from motherlode.lab.defaults import COMPARISON_SEEDS, CONNECTIONS, REFERENCE_POLICY
from motherlode.policies.registry import BUILT_IN, compared_policies, policy_names
from motherlode.records import UsageError

if TYPE_CHECKING:
    from motherlode.lab.trials.comparison import Comparison, ComparisonRow, Finished


_NOT_COMPARED = [policy.name for policy in BUILT_IN if not policy.is_compared]


@click.command("compare")
@web_argument
@topic_option
@least_option
@click.option(
    "--at",
    metavar="A,B,...",
    help="Also show the means over all topics after these numbers of pages.",
)
@click.option(
    "--policies",
    metavar="A,B,...",
    help=f"The policies to run; by default all but {', '.join(_NOT_COMPARED)}.",
)
@seeds_option(COMPARISON_SEEDS)
@click.option(
    "--pages",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Documents that each policy may fetch, seeds included.",
)
@click.option(
    "--requests",
    type=click.IntRange(1),
    help=(
        "Requests that each policy may make, redirects and failures included; by default 20 per "
        "page."
    ),
)
@seed_option(": the draw of the seeds, the order of 'random'")
@repeat_option
@click.option(
    "--connections",
    type=click.IntRange(1, 10_000),
    default=CONNECTIONS,
    show_default=True,
    help="Number of pages fetched at the same time.",
)
@click.option(
    "--latency", type=FiniteNumber(0, 30), default=0.0, help="Simulated seconds to the first byte."
)
@click.option(
    "--bandwidth",
    type=FiniteNumber(0, 1e12),
    default=0.0,
    help="Simulated bytes a second; 0: no limit.",
)
@click.option(
    "--delay",
    type=FiniteNumber(0, 86_400),
    default=0.0,
    help="Simulated seconds between fetches from a host.",
)
@jobs_option
@click.option(
    "--logs",
    type=click.Path(path_type=Path),
    help="Write the page log of every run into this directory.",
)
@json_option
@plot_option
def compare(
    json_to: str | None,
    plot_to: Path | None,
    jobs: int | None,
    logs: Path | None,
    at: str | None,
    least: int | None,
    **options: Any,
) -> None:
    """Compare policies on WEB, each with the same seeds and budget.

    A page counts against the budget if the host answered with a document (2xx). Seeds count
    against the budget, but not as relevant pages. All policies run on the same engine and may make
    the same number of requests.
    """
    from motherlode.lab.trials import comparison as lab  # noqa: PLC0415 - loaded only to compare

    check_targets(json_to, plot_to, logs)
    options["topics"] = topics_from(options["directory"], options["topics"], least)
    comparison = _comparison(**options)
    marks = numbers(at, "--at") if at else ()
    finished = with_bar(lab.compare(comparison, jobs), len(lab.tasks(comparison)))
    rows = lab.rows(comparison, finished)
    if logs is not None:
        _write_logs(logs, finished)
    if json_to != "-":
        _show_rows(rows)
        _show_summary(rows, marks)
    write_json(rows, json_to)
    if plot_to is not None:
        name = Path(comparison.web).resolve().name
        curves = {_line_name(row, comparison): row.curve for row in rows}
        draw(curves, plot_to, ", ".join(comparison.topics), name)


def _comparison(  # noqa: PLR0913 - one parameter an option
    *,
    directory: Path,
    topics: tuple[str, ...],
    policies: str | None,
    seeds: str,
    latency: float,
    bandwidth: float,
    delay: float,
    **limits: Any,
) -> "Comparison":
    from motherlode.lab.replay import Timing  # noqa: PLC0415
    from motherlode.lab.trials.comparison import Comparison  # noqa: PLC0415 - loaded only to compare

    named = tuple(
        dict.fromkeys(name.strip() for name in (policies or "").split(",") if name.strip())
    )
    if policies is not None and not named:
        available = ", ".join(policy_names(for_lab=True))
        raise UsageError(f"--policies names none; there are {available}.")
    return Comparison(
        web=str(directory),
        topics=topics,
        policies=named or compared_policies(),
        seeds=seeds_from(seeds),
        timing=Timing(latency=latency, bandwidth=bandwidth, delay=delay),
        **limits,
    )


def _show_rows(rows: "Sequence[ComparisonRow]") -> None:
    many = len({row.topic for row in rows}) > 1
    table = TextTable(
        *(["topic"] if many else []),
        "policy", "pages", "requests", "allowed", "relevant", "harvest rate", "recall", "hosts",
        "pages/host", "failed", "seconds",
    )  # fmt: skip
    for row in rows:
        table.add(
            *([row.topic] if many else []),
            row.policy, row.pages, row.requests, row.max_requests, row.relevant,
            share(row.harvest_rate), share(row.recall), row.relevant_hosts,
            row.pages_per_relevant_site, row.failed, f"{row.seconds:.1f}",
        )  # fmt: skip
    table.show(words=2 if many else 1)


def _show_summary(rows: "Sequence[ComparisonRow]", marks: Sequence[int]) -> None:
    """Print the finds of each policy after given numbers of pages, relative to one of them."""
    from motherlode.lab.trials.summary import summary  # noqa: PLC0415 - loaded only to compare

    policies = [row.policy for row in rows]
    against = REFERENCE_POLICY if REFERENCE_POLICY in policies else policies[0]
    if marks:
        table = TextTable("policy", "pages", "relevant", f"to {against}", "ahead on", "topics")
        for line in summary(rows, marks, against):
            ahead = f"{line.ahead:.0%}"
            table.add(
                line.policy,
                line.pages,
                f"{line.relevant:.1f}",
                f"{line.ratio:.2f}",
                ahead,
                line.topics,
            )
        click.echo("\nMeans over the topics:\n")
        table.show()


def _line_name(row: "ComparisonRow", comparison: "Comparison") -> str:
    return row.policy if len(comparison.topics) == 1 else f"{row.policy}, {row.topic}"


def _write_logs(folder: Path, finished: "Sequence[Finished]") -> None:
    from motherlode.lab.trials.measures import write_log  # noqa: PLC0415 - loaded only to compare

    for trial in finished:
        topic = trial.task.topic.replace("/", "-")[:100]
        write_log(folder / f"{topic}.{trial.task.policy}.{trial.task.turn + 1}.tsv", trial.log)
