"""`python -m bench peers WEB`: relevant pages that `bingo` and its peers find on a served web."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.peers.assignments import Assignment, draw_topics, make_assignments
from bench.peers.counts import RunResult, markdown_table, table_rows
from bench.peers.runs import CRAWLERS, REFERENCE, Crawler, RunLimits, Runs
from bench.peers.served_web import served
from motherlode.lab.loader import open_web
from motherlode.records import LodeError, UsageError


def main(arguments: Sequence[str]) -> None:
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except LodeError as error:
        raise SystemExit(f"bench: {error}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("web", type=Path, help="directory of a recorded web with labels")
    parser.add_argument("--topics", type=int, default=7, help="number of topics to draw")
    parser.add_argument("--topic", action="append", help="take this topic instead (repeatable)")
    parser.add_argument("--seeds", type=int, default=5, help="seed pages of each topic")
    parser.add_argument("--pages", type=int, default=600, help="pages that each crawler fetches")
    parser.add_argument("--draw", type=int, default=1, help="seed of the draw")
    parser.add_argument("--time", type=float, default=600.0, help="seconds of each crawl at most")
    names = ", ".join(crawler.name for crawler in CRAWLERS)
    parser.add_argument("--only", action="append", help=f"run only this (repeatable): {names}")
    return parser


def _run(options: argparse.Namespace) -> None:
    crawlers = _chosen(options.only)
    limits = RunLimits(options.pages, options.time)
    web = open_web(options.web)
    topics = options.topic or draw_topics(web.labels(), options.topics, options.draw)
    assignments = make_assignments(web, topics, options.seeds, options.draw)
    with served(web) as server:
        runs = Runs(server, limits)
        results = [
            _show(runs.run(crawler, assignment))
            for assignment in _announced(assignments)
            for crawler in crawlers
        ]
    rows = table_rows(results, REFERENCE)
    print("", *markdown_table(rows, limits.checkpoints, REFERENCE), sep="\n")


def _chosen(names: list[str] | None) -> list[Crawler]:
    unknown = set(names or ()) - {crawler.name for crawler in CRAWLERS}
    if unknown:
        known = ", ".join(crawler.name for crawler in CRAWLERS)
        raise UsageError(f"There is no crawler '{min(unknown)}'; there are {known}.")
    return [crawler for crawler in CRAWLERS if not names or crawler.name in names]


def _announced(assignments: Sequence[Assignment]) -> Sequence[Assignment]:
    for assignment in assignments:
        keywords = ", ".join(assignment.keywords)
        pages = len(assignment.relevant)
        print(f"{assignment.topic}, {pages} pages to find; keywords: {keywords}", flush=True)
    return assignments


def _show(result: RunResult) -> RunResult:
    line = f"{result.topic}: {result.crawler}: "
    if result.problem:
        line += result.problem
    else:
        found = ", ".join(map(str, result.found))
        line += f"{found} relevant, {result.pages} pages, {result.requests:,} requests"
        line += f" ({result.ending})" if result.ending else ""
    print(f"{line}, {result.seconds:.0f} s", flush=True)
    return result
