"""A topic tree as a person sees it, and as JSON."""

from collections.abc import Iterable, Mapping
from textwrap import shorten
from typing import Any

import click

from motherlode.app.cli.common import count, harmless
from motherlode.records import ROOT, Example, Origin, Topic, TopicId
from motherlode.topics import TopicTree, show_path

_SHOWN = 5  # examples a topic, unless all are asked for
_LONG = 120  # characters of a query or a title


def tree_json(tree: TopicTree, examples: Iterable[Example]) -> dict[str, Any]:
    """The tree from its root down, each topic with its own examples."""
    return _topic_json(tree, tree[ROOT], _by_topic(examples))


def show_tree(title: str, tree: TopicTree, examples: Iterable[Example], *, everything: bool) -> None:
    """The tree with the first of each topic's examples, or all of them."""
    by_topic = _by_topic(examples)
    total = sum(len(own) for own in by_topic.values())
    click.echo(f"{click.style(harmless(title), bold=True)}: {count_topics(tree)}, {count(total, 'example')}")
    shown = None if everything else _SHOWN
    _show_below(tree, ROOT, by_topic, "", shown)


def _show_below(
    tree: TopicTree,
    topic: TopicId,
    examples: dict[TopicId, list[Example]],
    indent: str,
    shown: int | None,
) -> None:
    own = examples.get(topic, [])
    visible = own if shown is None else own[:shown]
    lines = [_example_line(example) for example in visible]
    if len(own) > len(visible):
        lines.append(click.style(f"and {len(own) - len(visible)} more", dim=True))
    children = tree.children(topic)
    last = len(lines) + len(children) - 1
    for place, line in enumerate(lines):
        click.echo(f"{indent}{'└─' if place == last else '├─'} {line}")
    for place, child in enumerate(children, start=len(lines)):
        branch, rail = ("└─", "   ") if place == last else ("├─", "│  ")
        click.echo(f"{indent}{branch} {_topic_line(child, len(examples.get(child.id, [])))}")
        _show_below(tree, child.id, examples, indent + rail, shown)


def show_counts(title: str, tree: TopicTree, pages: Mapping[TopicId, int]) -> None:
    """The tree with how many pages are on each topic."""
    total = sum(number for topic, number in pages.items() if topic != ROOT)
    click.echo(f"{click.style(harmless(title), bold=True)}: {count(total, 'page')} on {count_topics(tree)}")
    _show_counts_below(tree, ROOT, pages, "")


def count_topics(tree: TopicTree) -> str:
    """How many topics there are; OTHERS are none."""
    return count(sum(not topic.is_others for topic in tree), "topic")


def _show_counts_below(tree: TopicTree, topic: TopicId, pages: Mapping[TopicId, int], indent: str) -> None:
    children = [child for child in tree.children(topic) if not child.is_others]
    for place, child in enumerate(children):
        branch, rail = ("└─", "   ") if place == len(children) - 1 else ("├─", "│  ")
        name = click.style(harmless(child.name), fg="cyan", bold=True)
        click.echo(f"{indent}{branch} {name} ({count(pages.get(child.id, 0), 'page')})")
        _show_counts_below(tree, child.id, pages, indent + rail)


def _topic_line(topic: Topic, examples: int) -> str:
    name = click.style(harmless(topic.name), fg="yellow" if topic.is_others else "cyan", bold=True)
    what = "counterexample" if topic.is_others else "example"
    return f"{name} ({count(examples, what) if examples else f'no {what}s'})"


def _example_line(example: Example) -> str:
    if example.url is None:
        said = example.text if example.origin is Origin.QUERY else example.title or example.text
        kind = "(query)" if example.origin is Origin.QUERY else "(document)"
        shown = harmless(shorten(said or "", _LONG, placeholder=" ..."))
        return f'"{shown}" {click.style(kind, dim=True)}'
    title = harmless(example.title)
    line = f"{harmless(example.url)}  {click.style(title, dim=True)}" if title else example.url
    return line if example.origin is Origin.PERSON else f"{line} ({example.origin.value})"


def _by_topic(examples: Iterable[Example]) -> dict[TopicId, list[Example]]:
    by_topic: dict[TopicId, list[Example]] = {}
    for example in examples:
        by_topic.setdefault(example.topic, []).append(example)
    return by_topic


def _topic_json(tree: TopicTree, topic: Topic, examples: dict[TopicId, list[Example]]) -> dict[str, Any]:
    return {
        "path": show_path(tree.path(topic.id)),
        "name": topic.name,
        "others": topic.is_others,
        "examples": [
            {
                "url": example.url,
                "title": example.title,
                "note": example.note,
                "tags": list(example.tags),
                "text": example.text,
                "origin": example.origin.value,
                "added_at": example.added_at,
            }
            for example in examples.get(topic.id, [])
        ],
        "topics": [_topic_json(tree, child, examples) for child in tree.children(topic.id)],
    }
