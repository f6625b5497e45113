"""`lode lab` and `lode sandbox`, as a person runs them."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from support.helpers import CliRun, said_one_sentence
from support.small_webs import html, record_web

OWLS = "owls hunt at night with silent wings and see in the dark"
PAGES = {
    "http://a.test/": html("Owls", OWLS, "/1", "http://b.test/"),
    "http://a.test/1": html("Cars", "engines and wheels", "http://b.test/1"),
    "http://b.test/": html("Barn owl", OWLS, "/1"),
    "http://b.test/1": html("Snowy owl", OWLS),
}
LABELS = {f"http://{page}": "Animals/Owls" for page in ("a.test/", "b.test/", "b.test/1")}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return record_web(tmp_path / "owls", PAGES, LABELS, 'note = "about owls"\n')


# lode lab compare


@pytest.mark.usefixtures("web")
def test_compare_shows_a_table_of_policies(lode: CliRun) -> None:
    run = lode(
        "lab",
        "compare",
        "owls",
        "--topic",
        "Animals",
        "--seeds",
        "1",
        "--pages",
        "3",
        "--jobs",
        "1",
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].split()[:4] == ["policy", "pages", "requests", "allowed"]
    assert {line.split()[3] for line in lines[1:]} == {"60"}  # 20 for each of three pages
    assert [line.split()[0] for line in lines[1:]] == [
        "bingo", "best-first", "breadth-first", "depth-first", "random", "oracle",
    ]  # fmt: skip


@pytest.mark.usefixtures("web")
def test_compare_sums_up_over_all_large_topics(lode: CliRun) -> None:
    options = (
        "--seeds",
        "1",
        "--pages",
        "3",
        "--jobs",
        "1",
        "--policies",
        "breadth-first,best-first",
    )
    run = lode("lab", "compare", "owls", "--least", "2", "--at", "2,3", *options)
    assert run.returncode == 0, run.stderr
    told = run.stdout.partition("Means over the topics:")[2].split("\n")
    rows = [line.split() for line in told if line.strip()]
    assert rows[0][:3] == ["policy", "pages", "relevant"]
    assert [row[:2] for row in rows[1:]] == [
        [name, at] for name in ("breadth-first", "best-first") for at in "23"
    ]
    assert {row[-1] for row in rows[1:]} == {"2"}  # Animals, and Animals/Owls
    assert all(row[3:5] == ["1.00", "50%"] for row in rows[3:])  # beside itself


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize("topics", [(), ("--topic", "Animals", "--least", "2"), ("--least", "99")])
def test_topics_are_said_in_one_way(lode: CliRun, topics: tuple[str, ...]) -> None:
    run = lode("lab", "compare", "owls", *topics)
    assert run.returncode == 2
    assert said_one_sentence(run)


@pytest.mark.usefixtures("web")
def test_compare_writes_json_with_a_row_a_policy(lode: CliRun, tmp_path: Path) -> None:
    policies = "best-first,oracle"
    limits = ("--seeds", "1", "--pages", "4", "--repeat", "2", "--jobs", "1")
    options = ("--topic", "Animals/Owls", "--policies", policies, *limits)
    assert lode("lab", "compare", "owls", *options, "--json", "out.json").returncode == 0
    rows = json.loads((tmp_path / "out.json").read_text())
    assert [row["policy"] for row in rows] == policies.split(",")
    wanted = {
        "policy",
        "topic",
        "pages",
        "relevant",
        "harvest_rate",
        "recall",
        "relevant_hosts",
        "seconds",
        "curve",
    }
    for row in rows:
        assert wanted <= row.keys()
        assert 0 < row["requests"] <= row["max_requests"] == 80
        assert row["topic"] == "Animals/Owls"
        assert row["curve"][0] == [0, 0]
        assert row["curve"][-1][1] == row["relevant"]
    assert (
        json.loads(lode("lab", "compare", "owls", *options, "--json", "-").stdout)[0].keys()
        >= wanted
    )


@pytest.mark.usefixtures("web")
def test_compare_draws_png_and_svg(lode: CliRun, tmp_path: Path) -> None:
    options = ("--topic", "Animals", "--seeds", "1", "--pages", "4", "--jobs", "1")
    assert lode("lab", "compare", "owls", *options, "--plot", "curves").returncode == 0
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    drawn = ET.parse(tmp_path / "curves.svg")  # noqa: S314 - our own
    assert "best-first" in "".join(drawn.getroot().itertext())


@pytest.mark.usefixtures("web")
def test_seeds_can_be_named_in_a_file(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://a.test/\n")
    options = ("--policies", "breadth-first,best-first", "--logs", "logs")  # one process for each
    run = lode("lab", "compare", "owls", "--topic", "Animals", "--seeds", "seeds.txt", *options)
    assert run.returncode == 0, run.stderr
    log = (tmp_path / "logs" / "Animals.breadth-first.1.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in log if not line.startswith("#")] == [
        "http://a.test/", "http://a.test/1", "http://b.test/", "http://b.test/1",
    ]  # fmt: skip


@pytest.mark.usefixtures("web")
def test_a_log_of_compare_can_be_measured_again(lode: CliRun) -> None:
    lode(
        "lab",
        "compare",
        "owls",
        "--topic",
        "Animals",
        "--seeds",
        "1",
        "--logs",
        "logs",
        "--jobs",
        "1",
    )
    run = lode(
        "lab", "measure", "owls", "logs/Animals.oracle.1.tsv", "--topic", "Animals", "--json", "-"
    )
    measured = json.loads(run.stdout)
    assert (measured["relevant"], measured["recall"]) == (2, 1.0)
    shown = lode("lab", "measure", "owls", "logs/Animals.oracle.1.tsv", "--topic", "Animals").stdout
    assert "harvest rate" in shown


def test_a_portal_can_be_measured_like_a_log(lode: CliRun, tmp_path: Path) -> None:
    assert lode("demo", "--pages", "60", "--keep", "kept").returncode == 0
    assert lode("sandbox", "generate", "toy", "--seed", "7").returncode == 0
    run = lode("lab", "measure", "toy", "kept", "--topic", "Food/Dishes", "--json", "-")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["pages"] == 60
    assert [path.name for path in tmp_path.iterdir()] != []


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nowhere", "--topic", "x"), 3, "no directory nowhere"),
        (("owls", "--topic", "Animal"), 2, "did you mean 'Animals'"),
        (("owls", "--topic", "Animals", "--policies", "bingoo"), 2, "no policy 'bingoo'"),
        (("owls", "--topic", "Animals", "--seeds", "3"), 2, "Draw fewer seeds"),
        (("owls", "--topic", "Animals", "--seeds", "0"), 2, "at least one seed"),
        (("owls", "--topic", "Animals", "--seeds", "none.txt"), 3, "no file none.txt"),
        (("owls", "--topic", "Animals", "--seeds", "1", "--plot", "a.pdf"), 2, ".png or .svg"),
        (("owls", "--topic", "Animals", "--seeds", "1", "--plot", "no/a.png"), 3, "no folder no"),
        (("owls", "--topic", "Animals", "--seeds", "1", "--json", "no/a.json"), 3, "no folder no"),
        (("owls", "--seeds", "1"), 2, "--topic"),
        (("owls", "--topic", "Animals", "--policies", " ,"), 2, "--policies names none"),
        (("owls", "--topic", "Animals", "--seeds", "-3"), 2, "a whole number of seeds"),
        (("owls", "--topic", "Animals", "--seeds", "2", "--pages", "2"), 2, "allow more pages"),
        (("owls", "--topic", "Animals", "--delay", "inf"), 2, "--delay"),
        (("owls", "--topic", "Animals", "--latency", "nan"), 2, "--latency"),
        (("owls", "--topic", "Animals", "--connections", "100000000"), 2, "--connections"),
        (("owls", "--topic", "Animals", "--json", "owls"), 3, "is a directory"),
        (("owls/about.toml", "--topic", "Animals"), 3, "is a file"),
        (("owls", "--topic", "Animals", "--pages", "0"), 2, "--pages"),
    ],
)
def test_what_cannot_be_compared_gets_one_sentence(
    lode: CliRun, arguments: tuple[str, ...], code: int, words: str
) -> None:
    run = lode("lab", "compare", *arguments)
    assert (run.returncode, said_one_sentence(run)) == (code, True), run.stderr
    assert words in run.stderr


@pytest.mark.usefixtures("web")
def test_a_log_that_is_none_gets_one_sentence(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("http://a.test/\tmany\n")
    run = lode("lab", "measure", "owls", "bad.tsv", "--topic", "Animals")
    assert (run.returncode, said_one_sentence(run)) == (3, True)
    assert "line 1" in run.stderr


@pytest.mark.usefixtures("web")
def test_a_log_of_another_web_gets_one_sentence(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("http://elsewhere.test/\n")
    run = lode("lab", "measure", "owls", "other.tsv", "--topic", "Animals")
    assert (run.returncode, said_one_sentence(run)) == (3, True)
    assert "no page of the web" in run.stderr
    twice = lode("lab", "measure", "owls", "other.tsv", "--topic", "Animals", "--topic", "Art")
    assert (twice.returncode, said_one_sentence(twice)) == (2, True)


@pytest.mark.usefixtures("web")
def test_seeds_of_another_web_get_one_sentence(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://elsewhere.test/\n")
    run = lode("lab", "compare", "owls", "--topic", "Animals", "--seeds", "seeds.txt")
    assert (run.returncode, said_one_sentence(run)) == (2, True)


@pytest.mark.usefixtures("web")
def test_a_worker_that_dies_gets_one_sentence(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif '--multiprocessing-fork' in sys.argv: os._exit(9)\n"
    )
    run = lode(
        "lab",
        "compare",
        "owls",
        "--topic",
        "Animals",
        "--seeds",
        "1",
        "--jobs",
        "2",  # on one core there would be no worker
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert (run.returncode, said_one_sentence(run)) == (1, True), run.stderr
    assert "worker process died" in run.stderr


def test_a_group_alone_shows_its_help(lode: CliRun) -> None:
    run = lode("lab")
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) > 5
    assert "compare" in run.stderr


def test_a_reader_that_has_seen_enough_of_many_lines_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m motherlode sandbox habits | true; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


# lode sandbox


@pytest.mark.usefixtures("web")
def test_show_says_what_a_web_is(lode: CliRun) -> None:
    shown = lode("sandbox", "show", "owls").stdout
    assert "4 pages on 2 hosts" in shown
    assert "about owls" in shown
    assert "3  Animals/Owls" in shown
    told = json.loads(lode("sandbox", "show", "owls", "--json").stdout)
    assert told["topics"] == {"Animals": 3, "Animals/Owls": 3}


def test_show_says_which_hosts_misbehave(lode: CliRun) -> None:
    assert (
        lode(
            "sandbox", "generate", "bad", "--pages", "60", "--hosts", "10", "--misbehaving", "1"
        ).returncode
        == 0
    )
    told = json.loads(lode("sandbox", "show", "bad", "--json").stdout)
    assert len(told["misbehaving"]) == 10
    assert "10 hosts with bad habits:" in lode("sandbox", "show", "bad").stdout


def test_a_web_too_large_to_list_is_shown_without_its_labels(lode: CliRun) -> None:
    lode("sandbox", "generate", "huge", "--pages", "100000000", "--hosts", "1000000")
    run = lode("sandbox", "show", "huge")
    assert run.returncode == 0, run.stderr
    assert "100,000,000 pages on 1,000,000 hosts" in run.stdout


@pytest.mark.usefixtures("web")
def test_a_habit_for_nobody_gets_one_sentence(lode: CliRun) -> None:
    for told in ("nohost.test=reset", "[=reset", "a.test=bogus", "bogus"):
        run = lode("sandbox", "serve", "owls", "--misbehave", told)
        assert (run.returncode, said_one_sentence(run)) == (2, True), run.stderr


def test_habits_lists_every_way_to_misbehave(lode: CliRun) -> None:
    shown = lode("sandbox", "habits").stdout
    assert "gzip-bomb" in shown
    assert json.loads(lode("sandbox", "habits", "--json").stdout)["storm"]["unit"] == "requests"


def test_generate_describes_a_web_in_a_few_lines(lode: CliRun, tmp_path: Path) -> None:
    run = lode("sandbox", "generate", "huge", "--pages", "100000000", "--hosts", "1000000")
    assert run.returncode == 0, run.stderr
    assert sum(path.stat().st_size for path in (tmp_path / "huge").iterdir()) < 200
    again = lode("sandbox", "generate", "huge")
    assert (again.returncode, said_one_sentence(again)) == (3, True)


def test_a_plan_that_does_not_add_up_gets_one_sentence(lode: CliRun) -> None:
    run = lode("sandbox", "generate", "toy", "--pages", "50", "--hosts", "60")
    assert (run.returncode, said_one_sentence(run)) == (2, True)
    assert "three pages a host" in run.stderr


def test_generate_adds_portals_of_papers(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    with gzip.open(tmp_path / "papers" / "papers.jsonl.gz", "wt") as file:
        file.write('{"id": "1", "title": "Owls"}')
    run = lode(
        "sandbox", "generate", "toy", "--pages", "60", "--hosts", "4", "--portals", "2",
        "--papers", "papers",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "Beside them, 2 portals with papers." in run.stdout
    assert "on 6 hosts" in lode("sandbox", "show", "toy").stdout
    told = json.loads(lode("sandbox", "generate", "b", "--portals", "3", "--json").stdout)
    assert told["portals"]["number"] == 3


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--papers", "papers"), 2, "--portals 7"),
        (("--papers", "papers", "--portals", "2"), 3, "no papers.jsonl.gz"),
        (("--portals", "101"), 2, "--portals"),
    ],
)
def test_portals_that_cannot_be_get_one_sentence(
    lode: CliRun, arguments: tuple[str, ...], code: int, words: str
) -> None:
    run = lode("sandbox", "generate", "toy", *arguments)
    assert (run.returncode, said_one_sentence(run)) == (code, True), run.stderr
    assert words in run.stderr


@pytest.mark.usefixtures("web")
def test_record_makes_a_web_of_a_web_and_labels_it(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "marks.html").write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><H3>Night</H3><DL>"
        '<DT><A HREF="http://b.test/">x</A><DT><A HREF="http://z.test/">y</A></DL></DL>'
    )
    source = next((tmp_path / "owls").glob("*.warc.gz"))
    run = lode("sandbox", "record", "copy", source, "--labels", "marks.html", "--note", 'a "copy"')
    assert run.returncode == 0, run.stderr
    assert "Made copy: 4 pages on 2 hosts." in run.stdout
    assert "1 page with labels; 1 labelled page is not in it." in run.stdout
    shown = lode("sandbox", "show", "copy").stdout
    assert 'a "copy"' in shown
    assert "Night" in shown


def test_processes_end_without_a_word(web: Path) -> None:
    """Processes of the installed command load its script, which prints when it is interrupted."""
    words = ("--topic", "Animals", "--seeds", "1", "--pages", "2", "--repeat", "2", "--jobs", "2")
    command = Path(sys.executable).parent / "lode"
    run = subprocess.run(
        [command, "lab", "compare", web, *words, "--policies", "breadth-first"],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
