"""Sites and registrable domains."""

import json
from pathlib import Path

import pytest

from motherlode.urls import display_host, host_of, registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("example.org", "example.org"),
        ("a.b.news.bbc.co.uk", "bbc.co.uk"),
        ("alice.github.io", "alice.github.io"),
        ("github.io", "github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("pics0.test", "pics0.test"),
        ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("192.168.10.1", "192.168.10.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
    ],
)
def test_registrable_domain(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://example.org/", "example.org"),
        ("http://example.org:8080/a:b", "example.org"),
        ("https://[::1]:8443/x", "[::1]"),
    ],
)
def test_host_of(url: str, host: str) -> None:
    assert host_of(url) == host


def test_hosts_are_shown_as_people_write_them() -> None:
    assert display_host("xn--bcher-kva.example") == "bücher.example"
    assert display_host("www.example.org") == "www.example.org"
    assert display_host("xn--a") == "xn--a"


def test_punycode_of_others(conformance: Path) -> None:
    """Every punycode label that the parser accepts is shown as the text it stands for."""
    cases = json.loads((conformance / "url" / "punycode_tests.json").read_text())
    shown = [case for case in cases if display_host(f"xn--{case['encoded']}") == case["decoded"]]
    kept = [
        case for case in cases if display_host(f"xn--{case['encoded']}") == f"xn--{case['encoded']}"
    ]
    assert len(shown) + len(kept) == len(cases)
    assert len(shown) >= len(cases) // 3
