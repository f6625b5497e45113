"""`lode config`, files that are wrong, and databases that are not there."""

import json
from pathlib import Path

import pytest

from motherlode.store import Store, StoreOptions
from motherlode.store.schema import about
from support.bookmark_files import topics
from support.helpers import CliRun, said_one_sentence


@pytest.mark.usefixtures("portal")
def test_every_setting_is_shown_with_its_default(lode: CliRun) -> None:
    shown = json.loads(lode("config", "p", "--json", "--set", "urls.max_url=222").stdout)
    assert shown["urls.max_url"]["value"] == 222
    assert shown["urls.max_url"]["default"] == 1000
    assert shown["urls.max_url"]["description"]
    text = lode("config", "p", "--set", "urls.max_url=222").stdout
    assert "# default: max_url = 1000\nmax_url = 222\n" in text
    assert all(key.partition(".")[2] + " = " in text for key in shown)


def test_a_mistake_in_the_file_is_told_with_its_line(lode: CliRun, portal: Path) -> None:
    (portal / "lode.toml").write_text("[urls]\nmax_ulr = 3\n")
    for command in (("config", "p"), ("topics", "p"), ("topics", "p", "add", "x")):
        run = lode(*command)
        assert run.returncode == 3
        assert said_one_sentence(run)
        assert (
            "p/lode.toml, line 2: there is no setting 'urls.max_ulr'; did you mean 'urls.max_url'?"
            in run.stderr
        )


def test_a_database_from_the_future(lode: CliRun, portal: Path) -> None:
    with Store.open(portal / "lode.db", StoreOptions()) as store, store.writing() as session:
        session.connection.execute(about.update().values(value="99"))
    run = lode("topics", "p")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "The database has version 99" in run.stderr


def test_a_database_server_that_is_not_there(lode: CliRun) -> None:
    run = lode(
        "new", "p", "--query", "x", "--set", "store.url=postgresql://me:secret@127.0.0.1:1/none"
    )
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "secret" not in run.stderr
    hidden = "store.url=postgresql://me@127.0.0.1:1/none?password=secret"
    assert "secret" not in lode("new", "p", "--query", "x", "--set", hidden).stderr
    run = lode("new", "p", "--query", "x", "--set", "store.url=mysql://x/y")
    assert run.returncode == 3
    assert "not supported" in run.stderr


def test_a_portal_on_postgresql(lode: CliRun, postgres_server: str, tmp_path: Path) -> None:
    wrong = lode("new", "p", "--topic", "OTHERS/x", "--set", f"store.url={postgres_server}")
    assert (wrong.returncode, said_one_sentence(wrong)) == (2, True)
    made = lode(
        "new", "p", "--topic", "a", "--seed", "http://a/", "--set", f"store.url={postgres_server}"
    )
    assert made.returncode == 0, made.stderr
    assert topics(lode) == ["a"]
    assert lode("topics", "p", "add", "b").returncode == 0
    assert topics(lode) == ["a", "b"]
    assert not (tmp_path / "p" / "lode.db").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[urls]\nmax_url = " + "9" * 5000, "too large to read"),
        ("a = " + "[" * 5000 + "]" * 5000, "too large to read"),
        (
            "[urls]\nmax_url = [\n" + "[],\n" * 12_000 + "]",
            "line 2: urls.max_url: expected int, got array",
        ),
        (".".join(["a"] * 8_000) + " = 1", "there is no section 'a'"),
        ('[store]\nurl = "postgresql://h:port/x"', "[store] url is not a database URL"),
        ('[store]\nurl = "nonsense"', "[store] url is not a database URL"),
        ('[crawler]\nname = "a\\n"', "crawler.name"),
    ],
)
def test_a_configuration_that_is_meant_ill(
    lode: CliRun, portal: Path, text: str, says: str
) -> None:
    (portal / "lode.toml").write_text(text)
    run = lode("topics", "p")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert says in run.stderr
