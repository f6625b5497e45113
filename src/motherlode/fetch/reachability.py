"""Tell a web that does not answer at all from hosts that do not.

While no server has answered a crawl, the fault is probably on this side: the network, the name
server, the proxy or the sandbox. Then no host is to blame.
"""

from motherlode.fetch.failures import FailureKind

OUTAGE_HOSTS = 3  # distinct hosts without an answer
CERTAIN_OUTAGE_HOSTS = 100  # so many that requests under way are not waited for

# Failures without an answer of any server. A server that breaks off later has answered.
NO_ANSWER = frozenset(
    {
        FailureKind.NO_SUCH_HOST,
        FailureKind.NAME_SERVER,
        FailureKind.REFUSED,
        FailureKind.UNREACHABLE,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.TLS_TIMEOUT,
        FailureKind.PROXY,
        FailureKind.LOCAL,
        FailureKind.FIRST_BYTE_TIMEOUT,
        FailureKind.TOTAL_TIMEOUT,
        FailureKind.RESET,
    }
)
_ANSWERED = frozenset(
    {
        FailureKind.TLS,
        FailureKind.TLS_BROKEN,
        FailureKind.IDLE_TIMEOUT,
        FailureKind.TOO_SLOW,
        FailureKind.PROTOCOL,
        FailureKind.TOO_LARGE,
        FailureKind.TYPE,
        FailureKind.HEADERS,
    }
)


class Reachability:
    """Whether any server has answered in a crawl, and which hosts did not before that."""

    def __init__(self) -> None:
        self._has_answer = False
        self._silent_hosts: set[str] = set()

    @property
    def is_outage(self) -> bool:
        """Whether several hosts, and all that were requested, have not answered."""
        return len(self._silent_hosts) >= OUTAGE_HOSTS

    def ends_crawl(self, under_way: int) -> bool:
        """Return whether an outage is certain; a request that is under way may yet be answered."""
        silent = len(self._silent_hosts)
        return silent >= CERTAIN_OUTAGE_HOSTS or (silent >= OUTAGE_HOSTS and not under_way)

    def note_answer(self) -> None:
        self._has_answer = True
        self._silent_hosts.clear()

    def note_failure(self, host: str, kind: FailureKind) -> None:
        if kind in _ANSWERED:
            self.note_answer()
        elif kind in NO_ANSWER and not self._has_answer:
            self._silent_hosts.add(host)

    def blames(self, kind: FailureKind) -> bool:
        """Return whether a failure of this kind counts against its host.

        Before an outage is certain, a name that does not exist does: a name server has said so.
        """
        if self._has_answer or kind not in NO_ANSWER:
            return True
        return kind is FailureKind.NO_SUCH_HOST and not self.is_outage
