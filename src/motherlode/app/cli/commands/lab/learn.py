"""`lode lab learn`: how well topics are learned from few examples."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import json_option, numbers, parse_names, seed_option
from motherlode.app.cli.commands.lab.output import bar, check_targets, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import TextTable

if TYPE_CHECKING:
    from motherlode.lab.learned.study import StudyFindings


@click.command("learn")
@web_argument
@click.option(
    "--examples",
    metavar="A,B,...",
    default="2,5,10,20",
    show_default=True,
    help="Numbers of examples per topic to learn from.",
)
@click.option(
    "--portals",
    metavar="A,B,...",
    default="tree,one,four",
    show_default=True,
    help="The portals to draw: a tree of all topics, portals of one topic, portals of four.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Number of draws, each with one tree, eight portals of one topic, and two of four.",
)
@click.option(
    "--least",
    type=click.IntRange(2),
    default=40,
    show_default=True,
    help="Take topics with at least this many labelled pages of their own.",
)
@click.option("--topics", type=click.IntRange(1), help="Take at most this many topics, at random.")
@click.option("--spaces", metavar="A,B,...", help="Feature spaces, and 'semantic'; by default all.")
@seed_option("")
@click.option(
    "--markdown",
    "markdown_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the tables to FILE, replacing those of an earlier run of the same command.",
)
@json_option
def learn(directory: Path, json_to: str | None, markdown_to: Path | None, **options: Any) -> None:
    """Learn topics of WEB from few examples, judge its other labelled pages, and show the quality.

    The topic tree is measured in each feature space, with the spaces combined by each rule, and
    with word meanings ('semantic', an extra). For comparison, there are the tree as in BINGO! and
    scikit-learn's classifiers on all terms. Precision, recall and average precision are means over
    topics. On 5,000 pages with 40 topics it takes about ten minutes.
    """
    from motherlode.lab.learned import tables  # noqa: PLC0415 - loaded only to learn

    check_targets(json_to)
    check_targets(str(markdown_to) if markdown_to else None)
    findings = _study(directory, **options)
    if json_to != "-":
        _show_sheets(findings)
    write_json(findings, json_to)
    if markdown_to is not None:
        tables.write_markdown(markdown_to, tables.markdown(findings, _command_line(findings)))


def _study(
    directory: Path, *, examples: str, portals: str, spaces: str | None, **limits: Any
) -> "StudyFindings":
    """Read the web and learn from it, with progress bars."""
    from motherlode.documents.features.meanings import meanings_are_here, word_meanings  # noqa: PLC0415
    from motherlode.documents.features.spaces import TERMS  # noqa: PLC0415
    from motherlode.lab.learned import study as lab  # noqa: PLC0415 - loaded only to learn
    from motherlode.lab.learned.baselines import check_library  # noqa: PLC0415
    from motherlode.lab.learned.pages import read_pages  # noqa: PLC0415
    from motherlode.lab.learned.portals import KINDS, Draw  # noqa: PLC0415
    from motherlode.lab.loader import open_web  # noqa: PLC0415
    from motherlode.learning.term_evidence import SEMANTIC  # noqa: PLC0415

    draw = Draw(
        examples=numbers(examples, "--examples"),
        kinds=parse_names(portals, KINDS, "--portals"),
        **limits,
    )
    available = (*lab.ALL_SPACES, SEMANTIC) if meanings_are_here() else lab.ALL_SPACES
    chosen = parse_names(spaces or ",".join(available), (*lab.ALL_SPACES, SEMANTIC), "--spaces")
    meanings = word_meanings() if SEMANTIC in chosen else None
    chosen = tuple(name for name in chosen if name != SEMANTIC) or (TERMS,)
    check_library()
    web = open_web(directory)
    with bar("Pages") as update:
        pages = read_pages(web, web.labels(), chosen, update)
    with bar("Portals") as update:
        return lab.study(str(directory), pages, draw, chosen, update, meanings)


def _command_line(findings: "StudyFindings") -> str:
    """Return the command line that repeats the study."""
    draw = findings.draw
    topics = "" if draw.topics is None else f" --topics {draw.topics}"
    return (
        f"lode lab learn {findings.web} --examples {','.join(map(str, draw.examples))} --portals "
        f"{','.join(draw.kinds)} --repeat {draw.repeat} --least {draw.least}{topics} --spaces "
        f"{','.join(findings.spaces)} --seed {draw.seed}"
    )


def _show_sheets(findings: "StudyFindings") -> None:
    from motherlode.lab.learned.tables import sheets  # noqa: PLC0415 - loaded only to learn

    for number, sheet in enumerate(sheets(findings)):
        click.echo(f"{'' if number == 0 else chr(10)}{sheet.title}")
        table = TextTable(*sheet.headings)
        for row in sheet.rows:
            table.add(*row)
        table.show()
