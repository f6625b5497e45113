"""`lode ask`, against the sandbox."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from motherlode.app.cli.commands.ask import _spread, command
from motherlode.app.services.ask import directory_for, open_query_portal, query_of
from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal import Portal
from motherlode.records import BadInputError, LodeError, Origin, UsageError
from motherlode.store.tables import topics as topic_rows
from support.helpers import CliRun, said_one_sentence
from support.small_webs import record_web
from support.training_webs import odd_pages, pages, paper, place, text

QUERY = "barn owls hunting mice"
HOSTILE = f"<title>Owl \x1b[31m\u202eevil</title><p>\x1b]0;owned\x07{text('owl', 0)}"
BOOKMARKS = f"""<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Owls</H3><DL><p><DT><A HREF="{place("owl", 0)}">Owl</A><DT><A HREF="javascript:x">x</A></DL><p>
<DT><H3>Others</H3><DL><p><DT><A HREF="{place("news", 0)}">News</A></DL><p>
</DL><p>"""
SANDBOX = "network.connect=127.0.0.1:9"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("ask") / "web"
    lead = paper("Lead", text("owl", 0), ["http://stall.test/a", "http://stall.test/b"])
    record_web(
        folder,
        {**pages(), **odd_pages(), "http://hostile.test/": HOSTILE, "http://lead.test/": lead},
    )
    (folder / "about.toml").write_text('name = "birds"\n[misbehaviour]\n"stall.test" = "stall"\n')
    with sandbox(folder) as running:
        yield running


def told(run: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def examples(path: Path) -> list[tuple[str, str | None, Origin]]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        tree = portal.tree()
        return [
            ("/".join(tree.path(one.topic)), one.url or one.text, one.origin)
            for one in topic_rows.examples_of(session)
        ]


# --- against the sandbox ---


def test_a_query_is_answered_and_kept_and_goes_on(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    connect = ("--set", f"network.connect={box.address}")
    run = lode("ask", QUERY, "--seeds", place("owl", 0), place("owl", 1), "--pages", "8", *connect)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Made barn-owls-hunting-mice: 2 pages to start from.\n")
    assert f'"{QUERY}": ' in run.stdout
    assert "  1. Owl " in run.stdout
    assert " (seed)\n" in run.stdout
    assert re.search(r"(sure|likely|doubtful) \([01]\.\d\d\), score .* = margin ", run.stdout)
    assert "\x1b" not in run.stdout
    assert "lode feedback barn-owls-hunting-mice" in run.stdout
    place_of = tmp_path / "barn-owls-hunting-mice"
    first = examples(place_of)
    assert first[:3] == [
        (QUERY, QUERY, Origin.QUERY),
        (QUERY, place("owl", 0), Origin.PERSON),
        (QUERY, place("owl", 1), Origin.PERSON),
    ]
    again = told(
        lode("ask", "barn  owls", "hunting mice", "--most", "3", "--json")
    )  # settings were kept
    assert (again["portal"], again["end"], again["topic"]) == (
        "barn-owls-hunting-mice",
        "done",
        QUERY,
    )
    assert again["pages"] > 8
    assert len(again["answers"]) == 3
    best = again["answers"][0]
    assert best["score"] == pytest.approx(best["margin"] + best["cosine"])
    start, end = best["snippet"]["marks"][0]
    assert best["snippet"]["text"][start:end].lower() in {"barn", "owl", "owls", "hunts", "mice"}
    assert [one for one in examples(place_of) if one[2] is not Origin.ARCHETYPE] == first[:3]
    for name in ("topics", "crawl", "feedback", "train"):
        assert lode(name, "barn-owls-hunting-mice").returncode == 0
    judged = told(lode("judge", "barn-owls-hunting-mice", place("owl", 0), "--json"))
    assert judged["topic"] == QUERY


def test_words_are_bold_on_a_terminal_and_a_page_cannot_steer_it(
    box: Running, tmp_path: Path
) -> None:
    controller, terminal = pty.openpty()
    words = [
        "ask",
        "barn owl",
        "--seeds",
        "http://hostile.test/",
        "--set",
        f"network.connect={box.address}",
    ]
    running = subprocess.Popen(
        [sys.executable, "-m", "motherlode", *words],
        cwd=tmp_path,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(terminal)
    said = b""
    while True:
        try:
            more = os.read(controller, 65536)
        except OSError:
            break
        said += more
    assert running.wait(60) == 0
    os.close(controller)
    shown = said.decode()
    assert "\x1b[1mbarn\x1b[0m \x1b[1mowl\x1b[0m" in shown
    assert "\x1b]0;" not in shown
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown


def interrupted(box: Running, where: Path, after: str, *arguments: str) -> tuple[int, str, str]:
    """Ask, and press Ctrl-C when it says `after`."""
    connect = ("--set", f"network.connect={box.address}", "--set", "bingo.learn_at_home=false")
    asking = subprocess.Popen(
        [sys.executable, "-u", "-m", "motherlode", "ask", QUERY, *arguments, *connect],
        cwd=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert asking.stdout is not None
    while after not in asking.stdout.readline():
        assert asking.poll() is None
    asking.send_signal(signal.SIGINT)
    said, complaint = asking.communicate(timeout=60)
    return asking.returncode, said, complaint


def test_interrupted_it_answers_with_what_there_is(
    lode: CliRun, box: Running, tmp_path: Path
) -> None:
    code, said, complaint = interrupted(box, tmp_path, "Crawling", "--seeds", "http://lead.test/")
    assert code == 11
    assert f'"{QUERY}": ' in said
    assert "1. Lead (seed)" in said
    again = f'lode ask "{QUERY}" --seeds http://lead.test/ --time '
    assert f"Interrupted; '{again}" in complaint
    assert " --pages 19999 " in complaint  # of 20,000
    assert "the same command" not in said
    assert lode("topics", "barn-owls-hunting-mice").returncode == 0


def test_interrupted_before_any_page_came_it_says_how_to_go_on(
    box: Running, tmp_path: Path
) -> None:
    code, _, complaint = interrupted(box, tmp_path, "Fetching", "--seeds", "http://stall.test/")
    assert code == 11
    assert complaint.strip().startswith("Interrupted; 'lode ask \"barn owls")
    assert complaint.endswith("' resumes.\n")
    assert "Traceback" not in complaint


def test_where_no_page_comes_the_reason_is_said(lode: CliRun, box: Running) -> None:
    run = lode(
        "ask", "owls", "--seeds", "http://nowhere.test/", "--set", f"network.connect={box.address}"
    )
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "http://nowhere.test/: not there: status 404" in run.stderr


def test_a_query_of_ten_thousand_words_is_a_query(lode: CliRun, box: Running) -> None:
    words = "barn owl mice night " * 2500
    run = lode("ask", words, "--seeds", place("owl", 0), "--set", f"network.connect={box.address}")
    assert run.returncode == 0, run.stderr
    assert len(run.stdout) < 10_000
    assert len(lode("topics", directory_for(words)).stdout) < 1_000


# --- what cannot be asked ---


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("  ",), 2, "empty"),
        (("the of and",), 2, "only stop words"),
        (("12 345 !",), 2, "only stop words"),
        (("owls",), 2, "--seeds"),
        (("owls", "--seeds", "nothing.html"), 2, "There is no file nothing.html"),
        (("owls", "--seeds", "ftp://a.test/"), 2, "not an address on the Web"),
        (("owls", "--seeds", "http://a.test/"), 3, "crawler.contact"),
        (
            ("owls", "--seeds", "http://a.test/", "--portal", "full", "--set", SANDBOX),
            3,
            "not empty",
        ),
        (("owls", "--seeds", ".", "--set", SANDBOX), 3, "is a directory"),
        (("owls", "--seeds", "empty.txt", "--set", SANDBOX), 3, "empty.txt is empty"),
        (("owls", "--seeds", "note.txt", "--set", SANDBOX), 2, "is a document"),
        (("owls", "--seeds", "scripts.txt", "--set", SANDBOX), 2, "holds no URL"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: Sequence[str],
    code: int,
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty.txt").touch()
    (tmp_path / "note.txt").write_text("Owls hunt mice at night.")
    (tmp_path / "scripts.txt").write_text("javascript:alert(1)\n")
    done = CliRunner().invoke(command, arguments)
    assert isinstance(done.exception, LodeError)
    assert done.exception.exit_code == code
    assert sentence in str(done.exception)
    assert not (tmp_path / "owls").exists()


@pytest.mark.parametrize(
    "arguments", [(), ("owls",), ("owls", "--seeds", "http://a.test/", "--time", "soon")]
)
def test_one_sentence_is_all_that_is_said(lode: CliRun, arguments: Sequence[str]) -> None:
    run = lode("ask", *arguments)
    assert run.returncode == 2
    assert said_one_sentence(run)


def test_the_portal_of_another_query_is_left_alone(lode: CliRun) -> None:
    assert lode("new", "owls", "--topic", "owls", "--seed", place("owl", 0)).returncode == 0
    run = lode("ask", "owls", "--seeds", place("owl", 0), "--set", SANDBOX)
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "--portal DIR" in run.stderr


# --- what is given to begin with ---


def opened(where: Path, *given: str, source: str = "") -> list[tuple[str, str | None, Origin]]:
    names = (source,) if source else ()
    return examples(open_query_portal(QUERY, given, where, [SANDBOX], names).path)[1:]


def test_files_of_every_kind_are_taken(tmp_path: Path) -> None:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    (tmp_path / "urls.txt").write_text(f"# mine\n{place('owl', 1)} an owl\n{place('owl', 0)}\n")
    (tmp_path / "feeds.opml").write_text(
        f'<opml version="1.0"><body><outline text="a" htmlUrl="{place("owl", 2)}"/></body></opml>'
    )
    (tmp_path / "page.html").write_text(
        f'<title>Saved</title><p>{text("owl", 3)} <a href="/x">x</a>'
    )
    files = [
        str(tmp_path / name) for name in ("bookmarks.html", "urls.txt", "feeds.opml", "page.html")
    ]
    found = opened(tmp_path / "p", *files, place("owl", 0))
    assert {one for topic, one, _ in found if topic == QUERY and one} == {
        place("owl", 0),
        place("owl", 1),
        place("owl", 2),
        next(str(one) for _, one, _ in found if str(one).startswith(text("owl", 3))),
    }
    assert [one for topic, one, _ in found if topic == "OTHERS"] == [place("news", 0)]
    assert len(found) == 5


def test_asked_again_only_what_is_new_is_added(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(text("owl", 3))
    given = (str(tmp_path / "note.txt"), place("owl", 0))
    first = opened(tmp_path / "p", *given)
    assert opened(tmp_path / "p", *given) == first
    assert opened(tmp_path / "p") == first
    assert opened(tmp_path / "p", place("owl", 1)) == [
        *first,
        (QUERY, place("owl", 1), Origin.PERSON),
    ]


def test_a_renamed_topic_is_found_again(lode: CliRun, tmp_path: Path) -> None:
    opened(tmp_path / "p", place("owl", 0))
    assert lode("topics", "p", "rename", QUERY, "owls").returncode == 0
    assert opened(tmp_path / "p", place("owl", 1))[-1][0] == "owls"


def source_file(folder: Path) -> str:
    """A search source that knows two pages on the query."""
    path = folder / "urls.txt"
    path.write_text(f"{QUERY}\n{place('owl', 4)} Owl four\n{place('owl', 5)}\n")
    return f"file:{path}"


def test_pages_of_a_search_source_are_begun_from(tmp_path: Path) -> None:
    found = opened(tmp_path / "p", source=source_file(tmp_path))
    assert [one for _, one, _ in found] == [place("owl", 4), place("owl", 5)]


def test_pages_of_a_search_source_join_those_that_are_given(tmp_path: Path) -> None:
    given = (place("owl", 0), place("owl", 5))
    found = opened(tmp_path / "p", *given, source=source_file(tmp_path))
    assert sorted(str(one) for _, one, _ in found) == [*given[:1], place("owl", 4), *given[1:]]


def test_where_sources_return_nothing_no_portal_is_made(tmp_path: Path) -> None:
    with pytest.raises(LodeError, match="cannot read its file") as failed:
        opened(tmp_path / "p", source=f"file:{tmp_path / 'none.csv'}")
    assert failed.value.exit_code == 1
    (tmp_path / "urls.txt").write_text("storks\nhttp://a.test/\n")
    with pytest.raises(LodeError, match="returned no page to start from"):
        opened(tmp_path / "p", source=f"file:{tmp_path / 'urls.txt'}")
    with pytest.raises(UsageError, match="did you mean arxiv"):
        opened(tmp_path / "p", source="arxv")
    assert not (tmp_path / "p").exists()


def test_a_source_that_fails_is_told_and_others_go_on(tmp_path: Path) -> None:
    names = (source_file(tmp_path), "file:/no/such/file")
    opening = open_query_portal(QUERY, [], tmp_path / "p", [SANDBOX], names)
    assert opening.seeds.pages == 2
    assert len(opening.problems) == 1


def test_a_query_called_others_is_a_topic(tmp_path: Path) -> None:
    place_of = open_query_portal("others", [place("owl", 0)], tmp_path / "p", [SANDBOX])
    assert {topic for topic, _, _ in examples(place_of.path)} == {"query"}


def test_nothing_is_made_where_a_source_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        opened(tmp_path / "p", place("owl", 0), "no-such-file")
    with pytest.raises(BadInputError):
        open_query_portal(QUERY, [place("owl", 0)], tmp_path / "p", [])  # nobody says who crawls
    assert not (tmp_path / "p").exists()


# --- words ---


def test_a_directory_is_named_after_the_query() -> None:
    assert str(directory_for("Open source: ARIES/recovery?")) == "open-source-aries-recovery"
    assert str(directory_for("鸟" * 100)) == "鸟" * 40
    assert str(directory_for("one two " * 50)) == "one-two-one-two-one-two-one-two-one-two"
    assert str(directory_for("..")) == "query"


def test_a_query_is_on_one_line() -> None:
    assert query_of([" barn\n owls ", "at night"]) == "barn owls at night"
    assert query_of(["owl \udcff"]) == "owl ?"


def test_seeds_follow_one_option(tmp_path: Path) -> None:
    file = tmp_path / "urls.txt"
    file.touch()
    given = ["owls", "--seeds", "http://a/", "http://b/", str(file), "--time", "5m", "at", "night"]
    assert list(_spread(given)) == [
        *("owls", "--seeds", "http://a/", "--seeds", "http://b/", "--seeds", str(file)),
        *("--time", "5m", "at", "night"),
    ]
    assert list(_spread(["--seeds", "http://a/", "owls"])) == ["--seeds", "http://a/", "owls"]
    assert list(_spread(["--seeds=http://a/", "http://b/"])) == [
        "--seeds=http://a/",
        "--seeds",
        "http://b/",
    ]
