"""The table of failures, and what follows from it."""

import pytest

from motherlode.fetch.failures import TABLE, FailureKind, of_status, verdict
from motherlode.records import HostState


def test_every_kind_has_its_row() -> None:
    assert set(TABLE) == set(FailureKind)


def test_a_host_that_times_out_is_slow_and_after_three_retries_bad() -> None:
    states = [
        verdict(FailureKind.CONNECT_TIMEOUT, attempts, attempts, 0.0, HostState.GOOD)
        for attempts in (1, 2, 3, 4)
    ]
    assert [state.host for state in states] == [HostState.SLOW] * 3 + [HostState.BAD]
    assert [state.retry_at for state in states] == [30.0, 60.0, 120.0, None]


def test_what_a_host_asks_for_is_waited_for_up_to_a_day() -> None:
    assert (
        verdict(FailureKind.TOO_MANY, 1, 1, 100.0, HostState.GOOD, asked_for=600.0).retry_at
        == 700.0
    )
    assert (
        verdict(FailureKind.TOO_MANY, 1, 1, 0.0, HostState.GOOD, asked_for=1e9).retry_at == 86_400.0
    )


@pytest.mark.parametrize(
    "kind", [FailureKind.CLIENT, FailureKind.TOO_LARGE, FailureKind.ROBOTS, FailureKind.SERVER]
)
def test_a_host_is_not_blamed_for_a_page(kind: FailureKind) -> None:
    assert verdict(kind, 9, 9, 0.0, HostState.GOOD).host is HostState.GOOD


@pytest.mark.parametrize("kind", FailureKind)
def test_a_bad_host_is_not_asked_again_and_no_host_gets_better_by_failing(
    kind: FailureKind,
) -> None:
    assert verdict(kind, 1, 1, 0.0, HostState.BAD).retry_at is None
    for host in HostState:
        for attempts in range(1, 8):
            assert verdict(kind, attempts, attempts, 0.0, host).host >= host
    assert verdict(kind, 7, 7, 0.0, HostState.GOOD).retry_at is None


STATUSES = {
    200: None,
    301: None,
    304: None,
    404: FailureKind.CLIENT,
    429: FailureKind.TOO_MANY,
    500: FailureKind.SERVER,
    503: FailureKind.UNAVAILABLE,
    599: FailureKind.SERVER,
}


@pytest.mark.parametrize(("status", "kind"), STATUSES.items())
def test_statuses_are_failures_or_not(status: int, kind: FailureKind | None) -> None:
    assert of_status(status) is kind
