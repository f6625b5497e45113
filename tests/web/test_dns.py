"""The resolver against the sandbox's name server, over real UDP."""

import asyncio
import struct
from collections.abc import Awaitable, Callable

import pytest

from motherlode.fetch import FetchError
from motherlode.fetch.dns.resolver import Resolved, Resolver
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.options import DnsOptions, NetworkOptions
from motherlode.fetch.web import Request
from motherlode.lab.serving.background import Running
from support.loopback_servers import settled, sockets


def look_up(port: int, host: str, *, others: tuple[str, ...] = ()) -> Resolved:
    options = DnsOptions(servers=(*others, f"127.0.0.1:{port}"), timeout=2.0, patience=0.2)

    async def run() -> Resolved:
        resolver = Resolver(options)
        try:
            return await resolver.resolve(host)
        finally:
            await resolver.close()

    return asyncio.run(run())


def port_of(box: Running) -> int:
    assert box.dns_port is not None
    return box.dns_port


def test_a_host_of_the_web_is_found(box: Running) -> None:
    found = look_up(port_of(box), "well.test")
    assert (found.addresses, found.ttl) == (("127.0.0.1",), 60.0)


def test_a_server_that_is_not_there_is_passed_over(box: Running) -> None:
    assert look_up(port_of(box), "well.test", others=("127.0.0.1:9",)).addresses == ("127.0.0.1",)


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("nobody.test", FailureKind.NO_SUCH_HOST),
        ("dns-unknown.test", FailureKind.NO_SUCH_HOST),
        ("dns-failing.test", FailureKind.NAME_SERVER),
        ("dns-silent.test", FailureKind.NAME_SERVER),
        ("a..test", FailureKind.NO_SUCH_HOST),
        (f"{'a' * 64}.test", FailureKind.NO_SUCH_HOST),
    ],
)
def test_failures_are_told_apart(box: Running, host: str, kind: FailureKind) -> None:
    with pytest.raises(FetchError) as caught:
        look_up(port_of(box), host)
    assert caught.value.kind == kind


class Names(asyncio.DatagramProtocol):
    """A name server with lifetimes of an hour; the last byte of an address is the number of its question."""

    def __init__(self) -> None:
        self.asked = 0
        self.empty = False  # whether it knows every name, and no address of any
        self.silent = False
        self.alias = b""  # what every name is an alias for, if anything; that is on this machine
        self._unanswered: list[Callable[[], None]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, sender: tuple[str, int]) -> None:
        self.asked += 1
        question = data[12 : data.index(b"\0", 12) + 5]
        address = struct.pack(">HHHIH4B", 0xC00C, 1, 1, 3600, 4, 192, 0, 2, self.asked)
        counts = struct.pack(">HHHH", 1, 0 if self.empty else 1, 0, 0)
        if question[-4:-2] == b"\0\x1c":  # AAAA
            six = b"\x20\x01\x0d\xb8" + bytes(11) + bytes([self.asked])
            address = struct.pack(">HHHIH", 0xC00C, 28, 1, 3600, 16) + six
        if self.alias:
            alias = struct.pack(">HHHIH", 0xC00C, 5, 1, 60, len(self.alias)) + self.alias
            place = len(data[:12] + question) + 12
            address = alias + struct.pack(">HHHIH4B", 0xC000 + place, 1, 1, 60, 4, 127, 0, 0, 1)
            counts = struct.pack(">HHHH", 1, 2, 0, 0)
        said = data[:2] + b"\x81\x80" + counts + question + (b"" if self.empty else address)
        self._unanswered.append(lambda: self._transport.sendto(said, sender))  # type: ignore[attr-defined]
        if not self.silent:
            self.answer()

    def answer(self) -> None:
        while self._unanswered:
            self._unanswered.pop()()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def asking(options: DnsOptions, look: Callable[[Resolver, Names, Clock], Awaitable[None]]) -> None:
    async def run() -> None:
        loop, clock = asyncio.get_running_loop(), Clock()
        transport, names = await loop.create_datagram_endpoint(Names, local_addr=("127.0.0.1", 0))
        port = transport.get_extra_info("sockname")[1]
        resolver = Resolver(
            DnsOptions((f"127.0.0.1:{port}",), max_ttl=options.max_ttl), clock=clock
        )
        try:
            await look(resolver, names, clock)
        finally:
            await resolver.close()
            transport.close()

    asyncio.run(run())


