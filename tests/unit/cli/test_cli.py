"""The command line as a person meets it: what it prints, where, and with which exit code."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import CliRun, said_one_sentence
from motherlode.app.cli.common import harmless
from motherlode.app.cli.main import COMMANDS, EXIT_CODES
from motherlode.portal import PortalLock
from motherlode.store import Store, StoreOptions
from motherlode.store.schema import about

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Science</H3><DL><p>
  <DT><A HREF="http://s.example/">S</A>
  <DT><H3>Physics</H3><DL><p><DT><A HREF="http://p.example/?utm_source=x">P</A></DL><p>
</DL><p>
<DT><H3>Others</H3><DL><p><DT><A HREF="http://o.example/">O</A></DL><p>
<DT><A HREF="javascript:alert(1)">script</A>
</DL><p>"""


@pytest.fixture
def portal(lode: CliRun, tmp_path: Path) -> Path:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    run = lode("new", "p", "--bookmarks", "bookmarks.html")
    assert run.returncode == 0, run.stderr
    return tmp_path / "p"


def paths(tree: dict[str, object]) -> list[str]:
    below = tree["topics"]
    assert isinstance(below, list)
    return [str(tree["path"]), *(path for child in below for path in paths(child))]


def topics(lode: CliRun, *arguments: str) -> list[str]:
    return paths(json.loads(lode("topics", "p", "--json", *arguments).stdout))[1:]


# The overview

WITHOUT_A_PORTAL = {"sandbox", "lab", "serve"}  # so there are no settings to override


def test_help_names_every_command_and_exit_code(lode: CliRun) -> None:
    run = lode("--help")
    assert run.returncode == 0
    assert all(name in run.stdout for name in COMMANDS)
    assert all(meaning[:20] in run.stdout for meaning in EXIT_CODES.values())


def test_the_overview_says_of_each_command_what_it_says_of_itself(lode: CliRun) -> None:
    for name in COMMANDS:
        run = lode(name, "--help")
        assert run.returncode == 0
        assert "--set" in run.stdout or name in WITHOUT_A_PORTAL
        assert "--json" in run.stdout


