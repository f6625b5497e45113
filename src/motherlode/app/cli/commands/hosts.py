"""`lode hosts`: the hosts of a portal, their states, and the reasons."""

from pathlib import Path
from time import time
from typing import Any

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import TextTable
from motherlode.app.services.portals.hosts import ORDERS, STATES, forgive_hosts, host_now, hosts_in
from motherlode.app.text import count
from motherlode.records import Host, HostState

MAX_HOSTS_SHOWN = 50


@click.command("hosts")
@portal_argument
@click.option("--state", type=click.Choice(STATES), help="Only hosts in this state.")
@click.option(
    "--sort",
    type=click.Choice(list(ORDERS)),
    default="state",
    show_default=True,
    help="The order of the hosts.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help=f"Number of hosts shown; by default {MAX_HOSTS_SHOWN}, with --json all.",
)
@click.option(
    "--forgive",
    metavar="PATTERN",
    help="Give the hosts that match a pattern, such as '*.example.org', and their failed URLs "
    "another chance.",
)
@set_option
@json_option
def command(
    directory: Path, overrides: tuple[str, ...], forgive: str | None, **options: Any
) -> None:
    """Show the hosts that the portal DIR has contacted: pages, bytes, state, and the reason for it.

    A host that times out is slow, and is tried three more times. Then it is bad, and not contacted
    for the rest of the crawl.
    """
    if forgive is not None:
        result = forgive_hosts(directory, forgive, overrides)
        click.echo(
            f"Forgave {count(result.forgiven, 'host')}; {count(result.urls, 'URL')} can be tried "
            "again."
        )
        return
    hosts = hosts_in(directory, options["state"], options["sort"], overrides)
    if options["as_json"]:
        show_json([host_now(host) for host in hosts[: options["limit"]]])
    else:
        _show(hosts, options["limit"] or MAX_HOSTS_SHOWN)


def _place(host: Host) -> str:
    """Return the IP address of a host, and its canonical name if it is an alias."""
    aliases = host.aliases.split()
    return f"{host.address or '-'}{f' ({harmless(aliases[-1])})' if aliases else ''}"


def _show(hosts: list[Host], limit: int) -> None:
    if not hosts:
        click.echo("No such host has been contacted.")
        return
    table = TextTable(
        "host", "state", "reason", "address", "pages", "MB", "failures", "rest", "next in"
    )
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
    counts = [
        f"{sum(host.state is state for host in hosts):,} {state.name.lower()}"
        for state in HostState
    ]
    more = f"; the first {limit:,} are shown" if len(hosts) > limit else ""
    click.echo(f"\n{count(len(hosts), 'host')}: {', '.join(counts)}{more}.")
