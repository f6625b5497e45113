"""`lode demo`: the main job end to end, on this machine alone."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import mkdtemp

import click

from motherlode.app.cli.common import count, json_option, set_option, show_json
from motherlode.app.cli.treeview import show_tree, tree_json
from motherlode.portal import Portal, create_portal
from motherlode.portal.reading import parse_override, rules_in
from motherlode.sources.bookmarks import read_bookmarks
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree, plant


@click.command("demo")
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep the portal in DIR; else it is removed at the end.",
)
@set_option
@json_option
def command(keep: Path | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Make a portal from a bundled bookmark file and show its topic tree."""
    chosen = dict(parse_override(override) for override in overrides)
    workshop = Path(mkdtemp(prefix="lode-demo-"))
    directory = keep or workshop / "demo"
    try:
        with as_file(files("motherlode.app") / "demo" / "bookmarks.html") as bookmarks:
            planting = plant(read_bookmarks(bookmarks), "demo", rules_in(chosen))
        create_portal(directory, planting, chosen)
        with Portal.reading(directory) as portal, portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            examples = topic_rows.examples_of(session)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    if as_json:
        show_json(tree_json(tree, examples))
        return
    click.echo(f"Read a bookmark file and made a portal of {count(len(tree), 'topic')} from its folders.\n")
    show_tree("demo", tree, examples, everything=True)
    click.echo("\nTry your own: lode new physics --bookmarks bookmarks.html")
