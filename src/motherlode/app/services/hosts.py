"""The hosts of a portal: how they behaved, and another chance for those that are left alone."""

from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.records import Host, HostState, UsageError
from motherlode.store import Session, ledger, parking
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
    """How many hosts have another chance, and how many of the URLs that could not be had of them."""

    forgiven: int
    urls: int


def forgive(path: Path, pattern: str, overrides: Sequence[str] = ()) -> Forgiven:
    """Give the slow and bad hosts that fit a pattern another chance, and what could not be had of hosts that
    fit, for a reason that may pass: the next crawl takes it for new.

    Raises `UsageError` where no host fits, and `LockedError` while somebody else writes the portal.
    """
    with Portal.writing(path, "hosts", overrides) as portal, portal.store.writing() as session:
        fitting = [host for host in ledger.all_hosts(session) if _fits(host.name, pattern)]
        if not fitting:
            raise UsageError(f"No host of this portal fits '{pattern}'.")
        blamed = [host for host in fitting if host.state is not HostState.GOOD]
        cleared = [replace(host, state=HostState.GOOD, reason="", failures=0, next_at=0.0) for host in blamed]
        ledger.keep_hosts(session, cleared)
        return Forgiven(len(blamed), _try_again(session, {host.name for host in fitting}))


def _fits(name: str, pattern: str) -> bool:
    """Brackets are part of some names."""
    return name == pattern or fnmatchcase(name, pattern)


def _try_again(session: Session, hosts: Collection[str]) -> int:
    """Have a crawl ask these hosts for what it could not have of them, and for what leads there. Returns for
    how many URLs."""
    ledger.drop_robots(session, [one for one in ledger.closed_origins(session) if host_of(one) in hosts])
    lost = [one for one, way in parking.parked(session).items() if any(host_of(url) in hosts for url in way)]
    parking.reopen(session, lost)
    late = [one for one, url in parking.put_off(session) if host_of(url) in hosts]
    parking.hurry(session, late)
    return len(lost) + len(late)
