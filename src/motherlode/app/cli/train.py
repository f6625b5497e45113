"""`lode train`: learn a portal's topics from their examples."""

from pathlib import Path
from time import time

import click
from msgspec import Struct

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import Table
from motherlode.engine.equipment import manner_of, user_agent
from motherlode.engine.examples import fetch_examples, missing_examples
from motherlode.engine.reading import Readers
from motherlode.engine.training import KIND, Lore, fit, judge_stored, report_on, syllabus_of
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.loops import run
from motherlode.learning.tree import VERSION
from motherlode.portal import Portal
from motherlode.records import BadInputError, Model, ModelId
from motherlode.store import ledger

_CONFUSIONS = 3


class Trained(Struct, frozen=True):
    """What was learned, and from what."""

    model: int
    setting: str
    spaces: tuple[str, ...]
    rule: str
    fetched: int
    missing: list[str]
    others: dict[int, int]
    note: str
    topics: list[Lore]
    judged: int


@click.command("train")
@portal_argument
@click.option("--offline", is_flag=True, help="Fetch nothing; learn from what the store has.")
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], *, offline: bool, as_json: bool) -> None:
    """Learn the topics of DIR from their examples, and judge every page that is there.

    Examples that were never fetched are fetched first. For each topic it tells from how many examples and
    by how many features it was learned, how good that is by xi-alpha's estimate, which terms speak for it,
    and where its examples go if they are left out of the training.
    """
    with Portal.crawling(directory, "train", overrides) as portal:
        fetched = 0 if offline or not missing_examples(portal) else run(_fetched(portal))
        trained = _train(portal, fetched)
    if as_json:
        show_json(trained)
    else:
        _show(trained, directory)


async def _fetched(portal: Portal) -> int:
    config = portal.config
    async with (
        HttpWeb(config.network, user_agent(config), config.dns) as web,
        Readers(manner_of(config), config.reading) as readers,
    ):
        return await fetch_examples(portal, web, readers.read)


def _train(portal: Portal, fetched: int) -> Trained:
    options = portal.config.learning
    tree = portal.tree()
    with portal.store.reading() as session:
        syllabus = syllabus_of(session, tree, options)
    if not syllabus.lessons:
        raise BadInputError(
            f"There is nothing to learn from: of {count(len(syllabus.missing), 'example')} none was fetched."
            if syllabus.missing
            else "There is nothing to learn from: no topic has an example ('lode topics DIR example')."
        )
    classifier = fit(syllabus, options)
    if not any(classifier.groups_.values()):
        raise BadInputError(
            "There is nothing to tell the topic from: add another topic, or counterexamples under OTHERS."
            + (f" {syllabus.wordless}" if syllabus.wordless else "")
        )
    report = report_on(classifier, syllabus, tree, options)
    with portal.batch() as session:
        model = Model(
            ModelId(0),
            KIND,
            VERSION,
            time(),
            classifier.pack(),
            {"examples": {one.path: one.examples for one in report}},
        )
        kept = ledger.keep_model(session, model)
        judged = judge_stored(session, classifier, kept.id)
    return Trained(
        kept.id,
        options.setting,
        options.spaces,
        options.rule,
        fetched,
        [one.url or one.title for one in syllabus.missing],
        {parent: len(found) for parent, found in syllabus.others.items()},
        syllabus.wordless,
        report,
        judged,
    )


def _show(trained: Trained, directory: Path) -> None:
    if trained.fetched:
        click.echo(f"Fetched {count(trained.fetched, 'example')}.")
    if trained.missing:
        shown = ", ".join(harmless(one) for one in trained.missing[:3])
        more = f" and {len(trained.missing) - 3:,} more" if len(trained.missing) > 3 else ""  # noqa: PLR2004
        click.echo(f"{count(len(trained.missing), 'example')} could not be had: {shown}{more}")
    if trained.note:
        click.echo(f"There is no common vocabulary to tell topics from: {trained.note}")
    told = f"{trained.others.get(1, 0):,} counterexamples at the root"
    click.echo(f"Model {trained.model}, in the space of {', '.join(trained.spaces)}; {told}.\n")
    table = Table("topic", "examples", "features", "precision", "recall", "found again")
    for one in trained.topics:
        space = max(one.precision, key=lambda name: one.precision[name])
        table.add(
            one.path,
            one.examples,
            one.features[space],
            f"{one.precision[space]:.2f}",
            f"{one.recall[space]:.2f}",
            _found_again(one),
        )
    table.show()
    click.echo(
        "\nPrecision and recall are what xi-alpha expects, on the safe side; examples that are left out "
        "of the training are found again as often as the last column says, and go to:\n"
    )
    for one in trained.topics:
        click.echo(f"{harmless(one.path)}: {harmless(', '.join(one.terms)) or 'no terms'}")
        if one.confusions:
            went = sorted(one.confusions.items(), key=lambda pair: (-pair[1], pair[0]))[:_CONFUSIONS]
            click.echo("  " + ", ".join(f"{number:,} to {harmless(name)}" for name, number in went))
    click.echo(f"\nJudged {count(trained.judged, 'page')}. Next: lode judge {directory} URL")


def _found_again(one: Lore) -> str:
    """How many of a topic's examples find back to it, or below it, if the training leaves them out."""
    back = sum(number for name, number in one.confusions.items() if f"{name}/".startswith(f"{one.path}/"))
    left = sum(one.confusions.values())
    return f"{back:,} of {left:,}" if left else "-"
