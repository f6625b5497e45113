"""`lode hosts`: the hosts of a portal, how they behaved, and why some are left alone."""

from pathlib import Path
from time import time
from typing import Any

import click

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import Table
from motherlode.app.services import hosts as hosting
from motherlode.app.services.hosts import ORDERS, STATES
from motherlode.portal import Portal
from motherlode.records import Host, HostState

_SHOWN = 50


@click.command("hosts")
@portal_argument
@click.option("--state", type=click.Choice(STATES), help="Only hosts in this state.")
@click.option(
    "--sort", type=click.Choice(list(ORDERS)), default="state", show_default=True, help="Their order."
)
@click.option(
    "--limit", type=click.IntRange(1), help=f"How many are shown; {_SHOWN} without it, with --json all."
)
@click.option(
    "--forgive",
    metavar="PATTERN",
    help="Give the hosts that fit the pattern, such as '*.example.org', and what could not be had of them "
    "another chance.",
)
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], forgive: str | None, **options: Any) -> None:
    """Show the hosts that the portal DIR has met: pages, bytes, state, and the reason for it.

    A host that times out is slow, and is tried again three times; then it is bad, and left alone for the
    rest of the crawl.
    """
    if forgive is not None:
        done = hosting.forgive(directory, forgive, overrides)
        click.echo(f"Forgave {count(done.forgiven, 'host')}; {count(done.urls, 'URL')} can be tried again.")
        return
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        hosts = hosting.hosts_in(session, options["state"], options["sort"])
    if options["as_json"]:
        show_json([hosting.shown(host) for host in hosts[: options["limit"]]])
    else:
        _show(hosts, options["limit"] or _SHOWN)


def _place(host: Host) -> str:
    """Its address, and what it is called there if not by its own name."""
    aliases = host.aliases.split()
    return f"{host.address or '-'}{f' ({harmless(aliases[-1])})' if aliases else ''}"


def _show(hosts: list[Host], limit: int) -> None:
    if not hosts:
        click.echo("No such host has been met.")
        return
    table = Table("host", "state", "reason", "address", "pages", "MB", "failures", "rest", "next in")
    for host in hosts[:limit]:
        wait = host.next_at - time()
        table.add(
            harmless(host.name),
            host.state.name.lower(),
            harmless(host.reason) or "-",
            _place(host),
            host.pages,
            host.size / 1e6,
            host.failures,
            f"{host.delay:.1f} s",
            f"{wait:,.0f} s" if wait > 0 else "-",
        )
    table.show(words=4)
    counts = [f"{sum(host.state is state for host in hosts):,} {state.name.lower()}" for state in HostState]
    more = f"; the first {limit:,} are shown" if len(hosts) > limit else ""
    click.echo(f"\n{count(len(hosts), 'host')}: {', '.join(counts)}{more}.")
