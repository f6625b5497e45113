"""Print a topic tree, or return it as JSON."""

from collections.abc import Iterable, Mapping
from textwrap import shorten
from typing import Any

import click

from motherlode.app.cli.common import harmless
from motherlode.app.text import count
from motherlode.records import ROOT, Example, Origin, Topic, TopicId
from motherlode.records.example_counts import ExampleCounts, count_examples
from motherlode.topics import TopicTree, show_path

MAX_EXAMPLES_SHOWN = 5  # of a topic, unless all are wanted
MAX_TEXT_CHARS = 120  # of a query or a title


def tree_json(tree: TopicTree, examples: Iterable[Example]) -> dict[str, Any]:
    """Return the tree from its root down, each topic with its own examples."""
    return _topic_json(tree, tree[ROOT], _by_topic(examples))


def show_tree(
    title: str, tree: TopicTree, examples: Iterable[Example], *, everything: bool
) -> None:
    """Print the tree with the first examples of each topic, or with all."""
    by_topic = _by_topic(examples)
    total = count_examples(example for listed in by_topic.values() for example in listed)
    click.echo(f"{click.style(harmless(title), bold=True)}: {count_topics(tree)}, {total.text()}")
    shown = None if everything else MAX_EXAMPLES_SHOWN
    _show_below(tree, ROOT, by_topic, "", shown)


def _show_below(
    tree: TopicTree,
    topic: TopicId,
    examples: dict[TopicId, list[Example]],
    indent: str,
    shown: int | None,
) -> None:
    listed = examples.get(topic, [])
    visible = listed if shown is None else listed[:shown]
    lines = [_example_line(example) for example in visible]
    if len(listed) > len(visible):
        lines.append(click.style(f"and {len(listed) - len(visible)} more", dim=True))
    children = tree.children(topic)
    last = len(lines) + len(children) - 1
    for place, line in enumerate(lines):
        click.echo(f"{indent}{'└─' if place == last else '├─'} {line}")
    for place, child in enumerate(children, start=len(lines)):
        branch, rail = ("└─", "   ") if place == last else ("├─", "│  ")
        click.echo(
            f"{indent}{branch} {_topic_line(child, count_examples(examples.get(child.id, ())))}"
        )
        _show_below(tree, child.id, examples, indent + rail, shown)


def show_counts(title: str, tree: TopicTree, pages: Mapping[TopicId, int]) -> None:
    """Print the tree with the number of pages on each topic."""
    total = sum(number for topic, number in pages.items() if topic != ROOT)
    click.echo(
        f"{click.style(harmless(title), bold=True)}: {count(total, 'page')} on {count_topics(tree)}"
    )
    _show_counts_below(tree, ROOT, pages, "")


def count_topics(tree: TopicTree) -> str:
    """Return the number of topics as a text; OTHERS does not count."""
    return count(sum(not topic.is_others for topic in tree), "topic")


def _show_counts_below(
    tree: TopicTree, topic: TopicId, pages: Mapping[TopicId, int], indent: str
) -> None:
    children = [child for child in tree.children(topic) if not child.is_others]
    for place, child in enumerate(children):
        branch, rail = ("└─", "   ") if place == len(children) - 1 else ("├─", "│  ")
        name = click.style(harmless(child.name), fg="cyan", bold=True)
        click.echo(f"{indent}{branch} {name} ({count(pages.get(child.id, 0), 'page')})")
        _show_counts_below(tree, child.id, pages, indent + rail)


def _topic_line(topic: Topic, examples: ExampleCounts) -> str:
    name = click.style(harmless(topic.name), fg="yellow" if topic.is_others else "cyan", bold=True)
    noun = "counterexample" if topic.is_others else "example"
    return f"{name} ({examples.text(noun) if examples.total else f'no {noun}s'})"


def _example_line(example: Example) -> str:
    if example.url is None:
        text = example.text if example.origin is Origin.QUERY else example.title or example.text
        kind = "(query)" if example.origin is Origin.QUERY else "(document)"
        shown = harmless(shorten(text or "", MAX_TEXT_CHARS, placeholder=" ..."))
        return f'"{shown}" {click.style(kind, dim=True)}'
    title = harmless(example.title)
    line = f"{harmless(example.url)}  {click.style(title, dim=True)}" if title else example.url
    return line if example.origin is Origin.PERSON else f"{line} ({example.origin.value})"


def _by_topic(examples: Iterable[Example]) -> dict[TopicId, list[Example]]:
    by_topic: dict[TopicId, list[Example]] = {}
    for example in examples:
        by_topic.setdefault(example.topic, []).append(example)
    return by_topic


def _topic_json(
    tree: TopicTree, topic: Topic, examples: dict[TopicId, list[Example]]
) -> dict[str, Any]:
    return {
        "path": show_path(tree.path(topic.id)),
        "name": topic.name,
        "others": topic.is_others,
        "examples_from": count_examples(examples.get(topic.id, ())),
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
