"""The experiments of the BINGO! paper: their figures by hand, and both of them on a web of a few pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.lab.defaults import PORTAL_POLICIES
from motherlode.lab.experiments import experts, portals
from motherlode.lab.experiments.experts import Order, Question, query_for
from motherlode.lab.experiments.figures import (
    FETCHED,
    TAKEN,
    Ranking,
    Rankings,
    Sought,
    Top,
    mean_ranking,
    mean_tops,
    ranking,
    tops,
)
from motherlode.lab.experiments.portals import best_known
from motherlode.lab.experiments.stock import Extent, Stock, mean_extent
from motherlode.lab.linkgraph import LinkGraph, link_graph
from motherlode.lab.loader import open_web
from motherlode.lab.trials.document_cache import Readings
from motherlode.policies.registry import BREADTH_FIRST, ORACLE
from motherlode.records import LodeError, UsageError
from support.small_webs import Said, html, record_web

OWLS = "owls hunt at night with silent wings and see in the dark"
CARS = "engines and wheels and roads and fuel for motor cars"

PAGES: dict[str, Said] = {
    "http://a.test/": html("Owls", OWLS, "/1", "/2", "http://b.test/", "/gone"),
    "http://a.test/1": html("Cars", CARS, "http://c.test/", "http://c.test/1"),
    "http://a.test/2": html("Barn owl", f"{OWLS} barn", "http://b.test/1", "/moved"),
    "http://a.test/moved": (301, {"Location": "http://b.test/2"}, b""),
    "http://b.test/": html("Eagle owl", OWLS, "/1"),
    "http://b.test/1": html("Snowy owl", OWLS, "/2"),
    "http://b.test/2": html("Tawny owl", OWLS, "/3"),
    "http://b.test/3": html("Road to an owl", CARS, "/4"),
    "http://b.test/4": html("Little owl", f"{OWLS} barn barn barn"),
    "http://c.test/": html("Engines", CARS, "/1", "/2"),
    "http://c.test/1": html("Wheels", CARS, "/2"),
    "http://c.test/2": html("Roads", CARS),
}
ON_TOPIC = ("a.test/", "a.test/2", "b.test/", "b.test/1", "b.test/2", "b.test/4")
LABELS = {f"http://{page}": "Animals/Barn_owls" for page in ON_TOPIC} | {
    "http://c.test/": "Machines"
}
SEED = ("http://a.test/",)
FETCHABLE = 11


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("webs") / "owls", PAGES, LABELS)


# The figures


def test_the_best_of_a_list_are_counted_by_hand() -> None:
    sought = Sought(frozenset("acxy"), frozenset("cx"))
    first, second, taken, fetched = tops("abcd", 3, sought, (4, 2, 10))
    assert first == Top(best=2, pages=2, on_topic=1, precision=0.5, recall=0.25, known=0)
    assert second == Top(best=4, pages=4, on_topic=2, precision=0.5, recall=0.5, known=1)
    assert taken == Top(best=TAKEN, pages=3, on_topic=2, precision=2 / 3, recall=0.5, known=1)
    assert fetched == replace(second, best=FETCHED)


def test_where_nothing_is_decided_nothing_was_taken() -> None:
    assert [one.best for one in tops("abc", None, Sought(frozenset("a"), frozenset()), (2,))] == [
        2,
        FETCHED,
    ]


def test_an_empty_list_has_no_precision() -> None:
    taken, _ = tops([], 0, Sought(frozenset("a"), frozenset()), (1,))
    assert taken == Top(TAKEN, 0, 0, None, 0.0, 0)
    nothing, _ = tops([], 0, Sought(frozenset(), frozenset()), ())
    assert nothing.recall is None


def test_means_are_over_the_runs_that_have_so_many_pages() -> None:
    sought = Sought(frozenset("ab"), frozenset("b"))
    runs = [tops("ab", 2, sought, (1, 2)), tops("c", 0, sought, (1, 2))]
    one, two, taken, fetched = mean_tops(runs)
    assert one == Top(1, 1, 0.5, 0.5, 0.25, 0, runs=2)
    assert two == Top(2, 2, 2, 1.0, 1.0, 1, runs=1)
    assert taken == Top(
        TAKEN, 1, 1, 1.0, 0.5, 0.5, runs=2
    )  # of the run that took none there is no precision
    assert fetched == Top(FETCHED, 1.5, 1, 0.5, 0.5, 0.5, runs=2)


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        ("", Ranking(0.0, None)),
        ("xyz", Ranking(0.0, None)),
        ("xa", Ranking(0.1, 2)),
        ("a", Ranking(0.1, 1)),
        ("xxxxxxxxxxa", Ranking(0.0, 11)),
        ("aaaaaaaaaab", Ranking(1.0, 1)),
    ],
)
def test_the_first_ten_answers_are_counted_by_hand(ranked: str, expected: Ranking) -> None:
    assert ranking(ranked, {"a", "b"}) == expected


def test_the_first_right_answer_is_a_median_of_those_that_have_one() -> None:
    runs = [Ranking(0.25, 1), Ranking(0.75, 4), Ranking(0.0, None), Ranking(0.0, 30)]
    assert mean_ranking(runs) == Rankings(0.25, 4.0, 1, 4)
    assert mean_ranking(runs[2:3]).first is None


def test_extents_are_averaged() -> None:
    one, other = Extent(10, 8, 100, 4, 2, 3), Extent(20, 10, 50, 0, 3, 4)
    assert mean_extent([one, other]) == Extent(15, 9, 75, 2, 2.5, 3.5)
    assert mean_extent([replace(one, positive=None)]).positive is None


def test_seeds_are_no_finds() -> None:
    stock = Stock(Extent(4, 4, 0, 2, 1, 0), list("abcd"), 2)
    assert stock.without({"a", "d"}) == (["b", "c"], 1)
    assert replace(stock, taken=None).without({"a"}) == (["b", "c", "d"], None)


# The best-known pages


def graph(links: Mapping[str, Sequence[str]], moved: Sequence[str] = ()) -> LinkGraph:
    urls = [f"http://{url}" for url in links]
    numbers = {url: number for number, url in enumerate(links)}
    targets = [[numbers[target] for target in found] for found in links.values()]
    return LinkGraph(urls, targets, [numbers[url] for url in moved])


def test_links_of_other_hosts_make_a_page_known() -> None:
    links = {
        "a.test/": ["b.test/", "b.test/1"],
        "a.test/1": ["b.test/1"],
        "b.test/": ["b.test/2"],
        "b.test/1": ["b.test/2", "b.test/"],
        "b.test/2": [],
    }
    topic = [f"http://b.test/{page}" for page in ("", "1", "2")]
    assert best_known(graph(links), topic, 1) == {"http://b.test/1"}
    assert best_known(graph(links), topic, 9) == {"http://b.test/1", "http://b.test/"}
    assert best_known(graph(links), topic[2:], 9) == frozenset()


def test_of_equally_known_pages_the_first_by_address_counts() -> None:
    links: Mapping[str, Sequence[str]] = {
        "a.test/": ["b.test/2", "b.test/1"],
        "b.test/1": [],
        "b.test/2": [],
    }
    assert best_known(graph(links), ["http://b.test/2", "http://b.test/1"], 1) == {
        "http://b.test/1"
    }


def test_a_redirect_passes_links_on_and_gives_none_itself() -> None:
    links = {
        "a.test/": ["b.test/", "c.test/old"],  # one page, on two ways
        "a.test/1": ["c.test/old"],
        "c.test/old": ["c.test/older"],
        "c.test/older": ["b.test/"],
        "d.test/": ["b.test/1"],
        "b.test/": [],
        "b.test/1": [],
    }
    topic = ["http://b.test/", "http://b.test/1"]
    known = graph(links, ["c.test/old", "c.test/older"])
    assert best_known(known, topic, 1) == {"http://b.test/"}
    ring = graph(
        {"a.test/": ["b.test/"], "b.test/": ["c.test/"], "c.test/": ["b.test/"]},
        ["b.test/", "c.test/"],
    )
    assert best_known(ring, ["http://d.test/"], 1) == frozenset()


def test_the_link_graph_of_a_web_knows_its_redirects(web: Path) -> None:
    read = link_graph(open_web(web))
    assert [read.urls[number] for number in read.moved] == ["http://a.test/moved"]
    assert best_known(read, ["http://b.test/2"], 1) == {
        "http://b.test/2"
    }  # from a.test, by the redirect


# The portal


def portal_of(web: Path, policy: str, *budgets: int) -> portals.Crawled:
    plan = portals.PortalExperiment(
        str(web), ("Animals/Barn_owls",), (policy,), budgets, best=(2, 500), known=2, seeds=SEED
    )
    bench = portals.PortalBench(plan)
    bench.check()
    return bench.run(portals.tasks(plan)[0])


@pytest.mark.parametrize("policy", PORTAL_POLICIES)
def test_a_portal_is_taken_stock_of_at_each_budget(web: Path, policy: str) -> None:
    crawled = portal_of(web, policy, 3, 6, 100)
    assert [(one.budget, one.extent.stored) for one in crawled.stages] == [
        (3, 3),
        (6, 6),
        (100, FETCHABLE),
    ]
    assert (crawled.topic_pages, crawled.known_pages, crawled.seeds) == (5, 2, SEED)
    end = crawled.stages[-1]
    assert end.extent.visited == FETCHABLE + 2  # and what is gone, and what has moved
    assert (end.extent.hosts, end.extent.depth) == (3, 4)
    assert (end.extent.positive is None) == (policy == "best-first")
    assert [one.best for one in end.tops] == (
        [2, FETCHED] if policy == "best-first" else [2, TAKEN, FETCHED]
    )
    assert (end.tops[-1].pages, end.tops[-1].on_topic) == (FETCHABLE - 1, 5)
    assert (end.tops[0].on_topic, end.tops[0].precision, end.tops[0].recall) == (2, 1.0, 0.4)
    assert [one.tops[-1].on_topic for one in crawled.stages] == sorted(
        one.tops[-1].on_topic for one in crawled.stages
    )


def test_a_portal_is_generated_by_any_policy_but_those_that_need_labels(web: Path) -> None:
    (stage,) = portal_of(web, BREADTH_FIRST, 6).stages
    assert stage.extent.stored == 6
    with pytest.raises(UsageError, match="no policy 'oracle' here; there are bingo, "):
        portal_of(web, ORACLE, 6)


def test_a_crawl_goes_on_where_it_was_paused(web: Path) -> None:
    """Only what ranks the same may come in another order."""
    paused, through = (
        portal_of(web, "best-first", 3, 6).stages[-1],
        portal_of(web, "best-first", 6).stages[-1],
    )
    assert (paused.extent, paused.tops[-1]) == (through.extent, through.tops[-1])


def test_a_portal_can_be_generated_again_to_the_page(web: Path) -> None:
    assert portal_of(web, "bingo", 3, 8).stages == portal_of(web, "bingo", 3, 8).stages


def test_rows_are_a_policy_and_a_budget_in_the_order_asked(web: Path) -> None:
    plan = portals.PortalExperiment(
        str(web), ("Animals",), ("best-first", "bingo"), (4, 8), best=(2,), seeds=1, repeat=2
    )
    found = list(portals.generate(plan, 1))
    told = portals.result(plan, found[::-1])
    assert [(row.budget, row.policy, row.runs) for row in told.rows] == [
        (4, "best-first", 2), (4, "bingo", 2), (8, "best-first", 2), (8, "bingo", 2),
    ]  # fmt: skip
    assert [run.task for run in told.runs] == portals.tasks(plan)
    turns = [run.seeds for run in told.runs if run.task.policy == "bingo"]
    assert turns[0] != turns[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"policies": ("oracle",)}, "no policy 'oracle'"),
        ({"budgets": (1, 9)}, "allow more pages"),
        ({"seeds": ("http://elsewhere.test/",)}, "None of the seeds"),
        ({"seeds": 6}, "Draw fewer seeds"),
        ({"topics": ("Animal",)}, "did you mean 'Animals'"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(
    web: Path, options: dict[str, object], words: str
) -> None:
    plan = portals.PortalExperiment(str(web), ("Animals",), ("bingo",), (4, 8), seeds=1)
    with pytest.raises(LodeError, match=words):
        next(portals.generate(replace(plan, **options), 1))


# The expert search


def test_a_topic_is_asked_for_by_its_name() -> None:
    assert query_for("Science/Biology/Insects_Reptiles_and_Fish") == "Insects Reptiles and Fish"
    assert query_for("Mathematics") == "Mathematics"


def asked(web: Path, **options: object) -> experts.ExpertAnswer:
    plan = replace(
        experts.ExpertExperiment(str(web), ("Animals/Barn_owls",), 100, seeds=SEED), **options
    )
    bench = experts.ExpertBench(plan)
    bench.check()
    return bench.run(Question(plan.topics[0], 0))


def test_an_expert_gets_what_ask_finds(web: Path) -> None:
    found = asked(web)
    assert (found.query, found.seeds) == ("Barn owls", SEED)
    assert (found.extent.stored, found.extent.depth) == (FETCHABLE, 4)
    urls = [one.url for one in found.answers]
    assert SEED[0] not in urls
    assert set(urls) >= {f"http://{page}" for page in ON_TOPIC[1:]}
    assert [one.score for one in found.answers] == sorted(
        (one.score for one in found.answers), reverse=True
    )
    assert {one.title for one in found.answers if not one.right} <= {
        "Cars", "Engines", "Wheels", "Roads", "Road to an owl",
    }  # fmt: skip
    assert set(found.rankings) == set(Order)
    assert found.rankings[Order.ASK] == Ranking(0.5, 1)
    assert found.rankings[Order.QUERY] == Ranking(0.5, 1)  # the words are on no other page


def test_neighbours_are_what_the_seeds_link_to_and_no_more(web: Path) -> None:
    assert asked(web).rankings[Order.NEIGHBOURS] == Ranking(0.2, 1)  # a.test/2 and b.test


def test_the_order_by_query_goes_by_its_words_alone(web: Path) -> None:
    found = asked(web, query="fuel")
    assert found.query == "fuel"
    assert found.rankings[Order.QUERY] == Ranking(0.0, None)  # only pages on cars have it
    assert found.rankings[Order.CONFIDENCE].first == 1


def test_answers_are_put_together_in_the_order_asked(web: Path) -> None:
    plan = experts.ExpertExperiment(
        str(web), ("Animals", "Animals/Barn_owls"), 8, seeds=1, repeat=2
    )
    found = list(experts.ask(plan, 1))
    told = experts.result(plan, found[::-1])
    assert [run.question for run in told.runs] == experts.questions(plan)
    assert {mean.runs for mean in told.means.values()} == {4}
    assert list(told.means) == list(Order)


def test_documents_are_read_where_redirects_lead(web: Path) -> None:
    urls = ["http://a.test/moved", "http://b.test/2", "http://a.test/gone", "http://c.test/"]
    found = Readings(open_web(web), whole=True).documents(urls)
    assert {url: document.title for url, document in found.items()} == {
        "http://b.test/2": "Tawny owl",
        "http://c.test/": "Engines",
    }
    assert "engines" in found["http://c.test/"].text
    assert Readings(open_web(web)).documents(urls)["http://c.test/"].text == ""
