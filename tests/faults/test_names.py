"""Name servers that are gone for a while: what could not be found is found later, and no host is blamed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.fetch import FetchError, Request, Response
from motherlode.fetch.dns.resolver import Resolver
from motherlode.fetch.failures import TABLE, Failure, FailureKind
from motherlode.fetch.options import DnsOptions
from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour import Habits
from motherlode.lab.serving.dns import NameServer
from motherlode.lab.web import LabWeb
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import HostState
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import page_log
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address, host_of
from support.scripted_web import ScriptedWeb
from support.small_webs import html, record_web

SEED = "http://h0.test/"
# A sixtieth of what they are, so that a minute is a second.
SCALE = 60
FAILED = 20  # fetches, until the name server is back


class Named(ScriptedWeb):
    """A web whose hosts are looked up by a real resolver first."""

    resolver: Resolver
    failed = 0

    def expect(self, host: str) -> None:
        self.resolver.prefetch(host)

    async def fetch(self, request: Request) -> Response:
        try:
            await self.resolver.resolve(host_of(request.url))
        except FetchError:
            self.failed += 1
            raise
        return await super().fetch(request)


class Failing(NameServer):
    """After some answers it falls silent, or fails, until some more fetches of a web have failed.

    Fetches that fail before, because the machine is slow, do not count.
    """

    silent = True
    answers, missed = 40, 0
    ends_at: int | None = None  # failed fetches of the web
    web: Named

    def reply(self, query: bytes) -> bytes | None:
        answer = super().reply(query)
        if self.answers:
            self.answers -= 1
            return answer
        if self.ends_at is None:
            self.ends_at = self.web.failed + FAILED
        if answer is None or self.web.failed >= self.ends_at:
            return answer
        self.missed += 1
        if self.silent:
            return None
        return answer[:3] + bytes([0x82]) + answer[4:6] + bytes(6) + query[12:]


@asynccontextmanager
async def names(web: LabWeb, *, silent: bool) -> AsyncIterator[tuple[Failing, int]]:
    server = Failing(web, Habits())
    server.silent = silent
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: server, local_addr=("127.0.0.1", 0))
    try:
        yield server, transport.get_extra_info("sockname")[1]
    finally:
        transport.close()


@pytest.mark.parametrize("silent", [True, False])
def test_what_could_not_be_found_is_found_later(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    silent: bool,  # noqa: FBT001 - a parameter
) -> None:
    usual = TABLE[FailureKind.NAME_SERVER]
    monkeypatch.setitem(
        TABLE, FailureKind.NAME_SERVER, Failure(usual.wait / SCALE, usual.retries, usual.fate)
    )
    leaves = [
        f"http://h{host}.test/{page}" for page in range(2) for host in range(200)
    ]  # c-ares remembers names
    pages = {
        SEED: html("Seed", "first", *leaves),
        **{url: html(url, f"words of {url}") for url in leaves},
    }
    recorded = open_web(record_web(tmp_path / "web", {url: html("x", "y") for url in pages}))
    create_portal(
        tmp_path / "p", plant_seeds([(("a",), [SEED])], UrlRules()), {"politeness.delay": 0.05}
    )

    async def work(portal: Portal) -> tuple[Progress, int]:
        web = Named(pages, seconds=0.01)
        async with names(recorded, silent=silent) as (server, port):
            options = DnsOptions(
                servers=(f"127.0.0.1:{port}",), timeout=0.2, patience=0.1, min_ttl=0.0, max_ttl=0.1
            )
            web.resolver = Resolver(options)
            server.web = web
            try:
                progress = await crawl(portal, web, BreadthFirst([address(SEED)]), Limits(1000))
            finally:
                await web.resolver.close()
        return progress, server.missed

    with Portal.crawling(tmp_path / "p", "test") as portal:
        progress, missed = asyncio.run(work(portal))
        with portal.store.reading() as session:
            kept = [url for url, _, _ in page_log(session)]
            hosts = list(ledger.all_hosts(session))
    assert missed >= FAILED // 2  # two pages of a host may share a query
    assert progress.errors["name server failed"] >= FAILED
    assert sorted(kept) == sorted(pages)
    assert {host.state for host in hosts} == {HostState.GOOD}
