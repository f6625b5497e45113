"""`lode cluster`: clusters of a topic's pages, and topics made of them."""

from pathlib import Path

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.training import ClusterRequest
from motherlode.app.services.portals.hints import train_command
from motherlode.app.services.topics.clusters import ClusterResult, cluster_directory
from motherlode.app.text import count
from motherlode.records.shell_words import shell_word
from motherlode.training.clusters import Cluster

_CENTRAL_PAGES_SHOWN = 3  # of each cluster


@click.command("cluster")
@portal_argument
@request_options(ClusterRequest)
@json_option
def command(directory: Path, request: ClusterRequest, *, as_json: bool) -> None:
    """Show the clusters of a topic of DIR: groups of pages that share words.

    \b
    lode cluster birds --topic owls
    lode cluster birds --topic owls --k 4 --seed 7
    lode cluster birds --topic owls --apply

    With --apply each cluster becomes a subtopic, named after its words, with its most central pages
    as examples. Then 'lode topics' can rename it, and 'lode train' learns it and judges all pages
    again.
    """
    result = cluster_directory(directory, request)
    if as_json:
        show_json(result)
    else:
        _show(result, directory)


def _show(result: ClusterResult, directory: Path) -> None:
    clustering = result.clustering
    how = "the number with the least impurity" if clustering.chosen else "as set with --k"
    parts = f"{count(clustering.pages, 'page')} in {count(len(clustering.clusters), 'cluster')}"
    click.echo(f"{harmless(clustering.topic)}: {parts}, {how}\n")
    for cluster in clustering.clusters:
        _show_cluster(cluster)
    if result.topics:
        _show_made(result, directory)
    elif len(clustering.clusters) > 1:
        click.echo("Next: the same command with --apply makes topics of the clusters.")


def _show_made(result: ClusterResult, directory: Path) -> None:
    train, topics = train_command(directory), f"lode topics {shell_word(str(directory))}"
    made = count(len(result.topics), "topic")
    click.echo(f"Made {made}, not trained yet: pages are judged at the next training.")
    for path, cluster in zip(result.topics, result.clustering.clusters, strict=True):
        examples = count(len(cluster.pages), "example")
        click.echo(
            f"  {harmless(path)}: {examples}, of {count(cluster.size, 'page')} in the cluster"
        )
    click.echo(f"Next: {train}, or {topics} to rename topics first.")


def _show_cluster(cluster: Cluster) -> None:
    name = click.style(harmless(cluster.name), bold=True)
    named = cluster.name.split(", ")
    more = harmless(", ".join(word for word in cluster.words if word not in named))
    click.echo(f"{name}: {count(cluster.size, 'page')}{f' ({more})' if more else ''}")
    for page in cluster.pages[:_CENTRAL_PAGES_SHOWN]:
        click.echo(f"  {page.cosine:.2f}  {harmless(page.title[:80] or '-')}  {harmless(page.url)}")
    click.echo()
