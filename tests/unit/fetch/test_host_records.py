"""What hosts become by answering and by failing, and the book that is kept of them."""

import pytest
from msgspec.structs import replace

from motherlode.fetch import Response
from motherlode.fetch.failures import TABLE, FailureKind
from motherlode.fetch.host_records import HostBook, after_failure, after_success
from motherlode.records import Host, HostState

A = Host("a.test", "a.test")


def response(
    status: int = 200, body: bytes = b"12345", packed: int = 0, address: str = "192.0.2.1"
) -> Response:
    return Response("http://a.test/", status, (), body, 0.0, 0.5, address, packed=packed)


def test_an_answer_is_counted_and_makes_a_slow_host_good() -> None:
    slow = replace(
        A, state=HostState.SLOW, reason="stalled", failures=2, pages=7, size=100, next_at=50.0
    )
    host = after_success(slow, response(packed=3), 2.0)
    assert host == Host("a.test", "a.test", HostState.GOOD, "", "192.0.2.1", 0, 8, 103, 2.0, 0.0)


def test_only_documents_are_pages_and_an_unknown_address_is_not_noted() -> None:
    known = replace(A, address="192.0.2.9")
    host = after_success(known, response(404, address=""), 0.0)
    assert (host.pages, host.size, host.address) == (0, 5, "192.0.2.9")


def test_a_bad_host_stays_bad_whatever_arrives_late() -> None:
    bad = replace(A, state=HostState.BAD, reason="connection refused")
    assert after_success(bad, response(), 0.0).state is HostState.BAD
    assert after_success(bad, response(), 0.0).reason == "connection refused"


def test_three_retries_then_a_host_is_bad() -> None:
    host, now, states = A, 0.0, []
    for attempt in range(1, 5):
        host, said = after_failure(host, FailureKind.IDLE_TIMEOUT, attempt, now)
        states.append((host.state, host.failures))
        now = said.retry_at or now
    assert states == [
        (HostState.SLOW, 1),
        (HostState.SLOW, 2),
        (HostState.SLOW, 3),
        (HostState.BAD, 4),
    ]
    assert host.reason == "stalled"


@pytest.mark.parametrize("attempts", [1, 2, 9])
@pytest.mark.parametrize("kind", [kind for kind, row in TABLE.items() if row.counts and row.wait])
def test_failures_while_a_host_is_left_alone_count_once(kind: FailureKind, attempts: int) -> None:
    host, _ = after_failure(A, kind, attempts, 100.0)
    assert (host.failures, host.next_at > 100.0) == (1, True)
    for moment in (100.0, 101.0, host.next_at - 0.001):
        later, _ = after_failure(host, kind, attempts, moment)
        assert (later.failures, later.state) == (1, host.state)
    after, _ = after_failure(host, kind, attempts, host.next_at)
    assert after.failures == 2


@pytest.mark.parametrize("kind", [kind for kind, row in TABLE.items() if not row.counts])
def test_a_host_is_as_it_was_after_what_is_not_its_fault(kind: FailureKind) -> None:
    assert after_failure(A, kind, 1, 5.0)[0] == A


def test_a_shorter_wait_does_not_end_a_longer_one() -> None:
    host, _ = after_failure(A, FailureKind.TOO_MANY, 1, 0.0, asked_for=3600.0)
    assert host.next_at == 3600.0
    host, said = after_failure(host, FailureKind.RESET, 1, 10.0)
    assert (host.next_at, said.retry_at) == (3600.0, 20.0)


# --- the book -------------------------------------------------------------------------------------------


def test_a_host_is_loaded_once_or_begins_anew() -> None:
    asked: list[str] = []

    def load(name: str) -> Host | None:
        asked.append(name)
        return replace(A, pages=5) if name == "a.test" else None

    book = HostBook(load)
    assert (book["a.test"].pages, book["a.test"].pages) == (5, 5)
    assert book["www.b.co.uk"] == Host("www.b.co.uk", "b.co.uk")
    assert asked == ["a.test", "www.b.co.uk"]
    assert book.changed() == []


def test_what_changed_is_handed_over_once_as_it_is_then() -> None:
    book = HostBook()
    book.put(replace(A, pages=1))
    book.put(Host("b.test"))
    book.put(replace(A, pages=2))
    assert book.changed() == [replace(A, pages=2), Host("b.test")]
    assert book.changed() == []


def test_what_has_changed_is_not_forgotten_before_it_was_handed_over() -> None:
    book = HostBook(most=10)
    for number in range(100):
        book.put(Host(f"h{number}.test", pages=number))
        _ = book[f"other{number}.test"]
    assert len(book._known) <= 111
    assert sorted(host.pages for host in book.changed()) == list(range(100))
    _ = book["one-more.test"]
    assert len(book._known) <= 10


def test_memory_is_bounded_however_many_hosts_come_and_go() -> None:
    book = HostBook(most=1000)
    for number in range(100_000):
        book.put(replace(book[f"h{number}.test"], pages=1))
        if number % 500 == 0:
            book.changed()
    assert len(book._known) <= 1500
    assert book["h99999.test"].pages == 1
    assert book["h5.test"].pages == 0  # forgotten here; the store knows


def test_what_a_host_is_an_alias_for_is_kept_as_long_as_nobody_says_otherwise() -> None:
    named = after_success(Host("a.test"), replace(response(), aliases="b.test cdn.test"), 0.0)
    assert named.aliases == "b.test cdn.test"
    assert after_success(named, response(), 0.0).aliases == "b.test cdn.test"
    assert after_success(named, replace(response(), aliases="c.test"), 0.0).aliases == "c.test"


@pytest.mark.parametrize("kind", [FailureKind.TOO_MANY, FailureKind.UNAVAILABLE])
@pytest.mark.parametrize("attempts", [1, 9])
def test_a_host_is_left_alone_as_long_as_it_asked_for_though_the_url_is_given_up(
    kind: FailureKind, attempts: int
) -> None:
    host, said = after_failure(A, kind, attempts, 100.0, 3600.0)
    assert (said.retry_at is None) == (attempts > TABLE[kind].retries)
    assert host.next_at == 3700.0
    assert after_failure(A, kind, attempts, 100.0, 1e9)[0].next_at == 100.0 + 86_400.0
