"""`lode lab learn`: how well topics are learned from few examples."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from motherlode.app.cli.commands.lab.options import json_option, named, numbers, seed_option
from motherlode.app.cli.commands.lab.output import bar, check_targets, write_json
from motherlode.app.cli.commands.sandbox import web_argument
from motherlode.app.cli.tables import Table

if TYPE_CHECKING:
    from motherlode.lab.learned.study import Findings


@click.command("learn")
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
@seed_option("")
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

    check_targets(json_to)
    check_targets(str(markdown_to) if markdown_to else None)
    found = _study(directory, **asked)
    if json_to != "-":
        _show_sheets(found)
    write_json(found, json_to)
    if markdown_to is not None:
        tables.write_markdown(markdown_to, tables.markdown(found, _told_again(found)))


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

    draw = Draw(examples=numbers(examples, "--examples"), kinds=named(portals, KINDS, "--portals"), **limits)
    here = (*lab.ALL_SPACES, SEMANTIC) if meanings_are_here() else lab.ALL_SPACES
    chosen = named(spaces or ",".join(here), (*lab.ALL_SPACES, SEMANTIC), "--spaces")
    meanings = word_meanings() if SEMANTIC in chosen else None
    chosen = tuple(name for name in chosen if name != SEMANTIC) or (TERMS,)
    check_library()
    web = open_web(directory)
    with bar("Pages") as told:
        pages = read_pages(web, web.labels(), chosen, told)
    with bar("Portals") as told:
        return lab.study(str(directory), pages, draw, chosen, told, meanings)


def _told_again(found: "Findings") -> str:
    """The command that finds this again."""
    draw = found.draw
    topics = "" if draw.topics is None else f" --topics {draw.topics}"
    return (
        f"lode lab learn {found.web} --examples {','.join(map(str, draw.examples))} --portals "
        f"{','.join(draw.kinds)} --repeat {draw.repeat} --least {draw.least}{topics} --spaces "
        f"{','.join(found.spaces)} --seed {draw.seed}"
    )


def _show_sheets(found: "Findings") -> None:
    from motherlode.lab.learned.tables import sheets  # noqa: PLC0415 - loaded only to learn

    for place, sheet in enumerate(sheets(found)):
        click.echo(f"{'' if place == 0 else chr(10)}{sheet.title}")
        table = Table(*sheet.headings)
        for row in sheet.rows:
            table.add(*row)
        table.show()
