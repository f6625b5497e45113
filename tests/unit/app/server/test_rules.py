"""Who may ask for what."""

from pathlib import Path

import pytest

from motherlode.app.server.keys import SESSION_SECONDS, Keys
from motherlode.app.server.rate_limits import RateLimit
from motherlode.app.server.rules import (
    RequestHead,
    cross_site_refusal,
    host_in,
    host_refusal,
    is_open,
)
from motherlode.app.server.settings import ServerSettings, is_loopback, with_token
from motherlode.records import UsageError


def head(method: str = "GET", path: str = "/", **headers: str) -> RequestHead:
    return RequestHead(
        method, path, {name.replace("_", "-"): value for name, value in headers.items()}
    )


@pytest.mark.parametrize(
    ("host", "bound", "fits"),
    [
        ("127.0.0.1:8420", "127.0.0.1", True),
        ("localhost:8420", "127.0.0.1", True),
        ("localhost", "127.0.0.1", True),
        ("owls.localhost:1", "127.0.0.1", True),
        ("[::1]:8420", "::1", True),
        ("portals.example", "127.0.0.1", True),
        ("PORTALS.example:80", "127.0.0.1", True),
        ("rebound.example:8420", "127.0.0.1", False),
        ("127.0.0.1.rebound.example", "127.0.0.1", False),
        ("localhost.rebound.example", "127.0.0.1", False),
        ("10.0.0.5:8420", "127.0.0.1", False),
        ("10.0.0.5:8420", "0.0.0.0", True),
        ("[fe80::1]:8420", "::", True),
        ("rebound.example", "0.0.0.0", False),
        ("x@localhost", "127.0.0.1", False),
        ("localhost/x", "127.0.0.1", False),
        ("localhost:port", "127.0.0.1", False),
        ("", "127.0.0.1", False),
    ],
)
def test_only_names_that_are_ours_are_answered_to(host: str, bound: str, *, fits: bool) -> None:
    refused = host_refusal(head(host=host), bound, {"portals.example"})
    assert (refused is None) == fits


def test_a_missing_host_is_wrong() -> None:
    assert host_refusal(head(), "127.0.0.1", ()) is not None
    assert host_in("a b") == "a b"  # no server is called that


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ({}, True),  # no browser
        ({"origin": "http://localhost:8420"}, True),
        ({"origin": "http://LOCALHOST:8420", "sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "none"}, True),  # typed by a person
        ({"origin": "http://localhost:9999"}, False),  # another server on this machine
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": "http://["}, False),
        ({"sec_fetch_site": "cross-site"}, False),
        ({"sec_fetch_site": "same-site"}, False),
        ({"origin": "http://localhost:8420", "sec_fetch_site": "cross-site"}, False),
    ],
)
def test_what_changes_something_comes_from_our_own_pages(
    said: dict[str, str], *, fits: bool
) -> None:
    assert (cross_site_refusal(head("POST", host="localhost:8420", **said)) is None) == fits
    assert (cross_site_refusal(head("DELETE", host="localhost:8420", **said)) is None) == fits
    assert cross_site_refusal(head("GET", host="localhost:8420", **said)) is None


def test_little_is_seen_without_the_token() -> None:
    assert is_open("/login")
    assert is_open("/static/style.css")
    assert not is_open("/")
    assert not is_open("/api/v1/portals")
    assert not is_open("/login/../portals")


def test_a_session_holds_for_a_week_and_for_its_token() -> None:
    keys = Keys("a token of some length")
    session = keys.new_session(1000.0)
    assert keys.is_session(session, 1000.0)
    assert Keys("a token of some length").is_session(session, 1000.0 + SESSION_SECONDS - 2)
    assert not keys.is_session(session, 1000.0 + SESSION_SECONDS + 2)
    assert not Keys("another token of it").is_session(session, 1000.0)
    until, _, made = session.partition(".")
    assert not keys.is_session(f"{int(until) + 9}.{made}", 1000.0)
    for wrong in ("", ".", "x.y", f"{until}.", f"{until}.é", f"{'9' * 5000}.x"):
        assert not keys.is_session(wrong, 1000.0)


def test_without_a_token_nothing_is_one_and_each_server_has_its_own_forms() -> None:
    assert not Keys().is_token("")
    assert not Keys().needs_login
    assert Keys().form_token != Keys().form_token
    assert Keys("twelve letters").form_token == Keys("twelve letters").form_token


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    rate = RateLimit(2, 0.5, lambda: now[0])
    assert [rate.take("a") for _ in range(3)] == [0.0, 0.0, 2.0]
    assert rate.take("b") == 0.0
    now[0] = 2.0
    assert [rate.take("a") for _ in range(2)] == [0.0, 2.0]


def test_visitors_beyond_number_are_forgotten() -> None:
    rate = RateLimit(1, 1.0, lambda: 0.0)
    for number in range(10_000):
        rate.take(str(number))
    assert len(rate._buckets) < 5_000


@pytest.mark.parametrize(
    ("host", "names", "needs"),
    [
        ("127.0.0.1", (), False),
        ("localhost", (), False),
        ("::1", (), False),
        ("0.0.0.0", (), True),
        ("127.0.0.1", ("portals.example",), True),
        ("10.0.0.5", (), True),
        ("example.org", (), True),
    ],
)
def test_beyond_this_machine_a_token_is_made_up(
    host: str, names: tuple[str, ...], *, needs: bool
) -> None:
    token = with_token(ServerSettings(Path(), host=host, names=names)).token
    assert bool(token) == needs
    assert not token or len(token) >= 30
    assert (
        with_token(ServerSettings(Path(), host=host, names=names, token="my own token")).token
        == "my own token"
    )


def test_a_token_that_is_easily_guessed_is_refused() -> None:
    with pytest.raises(UsageError, match="easily guessed"):
        with_token(ServerSettings(Path(), token="short"))


def test_loopback() -> None:
    assert is_loopback("127.8.8.8")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("localhost.example")
