"""Names to addresses: servers that fail, answers that age."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from motherlode.fetch import FetchError
from motherlode.fetch.dns.resolver import Resolved, Resolver
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.options import DnsOptions
from motherlode.lab.clock import run_virtually
from motherlode.records import BadInputError

HERE = Resolved(("192.0.2.1",), (), 60.0)


class Told:
    """A server that says what it was told to, after some time."""

    def __init__(
        self,
        says: Resolved | FailureKind,
        after: float = 0.0,
        further: Resolved | FailureKind = FailureKind.NO_SUCH_HOST,
    ) -> None:
        self.says = says
        self.further = further
        self.after = after
        self.asked = 0
        self.closed = False

    async def look_up(self, host: str) -> Resolved:
        return await self._say(self.says, host)

    async def look_further(self, host: str) -> Resolved:
        return await self._say(self.further, host)

    async def _say(self, said: Resolved | FailureKind, host: str) -> Resolved:
        self.asked += 1
        await asyncio.sleep(self.after)
        if isinstance(said, FailureKind):
            raise FetchError(said, host)
        return said

    async def close(self) -> None:
        self.closed = True


def resolving(
    *servers: Told,
    options: DnsOptions | None = None,
    look: Callable[[Resolver], Coroutine[Any, Any, Any]],
    hosts_file: Path = Path("/nowhere"),
) -> Any:
    async def run() -> Any:
        clock = asyncio.get_running_loop().time
        resolver = Resolver(options or DnsOptions(), servers, clock, hosts_file)
        try:
            return await look(resolver)
        finally:
            await resolver.close()

    return run_virtually(run())


def kind_of(*servers: Told) -> str:
    with pytest.raises(FetchError) as caught:
        resolving(*servers, look=lambda resolver: resolver.resolve("a.test"))
    return caught.value.kind


def test_an_answer_is_kept_for_its_lifetime() -> None:
    server = Told(Resolved(("192.0.2.1",), ("b.test",), 100.0))

    async def look(resolver: Resolver) -> None:
        for wait in (0, 50, 49, 2):
            await asyncio.sleep(wait)
            assert (await resolver.resolve("a.test")).aliases == ("b.test",)

    resolving(server, look=look)
    assert server.asked == 2
    assert server.closed


@pytest.mark.parametrize(("ttl", "asked"), [(0.0, 1), (1e9, 2)])
def test_lifetimes_have_limits(ttl: float, asked: int) -> None:
    server = Told(Resolved(("192.0.2.1",), (), ttl))

    async def look(resolver: Resolver) -> None:
        await resolver.resolve("a.test")
        await asyncio.sleep(29 if ttl == 0 else 86_401)
        await resolver.resolve("a.test")

    resolving(server, look=look)
    assert server.asked == asked


def test_a_name_that_does_not_exist_is_remembered_too() -> None:
    server = Told(FailureKind.NO_SUCH_HOST)

    async def look(resolver: Resolver) -> None:
        for wait in (0, 299, 2):
            await asyncio.sleep(wait)
            with pytest.raises(FetchError):
                await resolver.resolve("a.test")

    resolving(server, look=look)
    assert server.asked == 2


def test_a_failing_server_is_not_remembered_and_the_next_one_is_asked() -> None:
    failing, good = Told(FailureKind.NAME_SERVER), Told(HERE)
    assert resolving(failing, good, look=lambda resolver: resolver.resolve("a.test")) == HERE
    assert (
        kind_of(Told(FailureKind.NAME_SERVER), Told(FailureKind.NAME_SERVER))
        == FailureKind.NAME_SERVER
    )


def test_a_server_that_says_no_is_believed() -> None:
    other = Told(HERE)
    assert kind_of(Told(FailureKind.NO_SUCH_HOST), other) == FailureKind.NO_SUCH_HOST
    assert other.asked == 0


def test_a_slow_server_is_overtaken() -> None:
    async def look(resolver: Resolver) -> float:
        await resolver.resolve("a.test")
        return asyncio.get_running_loop().time()

    assert (
        resolving(Told(HERE, 100.0), Told(HERE, 0.5), look=look) == 1.5
    )  # patience, then the second one


def test_silence_ends_in_time() -> None:
    assert kind_of(Told(HERE, 1000.0), Told(HERE, 1000.0)) == FailureKind.NAME_SERVER


def test_many_who_want_one_name_ask_once() -> None:
    server = Told(HERE, 1.0)

    async def look(resolver: Resolver) -> list[Resolved]:
        return await asyncio.gather(*(resolver.resolve("a.test") for _ in range(50)))

    assert resolving(server, look=look) == [HERE] * 50
    assert server.asked == 1


def test_one_who_goes_away_does_not_spoil_it_for_the_others() -> None:
    async def look(resolver: Resolver) -> Resolved:
        first = asyncio.create_task(resolver.resolve("a.test"))
        await asyncio.sleep(0.1)
        second = asyncio.create_task(resolver.resolve("a.test"))
        await asyncio.sleep(0.1)
        first.cancel()
        return await second

    assert resolving(Told(HERE, 1.0), look=look) == HERE


def test_the_cache_is_bounded_and_forgets_what_was_not_used() -> None:
    server = Told(HERE)

    async def look(resolver: Resolver) -> None:
        for host in ("a.test", "b.test", "a.test", "c.test", "a.test", "b.test"):
            await resolver.resolve(host)

    resolving(server, options=DnsOptions(cache=2), look=look)
    assert server.asked == 4


def test_an_address_is_its_own() -> None:
    server = Told(HERE)
    assert resolving(server, look=lambda r: r.resolve("[::1]")).addresses == ("::1",)
    assert resolving(server, look=lambda r: r.resolve("192.0.2.7")).addresses == ("192.0.2.7",)
    assert server.asked == 0


# --- further addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "further", [Resolved(("2001:db8::1",), (), 100.0), FailureKind.NO_SUCH_HOST]
)
def test_further_addresses_are_asked_for_when_they_are_wanted_and_remembered(
    further: Resolved | FailureKind,
) -> None:
    server = Told(HERE, further=further)

    async def look(resolver: Resolver) -> None:
        assert await resolver.resolve("a.test") == HERE
        assert server.asked == 1
        for wait in (0, 50):
            await asyncio.sleep(wait)
            found = await resolver.further("a.test")
            assert found == (further.addresses if isinstance(further, Resolved) else ())
            assert server.asked == 2

    resolving(server, look=look)


def test_nobody_who_can_say_is_no_further_address() -> None:
    server = Told(HERE, further=FailureKind.NAME_SERVER)
    assert resolving(server, look=lambda resolver: resolver.further("a.test")) == ()
    assert resolving(server, look=lambda resolver: resolver.further("[2001:db8::1]")) == ()


def test_an_address_that_has_answered_is_the_first_from_then_on() -> None:
    async def look(resolver: Resolver) -> list[tuple[str, ...]]:
        resolver.prefer("a.test", "192.0.2.9")  # of whom nothing is known
        await resolver.resolve("a.test")
        resolver.prefer("a.test", "2001:db8::1")
        preferred = (await resolver.resolve("a.test")).addresses
        await asyncio.sleep(61)
        return [preferred, (await resolver.resolve("a.test")).addresses]

    both = [("2001:db8::1", "192.0.2.1", "192.0.2.2"), ("192.0.2.1", "192.0.2.2")]
    assert resolving(Told(Resolved(("192.0.2.1", "192.0.2.2"), (), 60.0)), look=look) == both


# --- the machine's own names ----------------------------------------------------------------------------

HOSTS = """
# names of our own
192.0.2.7   a.test  www.A.test
2001:db8::7 a.test. # as well
nonsense    b.test
192.0.2.8
"""


@pytest.fixture
def hosts_file(tmp_path: Path) -> Path:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    return path


@pytest.mark.parametrize("says", [HERE, FailureKind.NO_SUCH_HOST, FailureKind.NAME_SERVER])
def test_the_machines_own_names_come_before_any_server(
    hosts_file: Path, says: Resolved | FailureKind
) -> None:
    server = Told(says)

    async def look(resolver: Resolver) -> None:
        assert (await resolver.resolve("a.test")).addresses == ("192.0.2.7", "2001:db8::7")
        assert (await resolver.resolve("www.a.test")).addresses == ("192.0.2.7",)
        assert await resolver.further("www.a.test") == ()
        assert server.asked == 0

    resolving(server, look=look, hosts_file=hosts_file)


@pytest.mark.parametrize("host", ["b.test", "test", "nonsense", "192.0.2.8.test"])
def test_who_is_not_among_them_is_asked_for(hosts_file: Path, host: str) -> None:
    assert (
        resolving(Told(HERE), look=lambda resolver: resolver.resolve(host), hosts_file=hosts_file)
        == HERE
    )


def test_names_that_are_added_to_the_file_or_removed_are_heeded(hosts_file: Path) -> None:
    async def look(resolver: Resolver) -> None:
        assert (await resolver.resolve("c.test")) == HERE
        hosts_file.write_text(HOSTS + "192.0.2.9 c.test\n")  # noqa: ASYNC240 - time is virtual
        await asyncio.sleep(61)
        assert (await resolver.resolve("c.test")).addresses == ("192.0.2.9",)
        hosts_file.unlink()  # noqa: ASYNC240 - time is virtual
        await asyncio.sleep(61)
        assert (await resolver.resolve("c.test")) == HERE

    resolving(Told(HERE), look=look, hosts_file=hosts_file)


@pytest.mark.parametrize("server", ["foo", "127.0.0.1:99999", "nameserver.example"])
def test_what_is_no_name_server_is_refused_in_a_sentence(server: str) -> None:
    async def work() -> None:
        Resolver(DnsOptions(servers=(server,)))

    with pytest.raises(BadInputError, match=r"dns\.servers"):
        asyncio.run(work())
