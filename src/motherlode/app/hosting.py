"""The hosts of a portal: how they behaved, and another chance for those that are left alone."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.fetch.failures import is_passing
from motherlode.portal import Portal
from motherlode.records import Host, HostState, UsageError
from motherlode.store import Session, frontier, ledger
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
    """A host as it is shown. `next_at`: it rests until then; `aliases`: the names that it is an alias for."""

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


def hosts_in(session: Session, state: str | None = None, sort: str = "state") -> list[Host]:
    """The hosts that a portal has met, or those in one state, in an order of `ORDERS`."""
    found = ledger.all_hosts(session)
    kept = [host for host in found if state is None or host.state is HostState[state.upper()]]
    return sorted(kept, key=ORDERS[sort])


def shown(host: Host) -> HostNow:
    return HostNow(
        host.name,
        host.domain,
        host.state.name.lower(),
        host.reason,
        host.address,
        host.pages,
        host.size,
        host.failures,
        host.delay,
        host.next_at or None,
        host.aliases.split(),
    )


class Forgiven(Struct, frozen=True):
    """How many hosts have another chance, and how many of the URLs that were given up with them."""

    forgiven: int
    urls: int


def forgive(path: Path, pattern: str, overrides: Sequence[str] = ()) -> Forgiven:
    """Give the slow and bad hosts that fit a pattern another chance, and what could not be had of hosts that
    fit: the next crawl tries it as if it were new.

    Raises `UsageError` where no host fits, and `LockedError` while somebody else writes the portal.
    """
    with Portal.writing(path, "hosts", overrides) as portal, portal.store.writing() as session:
        fitting = [host for host in ledger.all_hosts(session) if fnmatchcase(host.name, pattern)]
        if not fitting:
            raise UsageError(f"No host of this portal fits '{pattern}'.")
        blamed = [host for host in fitting if host.state is not HostState.GOOD]
        cleared = [replace(host, state=HostState.GOOD, reason="", failures=0, next_at=0.0) for host in blamed]
        ledger.keep_hosts(session, cleared)
        names = {host.name for host in fitting}
        lost = [
            number
            for number, url, reason in frontier.given_up(session)
            if is_passing(reason) and host_of(url) in names
        ]
        frontier.reopen(session, lost)
    return Forgiven(len(blamed), len(lost))
