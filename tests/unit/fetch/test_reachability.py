"""Hosts are not blamed while no server answers."""

import pytest

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.host_records import HostBook
from motherlode.fetch.reachability import (
    CERTAIN_OUTAGE_HOSTS,
    NO_ANSWER,
    OUTAGE_HOSTS,
    Reachability,
)
from motherlode.lab.clock import run_virtually
from motherlode.records import HostState
from support.scripted_web import ScriptedWeb, fetch, fetcher


def silent(hosts: int) -> Reachability:
    reachability = Reachability()
    for number in range(hosts):
        reachability.note_failure(f"h{number}.test", FailureKind.REFUSED)
    return reachability


def test_an_outage_is_several_hosts_without_an_answer() -> None:
    assert not silent(OUTAGE_HOSTS - 1).ends_crawl(under_way=0)
    assert silent(OUTAGE_HOSTS).ends_crawl(under_way=0)
    assert not silent(OUTAGE_HOSTS).ends_crawl(under_way=1)
    assert silent(CERTAIN_OUTAGE_HOSTS).ends_crawl(under_way=1)


def test_one_answer_ends_an_outage_for_good() -> None:
    reachability = silent(OUTAGE_HOSTS)
    reachability.note_failure("a.test", FailureKind.TLS)  # a certificate is an answer
    reachability.note_failure("b.test", FailureKind.REFUSED)
    assert not reachability.is_outage
    assert reachability.blames(FailureKind.REFUSED)


@pytest.mark.parametrize("kind", sorted(NO_ANSWER - {FailureKind.NO_SUCH_HOST}))
def test_no_host_is_blamed_before_the_first_answer(kind: FailureKind) -> None:
    assert not silent(1).blames(kind)


def test_a_name_that_does_not_exist_is_blamed_unless_nothing_answers() -> None:
    assert silent(1).blames(FailureKind.NO_SUCH_HOST)
    assert not silent(OUTAGE_HOSTS).blames(FailureKind.NO_SUCH_HOST)


def test_a_host_stays_good_and_its_url_open_while_no_server_answers() -> None:
    hosts = HostBook()

    async def work() -> None:
        dead = fetcher(ScriptedWeb({"http://a.test/robots.txt": FailureKind.REFUSED}), hosts=hosts)
        for attempts in range(1, 9):
            fetched = await fetch(dead, "http://a.test/", attempts=attempts)
            assert fetched.failure is FailureKind.REFUSED
            assert fetched.retry_at is not None

    run_virtually(work())
    assert (hosts["a.test"].state, hosts["a.test"].failures) == (HostState.GOOD, 0)
    assert hosts.changed() == []


def test_an_answer_to_robots_txt_is_an_answer() -> None:
    hosts = HostBook()

    async def work() -> None:
        late = fetcher(ScriptedWeb({"http://a.test/": FailureKind.FIRST_BYTE_TIMEOUT}), hosts=hosts)
        await fetch(late, "http://a.test/")

    run_virtually(work())
    assert hosts["a.test"].state is HostState.SLOW
