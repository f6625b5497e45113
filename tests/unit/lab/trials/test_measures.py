"""Measures of a run: what counts, what does not, and page logs."""

import math
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.lab.trials.measures import (
    LoggedFetch,
    Measures,
    average,
    found_at,
    harvest_at,
    measure,
    read_log,
    recall_at,
    write_log,
)
from motherlode.records import BadInputError

SCORES = st.none() | st.floats(allow_nan=False, allow_infinity=False)


def good(url: str) -> bool:
    return "good" in url


def fetched(
    page: str, *, seed: bool = False, document: bool = True, score: float | None = None
) -> LoggedFetch:
    """A fetch of 'host/path'."""
    host = page.split("/", maxsplit=1)[0]
    return LoggedFetch(f"http://{page}", host, document=document, seed=seed, score=score)


def run_of(kinds: str) -> list[LoggedFetch]:
    """A log in one word: g and b are good and bad pages, and x is a failure."""
    return [
        fetched(f"{'good' if kind == 'g' else 'bad'}.example/{number}", document=kind != "x")
        for number, kind in enumerate(kinds)
    ]


@st.composite
def logs(draw: st.DrawFn) -> list[LoggedFetch]:
    pages = st.builds(
        "{}{}.example/{}".format,
        st.sampled_from(["good", "bad"]),
        st.integers(0, 3),
        st.integers(0, 60),
    )
    fetch = st.builds(fetched, pages, seed=st.booleans(), document=st.booleans(), score=SCORES)
    return draw(st.lists(fetch, max_size=60))


