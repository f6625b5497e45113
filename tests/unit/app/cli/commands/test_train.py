"""`lode train`, `lode judge` and `lode links`, against the sandbox."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.lexicon import wordnet
from motherlode.portal import Portal
from motherlode.records import Model, ModelId
from motherlode.store.tables import ledger
from motherlode.store.tables.judgements import counts_by_topic
from motherlode.store.tables.pages import page_log
from support.helpers import CliRun, run_lode, said_one_sentence
from support.small_webs import record_web
from support.training_webs import BIRDS, EACH, odd_pages, pages, paper, place, text

ODD = ("moved", "hidden", "closed", "empty", "nowhere")
COPY = "http://copy.test/"
HOSTILE = f"<title>Owl \x1b[31m\x9b2J\u202eevil</title><p>\x1b]0;owned\x07{text('owl', 3)}"
GERMAN = (
    "<html lang=de><title>Eulen</title><p>Die Schleiereule jagt in der Nacht lautlos über den Wiesen nach "
    "Mäusen, und der Waldkauz brütet in hohlen Bäumen am Rande des Waldes."
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("learning") / "web"
    said = {**pages(), **odd_pages(), "http://hostile.test/": HOSTILE, "http://eule.test/": GERMAN}
    record_web(folder, said)
    (folder / "about.toml").write_text('name = "birds"\n[misbehaviour]\n"stall.test" = "stall"\n')
    with sandbox(folder) as running:
        yield running


def made(where: Path, box: Running | None, topics: dict[str, list[str]], *settings: str) -> None:
    words = [word for path, urls in topics.items() for word in ("--topic", path, *_seeds(urls))]
    connect = [f"network.connect={box.address}"] if box is not None else []
    chosen = [word for setting in (*connect, *settings) for word in ("--set", setting)]
    run = run_lode(where, "new", "birds", *words, *chosen)
    assert run.returncode == 0, run.stderr


def _seeds(urls: list[str]) -> list[str]:
    return [word for url in urls for word in ("--seed", url)]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, box: Running) -> Path:
    """A portal that was trained, crawled, and trained again; to be copied, not changed.

    Of two equal pages the first to be fetched is kept, so the copy becomes an example later.
    """
    folder = tmp_path_factory.mktemp("taught")
    odd = [f"http://{name}.test/" for name in ODD]
    topics = {
        "birds/owls": [*BIRDS["owls"], *odd],
        "none": [],
        "birds/herons": BIRDS["herons"],
        "OTHERS": BIRDS["OTHERS"],
    }
    made(folder, box, topics)
    first = run_lode(folder, "train", "birds")
    assert first.returncode == 0, first.stderr
    (folder / "first.txt").write_text(first.stdout)
    assert run_lode(folder, "topics", "birds", "example", "birds/owls", COPY).returncode == 0
    assert run_lode(folder, "crawl", "birds", "--policy", "breadth-first").returncode == 0
    second = run_lode(folder, "train", "birds", "--json")
    assert second.returncode == 0, second.stderr
    (folder / "second.json").write_text(second.stdout)
    return folder


@pytest.fixture
def birds(taught: Path, tmp_path: Path) -> Path:
    """That portal, in the directory of the test."""
    shutil.copytree(taught / "birds", tmp_path / "birds")
    return tmp_path / "birds"


def told(lode: CliRun, *arguments: str) -> dict[str, Any]:
    run = lode(*arguments, "--json")
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def kept(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return sorted(url for url, _, _ in page_log(session))


# --- lode train ---


def test_the_report_says_what_was_learned_and_what_was_not(taught: Path) -> None:
    said = (taught / "first.txt").read_text()
    assert "Fetched 11 examples.\n" in said
    assert (
        "4 examples could not be used for training:\n  http://hidden.test/: noindex\n"
        "  http://closed.test/: robots.txt\n" in said
    )
    assert "\n  and 1 more\n" in said
    assert "Model 1, in the space of terms; " in said
    rows = [line.split() for line in said.splitlines()]
    table = {row[0]: row[1:] for row in rows if len(row) >= 5 and row[0].startswith("birds")}
    assert (table["birds"][0], table["birds/owls"][0], table["birds/herons"][0]) == ("7", "4", "3")
    assert "none" not in table
    assert "birds/owls: owl" in said
    assert said.endswith("Judged 11 pages. Next: lode judge birds URL\n")


def test_all_that_a_crawl_fetched_is_judged(taught: Path) -> None:
    second = json.loads((taught / "second.json").read_text())
    assert second["model"] == 2
    assert second["fetched"] == 0
    fetched = kept(taught / "birds")
    assert set(fetched) == {*pages(), "http://empty.test/"} - {place("news", n) for n in (3, 4, 5)}
    assert second["judged"] == len(fetched)
    assert [one["example"] for one in second["missing"]] == [
        "http://hidden.test/",
        "http://closed.test/",
        "http://empty.test/",
        "http://nowhere.test/",
    ]
    by_path = {one["path"]: one for one in second["topics"]}
    assert by_path["birds/owls"]["examples"] == 4
    with Portal.reading(taught / "birds") as portal, portal.store.reading() as session:
        counts = {
            "/".join(portal.tree().path(topic)): n for topic, n in counts_by_topic(session).items()
        }
    assert counts["birds/owls"] == counts["birds/herons"] == EACH


def test_training_again_gives_the_same(birds: Path, lode: CliRun) -> None:
    first, second = told(lode, "train", "birds"), told(lode, "train", "birds")
    assert (first.pop("model"), second.pop("model")) == (3, 4)
    assert first == second
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        rows = session.connection.exec_driver_sql(
            "SELECT packed FROM models WHERE id > 2"
        ).fetchall()
    assert rows[0] == rows[1]


def test_offline_nothing_is_fetched(lode: CliRun, tmp_path: Path) -> None:
    made(tmp_path, None, {"owls": [place("owl", 0)], "herons": []})
    run = lode("train", "birds", "--offline")  # nor is it asked who we are
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "(http://owl0.test/: not fetched)" in run.stderr


def test_the_web_is_refused_without_a_contact(lode: CliRun, tmp_path: Path) -> None:
    made(tmp_path, None, {"owls": [place("owl", 0)]})
    run = lode("train", "birds")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "crawler.contact" in run.stderr


@pytest.mark.parametrize(
    "topics", [{"owls": []}, {"OTHERS": [place("news", 0)]}], ids=["none", "OTHERS"]
)
def test_without_examples_there_is_nothing_to_learn_from(
    lode: CliRun, tmp_path: Path, box: Running, topics: dict[str, list[str]]
) -> None:
    made(tmp_path, box, topics)
    run = lode("train", "birds")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "no topic has an example" in run.stderr


def test_a_query_is_enough(lode: CliRun, tmp_path: Path) -> None:
    assert lode("new", "birds", "--query", "barn owls hunting mice").returncode == 0
    run = lode("train", "birds")
    assert run.returncode == 0, run.stderr
    assert "Judged 0 pages." in run.stdout
    (tmp_path / "owl.html").write_text(paper("Owls", "Barn owls were hunting mice"))
    (tmp_path / "soup.html").write_text(
        paper("Soup", "Cook the onions in butter and stir the soup")
    )
    assert told(lode, "judge", "birds", "owl.html")["topic"] == "barn owls hunting mice"
    assert told(lode, "judge", "birds", "soup.html")["topic"] == "OTHERS"


def test_without_wordnet_one_topic_alone_is_one_sentence(
    lode: CliRun, tmp_path: Path, box: Running
) -> None:
    if any((folder / wordnet.NOUNS).exists() for folder in wordnet._SYSTEM):
        pytest.skip("this machine has WordNet in a place of the system")
    nothing = {
        "LODE_WORDNET": "/nowhere",
        "LODE_CACHE": str(tmp_path / "empty"),
        "PIP_NO_INDEX": "1",
    }
    made(tmp_path, box, {"owls": BIRDS["owls"]})
    run = lode("train", "birds", env=nothing)
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "add another topic beside it, or counterexamples under OTHERS" in run.stderr
    assert lode("topics", "birds", "add", "herons").returncode == 0
    assert lode("topics", "birds", "example", "herons", *BIRDS["herons"]).returncode == 0
    run = lode("train", "birds", env=nothing)
    assert run.returncode == 0, run.stderr
    assert "There is no common vocabulary to tell topics from:" in run.stdout


def test_a_wrong_space_is_one_sentence(birds: Path, lode: CliRun) -> None:
    says = "'smells' is not one of anchors, neighbours, pairs, terms, urls."
    run = lode("train", "birds", "--set", 'learning.spaces=["terms", "smells"]')
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert run.stderr.rstrip().endswith(says)
    (birds / "lode.toml").write_text('[learning]\nspaces = ["smells"]\n')
    run = lode("train", "birds")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert run.stderr.rstrip().endswith(f"birds/lode.toml, line 2: learning.spaces: {says}")


def test_all_spaces_and_the_setting_of_the_paper(birds: Path, lode: CliRun) -> None:
    spaces = ["terms", "pairs", "anchors", "neighbours", "urls"]
    run = lode("train", "birds", "--set", f"learning.spaces={json.dumps(spaces)}")
    assert run.returncode == 0, run.stderr
    assert f"in the space of {', '.join(spaces)};" in run.stdout
    opinion = told(lode, "judge", "birds", place("owl", 5))
    assert (opinion["topic"], opinion["stored"]) == ("birds/owls", True)
    assert {"terms", "anchors"} <= {one["space"] for one in opinion["terms"]}
    assert "(anchors)" in lode("judge", birds, place("owl", 5)).stdout
    paper_like = told(lode, "train", "birds", "--set", "learning.setting=bingo-2003")
    assert paper_like["setting"] == "bingo-2003"


KILLED = """
import os, signal, sys
from motherlode.training.feedback import review as reviewing
keep = reviewing.keep_judgements
def killed(*arguments):
    keep(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
reviewing.keep_judgements = killed
from motherlode.app.cli.main import main
main(["train", "birds"])
"""


def test_a_killed_training_keeps_nothing(birds: Path, lode: CliRun, tmp_path: Path) -> None:
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        before = session.connection.exec_driver_sql(
            "SELECT * FROM judgements ORDER BY page_id"
        ).fetchall()
    command = [sys.executable, "-c", KILLED]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert run.returncode == -signal.SIGKILL
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        model = ledger.latest_model(session, "tree")
        assert model is not None
        assert model.id == 2
        after = session.connection.exec_driver_sql(
            "SELECT * FROM judgements ORDER BY page_id"
        ).fetchall()
    assert after == before
    assert told(lode, "train", "birds")["model"] == 3


def test_an_interrupted_training_says_how_to_go_on(box: Running, tmp_path: Path) -> None:
    made(tmp_path, box, {"owls": ["http://stall.test/"]})
    training = subprocess.Popen(
        [sys.executable, "-m", "motherlode", "train", "birds"],
        cwd=tmp_path,
        env=dict(os.environ),
        stderr=subprocess.PIPE,
        text=True,
    )
    while not _runs(tmp_path / "birds"):
        assert training.poll() is None
        time.sleep(0.05)
    training.send_signal(signal.SIGINT)
    _, said = training.communicate(timeout=60)
    assert training.returncode == 11, said
    assert (
        said.strip()
        == "Interrupted; 'lode train birds' starts again, with the pages fetched so far."
    )


def _runs(portal: Path) -> int:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return len(ledger.all_runs(session))


# --- lode judge ---


def test_a_page_of_the_portal_is_judged_as_it_is_there(birds: Path, lode: CliRun) -> None:
    run = lode("judge", birds, place("owl", 4))
    assert run.returncode == 0, run.stderr
    first, topic, root, below, *terms = run.stdout.splitlines()
    assert first == f"{place('owl', 4)}  Owl 4"
    assert re.match(
        r"  topic       birds/owls, (sure|likely|doubtful) \([01]\.\d\d\); margin", topic
    )
    assert topic.endswith(", model 2, as stored")
    assert root.startswith("  margins at the root: birds +")
    assert below.startswith("  margins below birds: birds/owls +")
    assert terms[0].startswith("  for birds/owls: owl +")


def test_a_redirect_in_the_portal_is_followed(birds: Path, lode: CliRun) -> None:
    opinion = told(lode, "judge", str(birds), "http://moved.test/")
    assert (opinion["title"], opinion["stored"], opinion["topic"]) == ("Owl 5", True, "birds/owls")


def test_another_page_is_fetched_and_not_kept(birds: Path, lode: CliRun) -> None:
    before = kept(birds)
    opinion = told(lode, "judge", str(birds), place("news", 4))
    assert (opinion["topic"], opinion["others"], opinion["stored"]) == ("OTHERS", True, False)
    assert opinion["confidence"] < 0
    assert opinion["steps"][0]["parent"] == ""
    assert kept(birds) == before


def test_a_file_is_judged_by_what_it_says(birds: Path, lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "a note.txt").write_text(text("owl", 3))
    opinion = told(lode, "judge", str(birds), "a note.txt")
    assert (opinion["topic"], opinion["source"]) == ("birds/owls", "a note.txt")
    assert {"word": "owl", "space": "terms"}.items() <= {**opinion["terms"][0], "part": 0}.items()


def test_hostile_pages_and_other_languages_are_judged_like_any(birds: Path, lode: CliRun) -> None:
    for name, topic in (("hostile", "birds/owls"), ("eule", "OTHERS")):
        run = lode("judge", birds, f"http://{name}.test/")
        assert run.returncode == 0, run.stderr
        assert re.search(rf"  topic       {topic}(, \w+ \(0\.\d\d\))?; margin ", run.stdout)
        assert not {c for c in run.stdout if not c.isprintable()} - {"\n"}


def test_an_empty_file_goes_to_others(birds: Path, lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "empty.html").touch()
    run = lode("judge", birds, "empty.html")
    assert run.returncode == 0, run.stderr
    assert "  topic       OTHERS; margin -" in run.stdout
    assert "  for " not in run.stdout


@pytest.mark.parametrize(
    ("source", "code", "says"),
    [
        (".", 2, ". cannot be read: Is a directory."),
        ("nowhere.html", 2, "nowhere.html cannot be read: No such file or directory."),
        ("broken.pdf", 3, "broken.pdf cannot be read: "),
        ("http://nowhere.test/", 3, "http://nowhere.test/: not there (status 404)."),
        ("http://closed.test/", 3, "http://closed.test/: robots.txt"),
        ("ftp://files.test/", 2, "'ftp://files.test/' is not an address on the Web"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    birds: Path, lode: CliRun, tmp_path: Path, source: str, code: int, says: str
) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that follows is right")
    run = lode("judge", birds, source)
    assert (run.returncode, run.stdout) == (code, "")
    assert said_one_sentence(run)
    assert says in run.stderr


def test_a_portal_that_was_never_trained_says_how(
    lode: CliRun, tmp_path: Path, box: Running
) -> None:
    made(tmp_path, box, BIRDS)
    run = lode("judge", "birds", place("owl", 0))
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "'lode train birds' trains one" in run.stderr
    assert lode("judge", "nowhere", place("owl", 0)).returncode == 4


def test_a_model_that_cannot_be_used_is_one_sentence(birds: Path, lode: CliRun) -> None:
    for packed, says in (
        (b"\x81\xa7version\xcd\xff\xff", "a model of version 65535"),
        (b"garbage", "no model"),
    ):
        with Portal.writing(birds, "test") as portal, portal.store.writing() as session:
            ledger.keep_model(session, Model(ModelId(0), "tree", 1, time.time(), packed))
        run = lode("judge", birds, place("owl", 0))
        assert run.returncode == 1
        assert said_one_sentence(run)
        assert says in run.stderr
        assert f"'lode train {birds}' makes a new one" in run.stderr
    assert lode("train", birds).returncode == 0
    assert lode("judge", birds, place("owl", 0)).returncode == 0


def test_topics_may_be_renamed_moved_and_removed_after_the_training(
    birds: Path, lode: CliRun
) -> None:
    assert lode("topics", birds, "rename", "birds/owls", "strigiformes").returncode == 0
    opinion = told(lode, "judge", str(birds), place("owl", 0))
    assert (opinion["topic"], opinion["outdated"]) == ("birds/strigiformes", False)
    assert lode("topics", birds, "remove", "birds/strigiformes").returncode == 0
    run = lode("judge", birds, place("owl", 0))
    assert run.returncode == 0, run.stderr
    assert re.search(r"  topic       birds/OTHERS, \w+ \(0\.\d\d\); margin \+", run.stdout)
    assert "Topics were removed or moved since the training" in run.stdout
    links = told(lode, "links", str(birds), "--topic", "birds")
    assert links["on_topic"] == 2 * EACH  # its pages are its parent's now
    assert lode("topics", birds, "move", "birds/herons", "/").returncode == 0
    assert told(lode, "judge", str(birds), place("heron", 0))["topic"] == "herons"
    assert told(lode, "links", str(birds), "--topic", "herons")["on_topic"] == EACH
    assert lode("topics", birds, "remove", "birds").returncode == 0
    run = lode("judge", birds, place("heron", 0))
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert f"'lode train {birds}' learns the others" in run.stderr
    assert lode("train", birds).returncode == 0
    assert told(lode, "judge", str(birds), place("heron", 0))["topic"] == "herons"


# --- lode links ---


def test_the_hub_of_a_topic_is_found(birds: Path, lode: CliRun) -> None:
    run = lode("links", birds, "--topic", "birds", "--most", "3")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"birds: {2 * EACH} pages on it, ")
    found = told(lode, "links", str(birds), "--topic", "Birds/Owls")
    assert found["topic"] == "birds/owls"
    assert found["hubs"][0]["url"] == "http://hub.test/"
    assert found["on_topic"] == EACH
    best = {one["url"] for one in found["authorities"]}
    assert {place("owl", number) for number in range(EACH)} <= best
    assert not any(one["elsewhere"] for one in found["authorities"])
    everything = told(lode, "links", str(birds), "--topic", "/", "--most", "1")
    assert (everything["topic"], len(everything["hubs"])) == ("/", 1)


@pytest.mark.parametrize(
    ("topic", "code", "says"),
    [
        (
            "none",
            3,
            "No page is on 'none' yet; no URL waits any more, so give a topic more examples: 'lode",
        ),
        ("OTHERS", 2, "OTHERS holds the pages of no topic"),
        ("birds/owl", 2, "did you mean 'birds/owls'?"),
        ("a//b", 2, "'a//b' is not a topic path"),
    ],
)
def test_a_topic_without_links_is_one_sentence(
    birds: Path, lode: CliRun, topic: str, code: int, says: str
) -> None:
    run = lode("links", birds.name, "--topic", topic)
    assert (run.returncode, run.stdout) == (code, "")
    assert said_one_sentence(run)
    assert says in run.stderr


def test_pages_without_links_between_hosts_have_no_hubs(lode: CliRun, tmp_path: Path) -> None:
    topics = {
        "owls": ["http://alone.test/1", "http://alone.test/2"],
        "OTHERS": ["http://alone.test/3"],
    }
    owl = "The owl hunts mice at night, and owls hoot in the forest."
    said = {
        "http://alone.test/1": paper("One", owl, ["/2"]),
        "http://alone.test/2": paper("Two", f"{owl} Owlets wait.", ["/2", "/1"]),
        "http://alone.test/3": paper("Three", "The minister spoke of taxes to the press."),
    }
    with sandbox(record_web(tmp_path / "web", said)) as running:
        made(tmp_path, running, topics)
        assert lode("train", "birds").returncode == 0
    run = lode("links", "birds", "--topic", "owls")
    assert run.returncode == 0, run.stderr
    assert "No authority: no links lead from another host to a page on this topic." in run.stdout
    assert "No hub: " in run.stdout
