"""`lode train`: learn a portal's topics from their examples."""

import shlex
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.cli.commands.index import progress
from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.effects import show_effect, show_moves
from motherlode.app.cli.interrupting import INTERRUPTED
from motherlode.app.cli.tables import Table
from motherlode.crawl.context import Company
from motherlode.crawl.counters import Tally
from motherlode.crawl.fetcher_setup import manner_of, user_agent
from motherlode.crawl.preparation import fetch_examples, unfetched
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.loops import run
from motherlode.policies.bingo.relearning import Relearned, Wanted, keep_relearned, relearn
from motherlode.portal import Portal
from motherlode.records import TopicId
from motherlode.search.last_search import ResultSet
from motherlode.training.report import Lore, report_on
from motherlode.training.review import Effect
from motherlode.training.training_set import Missing
from motherlode.workers.fork_client import early_fork_server
from motherlode.workers.worker_pool import ProcessWorkerPool

_CONFUSIONS = 3
_SHOWN = 3  # examples that teach nothing


class Lost(Struct, frozen=True):
    """An example that taught nothing, and why."""

    example: str
    why: str


class Trained(Struct, frozen=True):
    """What was learned, and from what."""

    model: int
    setting: str
    spaces: tuple[str, ...]
    rule: str
    semantic: bool  # whether it counts what words mean
    fetched: int
    missing: list[Lost]
    others: dict[str, int]  # how many counterexamples below each parent
    note: str
    topics: list[Lore]
    judged: int
    effect: Effect  # what moved


@click.command("train")
@portal_argument
@click.option("--offline", is_flag=True, help="Fetch nothing; learn from what the store has.")
@click.option("--preview", is_flag=True, help="Fetch and keep nothing; show what would move.")
@click.option("--results", is_flag=True, help="Judge only what the last search finds, and show its order.")
@set_option
@json_option
def command(
    directory: Path,
    overrides: tuple[str, ...],
    *,
    offline: bool,
    preview: bool,
    results: bool,
    as_json: bool,
) -> None:
    """Learn the topics of DIR from their examples and marks, and judge every page that is there.

    Examples that were never fetched are fetched first. For each topic it tells from how many examples and
    by how many features it was learned, how good that is by xi-alpha's estimate, which terms speak for it,
    and where its examples go if they are left out of the training; then, which pages go elsewhere.
    """
    if preview:
        _preview(directory, overrides, results=results, as_json=as_json)
        return
    try:
        with early_fork_server(), Portal.crawling(directory, "train", overrides) as portal:
            fetched = 0 if offline or not unfetched(portal) else run(_fetched(portal))
            trained = _train(portal, fetched, offline=offline, results=results)
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted; 'lode train {directory}' begins anew, with what was fetched.", err=True)
        click.get_current_context().exit(INTERRUPTED)
    if as_json:
        show_json(trained)
    else:
        _show(trained, directory)


async def _fetched(portal: Portal) -> int:
    config = portal.config
    async with (
        HttpWeb(config.network, user_agent(config), config.dns) as web,
        ProcessWorkerPool(manner_of(config), config.reading) as workers,
    ):
        tally = Tally()
        fetched = await fetch_examples(portal, web, company=Company(workers, tally=tally))
    for words in tally.advice:
        click.echo(words, err=True)
    return fetched


def _preview(directory: Path, overrides: tuple[str, ...], *, results: bool, as_json: bool) -> None:
    with Portal.reading(directory, overrides) as portal:
        found = _relearned(portal, offline=True, results=results)
    if as_json:
        show_json(found.effect)
        return
    click.echo("Learning anew would change this; nothing of it was kept.\n")
    show_effect(found.effect)
    click.echo(f"\nNext: lode train {shlex.quote(str(directory))}{' --results' if results else ''}")


def _relearned(portal: Portal, *, offline: bool, results: bool) -> Relearned:
    with portal.store.reading() as session:
        tree = portal.tree()
        found = ResultSet(portal, session, tree) if results else None
        wanted = Wanted(only=found.pages if found else None, offline=offline, told=progress("Judging"))
        learned = relearn(session, tree, portal.config, wanted)
        if found is None:
            return learned
        order = found.order(dict(learned.thoughts))
        return replace(learned, effect=replace(learned.effect, order=order))


def _train(portal: Portal, fetched: int, *, offline: bool, results: bool) -> Trained:
    options, tree = portal.config.learning, portal.tree()
    found = _relearned(portal, offline=offline, results=results)
    syllabus = found.syllabus
    report = report_on(found.classifier, syllabus, tree, options)
    model = keep_relearned(portal, found, {"examples": {one.path: one.examples for one in report}})
    return Trained(
        model,
        options.setting,
        options.spaces,
        options.rule,
        syllabus.meanings is not None,
        fetched,
        [_lost(one) for one in syllabus.missing],
        {"/".join(tree.path(TopicId(at))) or "/": len(one.documents) for at, one in syllabus.others.items()},
        syllabus.wordless,
        report,
        len(found.thoughts.pages),
        found.effect,
    )


def _lost(one: Missing) -> Lost:
    return Lost(one.example.url or one.example.title, one.why)


def _show(trained: Trained, directory: Path) -> None:
    if trained.fetched:
        click.echo(f"Fetched {count(trained.fetched, 'example')}.")
    if trained.missing:
        shown = [f"  {one.example}: {one.why}" for one in trained.missing[:_SHOWN]]
        more = [f"  and {len(trained.missing) - _SHOWN:,} more"] if len(trained.missing) > _SHOWN else []
        click.echo(f"{count(len(trained.missing), 'example')} taught nothing:")
        click.echo("\n".join(map(harmless, shown + more)))
    if trained.note:
        click.echo(f"There is no common vocabulary to tell topics from: {harmless(trained.note)}")
    told = f"{count(trained.others.get('/', 0), 'counterexample')} at the root"
    known = " What words mean counts, too." if trained.semantic else ""
    click.echo(f"Model {trained.model}, in the space of {', '.join(trained.spaces)}; {told}.{known}\n")
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
        "\nPrecision and recall are what xi-alpha expects of pages like those of the training; the Web has "
        "others. Left out of it, examples are found again as often as the last column says, and go to:\n"
    )
    for one in trained.topics:
        click.echo(f"{harmless(one.path)}: {harmless(', '.join(one.terms)) or 'no terms'}")
        if one.confusions:
            went = sorted(one.confusions.items(), key=lambda pair: (-pair[1], pair[0]))[:_CONFUSIONS]
            click.echo("  " + ", ".join(f"{number:,} to {harmless(name)}" for name, number in went))
    if not trained.effect.is_first:
        click.echo()
        show_moves(trained.effect, "went")
    click.echo(f"\nJudged {count(trained.judged, 'page')}. Next: lode judge {directory} URL")


def _found_again(one: Lore) -> str:
    """How many of a topic's examples find back to it, or below it, if the training leaves them out."""
    back = sum(number for name, number in one.confusions.items() if f"{name}/".startswith(f"{one.path}/"))
    left = sum(one.confusions.values())
    return f"{back:,} of {left:,}" if left else "-"
