"""Crawls for sites by several crawlers, on a small web of owls and news with a hub."""

import pytest

from motherlode.lab.sites.crawl_plan import SITE_CONTENDERS, SiteCrawlPlan, tasks
from motherlode.lab.sites.crawl_rows import crawl_rows, found_curves, hub_rows
from motherlode.lab.sites.crawls import SiteCrawlBench, crawl_for_sites
from motherlode.policies.registry import ORACLE, WEBSITES
from motherlode.records import UsageError
from support.site_crawls import labelled_site_web

OWLS = "Animals/Owls"
PLAN = {"named": (2,), "at": (10, 40), "settings": {"websites.training_pages": 5}}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(labelled_site_web(tmp_path_factory.mktemp("web") / "sites"))


def test_every_crawler_has_the_same_start_and_the_oracle_is_the_ceiling(web: str) -> None:
    plan = SiteCrawlPlan(web, (OWLS,), **PLAN)  # type: ignore[arg-type]
    results = list(crawl_for_sites(plan, 1))
    assert {result.task.contender for result in results} == set(plan.contenders)
    assert len({result.preparation for result in results}) == 1
    assert {result.to_find for result in results} == {5}
    rows = {(row.contender, row.at): row for row in crawl_rows(plan, results)}
    for contender in plan.contenders:
        assert rows[contender, 40].pages <= 40
        assert rows[contender, 10].found <= rows[contender, 40].found
        assert rows[contender, 10].found <= rows[ORACLE, 10].found
    assert rows[ORACLE, 40].of_oracle == 1.0
    assert rows[ORACLE, 40].precision == 1.0
    ours = rows[WEBSITES, 40]
    assert ours.precision is not None
    assert ours.precision >= 0.8
    assert ours.pages_per_relevant_site == pytest.approx(ours.pages / ours.found)
    curves = found_curves(plan, results, 2)
    assert curves[WEBSITES][0] == (0.0, 0.0)
    assert [x for x, _ in curves[WEBSITES]] == [0.0, 10.0, 40.0]


def test_the_named_sites_are_the_same_for_all_crawlers_and_others_in_the_next_draw(
    web: str,
) -> None:
    plan = SiteCrawlPlan(web, (OWLS,), repeat=4, unlike=1, **PLAN)  # type: ignore[arg-type]
    bench = SiteCrawlBench(plan)
    named = {
        turn: {tuple(bench.named_sites(task).items()) for task in tasks(plan) if task.turn == turn}
        for turn in range(4)
    }
    assert all(len(draws) == 1 for draws in named.values())
    assert len(set.union(*named.values())) > 1
    ((*likes, unlike),) = named[0]
    assert [is_relevant for _, is_relevant in likes] == [True, True]
    assert unlike[0].startswith("news")
    assert unlike[1] is False


def test_the_hub_is_the_site_that_most_sites_link_to(web: str) -> None:
    plan = SiteCrawlPlan(web, (OWLS,), contenders=(WEBSITES, ORACLE), **PLAN)  # type: ignore[arg-type]
    assert SiteCrawlBench(plan).ways.hub == "hub.test"
    results = list(crawl_for_sites(plan, 1))
    oracle = next(row for row in hub_rows(plan, results) if row.contender == ORACLE)
    assert (oracle.crawls, oracle.examined, oracle.place) == (1, 0, None)


def test_what_is_wrong_with_a_plan_is_said_before_it_runs(web: str) -> None:
    with pytest.raises(UsageError, match="There is no contender 'bingo'"):
        list(crawl_for_sites(SiteCrawlPlan(web, (OWLS,), contenders=("bingo",)), 1))
    with pytest.raises(UsageError, match="has 7 sites, too few to name 5 of them; name fewer"):
        list(crawl_for_sites(SiteCrawlPlan(web, (OWLS,)), 1))


def test_contenders_have_names_of_their_own() -> None:
    names = [contender.name for contender in SITE_CONTENDERS]
    assert len(set(names)) == len(names) == 8
