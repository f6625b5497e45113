"""`lode links`: the hubs and authorities of a topic."""

from pathlib import Path

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import TextTable
from motherlode.app.services.topics.links import TopicLinks, topic_links
from motherlode.app.text import count
from motherlode.training.certainty import certainty_text

_NONE = {
    "authority": "No authority: no links lead from another host to a page on this topic.",
    "hub": "No hub: no links lead from one host to another.",
}


@click.command("links")
@portal_argument
@click.option(
    "--topic", required=True, help="The topic, such as science/physics; / is all of them."
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of hubs and authorities shown.",
)
@set_option
@json_option
def command(
    directory: Path, topic: str, most: int, overrides: tuple[str, ...], *, as_json: bool
) -> None:
    """Show the authorities and hubs of a topic of DIR, by the links between hosts.

    The analysis covers the topic's pages, the pages that they link to, and some of the pages that
    link to them. PageRank is shown for comparison. An authority is a page on the topic; a hub may
    be on any topic. If pages have not been judged yet, run 'lode train DIR' first.
    """
    links = topic_links(directory, topic, most, overrides)
    if as_json:
        show_json(links)
    else:
        _show(links)


def _show(links: TopicLinks) -> None:
    pages = f"{count(links.on_topic, 'page')} on it, {links.pages - links.on_topic:,} around them"
    click.echo(f"{harmless(links.topic)}: {pages}\n")
    for name, ranked in (("authority", links.authorities), ("hub", links.hubs)):
        table = TextTable(name, "score", "pagerank", "probability")
        for page in ranked:
            table.add(
                harmless(page.url),
                f"{getattr(page, name):.3f}",
                f"{page.pagerank:.4f}",
                certainty_text(page.probability) or "-",
            )
        table.show() if ranked else click.echo(_NONE[name])
        click.echo()
