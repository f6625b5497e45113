"""`lode topics`: the tree with its examples, and its edits."""

import shlex
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import count, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.treeview import show_tree, tree_json
from motherlode.app.services import topics as edits
from motherlode.app.services.topics import Edit, Edited, editing
from motherlode.portal import Portal
from motherlode.records import UsageError
from motherlode.store import topics as topic_rows
from motherlode.store.marks import standing_marks
from motherlode.topics import TopicTree


class _OptionsAfterDirectory(click.Group):
    """Click wants a group's options before its argument; people write `lode topics DIR --json`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options: list[str] = []
        rest = args[1:]
        while args and not args[0].startswith("-") and rest and rest[0].startswith("-"):
            taken = 2 if rest[0] == "--set" else 1
            options, rest = options + rest[:taken], rest[taken:]
        return super().parse_args(ctx, [*options, *args[:1], *rest])


@click.group("topics", cls=_OptionsAfterDirectory, invoke_without_command=True)
@portal_argument
@set_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Show every example of every topic.")
@click.pass_context
def command(
    ctx: click.Context,
    directory: Path,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
    everything: bool,
) -> None:
    """Show the topic tree of the portal DIR with its examples, or edit it.

    \b
    lode topics physics
    lode topics physics add quantum/optics
    lode topics physics example quantum/optics https://optics.example/
    lode topics physics rename quantum "quantum physics"
    """
    ctx.obj = (directory, overrides)
    if ctx.invoked_subcommand is not None:
        if as_json or everything:
            raise UsageError("--json and --all show the tree; leave them out when editing it.")
        return
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
        marks = len(standing_marks(session))
    if as_json:
        show_json(tree_json(tree, examples))
    else:
        show_tree(portal.title, tree, examples, everything=everything)
        if marks:  # pages are learned from, or not, that are not listed so here
            click.echo(
                f"\n{count(marks, 'mark')} besides; 'lode mark {shlex.quote(str(directory))}' lists them."
            )


def _edit(function: Callable[..., Edited]) -> Callable[..., None]:
    """Run an edit inside a transaction, then say what it did."""

    def run(
        place: tuple[Path, tuple[str, ...]], /, overrides: tuple[str, ...], *, as_json: bool, **given: Any
    ) -> None:
        directory, earlier = place
        with editing(directory, "lode topics", (*earlier, *overrides)) as edit:
            edited = function(edit, **given)
        if as_json:
            show_json({"done": edited.done} | ({"undo": edited.undo} if edited.undo else {}))
        else:
            click.echo(edited.done)

    update_wrapper(run, function)
    return set_option(json_option(click.pass_obj(run)))


@command.command("add")
@click.argument("topic")
@_edit
def add(edit: Edit, topic: str) -> Edited:
    """Add the topic TOPIC, such as physics or science/physics."""
    return edits.add(edit, topic)


@command.command("rename")
@click.argument("topic")
@click.argument("name")
@_edit
def rename(edit: Edit, topic: str, name: str) -> Edited:
    """Give TOPIC another NAME, where it is."""
    return edits.rename(edit, topic, name)


@command.command("move")
@click.argument("topic")
@click.argument("parent")
@_edit
def move(edit: Edit, topic: str, parent: str) -> Edited:
    """Put TOPIC, with all below it, under PARENT; / is the root."""
    return edits.move(edit, topic, parent)


@command.command("remove")
@click.argument("topic")
@_edit
def remove(edit: Edit, topic: str) -> Edited:
    """Remove TOPIC with all below it; pages judged into it go to its parent. 'restore' undoes it."""
    return edits.remove(edit, topic)


@command.command("restore")
@click.argument("undo", metavar="[ID]", default="")
@_edit
def restore(edit: Edit, undo: str) -> Edited:
    """Bring back the topics that were removed last, or by ID, with their examples."""
    return edits.put_back(edit, undo)


@command.command("example")
@click.argument("topic")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--remove", "removing", is_flag=True, help="Take the URLs out instead.")
@_edit
def example(edit: Edit, topic: str, urls: tuple[str, ...], *, removing: bool) -> Edited:
    """Add the pages URL... to the examples of TOPIC, or take them out."""
    return (edits.take_examples if removing else edits.give_examples)(edit, topic, urls)
