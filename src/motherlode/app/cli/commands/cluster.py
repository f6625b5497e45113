"""`lode cluster`: what the pages of a topic fall into, and topics made of that."""

import shlex
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.portal import Portal
from motherlode.portal.directory import plant_into
from motherlode.records import BadInputError, Topic, TopicError, UsageError
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree, clean_name, parse_path, plant_found, show_path
from motherlode.training.clusters import CENTRAL, PAGES, Cluster, Clustering, Wanted, clusters_of

_SHOWN = 3  # central pages of each cluster


class Applied(Struct, frozen=True):
    """The clusters, and what was made of them; nothing, where that was not asked for."""

    clustering: Clustering
    topics: list[str]
    examples: int


@click.command("cluster")
@portal_argument
@click.option("--topic", required=True, help="The topic, such as science/physics; / is all of them.")
@click.option(
    "--k", type=click.IntRange(1, 1_000), help="How many clusters; else as many as are least mixed."
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Chance begins here; the same seed gives the same clusters.",
)
@click.option(
    "--pages",
    type=click.IntRange(2),
    default=PAGES,
    show_default=True,
    help="How many pages of the topic, the surest, to look at.",
)
@click.option(
    "--central",
    type=click.IntRange(1),
    default=CENTRAL,
    show_default=True,
    help="How many central pages of a cluster become examples.",
)
@click.option("--apply", "applying", is_flag=True, help="Make each cluster a topic below TOPIC.")
@set_option
@json_option
def command(
    directory: Path, topic: str, overrides: tuple[str, ...], *, applying: bool, as_json: bool, **given: Any
) -> None:
    """Show what the pages of a topic of DIR fall into: clusters, by the words that they share.

    \b
    lode cluster birds --topic owls
    lode cluster birds --topic owls --k 4 --seed 7
    lode cluster birds --topic owls --apply

    With --apply each cluster becomes a topic below, named after its words, with its most central pages as
    examples; 'lode topics' renames it, and 'lode train' learns it and judges all pages anew.
    """
    wanted = Wanted(given["k"], given["seed"], given["pages"], given["central"])
    if applying:
        with (
            Portal.writing(directory, "lode cluster", overrides) as portal,
            portal.store.writing() as session,
        ):
            tree = TopicTree(topic_rows.all_topics(session))
            found = _divisible(tree, _named(tree, topic))
            clustering = clusters_of(session, tree, found.id, wanted)
            paths = _paths(tree, found, clustering)
            pages = [[(page.url, page.title) for page in one.pages] for one in clustering.clusters]
            examples = plant_into(session, plant_found(zip(paths, pages, strict=True)))
        told = Applied(clustering, [show_path(path) for path in paths], examples)
    else:
        with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            told = Applied(clusters_of(session, tree, _named(tree, topic).id, wanted), [], 0)
    if as_json:
        show_json(told)
    else:
        _show(told, shlex.quote(str(directory)))


def _named(tree: TopicTree, topic: str) -> Topic:
    found = tree.at(parse_path(topic))
    if found.is_others:
        raise UsageError("OTHERS is where pages go that no topic wants; name a topic.")
    return found


def _divisible(tree: TopicTree, topic: Topic) -> Topic:
    """Topics beside those that a person made would take pages from them, so there must be none."""
    below = [one.name for one in tree.children(topic.id) if not one.is_others]
    if below:
        path = show_path(tree.path(topic.id))
        raise TopicError(f"'{path}' has topics already, such as '{below[0]}'; name one without any.")
    return topic


def _paths(tree: TopicTree, topic: Topic, clustering: Clustering) -> list[tuple[str, ...]]:
    if len(clustering.clusters) == 1:
        raise BadInputError(
            f"The pages of '{clustering.topic}' are all of one kind; --k 2 divides them nevertheless."
        )
    return [(*tree.path(topic.id), clean_name(one.name)) for one in clustering.clusters]


def _show(told: Applied, where: str) -> None:
    found = told.clustering
    how = "the number that is least mixed" if found.chosen else "as many as you asked for"
    parts = f"{count(found.pages, 'page')} in {count(len(found.clusters), 'cluster')}"
    click.echo(f"{harmless(found.topic)}: {parts}, {how}\n")
    for one in found.clusters:
        _show_cluster(one)
    if told.topics:
        made = f"{count(len(told.topics), 'topic')} with {count(told.examples, 'example')}"
        click.echo(f"Made {made}. Next: lode topics {where}, or lode train {where}")
    elif len(found.clusters) > 1:
        click.echo("Next: the same with --apply makes topics of them.")


def _show_cluster(one: Cluster) -> None:
    name = click.style(harmless(one.name), bold=True)
    more = harmless(", ".join(one.words[2:]))
    click.echo(f"{name}: {count(one.size, 'page')}{f' ({more})' if more else ''}")
    for page in one.pages[:_SHOWN]:
        click.echo(f"  {page.cosine:.2f}  {harmless(page.title[:80] or '-')}  {harmless(page.url)}")
    click.echo()
