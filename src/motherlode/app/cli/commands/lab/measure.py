"""`lode lab measure`: what a crawl was worth, by the labels of the web that it was on."""

from pathlib import Path
from typing import Any

import click
import msgspec

from motherlode.app.cli.commands.lab.options import json_option, plot_option
from motherlode.app.cli.commands.lab.output import check_targets, draw, share, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable
from motherlode.records import BadInputError, UsageError

_SHARES = frozenset({"harvest_rate", "recall"})


@click.command("measure")
@web_argument
@click.argument("log", metavar="LOG", type=click.Path(path_type=Path))
@click.option(
    "--topic",
    "topics",
    metavar="TOPIC",
    multiple=True,
    required=True,
    help="The topic of the crawl, with its subtopics.",
)
@click.option(
    "--pages", type=click.IntRange(1), help="Count only the first documents, at most this many."
)
@json_option
@plot_option
def measure(
    directory: Path,
    log: Path,
    topics: tuple[str, ...],
    pages: int | None,
    json_to: str | None,
    plot_to: Path | None,
) -> None:
    """Measure the page log LOG of a crawl against the labels of WEB.

    LOG is a portal, or a file with one line per fetch, in order. A line has a URL, the status, the
    crawler's own score of the page, and the word 'seed' if it was one. Tabs separate them, and all
    but the URL may be missing.
    """
    from motherlode.app.services.portals.statistics import fetch_log  # noqa: PLC0415 - loaded only to measure
    from motherlode.lab.loader import open_web  # noqa: PLC0415
    from motherlode.lab.trials import measures  # noqa: PLC0415

    if len(topics) > 1:
        raise UsageError("One --topic at a time: the measures of a crawl are about one.")
    topic = topics[0].strip("/")
    check_targets(json_to, plot_to)
    web = open_web(directory)
    relevant = web.labels().relevant(topic)
    fetched = fetch_log(log) if log.is_dir() else measures.read_log(log)
    if not any(web.answer(fetch.url) for fetch in fetched):
        raise BadInputError(f"{log} has no page of the web {directory} in it.")
    total = len(relevant - {fetch.url for fetch in fetched if fetch.seed})
    measured = measures.measure(fetched, relevant.__contains__, total, pages)
    if json_to != "-":
        _show_measures(msgspec.structs.asdict(measured))
    write_json(measured, json_to)
    if plot_to is not None:
        draw({log.name: measured.curve}, plot_to, topic, directory.resolve().name)


def _show_measures(figures: dict[str, Any]) -> None:
    table = TextTable("measure", "value")
    precision = figures.pop("precision_at")
    del figures["curve"]
    for name, value in figures.items():
        table.add(name.replace("_", " "), share(value) if name in _SHARES else value)
    for number, value in precision.items():
        table.add(f"precision at {number:,}", share(value))
    table.show()
