"""`lode lab`: how good is a crawl? Policies side by side on a web whose truth is known; measures of a run."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from motherlode.app.cli.common import Figure, json_text
from motherlode.app.cli.sandbox import web_argument
from motherlode.app.cli.tables import Table
from motherlode.records import BadInputError, UsageError
from motherlode.urls import canonical, host_of

if TYPE_CHECKING:
    from motherlode.lab.comparison import Comparison, Finished, Row
    from motherlode.lab.learned.study import Findings
    from motherlode.lab.measures import Fetched

_NUMBER = re.compile(r"-?[\d.]+")
_SHARES = frozenset({"harvest_rate", "recall"})
_DOCUMENT = range(200, 300)  # the statuses of a document

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


@click.group("lab")
def command() -> None:
    """Compare policies on a web whose truth is known, and measure what a crawl was worth.

    WEB is a directory, as for 'lode sandbox'. Every command takes --json, and those on crawls --plot.

    \b
    lode lab compare WEB --topic Science/Chemistry --pages 1000
    lode lab compare WEB --topic Mathematics --policies best-first,oracle --repeat 3 --plot curves.png
    lode lab learn WEB --examples 2,5 --repeat 1
    """


@command.command("compare")
@web_argument
@click.option(
    "--topic",
    "topics",
    metavar="TOPIC",
    multiple=True,
    help="What to look for: a topic of the web, sub-topics included (repeatable).",
)
@click.option(
    "--least", type=click.IntRange(1), help="Look for every topic that has at least so many labelled pages."
)
@click.option("--at", metavar="A,B,...", help="Sum up what was found after so many pages, over all topics.")
@click.option("--policies", metavar="A,B,...", help="Which policies to run; all but bingo-2003 if not told.")
@click.option(
    "--seeds",
    metavar="N|FILE",
    default="5",
    show_default=True,
    help="Draw so many seeds from the topic's pages, or take the URLs in FILE.",
)
@click.option(
    "--pages",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Documents that each policy may fetch, seeds included.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="What chance goes by: the draw of the seeds, the order of 'random'.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Repeat with so many draws of the seeds, and show means.",
)
@click.option(
    "--connections",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    help="Fetch so many pages at once.",
)
@click.option("--latency", type=Figure(0, 30), default=0.0, help="Simulated seconds to the first byte.")
@click.option("--bandwidth", type=Figure(0, 1e12), default=0.0, help="Simulated bytes a second; 0: no limit.")
@click.option(
    "--delay", type=Figure(0, 86_400), default=0.0, help="Simulated seconds between fetches from a host."
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Processes to run on; as many as there are cores if not told."
)
@click.option(
    "--logs", type=click.Path(path_type=Path), help="Write the page log of every run into this directory."
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
    **asked: Any,
) -> None:
    """Run policies side by side on WEB, each with the same seeds and budget, and show what each found.

    A page counts against the budget when a document came back (2xx). Seeds count against it but not as finds.
    """
    from motherlode.lab import comparison as lab  # noqa: PLC0415 - loaded only to compare

    _check_targets(json_to, plot_to, logs)
    asked["topics"] = _topics(asked["directory"], asked["topics"], least)
    comparison = _comparison(**asked)
    marks = _numbers(at) if at else ()
    finished = _run(comparison, jobs)
    rows = lab.rows(comparison, finished)
    if logs is not None:
        _write_logs(logs, finished)
    if json_to != "-":
        _show_rows(rows)
        _show_summary(rows, marks)
    _write_json(rows, json_to)
    if plot_to is not None:
        name = Path(comparison.web).resolve().name
        curves = {_line_name(row, comparison): row.curve for row in rows}
        _plot(curves, plot_to, ", ".join(comparison.topics), name)


@command.command("measure")
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
    _check_targets(json_to, plot_to, None)
    web = open_web(directory)
    relevant = web.labels().relevant(topic)
    fetched = _portal_log(log) if log.is_dir() else measures.read_log(log)
    if not any(web.answer(fetch.url) for fetch in fetched):
        raise BadInputError(f"{log} has no page of the web {directory} in it.")
    total = len(relevant - {fetch.url for fetch in fetched if fetch.seed})
    found = measures.measure(fetched, relevant.__contains__, total, pages)
    if json_to != "-":
        _show_measures(msgspec.structs.asdict(found))
    _write_json(found, json_to)
    if plot_to is not None:
        _plot({log.name: found.curve}, plot_to, topic, directory.resolve().name)


@command.command("learn")
@web_argument
@click.option(
    "--examples",
    metavar="A,B,...",
    default="2,5,10,20",
    show_default=True,
    help="From how many examples a topic to learn.",
)
@click.option(
    "--portals",
    metavar="A,B,...",
    default="tree,one,four",
    show_default=True,
    help="What to draw: a tree of all topics, portals of one topic, portals of four.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Draw so often: one tree, eight portals of one topic, two of four.",
)
@click.option(
    "--least",
    type=click.IntRange(2),
    default=40,
    show_default=True,
    help="Take topics with so many labelled pages of their own.",
)
@click.option("--topics", type=click.IntRange(1), help="Take at most so many topics, by chance.")
@click.option(
    "--spaces", metavar="A,B,...", help="In which feature spaces, and 'semantic'; in all if not told."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What chance goes by.")
@click.option(
    "--markdown",
    "markdown_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the tables into FILE, in place of those that the same command wrote there before.",
)
@json_option
def learn(directory: Path, json_to: str | None, markdown_to: Path | None, **asked: Any) -> None:
    """Learn topics of WEB from few examples, judge its other labelled pages, and show how well that went.

    Methods are the topic tree in each feature space, the spaces together by each rule, terms with what they
    mean ('semantic', an extra), the same as BINGO! has it, and what scikit-learn makes of all terms.
    Precision, recall and average precision are means over topics. On 5,000 pages with 40 topics it takes
    about ten minutes.
    """
    from motherlode.lab.learned import tables  # noqa: PLC0415 - loaded only to learn

    _check_targets(json_to, None, None)
    _check_targets(str(markdown_to) if markdown_to else None, None, None)
    found = _study(directory, **asked)
    if json_to != "-":
        _show_sheets(found)
    _write_json(found, json_to)
    if markdown_to is not None:
        tables.write_markdown(markdown_to, tables.markdown(found, _told_again(found)))


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


def _comparison(  # noqa: PLR0913 - one parameter an option
    *,
    directory: Path,
    topics: Sequence[str],
    policies: str | None,
    seeds: str,
    latency: float,
    bandwidth: float,
    delay: float,
    **limits: int,
) -> "Comparison":
    from motherlode.lab.comparison import POLICIES, Comparison  # noqa: PLC0415 - loaded only to compare
    from motherlode.lab.replay import Timing  # noqa: PLC0415

    named = tuple(dict.fromkeys(name.strip() for name in (policies or "").split(",") if name.strip()))
    if policies is not None and not named:
        raise UsageError(f"--policies names none; there are {', '.join(POLICIES)}.")
    return Comparison(
        web=str(directory),
        topics=tuple(dict.fromkeys(topic.strip("/") for topic in topics)),
        policies=named or POLICIES[:-1],
        seeds=_seeds(seeds),
        timing=Timing(latency=latency, bandwidth=bandwidth, delay=delay),
        **limits,
    )


def _study(directory: Path, *, examples: str, portals: str, spaces: str | None, **limits: Any) -> "Findings":
    """Read the web and learn from it, with bars for whoever watches."""
    from motherlode.documents.meanings import meanings_are_here, word_meanings  # noqa: PLC0415
    from motherlode.documents.spaces import TERMS  # noqa: PLC0415
    from motherlode.lab.learned import study as lab  # noqa: PLC0415 - loaded only to learn
    from motherlode.lab.learned.baselines import check_library  # noqa: PLC0415
    from motherlode.lab.learned.pages import read_pages  # noqa: PLC0415
    from motherlode.lab.learned.portals import KINDS, Draw  # noqa: PLC0415
    from motherlode.lab.opening import open_web  # noqa: PLC0415
    from motherlode.learning.tree import SEMANTIC  # noqa: PLC0415

    draw = Draw(examples=_numbers(examples), kinds=_named(portals, KINDS, "--portals"), **limits)
    here = (*lab.ALL_SPACES, SEMANTIC) if meanings_are_here() else lab.ALL_SPACES
    chosen = _named(spaces or ",".join(here), (*lab.ALL_SPACES, SEMANTIC), "--spaces")
    meanings = word_meanings() if SEMANTIC in chosen else None
    chosen = tuple(name for name in chosen if name != SEMANTIC) or (TERMS,)
    check_library()
    web = open_web(directory)
    with _bar("Pages") as told:
        pages = read_pages(web, web.labels(), chosen, told)
    with _bar("Portals") as told:
        return lab.study(str(directory), pages, draw, chosen, told, meanings)


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is told how much of how much is done."""
    with click.progressbar(length=1, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def told(done: int, everything: int) -> None:
            bar.length = everything
            bar.update(done - bar.pos)

        yield told


def _numbers(told: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in told.split(",")}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise UsageError(f"--examples {told}: give whole numbers with commas between, such as 2,5,10.")
    return found


def _named(told: str, known: Sequence[str], option: str) -> tuple[str, ...]:
    """Some of the known names, in their own order."""
    named = {part.strip() for part in told.split(",") if part.strip()}
    unknown = sorted(named - set(known))
    if unknown or not named:
        what = f"'{unknown[0]}' is not known" if unknown else "names none"
        raise UsageError(f"{option}: {what}; there are {', '.join(known)}.")
    return tuple(name for name in known if name in named)


def _told_again(found: "Findings") -> str:
    """The command that finds this again."""
    draw = found.draw
    topics = "" if draw.topics is None else f" --topics {draw.topics}"
    return (
        f"lode lab learn {found.web} --examples {','.join(map(str, draw.examples))} --portals "
        f"{','.join(draw.kinds)} --repeat {draw.repeat} --least {draw.least}{topics} --spaces "
        f"{','.join(found.spaces)} --seed {draw.seed}"
    )


def _seeds(told: str) -> int | tuple[str, ...]:
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


def _run(comparison: "Comparison", jobs: int | None) -> "list[Finished]":
    """Every trial, with a bar for whoever watches."""
    from motherlode.lab import comparison as lab  # noqa: PLC0415 - loaded only to compare

    finished = []
    length = len(lab.tasks(comparison))
    with click.progressbar(
        length=length, label="Trials", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        for one in lab.compare(comparison, jobs):
            finished.append(one)
            bar.update(1)
    return finished


def _show_rows(rows: "Sequence[Row]") -> None:
    many = len({row.topic for row in rows}) > 1
    table = Table(
        *(["topic"] if many else []),
        "policy", "pages", "relevant", "harvest rate", "recall", "hosts", "pages/host", "failed", "seconds",
    )  # fmt: skip
    for row in rows:
        table.add(
            *([row.topic] if many else []),
            row.policy, row.pages, row.relevant, _share(row.harvest_rate), _share(row.recall),
            row.relevant_hosts, row.pages_per_relevant_site, row.failed, f"{row.seconds:.1f}",
        )  # fmt: skip
    table.show(words=2 if many else 1)


def _show_summary(rows: "Sequence[Row]", marks: Sequence[int]) -> None:
    """What each policy found after so many pages, beside best-first, or beside the first of them."""
    from motherlode.lab.summary import summary  # noqa: PLC0415 - loaded only to compare

    policies = [row.policy for row in rows]
    against = "best-first" if "best-first" in policies else policies[0]
    if marks:
        table = Table("policy", "pages", "relevant", f"to {against}", "ahead on", "topics")
        for line in summary(rows, marks, against):
            ahead = f"{line.ahead:.0%}"
            table.add(
                line.policy, line.pages, f"{line.relevant:.1f}", f"{line.ratio:.2f}", ahead, line.topics
            )
        click.echo("\nMeans over the topics:\n")
        table.show()


def _topics(directory: Path, named: Sequence[str], least: int | None) -> Sequence[str]:
    """The topics to look for: those named, or all that have so many pages."""
    from motherlode.lab.opening import open_web  # noqa: PLC0415 - loaded only to compare

    if least is not None and named:
        raise UsageError("Say which topics by --topic or by --least, not by both.")
    if least is None:
        if not named:
            raise UsageError("Say what to look for: --topic TOPIC, or --least N for all large ones.")
        return named
    found = [topic for topic, pages in open_web(directory).labels().topics().items() if pages >= least]
    if not found:
        raise UsageError(f"No topic of {directory} has {least:,} labelled pages.")
    return found


def _show_sheets(found: "Findings") -> None:
    from motherlode.lab.learned.tables import sheets  # noqa: PLC0415 - loaded only to learn

    for place, sheet in enumerate(sheets(found)):
        click.echo(f"{'' if place == 0 else chr(10)}{sheet.title}")
        table = Table(*sheet.headings)
        for row in sheet.rows:
            table.add(*row)
        table.show()


def _share(figure: float | None) -> str | None:
    return None if figure is None else f"{figure:.3f}"


def _show_measures(figures: dict[str, Any]) -> None:
    table = Table("measure", "value")
    precision = figures.pop("precision_at")
    del figures["curve"]
    for name, value in figures.items():
        table.add(name.replace("_", " "), _share(value) if name in _SHARES else value)
    for number, value in precision.items():
        table.add(f"precision at {number:,}", _share(value))
    table.show()


def _line_name(row: "Row", comparison: "Comparison") -> str:
    return row.policy if len(comparison.topics) == 1 else f"{row.policy}, {row.topic}"


def _check_targets(json_to: str | None, plot_to: Path | None, logs: Path | None) -> None:
    """A run of many minutes must not fail for a folder that is not there."""
    for target in (Path(json_to) if json_to and json_to != "-" else None, plot_to):
        if target is None:
            continue
        if not target.parent.is_dir():
            raise BadInputError(f"There is no folder {target.parent} to write {target.name} into.")
        if not target.name or target.is_dir():
            raise BadInputError(f"'{target}' is a directory; name a file to write.")
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise BadInputError(f"{target} cannot be written.")
    if plot_to is not None and plot_to.suffix.lower() not in ("", ".png", ".svg"):
        raise UsageError(f"--plot {plot_to}: a plot is .png or .svg; without an ending it is both.")
    if logs is not None:
        try:
            logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInputError(f"{logs} cannot be made: {error.strerror or error}.") from error


def _write_json(result: object, target: str | None) -> None:
    if target is None:
        return
    if target == "-":
        click.echo(json_text(result))
        return
    try:
        Path(target).write_text(json_text(result) + "\n", "utf-8")
    except OSError as error:
        raise BadInputError(f"{target} cannot be written: {error.strerror or error}.") from error


def _write_logs(folder: Path, finished: "Sequence[Finished]") -> None:
    from motherlode.lab.measures import write_log  # noqa: PLC0415 - loaded only to compare

    for one in finished:
        topic = one.task.topic.replace("/", "-")[:100]
        write_log(folder / f"{topic}.{one.task.policy}.{one.task.turn + 1}.tsv", one.log)


def _plot(curves: Mapping[str, Sequence[tuple[float, float]]], target: Path, title: str, web: str) -> None:
    from motherlode.lab.plots import plot  # noqa: PLC0415 - loaded only to plot

    for file in plot(curves, target, title=title, subtitle=f"on the web '{web}'"):
        click.echo(f"Plotted {file}.", err=True)
