"""`lode lab portal` and `lode lab expert`, as a person runs them."""

import json
from pathlib import Path

import pytest

from motherlode.app.cli.commands.lab.portal import budgets_from
from motherlode.lab.description import WebPlan, write_plan
from motherlode.records import UsageError
from support.generated_webs import made
from support.helpers import CliRun, said_one_sentence

PLAN = WebPlan(seed=7, pages=240, hosts=12)
ENOUGH = 20


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A generated web of a few hosts, called toy."""
    made(PLAN)  # says what is lacking, if WordNet is
    write_plan(tmp_path / "toy", PLAN)
    return tmp_path / "toy"


def large_topics() -> list[str]:
    """Two topics of the web that have enough pages, the first by their paths."""
    return [topic for topic, pages in made(PLAN).labels().topics().items() if pages >= ENOUGH][:2]


def named(topics: list[str]) -> list[str]:
    return [word for topic in topics for word in ("--topic", topic)]


def lines(text: str, heading: str) -> list[list[str]]:
    """The lines of the table under a heading; a blank line ends it."""
    table = text.partition(heading)[2].partition("\n")[2].partition("\n\n")[0]
    return [line.split() for line in table.splitlines()]


# lode lab portal


@pytest.mark.usefixtures("web")
def test_portal_shows_the_three_tables_of_the_paper(lode: CliRun, tmp_path: Path) -> None:
    options = (
        "--pages",
        "20%,5%",
        "--best",
        "5,10",
        "--known",
        "3",
        "--policies",
        "bingo,best-first",
    )
    run = lode(
        "lab",
        "portal",
        "toy",
        "--topic",
        large_topics()[0],
        *options,
        "--jobs",
        "1",
        "--json",
        "out.json",
    )
    assert run.returncode == 0, run.stderr
    assert "3 of them best-known." in run.stdout
    summary = lines(run.stdout, "Table 1: crawl summary data")
    assert summary[0] == ["policy", "property", "12", "pages", "48", "pages"]
    assert summary[2] == ["bingo", "stored", "pages", "12", "48"]
    assert summary[10][-2:] == ["-", "-"]  # best-first decides nothing
    tables = [lines(run.stdout, f"Table {number}: the best results") for number in (2, 3)]
    assert [row[:2] for row in tables[1][1:]] == [
        ["bingo", "5"], ["bingo", "10"], ["bingo", "all"], ["bingo", "fetched"],
        ["best-first", "5"], ["best-first", "10"], ["best-first", "fetched"],
    ]  # fmt: skip
    told = json.loads((tmp_path / "out.json").read_text())
    assert [(row["budget"], row["policy"]) for row in told["rows"]] == [
        (12, "bingo"), (12, "best-first"), (48, "bingo"), (48, "best-first"),
    ]  # fmt: skip
    best = told["rows"][2]["tops"][0]
    assert (best["best"], best["on_topic"]) == (5, best["precision"] * 5)


@pytest.mark.usefixtures("web")
def test_portal_shows_means_over_topics_and_draws(lode: CliRun) -> None:
    topics = large_topics()
    options = ("--pages", "10,20", "--policies", "best-first", "--repeat", "2", "--jobs", "1")
    run = lode("lab", "portal", "toy", *named(topics), *options, "--json", "-")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert [row["runs"] for row in told["rows"]] == [2 * len(topics)] * 2
    assert [run["task"]["topic"] for run in told["runs"]] == [
        topic for topic in topics for _ in range(2)
    ]


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("toy",), 2, "--topic"),
        (("toy", "--topic", "Nothing"), 2, "labelled 'Nothing'"),
        (("nowhere", "--topic", "Animals"), 3, "no directory nowhere"),
        (("toy", "--least", "20", "--pages", "5%,much"), 2, "shares of the web"),
        (("toy", "--least", "20", "--pages", "2"), 2, "allow more pages"),
        (("toy", "--least", "20", "--best", "0"), 2, "--best 0"),
        (("toy", "--least", "20", "--policies", "oracle"), 2, "--policies: 'oracle' is not known"),
        (("toy", "--least", "20", "--json", "no/a.json"), 3, "no folder no"),
    ],
)
def test_a_portal_that_cannot_be_made_gets_one_sentence(
    lode: CliRun, arguments: tuple[str, ...], code: int, words: str
) -> None:
    run = lode("lab", "portal", *arguments)
    assert (run.returncode, said_one_sentence(run)) == (code, True), run.stderr
    assert words in run.stderr


@pytest.mark.parametrize("told", ["", "0", "-5", "0%", "101%", "nan%", "5 %%", "5,,6", "inf"])
def test_budgets_are_pages_or_shares(told: str) -> None:
    assert budgets_from(" 300 , 1%,300,2.5%", 10_000) == (100, 250, 300)
    assert budgets_from("1%", 5) == (1,)
    with pytest.raises(UsageError):
        budgets_from(told, 1000)


# lode lab expert


@pytest.mark.usefixtures("web")
def test_expert_shows_the_seeds_and_the_best_answers(lode: CliRun, tmp_path: Path) -> None:
    topic = large_topics()[0]
    options = ("--pages", "30", "--seeds", "2", "--jobs", "1", "--json", "out.json")
    run = lode("lab", "expert", "toy", "--topic", topic, *options)
    assert run.returncode == 0, run.stderr
    asked = json.loads((tmp_path / "out.json").read_text())["runs"][0]
    shown = run.stdout.splitlines()
    assert shown[0] == f'"{asked["query"]}", from 2 pages:'
    assert [line.split()[1] for line in shown[1:3]] == asked["seeds"]
    assert "30 pages stored" in run.stdout
    right = made(PLAN).labels().relevant(topic)
    for place, one in enumerate(asked["answers"], start=1):
        assert f"{place:>2}  {one['url']}" in run.stdout
        assert one["right"] == (one["url"] in right)
    assert not {one["url"] for one in asked["answers"]} & set(asked["seeds"])
    assert (
        asked["rankings"]["ask"]["precision"] == sum(one["right"] for one in asked["answers"]) / 10
    )


@pytest.mark.usefixtures("web")
def test_expert_shows_means_over_topics(lode: CliRun) -> None:
    run = lode("lab", "expert", "toy", *named(large_topics()), "--pages", "15", "--jobs", "1")
    assert run.returncode == 0, run.stderr
    topics, means = run.stdout.split("\n\n")
    assert topics.splitlines()[1].split()[:3] == ["topic", "query", "ask"]
    ranked = [line.split("  ")[0] for line in means.splitlines()]
    assert ranked == [
        "ranked by",
        "ask",
        "confidence",
        "query, on topic",
        "query, all pages",
        "neighbours",
    ]
    assert {line.split()[-1] for line in means.splitlines()[1:]} == {
        str(len(topics.splitlines()) - 2)
    }


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--topic", "Animals", "--least", "3"), 2, "not by both"),
        (("--least", "20", "--query", "owls"), 2, "--query needs"),
        (("--topic", "Animals", "--query", " "), 2, "query is empty"),
        (("--topic", "Animals", "--query", "the"), 2, "only stop words"),
        (("--topic", "Nothing"), 2, "labelled 'Nothing'"),
        (("--least", "20", "--pages", "3"), 2, "allow more pages"),
        (("--least", "20", "--seeds", "none.txt"), 3, "no file none.txt"),
    ],
)
def test_a_question_that_cannot_be_asked_gets_one_sentence(
    lode: CliRun, arguments: tuple[str, ...], code: int, words: str
) -> None:
    run = lode("lab", "expert", "toy", *arguments)
    assert (run.returncode, said_one_sentence(run)) == (code, True), run.stderr
    assert words in run.stderr


# lode lab search


@pytest.mark.usefixtures("web")
def test_search_shows_how_good_each_ranking_is(lode: CliRun) -> None:
    few = ("--examples", "3", "--words", "1", "--items", "1")
    run = lode("lab", "search", "toy", *named(large_topics()), *few, "--rank", "bm25=1,topic=1")
    assert run.returncode == 0, run.stderr
    head, blank, *table = run.stdout.splitlines()
    assert " pages, 2 topics; queries: 2 name, " in head
    assert not blank
    rows = [line.split() for line in table]
    assert rows[0][:6] == ["ranked", "by", "nDCG@10", "nDCG@100", "MAP", "MRR"]
    names = ["bm25", "cosine", "topic", "confidence", "authority", "bm25=1,topic=1"]
    assert [row[0] for row in rows[1:]] == names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--topic", "Nowhere", "--topic", "Neither"), "No page of this web is labelled 'Nowhere'"),
        (("--least", "1000"), "No topic of toy has 1,000 labelled pages."),
        (("--rank", "beauty"), "There is no ranking 'beauty'"),
    ],
)
@pytest.mark.usefixtures("web")
def test_rankings_that_cannot_be_measured_get_one_sentence(
    lode: CliRun, words: tuple[str, ...], said: str
) -> None:
    run = lode("lab", "search", "toy", *words)
    assert (run.returncode, said_one_sentence(run)) == (2, True), run.stderr
    assert said in run.stderr


# lode lab feedback


@pytest.mark.usefixtures("web")
def test_feedback_shows_right_and_wrong_pages_before_and_after(
    lode: CliRun, tmp_path: Path
) -> None:
    topics, target = large_topics(), tmp_path / "feedback.json"
    options = ("--pages", "60", "--seeds", "3", "--marks", "2", "--jobs", "1")
    run = lode("lab", "feedback", "toy", *named(topics), *options, "--json", str(target))
    assert run.stdout.splitlines()[0].split()[:3] == ["feedback", "crawls", "given"]
    result = json.loads(target.read_text())
    answers = ["asked answers", "random answers"]
    kinds = [
        "none",
        "accept all",
        "reject the wrong",
        "apply clusters",
        *answers,
        "mark good",
        "mark good and bad",
    ]
    assert [row["kind"] for row in result["rows"]] == kinds
    assert [line.split("  ")[0] for line in run.stdout.splitlines()[1:]] == kinds
    assert len(result["trials"]) == len(kinds) * len(topics)
    for trial in result["trials"]:
        assert trial["before"]["right"] + trial["before"]["wrong"] <= 60
        assert trial["after"]["right"] <= trial["relevant"]
        if trial["kind"] in answers:
            assert trial["given"] == 2


@pytest.mark.usefixtures("web")
def test_feedback_on_a_topic_that_is_not_there_is_one_sentence(lode: CliRun) -> None:
    assert said_one_sentence(lode("lab", "feedback", "toy", "--topic", "Nowhere"))


# lode lab calibration


@pytest.mark.usefixtures("web")
def test_calibration_has_a_row_for_each_number_of_examples(lode: CliRun, tmp_path: Path) -> None:
    options = ("--examples", "2,5", "--pages", "40", "--jobs", "1", "--json", "out.json")
    run = lode("lab", "calibration", "toy", "--topic", large_topics()[0], *options)
    assert run.returncode == 0, run.stderr
    table = run.stdout.partition("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()] == ["examples", "2", "5", "all"]
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert [row["crawls"] for row in rows] == [1, 1, 2]
    assert all(0 <= row["error"] <= 1 for row in rows)
    assert rows[0]["estimate_error"] is None  # two examples are too few for an estimate


@pytest.mark.usefixtures("web")
def test_calibration_wants_numbers_of_examples(lode: CliRun) -> None:
    for wrong in ("many", "0", "5,,2"):
        run = lode("lab", "calibration", "toy", "--topic", large_topics()[0], "--examples", wrong)
        assert (run.returncode, said_one_sentence(run)) == (2, True), run.stderr
