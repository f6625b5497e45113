"""`lode fetch` and `lode hosts`, against the sandbox."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal import Portal
from motherlode.records import Host, HostState
from motherlode.store.tables import ledger
from support.helpers import CliRun
from support.small_webs import Said, record_web

PAGE = """<title>Barn \x1b[31mowls</title><a href="/moved">one</a> <a rel="nofollow" href="http://b.test/">two</a>"""
PAGES: dict[str, Said] = {
    "http://a.test/": PAGE,
    "http://a.test/moved": (302, {"Location": "http://locked.test/"}, b""),
    "http://locked.test/": "<title>Locked</title>",
    "http://a.test/there": "<title>There</title>",
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("fetch") / "web"
    record_web(folder, PAGES)
    told = [
        '"closed.test" = "robots-closed"',
        '"loop.test" = "redirect-loop"',
        '"maps.test" = "robots-sitemaps"',
    ]
    (folder / "about.toml").write_text("\n".join(['name = "owls"', "[misbehaviour]", *told]))
    with sandbox(folder) as running:
        yield running


def test_a_page_is_shown_step_by_step(lode: CliRun, box: Running) -> None:
    run = lode("fetch", "a.test", "--set", f"network.connect={box.address}")
    assert run.returncode == 0, run.stderr
    for word in (
        "robots.txt  allowed",
        "status      200, HTTP/1.1",
        "text/html",
        "first byte",
        "blake3:",
    ):
        assert word in run.stdout
    assert "2 links to 2 hosts, 1 not to be followed" in run.stdout
    assert "\x1b" not in run.stdout


def test_json_says_all_of_it(lode: CliRun, box: Running) -> None:
    run = lode("fetch", "http://a.test/", "--json", "--set", f"network.connect={box.address}")
    told = json.loads(run.stdout)
    assert (told["status"], told["type"], told["failure"]) == (200, "text/html", None)
    assert told["robots"]["allowed"] is True
    assert [link["nofollow"] for link in told["links"]] == [False, True]
    assert told["phases"]["connect"] > 0
    assert told["size"] > 0


@pytest.mark.parametrize(
    ("url", "failure"),
    [
        ("http://closed.test/", "robots.txt"),
        ("http://loop.test/", "redirect loop"),
        ("http://a.test/nowhere", "not there"),
    ],
)
def test_what_cannot_be_had_is_said_with_exit_code_1(
    lode: CliRun, box: Running, url: str, failure: str
) -> None:
    run = lode("fetch", url, "--set", f"network.connect={box.address}")
    assert run.returncode == 1
    assert f"failed      {failure}" in run.stdout
    assert json.loads(
        lode("fetch", url, "--json", "--set", f"network.connect={box.address}").stdout
    )["failure"].startswith(failure)


def test_a_redirect_into_a_locked_domain_ends_there(lode: CliRun, box: Running) -> None:
    sandboxed = ("--set", f"network.connect={box.address}")
    assert "Locked" in lode("fetch", "http://a.test/moved", *sandboxed).stdout
    run = lode("fetch", "http://a.test/moved", *sandboxed, "--set", 'crawl.locked=["locked.test"]')
    assert run.returncode == 1
    assert "failed      outside the crawl's domains (locked.test)" in run.stdout


def test_the_body_is_written_as_it_came(lode: CliRun, box: Running, tmp_path: Path) -> None:
    run = lode(
        "fetch",
        "http://a.test/there",
        "--body",
        str(tmp_path / "page"),
        "--set",
        f"network.connect={box.address}",
    )
    assert run.returncode == 0
    assert b"<title>There</title>" in (tmp_path / "page").read_bytes()


def test_the_web_is_closed_to_the_nameless_and_the_inside_to_all(
    lode: CliRun, box: Running
) -> None:
    nameless = lode("fetch", "http://owls.example/")
    assert nameless.returncode == 3
    assert "crawler.contact" in nameless.stderr
    inside = lode("fetch", f"http://127.0.0.1:{box.port}/")
    assert inside.returncode == 1
    assert "forbidden address" in inside.stdout
    opened = lode("fetch", f"http://127.0.0.1:{box.port}/", "--set", "network.private=true")
    assert "status" in opened.stdout


@pytest.mark.parametrize(
    "url", ["ftp://a.test/", "http://", "javascript:alert(1)", "http://a b/", "http://[::1"]
)
def test_what_is_no_address_is_wrong_usage(lode: CliRun, url: str) -> None:
    run = lode("fetch", url)
    assert run.returncode == 2
    assert run.stderr.startswith("lode: ")
    assert run.stderr.count("\n") == 1


def test_a_portal_lends_its_settings(lode: CliRun, box: Running, tmp_path: Path) -> None:
    portal = tmp_path / "p"
    lode("new", str(portal), "--topic", "owls", "--set", f"network.connect={box.address}")
    assert lode("fetch", "http://a.test/there", "--portal", str(portal)).returncode == 0
    assert lode("fetch", "http://a.test/", "--portal", str(tmp_path / "none")).returncode == 4


# lode hosts


@pytest.fixture
def portal(lode: CliRun, tmp_path: Path) -> Path:
    path = tmp_path / "p"
    assert lode("new", str(path), "--topic", "owls").returncode == 0
    with Portal.writing(path, "test") as opened, opened.store.writing() as session:
        ledger.keep_hosts(
            session,
            [
                Host(
                    "good.test",
                    "good.test",
                    pages=7,
                    size=2_000_000,
                    address="192.0.2.1",
                    aliases="w.test lb.test",
                ),
                Host("slow.test", "slow.test", HostState.SLOW, "stalled", failures=2, next_at=9e9),
                Host("bad\x1b.test", "bad.test", HostState.BAD, "connection refused", failures=4),
            ],
        )
    return path


def test_hosts_are_shown_worst_first_with_the_reason(lode: CliRun, portal: Path) -> None:
    run = lode("hosts", str(portal))
    assert run.returncode == 0
    lines = run.stdout.splitlines()
    assert [line.split()[1] for line in lines[1:4]] == ["bad", "slow", "good"]
    assert "connection refused" in lines[1]
    assert "\x1b" not in run.stdout
    assert lines[-1] == "3 hosts: 1 good, 1 slow, 1 bad."


def test_what_a_host_is_an_alias_for_is_shown(lode: CliRun, portal: Path) -> None:
    assert "192.0.2.1 (lb.test)" in lode("hosts", portal).stdout
    told = {
        one["name"]: one["aliases"] for one in json.loads(lode("hosts", portal, "--json").stdout)
    }
    assert (told["good.test"], told["slow.test"]) == (["w.test", "lb.test"], [])


def test_hosts_can_be_chosen_sorted_and_read_by_programs(lode: CliRun, portal: Path) -> None:
    slow = json.loads(lode("hosts", str(portal), "--state", "slow", "--json").stdout)
    assert [host["name"] for host in slow] == ["slow.test"]
    by_pages = json.loads(
        lode("hosts", str(portal), "--sort", "pages", "--limit", "1", "--json").stdout
    )
    assert [host["pages"] for host in by_pages] == [7]


def test_hosts_are_forgiven(lode: CliRun, portal: Path) -> None:
    assert (
        lode("hosts", str(portal), "--forgive", "*.test").stdout
        == "Forgave 2 hosts; 0 URLs can be tried again.\n"
    )
    assert "3 good, 0 slow, 0 bad" in lode("hosts", str(portal)).stdout
    nobody = lode("hosts", str(portal), "--forgive", "*.example")
    assert nobody.returncode == 2
    assert "No host" in nobody.stderr


def test_a_portal_that_met_nobody_says_so(lode: CliRun, tmp_path: Path) -> None:
    lode("new", str(tmp_path / "p"), "--topic", "owls")
    assert lode("hosts", str(tmp_path / "p")).stdout == "No such host has been contacted.\n"
    assert json.loads(lode("hosts", str(tmp_path / "p"), "--json").stdout) == []
