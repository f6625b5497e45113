"""The first address that answers, on virtual time: who is tried when, and which failure is told."""

import asyncio
import errno
import socket
from collections.abc import Callable, Sequence

import pytest

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.wire import sockets
from motherlode.fetch.wire.sockets import UnreachedError, reach
from motherlode.lab.clock import run_virtually
from support.scripted_web import now

A, B, C, SIX = "192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1"
REFUSED, NO_WAY = ConnectionRefusedError(errno.ECONNREFUSED, ""), OSError(errno.ENETUNREACH, "")
NEVER = 1e9
Said = (
    float | OSError | list[float]
)  # seconds until an address answers, each time, or how it fails at once


class Net:
    """Addresses that answer as they are told to, and when each was tried."""

    def __init__(
        self, said: dict[str, Said], further: Sequence[str] = (), after: float = 0.0
    ) -> None:
        self.tried: list[tuple[float, str]] = []
        self.looked: list[float] = []
        self.plugs: list[socket.socket] = []
        self._said, self._further, self._after = said, further, after

    async def connected(self, address: str, _port: int) -> socket.socket:
        self.tried.append((now(), address))
        said = self._said[address]
        if isinstance(said, OSError):
            raise said
        await asyncio.sleep(said.pop(0) if isinstance(said, list) else said)
        self.plugs.append(socket.socket())
        return self.plugs[-1]

    async def further(self) -> Sequence[str]:
        self.looked.append(now())
        await asyncio.sleep(self._after)
        return self._further


Reached = Callable[..., tuple[str, float]]


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> Reached:
    """The address that was reached, or why none was; and when. No other socket is left open."""

    def work(net: Net, *addresses: str) -> tuple[str, float]:
        monkeypatch.setattr(sockets, "_connected", net.connected)

        async def reaches() -> tuple[str, float]:
            try:
                plug, address = await reach(addresses, 80, net.further, 10.0)
            except UnreachedError as error:
                return error.kind, now()
            assert plug.fileno() >= 0
            plug.close()
            return address, now()

        result: tuple[str, float] = run_virtually(reaches())
        assert all(plug.fileno() < 0 for plug in net.plugs)
        return result

    return work


def test_a_host_that_answers_is_asked_once_and_nobody_is_asked_for_more(reached: Reached) -> None:
    net = Net({A: 1.0, B: 0.0}, further=[SIX])
    assert reached(net, A, B) == (A, 1.0)
    assert (net.tried, net.looked) == ([(0.0, A)], [])


def test_the_next_address_is_tried_at_once_where_one_fails(reached: Reached) -> None:
    net = Net({A: REFUSED, B: NO_WAY, SIX: 0.5}, further=[SIX])
    assert reached(net, A, B) == (SIX, 0.5)
    assert net.looked == [0.0]


def test_the_next_address_is_tried_beside_one_that_takes_long(reached: Reached) -> None:
    net = Net({A: NEVER, B: NEVER, SIX: 0.5}, further=[SIX])
    assert reached(net, A, B) == (SIX, 4.5)
    assert net.tried == [(0.0, A), (2.0, B), (4.0, SIX)]


def test_one_that_takes_long_is_tried_again(reached: Reached) -> None:
    assert reached(Net({A: [NEVER, 7.0], SIX: REFUSED}, further=[SIX]), A) == (A, 9.0)
    assert reached(Net({A: [NEVER, 7.0]}), A) == (A, 9.0)
    slow = Net({A: [NEVER, 1.0]}, further=[SIX], after=NEVER)  # and so is the name server
    assert reached(slow, A) == (A, 5.0)
    assert slow.tried == [(0.0, A), (4.0, A)]


def test_of_two_that_answer_together_one_is_let_go(reached: Reached) -> None:
    assert reached(Net({A: NEVER, B: 3.0, C: 1.0}), A, B, C)[1] == 5.0


def test_all_of_it_ends_in_time(reached: Reached) -> None:
    assert reached(Net({A: NEVER, SIX: NEVER}, further=[SIX]), A) == (
        FailureKind.CONNECT_TIMEOUT,
        10.0,
    )
    assert reached(Net({A: REFUSED}, after=NEVER), A) == (FailureKind.REFUSED, 10.0)


def test_an_address_is_tried_once_and_not_all_of_many(reached: Reached) -> None:
    net = Net({A: REFUSED, B: REFUSED, C: REFUSED, SIX: REFUSED}, further=[A, SIX])
    assert reached(net, A, B, C, "192.0.2.4") == (FailureKind.REFUSED, 0.0)
    assert [address for _, address in net.tried] == [A, B, C, SIX]


def test_that_there_is_no_way_to_some_address_hides_no_other_failure(reached: Reached) -> None:
    assert reached(Net({A: REFUSED, SIX: NO_WAY}, further=[SIX]), A)[0] == FailureKind.REFUSED
    assert reached(Net({A: NO_WAY, SIX: REFUSED}, further=[SIX]), A)[0] == FailureKind.REFUSED
    assert reached(Net({A: NO_WAY, SIX: NO_WAY}, further=[SIX]), A)[0] == FailureKind.UNREACHABLE
    assert reached(Net({A: OSError(errno.EMFILE, "")}), A)[0] == FailureKind.LOCAL