def test_a_run_is_measured_by_its_distinct_finds() -> None:
    log = [
        fetched("good.example/seed", seed=True),
        fetched("good.example/1"),
        fetched("bad.example/1"),
        fetched("bad.example/2", document=False),
        fetched("good.example/1"),
        fetched("good.example/seed"),
        fetched("goodies.example/1"),
        fetched("good.example/2"),
    ]
    assert measure(log, good, 10) == Measures(
        pages=7,
        relevant=3,
        failed=1,
        harvest_rate=3 / 7,
        recall=0.3,
        relevant_hosts=2,
        pages_per_relevant_site=3.5,
        precision_at={},
        curve=[(0, 0), (1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (6, 2), (7, 3)],
    )


def test_an_empty_run_is_worth_nothing() -> None:
    empty = measure([], good, 0)
    assert empty == Measures(0, 0, 0, 0.0, None, 0, None, {}, [(0, 0)])
    assert harvest_at(empty.curve, 5) == 0


def test_a_relevant_page_that_failed_is_no_find() -> None:
    assert measure([fetched("good.example/1", document=False)], good, 1).relevant == 0


def test_what_comes_after_the_budget_is_ignored() -> None:
    cut = measure(run_of("xgbxgx"), good, None, budget=2)
    assert (cut.pages, cut.relevant, cut.failed) == (2, 1, 1)
    assert measure(run_of("xg"), good, None, budget=0).failed == 0


def test_recall_is_unknown_without_a_total() -> None:
    assert measure(run_of("g"), good, None).recall is None
    assert measure(run_of("g"), good, 0).recall is None


def test_target_precision_goes_by_the_crawlers_own_scores() -> None:
    best = [fetched(f"good.example/{n}", score=0.9) for n in range(6)]
    tied = [
        fetched(f"{kind}.example/tie{n}", score=0.5) for n in range(3) for kind in ("good", "bad")
    ]
    worst = [fetched(f"bad.example/low{n}", score=0.1) for n in range(40)]
    assert measure([*worst, *tied, *best], good, None).precision_at == {10: 0.8, 50: 9 / 50}


def test_target_precision_leaves_seeds_unscored_pages_and_repeats_out() -> None:
    pages = [fetched(f"good.example/{n}", score=0.5) for n in range(9)]
    seed = fetched("good.example/seed", seed=True, score=1.0)
    assert (
        measure([*pages, *pages, seed, fetched("good.example/new")], good, None).precision_at == {}
    )
    nothing = fetched("good.example/nan", score=math.nan)
    assert measure([*pages, nothing], good, None).precision_at == {}
    assert measure([*pages, fetched("bad.example/", score=0.1)], good, None).precision_at == {
        10: 0.9
    }


@given(st.integers(0, 3000))
def test_a_curve_of_any_length_is_short_and_has_both_ends(pages: int) -> None:
    curve = measure(
        [LoggedFetch(f"http://good.example/{n}", "good.example") for n in range(pages)], good, 1
    ).curve
    assert len(curve) == min(pages + 1, 200)
    assert curve[0] == (0, 0)
    assert curve[-1] == (pages, pages)
    gaps = {after[0] - before[0] for before, after in pairwise(curve)}
    assert not gaps or max(gaps) - min(gaps) <= 1


@given(logs(), st.none() | st.integers(0, 70))
def test_the_figures_of_a_run_agree(log: list[LoggedFetch], budget: int | None) -> None:
    run = measure(log, good, 100, budget)
    xs, ys = zip(*run.curve, strict=True)
    assert run.curve[0] == (0, 0)
    assert run.curve[-1] == (run.pages, run.relevant)
    assert list(xs) == sorted(set(xs))
    assert list(ys) == sorted(ys)
    assert run.relevant_hosts <= run.relevant <= run.pages
    assert recall_at(run, 100, run.pages) == run.recall
    assert harvest_at(run.curve, run.pages) == run.harvest_rate


@given(logs(), st.integers(0, 70))
def test_a_budget_cuts_the_log_at_a_document(log: list[LoggedFetch], budget: int) -> None:
    run = measure(log, good, None, budget)
    assert run.pages == min(budget, sum(fetch.document for fetch in log))
    assert run == measure(log[: run.pages + run.failed], good, None)
    longer = measure(log, good, None, budget + 1)
    assert longer.pages in {run.pages, run.pages + 1}


@given(logs())
def test_measures_survive_json(log: list[LoggedFetch]) -> None:
    run = measure(log, good, 3)
    assert msgspec.json.decode(msgspec.json.encode(run), type=Measures) == run


def test_values_between_points_are_interpolated_and_the_last_is_carried_on() -> None:
    run = measure(run_of("gbbg"), good, 4)
    assert found_at(run.curve, 3.5) == 1.5
    assert found_at(run.curve, 100) == 2
    assert recall_at(run, 4, 100) == 0.5
    assert recall_at(run, None, 100) is None
    assert harvest_at(run.curve, 1) == 1
    assert harvest_at(run.curve, 100) == 0.5
    assert harvest_at(run.curve, 0) == 0


def test_repeats_are_averaged_over_those_that_have_the_figure() -> None:
    mean = average([measure(run_of("gg"), good, 4), measure(run_of("bbbx"), good, None)])
    assert (mean.runs, mean.pages, mean.relevant, mean.failed) == (2, 2.5, 1, 0.5)
    assert (mean.harvest_rate, mean.recall, mean.relevant_hosts) == (0.5, 0.5, 0.5)
    assert mean.pages_per_relevant_site == 5  # five pages, one site: what found nothing counts
    assert mean.curve == [(0, 0), (1, 0.5), (2, 1), (3, 1)]
    assert recall_at(mean, 4, 1) == 0.125


def test_precision_is_averaged_at_each_depth_that_some_run_reached() -> None:
    short = measure([fetched(f"good.example/{n}", score=1) for n in range(10)], good, None)
    deep = measure([fetched(f"bad.example/{n}", score=1) for n in range(50)], good, None)
    assert average([short, deep]).precision_at == {10: 0.5, 50: 0.0}


def test_no_runs_have_no_average() -> None:
    with pytest.raises(ValueError, match="no runs"):
        average([])


@given(logs(), st.integers(1, 4))
def test_the_mean_of_equal_runs_is_the_run(log: list[LoggedFetch], repeats: int) -> None:
    run = measure(log, good, 100)
    mean = average([run] * repeats)
    assert [pages for pages, _ in mean.curve] == [pages for pages, _ in run.curve]
    assert [found for _, found in mean.curve] == pytest.approx([found for _, found in run.curve])
    assert mean.harvest_rate == pytest.approx(run.harvest_rate)
    assert mean.precision_at == pytest.approx(run.precision_at)


def test_a_log_may_leave_all_but_the_url_out(tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    log.write_text(
        "\ufeff# a comment\n\nHTTP://A.example\nhttp://a.example/1\t404\r\nhttp://a.example/2\t\t0.5\n"
        "http://a.example/3\t204\t\tseed\nhttp://a.example/4\tseed\nhttp://a.example/5\t 200 \t -1e3 \t\n"
    )
    assert read_log(log) == [
        fetched("a.example/"),
        fetched("a.example/1", document=False),
        fetched("a.example/2", score=0.5),
        fetched("a.example/3", seed=True),
        fetched("a.example/4", seed=True),
        fetched("a.example/5", score=-1000),
    ]


@given(log=logs())
def test_a_log_that_was_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, log: list[LoggedFetch]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.tsv"
    write_log(path, log)
    assert path.read_text().startswith("# url\t")
    assert read_log(path) == log


def test_scores_of_numpy_are_written_as_numbers(tmp_path: Path) -> None:
    log = [fetched("a.example/", score=np.float64(0.1)), fetched("a.example/", score=math.inf)]
    write_log(tmp_path / "log", log)
    assert [fetch.score for fetch in read_log(tmp_path / "log")] == [0.1, None]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("mailto:owl@a.example", "'mailto:owl@a.example' is not a URL to crawl."),
        ("no url", "'no url' is not a URL to crawl."),
        ("\t200", "'' is not a URL to crawl."),
        ("http://a.example/\tfine", "'fine' is not a status; a line has a URL, a status"),
        ("http://a.example/\t2000", "'2000' is not a status"),
        ("http://a.example/\t-1", "'-1' is not a status"),
        ("http://a.example/\t\u0662", "'\u0662' is not a status"),
        ("http://a.example/\t200\thigh", "'high' is not a score"),
        ("http://a.example/\t200\tnan", "'nan' is not a score"),
        ("http://a.example/\t200\t1\tSeed", "'Seed' is one column too many"),
        ("http://a.example/\t200\t1\t\tseed", "'' is one column too many"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    log = tmp_path / "log.tsv"
    log.write_text(f"# url\nhttp://a.example/\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        read_log(log)
    assert str(caught.value).startswith(f"{log}, line 3: {complaint}")
    assert str(caught.value).endswith(".")


def test_files_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, complaint in (
        (tmp_path / "none", "There is no file"),
        (tmp_path, "cannot be read"),
        (binary, "is not UTF-8 text"),
    ):
        with pytest.raises(BadInputError, match=complaint):
            read_log(path)
    with pytest.raises(BadInputError, match="cannot be written"):
        write_log(tmp_path / "no" / "log", [])
