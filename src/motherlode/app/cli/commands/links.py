"""`lode links`: the hubs and authorities of a topic."""

from pathlib import Path

import click
from msgspec import Struct

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import Table
from motherlode.portal import Portal
from motherlode.records import BadInputError, UsageError
from motherlode.topics import parse_path, show_path
from motherlode.training.link_analysis import Standing, best, standings


class Standings(Struct, frozen=True):
    """The best of a topic's pages and of those around them."""

    topic: str
    pages: int
    on_topic: int
    authorities: list[Standing]
    hubs: list[Standing]


@click.command("links")
@portal_argument
@click.option("--topic", required=True, help="The topic, such as science/physics; / is all of them.")
@click.option(
    "--most", type=click.IntRange(1), default=10, show_default=True, help="How many to show of each."
)
@set_option
@json_option
def command(directory: Path, topic: str, most: int, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show the authorities and the hubs of a topic of DIR, by the links between hosts.

    The topic's pages, all that they link to, and some of those that link to them; PageRank beside it, to
    compare. A page that was judged to be on something else may be a hub, but is no authority.
    Pages must have been judged: 'lode train DIR' does so.
    """
    with Portal.reading(directory, overrides) as portal:
        tree = portal.tree()
        wanted = tree.at(parse_path(topic))
        if wanted.is_others:
            raise UsageError("OTHERS is where pages go that no topic wants, so it has no hubs; name a topic.")
        with portal.store.reading() as session:
            found = standings(session, tree, wanted.id)
    on_topic = sum(one.confidence is not None for one in found)
    path = show_path(tree.path(wanted.id))
    if not on_topic:
        raise BadInputError(
            f"No page is on '{path}' yet; 'lode crawl {directory}' fetches some and 'lode train' judges them."
        )
    told = Standings(
        path,
        len(found),
        on_topic,
        best([one for one in found if not one.elsewhere], "authority", most),
        best(found, "hub", most),
    )
    if as_json:
        show_json(told)
    else:
        _show(told)


def _show(told: Standings) -> None:
    pages = f"{count(told.on_topic, 'page')} on it, {told.pages - told.on_topic:,} around them"
    click.echo(f"{harmless(told.topic)}: {pages}\n")
    for name, ranked in (("authority", told.authorities), ("hub", told.hubs)):
        table = Table(name, "score", "pagerank", "confidence")
        for one in ranked:
            sure = "-" if one.confidence is None else f"{one.confidence:.3f}"
            table.add(harmless(one.url), f"{getattr(one, name):.3f}", f"{one.pagerank:.4f}", sure)
        table.show() if ranked else click.echo(f"No {name}: no links lead from one host to another.")
        click.echo()
