"""`lode cluster`, on a small crawled portal."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.bird_portal import crawled_birds
from support.helpers import CliRun, said_one_sentence
from support.training_webs import EACH


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, finished_birds: Path) -> Iterator[Path]:
    with crawled_birds(tmp_path_factory.mktemp("cluster"), finished_birds) as folder:
        yield folder


@pytest.fixture
def birds(crawled: Path, tmp_path: Path) -> Path:
    shutil.copytree(crawled / "birds", tmp_path / "birds")
    return tmp_path / "birds"


def told(lode: CliRun, *arguments: str) -> Any:
    run = lode(*arguments, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def hosts(cluster: dict[str, Any]) -> set[str]:
    """The kinds of a cluster's pages, by their hosts."""
    return {
        page["url"].removeprefix("http://").rstrip("/").removesuffix(".test").rstrip("0123456789")
        for page in cluster["pages"]
    }


@pytest.mark.usefixtures("birds")
def test_owls_and_herons_fall_apart_and_are_called_so(lode: CliRun) -> None:
    found = told(lode, "cluster", "birds", "--topic", "animals/birds")["clustering"]
    assert found["chosen"] is True
    assert found["pages"] == sum(one["size"] for one in found["clusters"]) >= 2 * EACH
    owls, herons = sorted(found["clusters"], key=lambda one: "heron" in one["words"])
    assert hosts(owls) <= {"owl", "hostile", "hub"}
    assert hosts(herons) <= {"heron", "hub"}
    assert {"owl", "owls"} & set(owls["words"])
    cosines = [page["cosine"] for page in owls["pages"]]
    assert cosines == sorted(cosines, reverse=True)
    assert (
        told(lode, "cluster", "birds", "--topic", "animals")["clustering"]["clusters"]
        == found["clusters"]
    )


@pytest.mark.usefixtures("birds")
def test_clusters_are_shown_to_a_person(lode: CliRun) -> None:
    run = lode("cluster", "birds", "--topic", "animals/birds", "--k", "2", "--central", "20")
    assert run.returncode == 0, run.stderr
    assert " pages in 2 clusters, as set with --k\n" in run.stdout
    assert run.stdout.endswith(
        "Next: the same command with --apply makes topics of the clusters.\n"
    )
    assert "\x1b" not in run.stdout
    assert "\u202e" not in run.stdout
    again = lode("cluster", "birds", "--topic", "animals/birds", "--k", "2", "--central", "20")
    assert again.stdout == run.stdout


@pytest.mark.usefixtures("birds")
def test_clusters_become_topics_that_can_be_learned(lode: CliRun) -> None:
    made = told(
        lode,
        "cluster",
        "birds",
        "--topic",
        "animals/birds",
        "--k",
        "2",
        "--central",
        "4",
        "--apply",
    )
    assert (len(made["topics"]), made["examples"]) == (2, 8)
    assert all(path.startswith("animals/birds/") for path in made["topics"])
    tree = told(lode, "topics", "birds", "--all")
    below = tree["topics"][0]["topics"][0]["topics"]
    assert [one["name"] for one in below] == [path.rpartition("/")[2] for path in made["topics"]]
    assert [len(one["examples"]) for one in below] == [4, 4]
    run = lode("train", "birds")
    assert run.returncode == 0, run.stderr
    status = told(lode, "status", "birds")
    pages = {one["topic"]: one["pages"] for one in status["topics"]}
    assert all(pages[path] >= 4 for path in made["topics"])
    run = lode("cluster", "birds", "--topic", "animals/birds", "--apply")
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert "has topics already" in run.stderr


@pytest.mark.usefixtures("birds")
def test_topics_of_clusters_are_shown_as_not_trained_until_they_are(lode: CliRun) -> None:
    options = ("--topic", "animals/birds", "--k", "2", "--central", "4", "--apply")
    run = lode("cluster", "birds", *options)
    assert "Made 2 topics, not trained yet: pages are judged at the next training." in run.stdout
    assert run.stdout.count(": 4 examples, of ") == 2
    assert run.stdout.endswith(
        "Next: lode train birds, or lode topics birds to rename topics first.\n"
    )
    status = lode("status", "birds").stdout
    sentence = "is not trained yet: its pages are judged at the next training."
    assert status.count(f"has 4 examples and {sentence}") == 2
    assert status.endswith("Next: lode train birds\n")
    topics = lode("topics", "birds").stdout
    assert topics.count(sentence) == 2
    assert topics.endswith("Next: lode train birds\n")
    assert lode("train", "birds").returncode == 0
    assert "not trained" not in lode("status", "birds").stdout + lode("topics", "birds").stdout


@pytest.mark.usefixtures("birds")
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--topic", "OTHERS"), 2, "the pages of no topic"),
        (("--topic", "animals/bird"), 2, "did you mean 'animals/birds'?"),
        (
            ("--topic", "animals/birds", "--k", "100"),
            3,
            "pages on 'animals/birds' to make clusters of",
        ),
        (("--topic", "animals/birds", "--k", "0"), 2, "--k"),
        (("--topic", "animals/birds", "--k", "1", "--apply"), 3, "all of one kind"),
        (("--topic", "/", "--apply"), 2, "'/' has topics already, such as 'animals'"),
        ((), 2, "--topic"),
    ],
)
def test_what_cannot_be_clustered_is_one_sentence(
    lode: CliRun, words: tuple[str, ...], code: int, says: str
) -> None:
    before = lode("topics", "birds").stdout
    run = lode("cluster", "birds", *words)
    assert (run.returncode, run.stdout) == (code, "")
    assert said_one_sentence(run)
    assert says in run.stderr
    assert lode("topics", "birds").stdout == before


def test_a_portal_without_pages_or_none_at_all_is_one_sentence(lode: CliRun) -> None:
    assert lode("new", "p", "--topic", "owls", "--seed", "http://owls.test/").returncode == 0
    run = lode("cluster", "p", "--topic", "owls")
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert "There is no page yet on 'owls'" in run.stderr
    assert lode("cluster", "nowhere", "--topic", "owls").returncode == 4
