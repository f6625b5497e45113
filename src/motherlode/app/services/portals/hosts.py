"""The hosts of a portal, their states, and another chance for slow and bad ones."""

from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.records import Host, HostState, UsageError
from motherlode.store import Session
from motherlode.store.tables import ledger, parked_urls
from motherlode.urls import host_of

STATES = tuple(state.name.lower() for state in HostState)
ORDERS: dict[str, Callable[[Host], Any]] = {
    "pages": lambda host: (-host.pages, host.name),
    "size": lambda host: (-host.size, host.name),
    "failures": lambda host: (-host.failures, host.name),
    "state": lambda host: (-host.state, -host.failures, host.name),
    "name": lambda host: (host.name,),
}


class HostNow(Struct, frozen=True):
    """A host for users.

    It is not contacted before `next_at`; `aliases` are names that it is an alias of.
    """

    name: str
    domain: str
    state: str
    reason: str
    address: str
    pages: int
    size: int
    failures: int
    delay: float
    next_at: float | None
    aliases: list[str]


def hosts_in(
    directory: Path, state: str | None = None, sort: str = "state", overrides: Sequence[str] = ()
) -> list[Host]:
    """Return the hosts of a portal, or those in one state, in an order of `ORDERS`."""
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        hosts = list(ledger.all_hosts(session))
    chosen = [host for host in hosts if state is None or host.state is HostState[state.upper()]]
    return sorted(chosen, key=ORDERS[sort])


def host_now(host: Host) -> HostNow:
    return HostNow(
        name=host.name,
        domain=host.domain,
        state=host.state.name.lower(),
        reason=host.reason,
        address=host.address,
        pages=host.pages,
        size=host.size,
        failures=host.failures,
        delay=host.delay,
        next_at=host.next_at or None,
        aliases=host.aliases.split(),
    )


class Forgiven(Struct, frozen=True):
    """The number of hosts that get another chance, and of URLs that can be fetched again."""

    forgiven: int
    urls: int


def forgive_hosts(path: Path, pattern: str, overrides: Sequence[str] = ()) -> Forgiven:
    """Give slow and bad hosts that match a pattern another chance, and their failed URLs, too.

    URLs count if the reason of their failure may pass; the next crawl treats them as new. Raises
    `UsageError` if no host matches, and `LockedError` while another process writes the portal.
    """
    with Portal.writing(path, "hosts", overrides) as portal, portal.store.writing() as session:
        matching = [host for host in ledger.all_hosts(session) if _matches(host.name, pattern)]
        if not matching:
            raise UsageError(
                f"No host of this portal matches '{pattern}'; 'lode hosts DIR' lists them."
            )
        blamed = [host for host in matching if host.state is not HostState.GOOD]
        cleared = [
            replace(host, state=HostState.GOOD, reason="", failures=0, next_at=0.0)
            for host in blamed
        ]
        ledger.keep_hosts(session, cleared)
        return Forgiven(len(blamed), _retry_urls(session, {host.name for host in matching}))


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)  # an IPv6 address has brackets


def _retry_urls(session: Session, hosts: Collection[str]) -> int:
    """Queue the failed and postponed URLs of hosts, and redirects to them; return their number."""
    closed = [origin for origin in ledger.closed_origins(session) if host_of(origin) in hosts]
    ledger.drop_robots(session, closed)
    parked = parked_urls.parked(session).items()
    failed = [number for number, urls in parked if any(host_of(url) in hosts for url in urls)]
    parked_urls.reopen(session, failed)
    postponed = [number for number, url in parked_urls.put_off(session) if host_of(url) in hosts]
    parked_urls.hurry(session, postponed)
    return len(failed) + len(postponed)