def test_help_loads_nothing_heavy() -> None:
    heavy = "sqlalchemy, numpy, msgspec, rich, publicsuffixlist"
    code = f"""
import sys
from motherlode.app.cli.main import main
try:
    main(["--help"])
except SystemExit:
    pass
print([name for name in {heavy.split(", ")!r} if name in sys.modules], file=sys.stderr)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr.strip() in ("[]", "['msgspec']")


def test_version(lode: CliRun) -> None:
    assert lode("--version").stdout.startswith("Motherlode 0.")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("cofig",), 2, "There is no command 'cofig'; did you mean 'config'?"),
        (("new",), 2, "Missing argument 'DIR'."),
        (("new", "x"), 2, "Name the topics one way"),
        (("new", "x", "--query", "a", "--topic", "b"), 2, "Name the topics one way"),
        (("new", "x", "--query", "  "), 2, "The query needs some words."),
        (("new", "x", "--seed", "http://a/"), 2, "stands before any topic"),
        (("new", "x", "--seed", "http://a/", "--topic", "t"), 2, "stands before any topic"),
        (("new", "x", "--topic", "t", "--seed", "nonsense"), 2, "'nonsense' cannot be crawled: not a URL."),
        (("new", "x", "--topic", "/"), 2, "A topic needs a name."),
        (("new", "x", "--topic", "a/" * 1200), 2, "Topics nest at most 100 deep"),
        (("topics", "x" * 300), 4, "cannot be a portal: File name too long"),
        (("new", "x", "--query", "a", "--set", "urls.max_ulr=3"), 2, "did you mean 'urls.max_url'?"),
        (("new", "x", "--bookmarks", "missing.html"), 3, "There is no file missing.html."),
        (("topics", "missing"), 4, "missing does not exist; 'lode new missing' makes one."),
        (("config", "."), 4, ". is not a portal"),
        (("topics", "missing", "add", "x"), 4, "does not exist"),
        (("config", "missing", "--nonsense"), 2, "No such option"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    lode: CliRun, arguments: tuple[str, ...], code: int, says: str
) -> None:
    run = lode(*arguments)
    assert run.returncode == code
    assert said_one_sentence(run)
    assert says in run.stderr
    assert run.stdout == ""


# lode new


def test_a_portal_from_bookmarks(lode: CliRun, portal: Path) -> None:
    assert portal.is_dir()
    assert topics(lode) == ["Science", "Science/Physics", "OTHERS"]


def test_what_was_skipped_is_told(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(BOOKMARKS)
    run = lode("new", "p", "--bookmarks", "b.html")
    assert run.stdout.splitlines() == [
        "Made p: 3 topics, 3 examples (1 for scheme 'javascript' skipped).",
        "Next: lode topics p",
    ]


def test_seeds_belong_to_the_topic_before_them(lode: CliRun) -> None:
    lode(
        "new",
        "p",
        "--topic",
        "a",
        "--seed",
        "http://a/",
        "--seed=http://b/",
        "--topic=b/c",
        "--seed",
        "http://c/",
        "http://d/",
    )
    tree = json.loads(lode("topics", "p", "--json").stdout)
    a, b = tree["topics"]
    assert [example["url"] for example in a["examples"]] == ["http://a/", "http://b/"]
    assert [example["url"] for example in b["topics"][0]["examples"]] == ["http://c/", "http://d/"]


def test_the_directory_may_come_last(lode: CliRun) -> None:
    assert lode("new", "--topic", "a", "--seed", "http://a/", "p").returncode == 0
    assert topics(lode) == ["a"]


def test_a_query(lode: CliRun) -> None:
    assert lode("new", "p", "--query", "open source ARIES").returncode == 0
    tree = json.loads(lode("topics", "p", "--json").stdout)
    (example,) = tree["topics"][0]["examples"]
    assert (example["url"], example["text"], example["origin"]) == (None, "open source ARIES", "query")


def test_an_argument_that_is_no_text(lode: CliRun) -> None:
    run = lode("new", "p", "--query", os.fsdecode(b"caf\xe9 owls"))
    assert run.returncode == 0, run.stderr
    (topic,) = json.loads(lode("topics", "p", "--json").stdout)["topics"]
    assert topic["examples"][0]["text"] == "caf\ufffd owls"


def test_settings_go_into_the_new_portal(lode: CliRun) -> None:
    lode("new", "p", "--query", "a", "--set", "urls.max_url=345", "--set", "crawler.contact=me@example.org")
    assert lode("config", "p", "urls.max_url").stdout == "345\n"
    assert lode("config", "p", "crawler.contact").stdout == '"me@example.org"\n'


def test_new_as_json(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(BOOKMARKS)
    made = json.loads(lode("new", "p", "--bookmarks", "b.html", "--json").stdout)
    assert made["portal"] == "p"
    assert made["topics"][0] == {"path": "Science", "examples": 1}
    assert made["skipped"] == {"scheme 'javascript'": 1}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.html", b"", "is empty"),
        ("binary.html", b"\x00\x01" * 1000, "is a binary file"),
        ("deep.html", b"<DL>" + b"<H3>a</H3><DL>" * 100_000, "nests folders"),
        (
            "nothing.html",
            b"<DL><DT><A HREF='javascript:x'>x</A></DL>",
            "no bookmark that can be crawled (1 for",
        ),
        ("page.html", b"<html><p>No link at all", "no bookmark that can be crawled"),
    ],
)
def test_a_bad_bookmark_file(lode: CliRun, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    run = lode("new", "p", "--bookmarks", name)
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert says in run.stderr
    assert not (tmp_path / "p").exists()


def test_a_bookmark_file_that_is_a_directory_or_huge(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(200 * 2**20)
    for name, says in (("folder", "is a directory"), ("huge", "has 200 MB")):
        run = lode("new", "p", "--bookmarks", name)
        assert run.returncode == 3
        assert said_one_sentence(run)
        assert says in run.stderr


def test_a_directory_that_is_not_empty(lode: CliRun, portal: Path) -> None:
    for name, says in (("p", "is a portal already"), (".", "is not empty")):
        run = lode("new", name, "--query", "x")
        assert run.returncode == 3
        assert said_one_sentence(run)
        assert says in run.stderr
    assert portal.is_dir()


# lode topics


def test_the_tree_is_shown_with_its_examples(lode: CliRun, portal: Path) -> None:
    assert lode("topics", portal.name).stdout == (
        "p: 3 topics, 3 examples\n"
        "├─ Science (1 example)\n"
        "│  ├─ http://s.example/  S\n"
        "│  └─ Physics (1 example)\n"
        "│     └─ http://p.example/  P\n"
        "└─ OTHERS (1 counterexample)\n"
        "   └─ http://o.example/  O\n"
    )


def test_only_some_examples_are_shown_unless_all_are_wanted(lode: CliRun) -> None:
    seeds = [word for n in range(8) for word in ("--seed", f"http://h/{n}")]
    lode("new", "p", "--topic", "t", *seeds)
    assert "and 3 more" in lode("topics", "p").stdout
    assert "http://h/7" in lode("topics", "p", "--all").stdout


@pytest.mark.usefixtures("portal")
def test_edits(lode: CliRun) -> None:
    for arguments, said in (
        (("add", "Arts/Music"), "Added 'Arts/Music'."),
        (
            ("example", "arts/music", "http://m.example/", "http://n.example/"),
            "Added 2 examples to 'arts/music'.",
        ),
        (("example", "Arts/Music", "http://m.example/"), "Added 0 examples to 'Arts/Music'."),
        (("example", "Arts/Music", "http://m.example/", "--remove"), "Took 1 example out of 'Arts/Music'."),
        (("rename", "Arts/Music", "Jazz"), "Renamed 'Arts/Music' to 'Jazz'."),
        (("move", "Arts/Jazz", "/"), "Moved 'Arts/Jazz' to 'Jazz'."),
        (("remove", "Science"), "Removed 'Science' with 1 topic below it."),
        (("restore",), "Restored 'Science' with 2 examples."),
        (("remove", "Science"), "Removed 'Science' with 1 topic below it."),
    ):
        run = lode("topics", "p", *arguments)
        assert (run.returncode, run.stdout.strip()) == (0, said), run.stderr
    assert topics(lode) == ["OTHERS", "Arts", "Jazz"]
    removed = json.loads(lode("topics", "p", "remove", "Jazz", "--json").stdout)
    assert removed["done"] == "Removed 'Jazz'."
    assert lode("topics", "p", "restore", removed["undo"]).stdout == "Restored 'Jazz' with 1 example.\n"
    assert topics(lode) == ["OTHERS", "Arts", "Jazz"]


@pytest.mark.usefixtures("portal")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "science"), "There is a topic 'science' already."),
        (("add", "OTHERS/x"), "can have no topics below it"),
        (("add", "a//b"), "is not a topic path"),
        (("rename", "Sciense", "x"), "did you mean 'Science'?"),
        (("rename", "Science", "a/b"), "A name has no '/'"),
        (("rename", "Science", "others"), "OTHERS keeps its name"),
        (("move", "Science", "Science/Physics"), "below itself"),
        (("remove", "/"), "The root of the topic tree cannot be removed."),
        (("example", "Science", "nonsense"), "cannot be crawled"),
        (("example", "Science", "http://z/", "--remove"), "is not an example"),
        (("explode",), "No such command"),
    ],
)
def test_wrong_edits_change_nothing(lode: CliRun, arguments: tuple[str, ...], says: str) -> None:
    before = lode("topics", "p", "--json").stdout
    run = lode("topics", "p", *arguments)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert says in run.stderr
    assert lode("topics", "p", "--json").stdout == before


def test_a_portal_that_is_being_written(lode: CliRun, portal: Path) -> None:
    with PortalLock(portal, "lode crawl"):
        assert lode("topics", "p").returncode == 0
        run = lode("topics", "p", "add", "x")
    assert run.returncode == 4
    assert said_one_sentence(run)
    assert f"is being written by 'lode crawl' (process {os.getpid()})" in run.stderr


def test_titles_cannot_steer_the_terminal(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(
        "<DL><H3>A</H3><DL><A HREF=http://a/>\x1b[31mred\u202e\x07</A></DL></DL>"
    )
    lode("new", "p", "--bookmarks", "b.html")
    shown = lode("topics", "p").stdout
    assert "red" in shown
    assert not any(mark in shown for mark in "\x1b\u202e\x07")
    assert harmless("a\nb") == "a\N{REPLACEMENT CHARACTER}b"


# lode config


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
    run = lode("new", "p", "--query", "x", "--set", "store.url=postgresql://me:secret@127.0.0.1:1/none")
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
    made = lode("new", "p", "--topic", "a", "--seed", "http://a/", "--set", f"store.url={postgres_server}")
    assert made.returncode == 0, made.stderr
    assert topics(lode) == ["a"]
    assert lode("topics", "p", "add", "b").returncode == 0
    assert topics(lode) == ["a", "b"]
    assert not (tmp_path / "p" / "lode.db").exists()


# Manners


def coloured(directory: Path, **environment: str) -> bool:
    """Whether `lode topics p` uses colour when it writes to a terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "motherlode", "topics", "p"]
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        command, cwd=directory, stdout=follower, env={**kept, "TERM": "xterm", **environment}, check=True
    )
    os.close(follower)
    shown = os.read(leader, 100_000)
    os.close(leader)
    return b"\x1b[" in shown


