"""What is known of hosts: how they have behaved, and what that makes of them (SPEC B28)."""

from collections import OrderedDict
from collections.abc import Callable

from msgspec.structs import replace

from motherlode.fetch.failures import TABLE, FailureKind, FailureResponse, verdict, wait_of
from motherlode.fetch.web import Response
from motherlode.records import Host, HostState
from motherlode.urls import registrable_domain

_GOOD, _BAD = (
    HostState.GOOD,
    HostState.BAD,
)  # a look into an enumeration is slow, and each page takes some


def after_success(host: Host, response: Response, delay: float) -> Host:
    """A host that answered has recovered from whatever made it slow."""
    bad = host.state is _BAD
    return Host(
        host.name,
        host.domain,
        _BAD if bad else _GOOD,
        host.reason if bad else "",
        response.address or host.address,
        0,
        host.pages + 1 if response.ok else host.pages,
        host.size + (response.packed or len(response.body)),
        delay,
        0.0,
        response.aliases or host.aliases,
    )


def after_failure(
    host: Host, kind: FailureKind, attempts: int, now: float, asked_for: float | None = None
) -> tuple[Host, FailureResponse]:
    """What a failure makes of a host, and of the URL after so many attempts.

    Failures while the host is being left alone anyway belong to the one that led to that: it had
    several connections, and they broke together.
    """
    counts = TABLE[kind].counts
    failures = host.failures + (1 if counts and now >= host.next_at else 0)
    said = verdict(kind, attempts, max(failures, 1), now, host.state, asked_for)
    if not counts:
        return host, said
    # The host is left alone even if this URL is given up: others wait for it, too.
    until = max(
        host.next_at, now + wait_of(kind, 1, asked_for) if said.retry_at is None else said.retry_at
    )
    return replace(host, state=said.host, reason=str(kind), failures=failures, next_at=until), said


def without_blame(
    kind: FailureKind, attempts: int, now: float, asked_for: float | None = None
) -> float:
    """Return when to retry a URL whose host is not to blame; it is never given up."""
    return now + wait_of(kind, attempts, asked_for)


class HostBook:
    """The hosts of a crawl. What changed is handed over with the batch that it belongs to."""

    def __init__(
        self, load: Callable[[str], Host | None] = lambda _name: None, most: int = 100_000
    ) -> None:
        self._load = load
        self._most = most
        self._known: OrderedDict[str, Host] = OrderedDict()  # those that changed last at the end
        self._changed: set[str] = set()

    def __getitem__(self, name: str) -> Host:
        found = self._known.get(name)
        return self._found(name) if found is None else found

    def put(self, host: Host) -> None:
        self._known[host.name] = host
        self._changed.add(host.name)

    def changed(self) -> list[Host]:
        """The hosts that changed since this was last asked."""
        names, self._changed = sorted(self._changed), set()
        for name in names:
            self._known.move_to_end(name)
        return [self._known[name] for name in names]

    def _found(self, name: str) -> Host:
        found = self._known[name] = self._load(name) or Host(name, registrable_domain(name))
        self._make_room()
        return found

    def _make_room(self) -> None:
        """Forget those unchanged for longest; what has changed stays until it has been
        handed over.
        """
        while len(self._known) - len(self._changed) > self._most:
            name = next((name for name in self._known if name not in self._changed), None)
            if name is None:
                return
            del self._known[name]