def test_nobody_remembers_a_name_for_longer_than_the_options_say() -> None:
    async def look(resolver: Resolver, names: Names, clock: Clock) -> None:
        assert (await resolver.resolve("a.test")).addresses == ("192.0.2.1",)
        clock.now += 59.0
        assert (await resolver.resolve("a.test")).addresses == ("192.0.2.1",)
        clock.now += 1.0
        assert (await resolver.resolve("a.test")).addresses == ("192.0.2.2",)
        assert names.asked == 2

    asking(DnsOptions(max_ttl=60.0), look)


def test_addresses_of_version_6_are_asked_for_only_when_they_are_wanted() -> None:
    async def look(resolver: Resolver, names: Names, _clock: Clock) -> None:
        assert (await resolver.resolve("a.test")).addresses == ("192.0.2.1",)
        assert names.asked == 1
        for _ in range(2):
            assert await resolver.further("a.test") == ("2001:db8::2",)
            assert names.asked == 2

    asking(DnsOptions(), look)


def test_an_empty_answer_is_believed_no_longer_than_the_options_say() -> None:
    async def look(resolver: Resolver, names: Names, clock: Clock) -> None:
        names.empty = True
        with pytest.raises(FetchError) as caught:
            await resolver.resolve("a.test")
        assert caught.value.kind == FailureKind.NO_SUCH_HOST
        names.empty = False
        clock.now += DnsOptions().negative_ttl
        assert (await resolver.resolve("a.test")).addresses == ("192.0.2.3",)

    asking(DnsOptions(), look)


def test_a_look_up_under_way_is_answered_on_the_channel_it_was_asked_on() -> None:
    async def look(resolver: Resolver, names: Names, clock: Clock) -> None:
        names.silent = True
        slow = asyncio.create_task(resolver.resolve("slow.test"))
        await settled(lambda: names.asked == 1)
        clock.now += 300.0  # the next one is asked on a new channel
        quick = asyncio.create_task(resolver.resolve("quick.test"))
        await settled(lambda: names.asked == 2)
        names.answer()
        found = await slow, await quick
        assert [one.addresses for one in found] == [("192.0.2.1",), ("192.0.2.2",)]

    before = sockets()
    asking(DnsOptions(), look)
    assert sockets() <= before


def test_a_server_that_was_quick_before_may_take_its_time() -> None:
    async def look(resolver: Resolver, names: Names, _clock: Clock) -> None:
        await asyncio.gather(*(resolver.resolve(f"quick{number}.test") for number in range(20)))
        names.asked, names.silent = 0, True
        slow = asyncio.create_task(resolver.resolve("slow.test"))
        await settled(lambda: names.asked == 3)  # it was asked again, and again
        names.answer()
        assert (await slow).addresses[0].startswith("192.0.2.")

    asking(DnsOptions(), look)


def test_what_a_host_is_an_alias_for_comes_with_what_it_says(box: Running) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        transport, names = await loop.create_datagram_endpoint(Names, local_addr=("127.0.0.1", 0))
        names.alias = b"\x02lb\x03cdn\x04test\x00"
        dns = DnsOptions((f"127.0.0.1:{transport.get_extra_info('sockname')[1]}",))
        try:
            async with HttpWeb(NetworkOptions(private=True), "tests", dns) as web:
                response = await web.fetch(Request(f"http://well.test:{box.port}/"))
        finally:
            transport.close()
        assert (response.address, response.aliases) == ("127.0.0.1", "lb.cdn.test")

    asyncio.run(run())


def test_an_alias_that_is_no_name_is_not_kept() -> None:
    async def look(resolver: Resolver, names: Names, _clock: Clock) -> None:
        names.alias = b"\x04a b\n\x00"
        assert await resolver.resolve("a.test") == Resolved(("127.0.0.1",), (), 60.0)

    asking(DnsOptions(), look)
