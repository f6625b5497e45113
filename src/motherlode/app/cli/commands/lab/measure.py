"""`lode lab measure`: what a crawl was worth, by the labels of the web that it was on."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from motherlode.app.cli.commands.lab.options import json_option, plot_option
from motherlode.app.cli.commands.lab.output import check_targets, draw, share, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import Table
from motherlode.records import BadInputError, UsageError
from motherlode.urls import host_of

if TYPE_CHECKING:
    from motherlode.lab.measures import Fetched

_SHARES = frozenset({"harvest_rate", "recall"})
_DOCUMENT = range(200, 300)  # the statuses of a document  # the statuses of a document


@click.command("measure")
@web_argument
@click.argument("log", metavar="LOG", type=click.Path(path_type=Path))
@click.option(
    "--topic",
    "topics",
    metavar="TOPIC",
    multiple=True,
    required=True,
    help="What was looked for: a topic of the web, sub-topics included.",
)
@click.option("--pages", type=click.IntRange(1), help="Count only the first so many documents.")
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

    LOG is a portal, or a file that has a line a fetch, in order: a URL, then, after tabs, the status, the
    crawler's own score of the page, and the word 'seed' where it was one; all but the URL may be missing.
    """
    from motherlode.lab import measures  # noqa: PLC0415 - loaded only to measure
    from motherlode.lab.opening import open_web  # noqa: PLC0415

    if len(topics) > 1:
        raise UsageError("One --topic at a time: the measures of a crawl are about one.")
    topic = topics[0].strip("/")
    check_targets(json_to, plot_to)
    web = open_web(directory)
    relevant = web.labels().relevant(topic)
    fetched = _portal_log(log) if log.is_dir() else measures.read_log(log)
    if not any(web.answer(fetch.url) for fetch in fetched):
        raise BadInputError(f"{log} has no page of the web {directory} in it.")
    total = len(relevant - {fetch.url for fetch in fetched if fetch.seed})
    found = measures.measure(fetched, relevant.__contains__, total, pages)
    if json_to != "-":
        _show_measures(msgspec.structs.asdict(found))
    write_json(found, json_to)
    if plot_to is not None:
        draw({log.name: found.curve}, plot_to, topic, directory.resolve().name)


def _portal_log(directory: Path) -> "list[Fetched]":
    """What a portal holds, in order of fetching; its examples were its seeds."""
    from motherlode.lab.measures import Fetched  # noqa: PLC0415 - loaded only to measure
    from motherlode.portal import Portal  # noqa: PLC0415
    from motherlode.store.pages import page_log  # noqa: PLC0415
    from motherlode.store.topics import examples_of  # noqa: PLC0415

    with Portal.reading(directory) as portal, portal.store.reading() as session:
        seeds = {example.url for example in examples_of(session)}
        return [
            Fetched(url, host_of(url), status in _DOCUMENT, url in seeds, score)
            for url, status, score in page_log(session, members=False)
        ]


def _show_measures(figures: dict[str, Any]) -> None:
    table = Table("measure", "value")
    precision = figures.pop("precision_at")
    del figures["curve"]
    for name, value in figures.items():
        table.add(name.replace("_", " "), share(value) if name in _SHARES else value)
    for number, value in precision.items():
        table.add(f"precision at {number:,}", share(value))
    table.show()
