"""Trials and comparisons: the budget's rules, repeatability, what each baseline does."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from motherlode.lab.replay import Timing
from motherlode.lab.trials.comparison import (
    Comparison,
    ComparisonBench,
    Finished,
    Task,
    compare,
    rows,
    tasks,
)
from motherlode.policies.registry import BINGO, BINGO_2003, BUILT_IN, ORDINAL_2007
from motherlode.records import BadInputError, NoSuchTopicError, UsageError
from support.small_webs import Said, html, record_web

OWLS = "owls hunt at night with silent wings and see in the dark"
CARS = "engines and wheels and roads and fuel for motor cars"

PAGES: dict[str, Said] = {
    "http://a.test/": html("Owls", OWLS, "/1", "/2", "http://b.test/", "/gone"),
    "http://a.test/1": html("Cars", CARS, "http://c.test/", "http://c.test/1"),
    "http://a.test/2": html("Barn owl", OWLS, "http://b.test/1", "/moved"),
    "http://a.test/moved": (301, {"Location": "http://b.test/2"}, b""),
    "http://b.test/": html("Eagle owl", OWLS, "/1"),
    "http://b.test/1": html("Snowy owl", OWLS, "/2"),
    "http://b.test/2": html("Tawny owl", OWLS, "/3"),
    "http://b.test/3": html("Road to an owl", CARS, "/4"),
    "http://b.test/4": html("Little owl", OWLS),
    "http://c.test/": html("Engines", CARS, "/1", "/2", "/3"),
    "http://c.test/1": html("Wheels", CARS, "/2"),
    "http://c.test/2": html("Roads", CARS),
    "http://c.test/3": (500, {"Content-Type": "text/html"}, b"broken"),
}
ON_TOPIC = ("a.test/", "a.test/2", "b.test/", "b.test/1", "b.test/2", "b.test/4")
LABELS = {f"http://{page}": "Animals/Owls" for page in ON_TOPIC} | {"http://c.test/": "Machines"}
SEED = ("http://a.test/",)
CRAWLERS = (BINGO, BINGO_2003)
NEEDS_BACK_LINKS = (ORDINAL_2007,)  # nothing links to the seed here
CONTENDERS = tuple(
    policy.name
    for policy in BUILT_IN
    if policy.name not in (*CRAWLERS, *NEEDS_BACK_LINKS) and not policy.finds_sites
)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("webs") / "owls", PAGES, LABELS)


def run(web: Path, policy: str, pages: int = 100, **options: object) -> Finished:
    comparison = Comparison(
        **({"web": str(web), "topics": ("Animals/Owls",), "seeds": SEED} | options),  # type: ignore[arg-type]
        policies=(policy,),
        pages=pages,
    )
    return ComparisonBench(comparison).run(Task(comparison.topics[0], policy, 0))


def order(finished: Finished, *, documents: bool = True) -> list[str]:
    return [f.url.removeprefix("http://") for f in finished.log if f.document or not documents]


# The crawl itself


def test_a_policy_that_needs_back_links_learns_from_those_of_the_web(web: Path) -> None:
    """The pages that it learns from were fetched before, and are none of its crawl."""
    seeds = ("http://b.test/2", "http://b.test/1")
    finished = run(web, ORDINAL_2007, pages=5, seeds=seeds)
    fetched = order(finished)
    assert set(fetched[:2]) == {"b.test/1", "b.test/2"}
    assert "a.test/2" not in fetched  # it links to b.test/1, and to a page moved to b.test/2
    assert "b.test/3" in fetched


@pytest.mark.parametrize("policy", ["breadth-first", "best-first", "oracle", "bingo"])
def test_one_content_is_one_find_for_everybody(tmp_path: Path, policy: str) -> None:
    """A crawl that recognises copies must not be behind those who take each of them for another page."""
    pages: dict[str, Said] = {
        "http://a.test/": html("Owls", OWLS, "http://m.test/1", "/1", "/2", "http://m.test/2"),
        "http://a.test/1": html("Barn owl", OWLS),
        "http://a.test/2": html("Snowy owl", OWLS),
        "http://m.test/1": html("Barn owl", OWLS),
        "http://m.test/2": html("Snowy owl", OWLS),
    }
    copied = record_web(tmp_path / "web", pages, dict.fromkeys(pages, "Animals/Owls"))
    found = run(copied, policy).measures
    assert (found.relevant, found.recall) == (2, 1.0)
    assert found.pages == 5  # copies that were fetched have cost a page, whoever recognised them
    if policy == "oracle":
        assert dict(found.curve)[3] == 2


def test_all_are_measured_on_the_same_links_whatever_pages_ask_of_crawlers(tmp_path: Path) -> None:
    """A crawl that left out what baselines and oracle take would be measured on a smaller web."""
    asks = '<meta name="robots" content="noindex,nofollow">'
    asking = {**PAGES, "http://b.test/3": asks + html("Road to an owl", CARS, "/4")}
    web = record_web(tmp_path / "asking", asking, LABELS)
    everything = set(order(run(web, "breadth-first")))
    for policy in CRAWLERS:
        assert set(order(run(web, policy))) == everything


@pytest.mark.parametrize("policy", CRAWLERS)
def test_a_crawl_that_learns_is_tried_on_the_real_engine(web: Path, policy: str) -> None:
    first, again = run(web, policy), run(web, policy)
    assert first.log == again.log  # to the page
    assert (first.measures.pages, first.measures.relevant) == (11, 5)
    assert first.log[0].seed
    assert run(web, policy, 4).measures.pages == 4


@pytest.mark.parametrize("policy", NEEDS_BACK_LINKS)
def test_a_crawl_without_the_back_links_that_it_needs_says_so(web: Path, policy: str) -> None:
    with pytest.raises(BadInputError, match="no pages that link to the examples"):
        run(web, policy)


# The budget


@pytest.mark.parametrize("policy", CONTENDERS)
def test_the_budget_is_used_up_exactly(web: Path, policy: str) -> None:
    for pages in (1, 2, 6, 10, 11):
        measures = run(web, policy, pages).measures
        assert measures.pages == pages
        assert measures.curve[-1] == (measures.pages, measures.relevant)


@pytest.mark.parametrize("policy", CONTENDERS)
def test_a_whole_web_brings_every_policy_the_same(web: Path, policy: str) -> None:
    measures = run(web, policy).measures
    assert (measures.pages, measures.relevant, measures.failed, measures.relevant_hosts) == (
        11,
        5,
        2,
        2,
    )
    assert measures.recall == 1.0
    assert measures.harvest_rate == 5 / 11


def test_seeds_count_against_the_budget_but_not_as_finds(web: Path) -> None:
    measures = run(web, "breadth-first", 1).measures
    assert (measures.pages, measures.relevant, measures.recall) == (1, 0, 0.0)


def test_a_redirect_is_neither_a_page_nor_a_failure(web: Path) -> None:
    finished = run(web, "breadth-first")
    assert "a.test/moved" not in order(finished, documents=False)
    assert order(finished).count("b.test/2") == 1


def test_failed_fetches_are_reported_beside_the_pages(web: Path) -> None:
    finished = run(web, "breadth-first")
    assert [f.url for f in finished.log if not f.document] == [
        "http://a.test/gone",
        "http://c.test/3",
    ]


def test_a_topic_includes_its_sub_topics(web: Path) -> None:
    assert run(web, "breadth-first", topics=("Animals",)).measures.relevant == 5


# The baselines


def test_breadth_first_goes_level_by_level(web: Path) -> None:
    assert order(run(web, "breadth-first"))[:6] == [
        "a.test/", "a.test/1", "a.test/2", "b.test/", "c.test/", "c.test/1",
    ]  # fmt: skip


def test_depth_first_follows_the_first_link_of_the_latest_page(web: Path) -> None:
    assert order(run(web, "depth-first"))[:5] == [
        "a.test/",
        "a.test/1",
        "c.test/",
        "c.test/1",
        "c.test/2",
    ]


def test_best_first_prefers_links_of_pages_like_the_seeds(web: Path) -> None:
    first = order(run(web, "best-first"))
    assert max(first.index(f"b.test/{number}") for number in (1, 2, 3)) < first.index("c.test/")


def test_the_oracle_takes_no_way_round(web: Path) -> None:
    measures = run(web, "oracle", 8).measures
    assert (
        measures.relevant == 5
    )  # seven pages are the least: the seed, five finds, the page before the last
    assert run(web, "oracle", 7).measures.relevant == 5


def test_the_oracle_is_the_ceiling(web: Path) -> None:
    ceilings = {pages: run(web, "oracle", pages).measures.relevant for pages in range(1, 12)}
    for policy in CONTENDERS:
        for pages, relevant in run(web, policy).measures.curve:
            assert relevant <= ceilings.get(pages, 0)


def test_random_order_depends_on_the_seed_alone(web: Path) -> None:
    orders = {tuple(order(run(web, "random", seed=seed))) for seed in range(8)}
    assert len(orders) > 3
    assert order(run(web, "random", seed=3)) == order(run(web, "random", seed=3))


# Repeats, draws, processes


def comparison(web: Path, **options: object) -> Comparison:
    told = {
        "web": str(web),
        "topics": ("Animals/Owls",),
        "policies": CONTENDERS,
        "pages": 6,
        "seeds": 2,
    }
    return Comparison(**(told | options))  # type: ignore[arg-type]


def logs(finished: Sequence[Finished]) -> dict[Task, list[str]]:
    return {one.task: order(one, documents=False) for one in finished}


def test_the_same_seed_gives_the_same_order_of_fetches(web: Path) -> None:
    asked = comparison(web, repeat=2)
    assert logs(list(compare(asked, 1))) == logs(list(compare(asked, 1)))


def test_many_processes_find_what_one_does(web: Path) -> None:
    asked = comparison(web, policies=("random", "best-first", "tunnel"), repeat=2)
    alone, together = list(compare(asked, 1)), list(compare(asked, 2))
    assert logs(alone) == logs(together)
    assert len(together) == len(tasks(asked)) == 2 * 3


def test_repeats_draw_other_seeds_and_are_averaged(web: Path) -> None:
    asked = comparison(web, policies=("breadth-first",), repeat=4)
    finished = list(compare(asked, 1))
    assert len({tuple(order(one)[:2]) for one in finished}) > 1
    row = rows(asked, finished)[0]
    assert row.relevant == sum(one.measures.relevant for one in finished) / 4
    assert len(row.runs) == 4


def test_every_policy_of_a_turn_has_the_same_seeds(web: Path) -> None:
    finished = list(compare(comparison(web), 1))
    assert len({tuple(order(one)[:2]) for one in finished}) == 1


def test_drawn_seeds_are_pages_of_the_topic(web: Path) -> None:
    drawn = comparison(web, policies=("breadth-first", "best-first", "tunnel"), repeat=5)
    finished = list(compare(drawn, 1))
    assert {f.url for one in finished for f in one.log if f.seed} <= {
        f"http://{page}" for page in ON_TOPIC
    }


def test_what_is_wrong_is_said_before_anything_runs(web: Path) -> None:
    with pytest.raises(UsageError, match=r"no policy 'bogus'.*breadth-first"):
        next(compare(comparison(web, policies=("bogus",)), 1))
    with pytest.raises(NoSuchTopicError, match="did you mean 'Animals/Owls'"):
        next(compare(comparison(web, topics=("Animals/Owl",)), 1))
    with pytest.raises(UsageError, match="Draw fewer seeds than the 6"):
        next(compare(comparison(web, seeds=6), 1))


# Virtual time


def test_politeness_and_latency_cost_virtual_time_only(web: Path) -> None:
    timing = Timing(latency=1.0, delay=100.0)
    finished = run(web, "breadth-first", timing=timing)
    assert finished.virtual_seconds > 400  # six requests to a.test, the slowest host
    assert finished.seconds < 60  # a generous limit: it would be six minutes


def test_connections_share_the_time(web: Path) -> None:
    timing = Timing(latency=1.0, connections=10)
    alone = run(web, "breadth-first", timing=timing)
    together = run(web, "breadth-first", timing=timing, connections=4)
    assert together.virtual_seconds < alone.virtual_seconds / 1.5
    assert sorted(order(together)) == sorted(order(alone))


def test_the_budget_holds_with_many_connections(web: Path) -> None:
    for pages in (1, 4, 6, 11):
        assert (
            run(
                web, "breadth-first", pages, connections=5, timing=Timing(latency=0.1)
            ).measures.pages
            == pages
        )


@pytest.mark.parametrize("policy", ["best-first", "breadth-first"])
def test_requests_of_the_preparation_are_within_the_budget(web: Path, policy: str) -> None:
    seeds = tuple(f"http://{page}" for page in ON_TOPIC)
    finished = run(web, policy, requests=len(seeds), seeds=seeds)
    assert finished.requests == len(seeds)
    assert [fetch.seed for fetch in finished.log] == [True] * len(seeds)


def test_the_preparation_ends_with_the_requests(tmp_path: Path) -> None:
    seeds = tuple(f"http://a.test/{n}" for n in range(40))
    pages: dict[str, Said] = {seed: (301, {"Location": f"{seed}.html"}, b"") for seed in seeds}
    pages |= {f"{seed}.html": html(f"Owl {seed}", f"{OWLS} {seed}") for seed in seeds}
    web = record_web(tmp_path / "web", pages, dict.fromkeys(pages, "Animals/Owls"))
    assert run(web, "best-first", seeds=seeds).requests == 80
    limited = run(web, "best-first", requests=20, seeds=seeds)  # pages under way count as one each
    assert 20 <= limited.requests <= 40
    assert all(fetch.seed for fetch in limited.log)


def test_fewer_requests_than_seeds_are_no_budget(web: Path) -> None:
    comparison = Comparison(
        web=str(web), topics=("Animals/Owls",), policies=("random",), pages=9, seeds=2, requests=1
    )
    with pytest.raises(UsageError, match="2 seeds need more than 1 requests"):
        ComparisonBench(comparison).check()


def test_a_comparison_says_how_many_requests_were_allowed(web: Path) -> None:
    for requests, allowed in ((None, 180), (7, 7)):
        comparison = Comparison(
            web=str(web),
            topics=("Animals/Owls",),
            policies=("breadth-first",),
            pages=9,
            seeds=SEED,
            requests=requests,
        )
        (row,) = rows(comparison, list(compare(comparison, 1)))
        assert row.requests <= row.max_requests == allowed
