"""`lode topics`: show the topic tree with its examples, and edit it."""

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import (
    OptionsAfterDirectory,
    harmless,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.cli.treeview import show_tree, tree_json
from motherlode.app.services.topics import edits
from motherlode.app.services.topics.edits import TopicEdit, TopicEditor, open_editor
from motherlode.app.services.topics.trees import tree_of
from motherlode.app.text import count
from motherlode.records import UsageError
from motherlode.records.shell_words import shell_word
from motherlode.topics import show_path


@click.group("topics", cls=OptionsAfterDirectory, invoke_without_command=True)
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
    portal = tree_of(directory, overrides)
    if as_json:
        show_json(tree_json(portal.tree, portal.examples))
        return
    show_tree(portal.title, portal.tree, portal.examples, everything=everything)
    place = shell_word(str(directory))
    for topic in sorted(portal.untrained):
        path = harmless(show_path(portal.tree.path(topic)))
        click.echo(f"\n'{path}' is not trained yet: its pages are judged at the next training.")
    if portal.untrained:
        from motherlode.app.services.portals.hints import (  # noqa: PLC0415 - slow to import
            suggest_writing,
            train_command,
        )

        click.echo(suggest_writing(directory, train_command(directory)))
    if portal.marks:  # marked pages are training documents, too, and are not in the tree
        click.echo(f"\n{count(portal.marks, 'mark')} besides; 'lode mark {place}' lists them.")


def _edit(function: Callable[..., TopicEdit]) -> Callable[..., None]:
    """Run an edit in a transaction, and print what it did."""

    def run(
        place: tuple[Path, tuple[str, ...]],
        /,
        overrides: tuple[str, ...],
        *,
        as_json: bool,
        **arguments: Any,
    ) -> None:
        directory, earlier = place
        with open_editor(directory, "lode topics", (*earlier, *overrides)) as editor:
            edited = function(editor, **arguments)
        if as_json:
            show_json({"done": edited.sentence} | ({"undo": edited.undo} if edited.undo else {}))
        else:
            click.echo(edited.sentence)

    update_wrapper(run, function)
    return set_option(json_option(click.pass_obj(run)))


@command.command("add")
@click.argument("topic")
@_edit
def add(editor: TopicEditor, topic: str) -> TopicEdit:
    """Add the topic TOPIC, such as physics or science/physics."""
    return edits.add(editor, topic)


@command.command("rename")
@click.argument("topic")
@click.argument("name")
@_edit
def rename(editor: TopicEditor, topic: str, name: str) -> TopicEdit:
    """Give TOPIC another NAME, where it is."""
    return edits.rename(editor, topic, name)


@command.command("move")
@click.argument("topic")
@click.argument("parent")
@_edit
def move(editor: TopicEditor, topic: str, parent: str) -> TopicEdit:
    """Put TOPIC, with all below it, under PARENT; / is the root."""
    return edits.move(editor, topic, parent)


@command.command("remove")
@click.argument("topic")
@_edit
def remove(editor: TopicEditor, topic: str) -> TopicEdit:
    """Remove TOPIC with all below it; its pages go to its parent. 'restore' undoes it."""
    return edits.remove(editor, topic)


@command.command("restore")
@click.argument("undo", metavar="[ID]", default="")
@_edit
def restore(editor: TopicEditor, undo: str) -> TopicEdit:
    """Bring back the topics that were removed last, or by ID, with their examples."""
    return edits.undo_removal(editor, undo)


@command.command("example")
@click.argument("topic")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--remove", "removing", is_flag=True, help="Take the URLs out instead.")
@_edit
def example(editor: TopicEditor, topic: str, urls: tuple[str, ...], *, removing: bool) -> TopicEdit:
    """Add the pages URL... to the examples of TOPIC, or take them out."""
    return (edits.remove_examples if removing else edits.add_examples)(editor, topic, urls)
