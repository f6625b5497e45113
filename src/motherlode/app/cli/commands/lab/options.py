"""Options that several commands of the lab share, and how their values are read."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from motherlode.app.cli.common import F
from motherlode.lab.defaults import RANDOM_SEED, REPEATS
from motherlode.records import BadInputError, UsageError
from motherlode.urls import canonical

_NUMBER = re.compile(r"-?[\d.]+")

topic_option = click.option(
    "--topic",
    "topics",
    metavar="TOPIC",
    multiple=True,
    help="The topic of the web to look for, with its subtopics (repeatable).",
)
least_option = click.option(
    "--least",
    type=click.IntRange(1),
    help="Look for every topic with at least this many labelled pages.",
)
repeat_option = click.option(
    "--repeat",
    type=click.IntRange(1),
    default=REPEATS,
    show_default=True,
    help="Repeat with this many draws of seeds, and show means.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Number of processes; by default one per core."
)
json_option = click.option(
    "--json",
    "json_to",
    metavar="FILE",
    help="Write the result as JSON to FILE; '-' is standard output.",
)
plot_option = click.option(
    "--plot",
    "plot_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Plot relevant pages over fetched pages: .png, .svg, or both if FILE has no suffix.",
)


def seeds_option(default: int) -> Callable[[F], F]:
    """Return the option for the number of seeds to draw, or a file of them."""
    return click.option(
        "--seeds",
        metavar="N|FILE",
        default=str(default),
        show_default=True,
        help="Draw this many seeds from the topic's pages, or take the URLs in FILE.",
    )


def seed_option(purpose: str) -> Callable[[F], F]:
    """Return the option for the random seed; `purpose` ends its help text."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=RANDOM_SEED,
        show_default=True,
        help=f"Random seed{purpose}.",
    )


def topics_from(directory: Path, topics: Sequence[str], least: int | None) -> tuple[str, ...]:
    """Return the topics to look for, each once: those named, or all with enough pages."""
    from motherlode.lab.loader import open_web  # noqa: PLC0415 - loaded only to compare

    if least is not None and topics:
        raise UsageError("Say which topics by --topic or by --least, not by both.")
    if least is None:
        if not topics:
            raise UsageError(
                "Say what to look for: --topic TOPIC, or --least N for all large ones."
            )
        return tuple(dict.fromkeys(topic.strip("/") for topic in topics))
    counted = open_web(directory).labels().topics()
    large = tuple(topic for topic, pages in counted.items() if pages >= least)
    if not large:
        raise UsageError(f"No topic of {directory} has {least:,} labelled pages.")
    return large


def seeds_from(text: str) -> int | tuple[str, ...]:
    """Return the number of seeds to draw, or the seeds to take."""
    if text.isdecimal():
        if int(text) == 0:
            raise UsageError("--seeds 0: a crawl needs a start; give at least one seed.")
        return int(text)
    if _NUMBER.fullmatch(text):
        raise UsageError(
            f"--seeds {text}: give a whole number of seeds, or a file with their URLs."
        )
    from motherlode.sources.bookmarks import filed, read_bookmarks  # noqa: PLC0415 - loaded only for a file

    urls = tuple(
        dict.fromkeys(canonical(bookmark.url) for _, bookmark in filed(read_bookmarks(Path(text))))
    )
    if not urls:
        raise BadInputError(f"{text} names no URL to start from.")
    return urls


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers of a list, in order, each once."""
    try:
        parsed = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        parsed = ()
    if not parsed or parsed[0] < 1:
        raise UsageError(
            f"{option} {text}: give whole numbers with commas between, such as 2,5,10."
        )
    return parsed


def parse_names(text: str, available: Sequence[str], option: str) -> tuple[str, ...]:
    """Return the names of a list, in the order of `available`."""
    chosen = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(chosen - set(available))
    if unknown or not chosen:
        problem = f"'{unknown[0]}' is not known" if unknown else "names none"
        raise UsageError(f"{option}: {problem}; there are {', '.join(available)}.")
    return tuple(name for name in available if name in chosen)
