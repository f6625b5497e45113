"""The resolver against the sandbox's name server, over real UDP."""

import asyncio

import pytest

from motherlode.fetch import FetchError
from motherlode.fetch.dns import Resolved, Resolver
from motherlode.fetch.failures import Kind
from motherlode.fetch.options import DnsOptions
from motherlode.lab.serving.background import Running


def look_up(port: int, host: str, *, others: tuple[str, ...] = ()) -> Resolved:
    options = DnsOptions(servers=(*others, f"127.0.0.1:{port}"), timeout=5.0, patience=0.2)

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
        ("nobody.test", Kind.NO_SUCH_HOST),
        ("dns-unknown.test", Kind.NO_SUCH_HOST),
        ("dns-failing.test", Kind.NAME_SERVER),
        ("dns-silent.test", Kind.NAME_SERVER),
    ],
)
def test_failures_are_told_apart(box: Running, host: str, kind: Kind) -> None:
    with pytest.raises(FetchError) as caught:
        look_up(port_of(box), host)
    assert caught.value.kind == kind
