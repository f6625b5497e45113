"""Options that several commands of the lab take, and what is meant by them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from motherlode.app.cli.common import F
from motherlode.records import BadInputError, UsageError
from motherlode.urls import canonical

_NUMBER = re.compile(r"-?[\d.]+")

topic_option = click.option(
    "--topic",
    "topics",
    metavar="TOPIC",
    multiple=True,
    help="What to look for: a topic of the web, sub-topics included (repeatable).",
)
least_option = click.option(
    "--least", type=click.IntRange(1), help="Look for every topic that has at least so many labelled pages."
)
repeat_option = click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Repeat with so many draws of the seeds, and show means.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Processes to run on; as many as there are cores if not told."
)
json_option = click.option(
    "--json", "json_to", metavar="FILE", help="Write the result as JSON into FILE; '-': the standard output."
)
plot_option = click.option(
    "--plot",
    "plot_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Draw relevant pages over pages fetched: .png, .svg, or both if FILE has no ending.",
)


def seeds_option(default: int) -> Callable[[F], F]:
    """How many seeds to draw, or a file of them."""
    return click.option(
        "--seeds",
        metavar="N|FILE",
        default=str(default),
        show_default=True,
        help="Draw so many seeds from the topic's pages, or take the URLs in FILE.",
    )


def seed_option(what: str) -> Callable[[F], F]:
    """The number that makes chance repeatable; `what` it is for."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=1,
        show_default=True,
        help=f"What chance goes by{what}.",
    )


def topics_told(directory: Path, topics: Sequence[str], least: int | None) -> tuple[str, ...]:
    """The topics to look for, each once: those named, or all that have so many pages."""
    from motherlode.lab.opening import open_web  # noqa: PLC0415 - loaded only to compare

    if least is not None and topics:
        raise UsageError("Say which topics by --topic or by --least, not by both.")
    if least is None:
        if not topics:
            raise UsageError("Say what to look for: --topic TOPIC, or --least N for all large ones.")
        return tuple(dict.fromkeys(topic.strip("/") for topic in topics))
    counted = open_web(directory).labels().topics()
    found = tuple(topic for topic, pages in counted.items() if pages >= least)
    if not found:
        raise UsageError(f"No topic of {directory} has {least:,} labelled pages.")
    return found


def seeds_told(told: str) -> int | tuple[str, ...]:
    """How many seeds to draw, or which to take."""
    if told.isdecimal():
        if int(told) == 0:
            raise UsageError("--seeds 0: a crawl begins somewhere; give at least one seed.")
        return int(told)
    if _NUMBER.fullmatch(told):
        raise UsageError(f"--seeds {told}: give a whole number of seeds, or a file with their URLs.")
    from motherlode.sources.bookmarks import filed, read_bookmarks  # noqa: PLC0415 - loaded only for a file

    urls = tuple(dict.fromkeys(canonical(bookmark.url) for _, bookmark in filed(read_bookmarks(Path(told)))))
    if not urls:
        raise BadInputError(f"{told} names no URL to begin with.")
    return urls


def numbers(told: str, option: str) -> tuple[int, ...]:
    """Whole numbers from 1 on, in order, each once."""
    try:
        found = tuple(sorted({int(part) for part in told.split(",")}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise UsageError(f"{option} {told}: give whole numbers with commas between, such as 2,5,10.")
    return found


def named(told: str, known: Sequence[str], option: str) -> tuple[str, ...]:
    """Some of the known names, in their own order."""
    chosen = {part.strip() for part in told.split(",") if part.strip()}
    unknown = sorted(chosen - set(known))
    if unknown or not chosen:
        what = f"'{unknown[0]}' is not known" if unknown else "names none"
        raise UsageError(f"{option}: {what}; there are {', '.join(known)}.")
    return tuple(name for name in known if name in chosen)