def test_colour_only_on_a_terminal_and_only_if_wanted(lode: CliRun, portal: Path) -> None:
    assert "\x1b[" not in lode("topics", "p").stdout
    assert coloured(portal.parent)
    assert not coloured(portal.parent, NO_COLOR="1")


@pytest.mark.usefixtures("portal")
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m motherlode config p | head -1; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert run.stderr == ""


def test_debug_shows_the_traceback(lode: CliRun) -> None:
    assert "Traceback" in lode("--debug", "topics", "missing").stderr
    assert "Traceback" in lode("topics", "missing", "--debug").stderr


@pytest.mark.parametrize(
    "name", ["x#1", "what?", "p?mode=memory&x=", "a%20b", "50%", "x y", "ü", "-dash", "a'b"]
)
def test_a_portal_may_be_called_anything(lode: CliRun, tmp_path: Path, name: str) -> None:
    made = lode("new", "--topic", "a", "--seed", "http://a/", "--", name)
    assert made.returncode == 0, made.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "lode.db").is_file()
    assert "http://a/" in lode("topics", "--", name).stdout


def test_a_portal_may_be_called_what_is_no_text(lode: CliRun, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    assert lode("new", name, "--topic", "a").returncode == 0
    assert lode("topics", name).returncode == 0
    assert (tmp_path / name / "lode.db").is_file()


@pytest.mark.usefixtures("portal")
@pytest.mark.parametrize("closing", [">&-", "2>&-", ">/dev/full", "2>/dev/full", ">&- 2>&-"])
def test_output_that_goes_nowhere(tmp_path: Path, closing: str) -> None:
    for arguments in ("topics p", "--help", "topics missing"):
        command = f"{sys.executable} -m motherlode {arguments} {closing}"
        run = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in run.stderr
        assert "bug" not in run.stderr
        assert run.returncode == (4 if "missing" in arguments else 1 if closing == ">/dev/full" else 0)


@pytest.mark.usefixtures("portal")
def test_output_in_a_narrow_encoding(lode: CliRun) -> None:
    for encoding in ("ascii", "latin-1"):
        run = lode("topics", "p", env={"PYTHONIOENCODING": encoding})
        assert run.returncode == 0
        assert "Physics" in run.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[urls]\nmax_url = " + "9" * 5000, "too large to read"),
        ("a = " + "[" * 5000 + "]" * 5000, "too large to read"),
        ("[urls]\nmax_url = [\n" + "[],\n" * 12_000 + "]", "line 2: urls.max_url: expected int, got array"),
        (".".join(["a"] * 20_000) + " = 1", "there is no section 'a'"),
        ('[store]\nurl = "postgresql://h:port/x"', "[store] url is not a database URL"),
        ('[store]\nurl = "nonsense"', "[store] url is not a database URL"),
        ('[crawler]\nname = "a\\n"', "crawler.name"),
    ],
)
def test_a_configuration_that_is_meant_ill(lode: CliRun, portal: Path, text: str, says: str) -> None:
    (portal / "lode.toml").write_text(text)
    run = lode("topics", "p")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert says in run.stderr


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (b"<meta charset=punycode><DL><A HREF='http://a/'>x</A>", "x"),
        (b"<meta charset=utf-7><DL><A HREF='http://a/'>t+2AA-</A>", "t+2AA-"),
        (b"<DL><A HREF='http://a/'>&#" + b"9" * 100_000 + b";</A>", "\ufffd"),
        (b"<DL><A HREF='http://a/'>a&#0;b&#xD800;</A>", "a\ufffdb\ufffd"),
    ],
)
def test_odd_bookmarks_are_kept(lode: CliRun, tmp_path: Path, body: bytes, title: str) -> None:
    (tmp_path / "b.html").write_bytes(body)
    made = lode("new", "p", "--bookmarks", "b.html")
    assert made.returncode == 0, made.stderr
    (topic,) = json.loads(lode("topics", "p", "--json").stdout)["topics"]
    assert topic["examples"][0]["title"] == title


def test_a_pattern_of_many_stars(lode: CliRun) -> None:
    pattern = 'urls.session_parameters=["*a*a*a*a*a*a*b"]'
    assert (
        lode("new", "p", "--topic", "t", "--seed", "http://h/x;" + "a" * 300, "--set", pattern).returncode
        == 0
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_portal_is_made_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    run = start_large(tmp_path)
    run.send_signal(number)
    _, said = run.communicate(timeout=30)
    assert said.strip() == "lode: Interrupted."
    assert run.returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == ["urls.txt"]


def test_what_a_killed_new_left_is_swept_by_the_next(lode: CliRun, tmp_path: Path) -> None:
    run = start_large(tmp_path)
    run.kill()
    run.communicate()
    assert len(list(tmp_path.iterdir())) == 2
    assert lode("new", "p", "--topic", "a").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "urls.txt"]


def start_large(directory: Path) -> "subprocess.Popen[str]":
    """`lode new` in the middle of a large file."""
    (directory / "urls.txt").write_text("".join(f"http://h{n}.example/\n" for n in range(200_000)))
    command = [sys.executable, "-m", "motherlode", "new", "p", "--bookmarks", "urls.txt"]
    run = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not list(directory.glob(".p.lode-new-*/lode.db")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return run
