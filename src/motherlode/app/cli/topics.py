"""`lode topics`: the tree with its examples, and its edits."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from time import time
from typing import Any

import click

from motherlode.app.cli.common import count, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.treeview import show_tree, tree_json
from motherlode.portal import Portal
from motherlode.portal.directory import plant_into
from motherlode.records import TopicError, TopicId, UsageError
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.marks import give_marks, standing_marks
from motherlode.topics import (
    TopicTree,
    clean_name,
    parse_path,
    plant_seeds,
    show_path,
)
from motherlode.urls import canonical


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


@dataclass(frozen=True, slots=True)
class _Edit:
    """What an edit works with: one transaction on a locked portal."""

    portal: Portal
    session: Session
    tree: TopicTree


def _edit(function: Callable[..., str]) -> Callable[..., None]:
    """Run an edit inside a transaction, then say what it did."""

    def run(
        place: tuple[Path, tuple[str, ...]], /, overrides: tuple[str, ...], *, as_json: bool, **given: Any
    ) -> None:
        directory, earlier = place
        with (
            Portal.writing(directory, "lode topics", (*earlier, *overrides)) as portal,
            portal.store.writing() as session,
        ):
            tree = TopicTree(topic_rows.all_topics(session))
            done = function(_Edit(portal, session, tree), **given)
        if as_json:
            show_json({"done": done})
        else:
            click.echo(done)

    update_wrapper(run, function)
    return set_option(json_option(click.pass_obj(run)))


@command.command("add")
@click.argument("topic")
@_edit
def add(edit: _Edit, topic: str) -> str:
    """Add the topic TOPIC, such as physics or science/physics."""
    path = parse_path(topic)
    if edit.tree.find(path) is not None:
        raise TopicError(f"There is a topic '{show_path(path)}' already.")
    plant_into(edit.session, plant_seeds([(path, [])], edit.portal.config.urls))
    return f"Added '{show_path(path)}'."


@command.command("rename")
@click.argument("topic")
@click.argument("name")
@_edit
def rename(edit: _Edit, topic: str, name: str) -> str:
    """Give TOPIC another NAME, where it is."""
    if "/" in name:
        raise UsageError("A name has no '/'; 'move' puts a topic elsewhere.")
    found, name = edit.tree.at(parse_path(topic)), clean_name(name)
    edit.tree.check_rename(found, name)
    topic_rows.rename_topic(edit.session, found.id, name)
    return f"Renamed '{topic}' to '{name}'."


@command.command("move")
@click.argument("topic")
@click.argument("parent")
@_edit
def move(edit: _Edit, topic: str, parent: str) -> str:
    """Put TOPIC, with all below it, under PARENT; / is the root."""
    found, goal = edit.tree.at(parse_path(topic)), edit.tree.at(parse_path(parent))
    edit.tree.check_move(found, goal)
    topic_rows.move_topic(edit.session, found.id, goal.id)
    return f"Moved '{topic}' to '{show_path((*edit.tree.path(goal.id), found.name))}'."


@command.command("remove")
@click.argument("topic")
@_edit
def remove(edit: _Edit, topic: str) -> str:
    """Remove TOPIC with all below it; pages judged into it go to its parent."""
    found = edit.tree.at(parse_path(topic))
    heir = edit.tree.check_remove(found)
    doomed = edit.tree.descendants(found.id)
    topic_rows.remove_topics(edit.session, doomed, heir)
    more = f" with {count(len(doomed) - 1, 'topic')} below it" if len(doomed) > 1 else ""
    return f"Removed '{topic}'{more}."


@command.command("example")
@click.argument("topic")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--remove", "removing", is_flag=True, help="Take the URLs out instead.")
@_edit
def example(edit: _Edit, topic: str, urls: tuple[str, ...], *, removing: bool) -> str:
    """Add the pages URL... to the examples of TOPIC, or take them out."""
    path = parse_path(topic)
    found, rules = edit.tree.at(path), edit.portal.config.urls
    if not removing:
        added = plant_into(edit.session, plant_seeds([(path, list(urls))], rules))
        _withdraw_marks(edit, found.id, [canonical(url, rules=rules) for url in urls])
        return f"Added {count(added, 'example')} to '{show_path(path)}'."
    for url in (canonical(url, rules=rules) for url in urls):
        if not topic_rows.remove_example(edit.session, found.id, url):
            raise TopicError(f"{url} is not an example of '{show_path(path)}'.")
    return f"Took {count(len(urls), 'example')} out of '{show_path(path)}'."


def _withdraw_marks(edit: _Edit, topic: TopicId, urls: list[str]) -> None:
    """What was marked bad for a topic, or dropped, and is named as its example now, is one."""
    if not standing_marks(edit.session):
        return
    from motherlode.engine.marking import withdrawn  # noqa: PLC0415 - loads much that other edits do not need

    give_marks(edit.session, withdrawn(edit.session, edit.tree, urls, topic, time()))
