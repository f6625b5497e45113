"""Why a URL is here, or is not: from the store alone."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from motherlode.app.cli.commands.explain import command
from motherlode.crawl.context import Company
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import fetch_examples
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.refresh import Wish, choose, refresh
from motherlode.documents.analysing import Manner
from motherlode.documents.terms import bag_of
from motherlode.explain.explainer import explain
from motherlode.explain.explanations import Became, Explanation, Hop, Lead, Step
from motherlode.lab.clock import run_virtually
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.bingo.teacher import Teacher
from motherlode.portal import Portal
from motherlode.records import Origin
from motherlode.store import ledger
from motherlode.training.opinion import classifier_of
from motherlode.training.training_set import KIND
from motherlode.urls import address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.scripted_web import Said, ScriptedWeb, moved
from support.training_webs import BIRDS, add_example, pages, paper, place, planted, text

FAR = "http://far.test/"
CLOSED: Said = (200, {}, b"User-agent: *\nDisallow: /private/\nCrawl-delay: 3\n")


def web() -> dict[str, Said]:
    said: dict[str, Said] = {**pages()}
    four = {
        place("owl", 5): "the next owl",
        "http://closed.test/private/x": "in private",
        "http://closed.test/public": "in public",
        "http://lost.test/": "lost",
        "http://locked.test/": "locked",
        "http://copy.test/": "a copy",
        "http://near.test/": "nearly the same",
        "http://busy.test/": "busy",
        "http://off.test/": "off",
        "ftp://else.test/": "no web page",
    }
    said[place("owl", 4)] = moved("/x")
    links = paper("Owl 4", f"{text('owl', 4)} {text('owl', 1)}", four)
    said["http://owl4.test/x"] = links.replace("</p>", '<a rel=nofollow href="http://no.test/">no</a></p>', 1)
    said["http://closed.test/robots.txt"] = CLOSED
    said["http://closed.test/public"] = paper("Public", text("owl", 1) + " In public.")
    said["http://copy.test/"] = pages()[place("owl", 0)]
    said["http://near.test/"] = str(pages()[place("owl", 2)]).replace("</title>", " </title>")
    said["http://busy.test/"] = (503, {"Retry-After": "60000"})
    said["http://off.test/"] = paper("Off", text("news", 3), {"http://off1.test/": "further"})
    said["http://off1.test/"] = paper("Off 1", text("news", 4), {"http://off2.test/": "further still"})
    said["http://off2.test/"] = paper("Off 2", text("news", 5) + " Again.", {FAR: "too far"})
    return said


def crawled(portal: Path, said: Mapping[str, Said], pages: int = 1000) -> Progress:
    """As `lode crawl` does it, with bingo."""
    scripted, workers = ScriptedWeb(said), InlineWorkerPool(Manner())

    async def go(opened: Portal) -> Progress:
        await fetch_examples(opened, scripted, workers)
        teacher = Teacher(opened)
        policy = await teacher.begin(workers)
        company = Company(workers, teacher=teacher)
        return await crawl(opened, scripted, policy, Limits(pages, patience=0.0), company)

    with Portal.crawling(portal, "test") as opened:
        return run_virtually(go(opened))


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explaining")
    made = planted(folder / "p", BIRDS, crawl__locked=["locked.test"], crawl__tunnel=2)
    crawled(made, web())
    return made


def told(portal: Path, url: str, most: int = 10, overrides: Sequence[str] = ()) -> Explanation:
    found = asked(portal, url, most, overrides)
    assert found is not None
    return found


def asked(portal: Path, url: str, most: int = 10, overrides: Sequence[str] = ()) -> Explanation | None:
    with Portal.reading(portal, overrides) as opened, opened.store.reading() as session:
        return explain(session, opened.config, address(url), most)


# --- pages that are here --------------------------------------------------------------------------------


def test_the_way_to_a_page_is_told_from_its_example_on(portal: Path) -> None:
    way = told(portal, "http://owl4.test/x").way
    assert way is not None
    assert (way.begins, way.sure, way.depth, way.distance) == ("an example of 'owls'", True, 2, 0.0)
    assert way.steps == (
        Step(place("owl", 2)),
        Step(place("owl", 3), "the next owl"),
        Step("http://owl4.test/x", "the next owl"),  # the link led to what is redirected there
    )


def test_redirects_and_copies_that_lead_to_a_page_are_told(portal: Path) -> None:
    assert told(portal, "http://owl4.test/x").redirects_here == (
        Hop("http://owl4.test/", "http://owl4.test/x", 302),
    )
    assert told(portal, place("owl", 0)).redirects_here == (Hop("http://copy.test/", place("owl", 0), 0),)


def test_an_example_is_where_a_way_begins(portal: Path) -> None:
    found = told(portal, place("owl", 0))
    assert found.became is Became.FETCHED
    assert found.examples == ("owls",)
    assert found.way is not None
    assert found.way.steps == (Step(place("owl", 0)),)
    assert found.rank is not None
    assert found.rank.policy == "examples"


def test_a_rank_is_what_its_parts_come_to(portal: Path) -> None:
    found = told(portal, "http://owl4.test/x").rank
    assert found is not None
    parts = {part.name: part for part in found.parts}
    assert found.policy == "bingo"
    assert list(parts) == ["parents", "anchors", "near", "host"]
    assert found.now == pytest.approx(sum(part.value for part in found.parts))
    assert "that links near by lead to" in parts["near"].words
    assert "that link to it" in parts["parents"].words
    assert "“the next owl”" in parts["anchors"].words
    assert parts["anchors"].value != 0
    assert parts["host"].words == "on a topic are 1 of 1 page of owl4.test"


def test_a_model_of_a_crawl_knows_which_words_pages_on_a_topic_mention(portal: Path) -> None:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, KIND)
        assert model is not None
        terms, lifts = classifier_of(model.packed).mentions.lookup()
    lift_of = dict(zip(terms.tolist(), lifts.tolist(), strict=True))
    owls, news = (int(bag_of(word).terms[0]) for word in ("owl", "parliament"))
    assert lift_of[owls] > 0 > lift_of[news]


def test_a_tunnel_takes_from_the_rank_in_the_paper_only(portal: Path) -> None:
    found = told(portal, "http://off1.test/")
    assert found.way is not None
    assert found.rank is not None
    assert found.rank.now is not None
    assert found.way.distance == 1
    assert "tunnel" not in [part.name for part in found.rank.parts]
    assert found.rank.rank == pytest.approx(found.rank.now, abs=0.05)
    paper = told(portal, "http://off1.test/", overrides=["crawl.policy=bingo-2003"]).rank
    assert paper is not None
    parent, tunnel = paper.parts[:2]
    assert (tunnel.name, tunnel.value) == ("tunnel", 0.5)
    assert paper.now == pytest.approx(parent.value / 2)


def test_a_judgement_comes_with_its_model_and_the_terms_that_carried_it(portal: Path) -> None:
    judged = told(portal, "http://owl4.test/x").judgement
    assert judged is not None
    assert (judged.topic, judged.on_topic) == ("owls", True)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, KIND)
    assert model is not None
    assert (judged.model, judged.version, judged.learned_at) == (model.id, model.version, model.created_at)
    assert judged.opinion is not None
    assert judged.opinion.about == "owls"
    assert "owl" in [one.word for one in judged.opinion.terms[:3]]


def test_links_are_told_with_what_became_of_them(portal: Path) -> None:
    found = told(portal, "http://owl4.test/x", 100)
    leads = {lead.url: lead for lead in found.links}
    became = {url: lead.became for url, lead in leads.items()}
    assert found.link_count == len(leads) == 10
    assert became["http://closed.test/private/x"] == "skipped"
    assert became["http://closed.test/public"] == "fetched"
    assert became["http://lost.test/"] == "failed"
    assert became["http://locked.test/"] == became["http://no.test/"] == "linked"
    assert became["http://copy.test/"] == "moved"
    assert became["http://busy.test/"] == "waiting"
    assert leads["http://busy.test/"].rank is not None
    assert leads["http://lost.test/"] == Lead(
        "http://lost.test/", "lost", "failed", None, "not there: status 404"
    )
    ranks = [lead.rank for lead in told(portal, "http://owl4.test/x", 3).links]
    assert len(ranks) == 3
    assert None not in ranks


def test_pages_that_say_nearly_the_same_are_named(portal: Path) -> None:
    assert told(portal, "http://near.test/").similar == (place("owl", 2),)


def test_what_host_and_robots_txt_say_is_told(portal: Path) -> None:
    found = told(portal, "http://closed.test/public")
    assert found.host is not None
    assert (found.host.met, found.host.state, found.host.pages) == (True, "good", 1)
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule, found.robots.delay) == (True, "", 3.0)
    passed = told(portal, "http://closed.test/public", overrides=["robots.obey=false"]).robots
    assert passed is not None
    assert passed.ignored


# --- those that are not ---------------------------------------------------------------------------------


def test_what_was_never_seen_is_not_explained(portal: Path) -> None:
    assert asked(portal, "http://never.test/") is None


def test_a_rule_of_robots_txt_is_quoted(portal: Path) -> None:
    found = told(portal, "http://closed.test/private/x")
    assert found.became is Became.SKIPPED
    assert found.why.endswith("robots.txt, whose rule is 'Disallow: /private/'.")
    assert found.robots is not None
    assert found.robots.allowed is False
    assert found.way is not None
    assert found.way.steps[-2:] == (
        Step("http://owl4.test/x", "the next owl"),
        Step("http://closed.test/private/x", "in private"),
    )


def test_failures_and_moves_are_told(portal: Path) -> None:
    assert told(portal, "http://lost.test/").why == "It could not be fetched: not there: status 404."
    gone = told(portal, "http://owl4.test/")
    assert (gone.became, gone.why) == (Became.MOVED, "It is redirected to http://owl4.test/x.")
    copy = told(portal, "http://copy.test/")
    assert copy.why == f"It has the same content as {place('owl', 0)}, which stands for both."
    assert copy.redirects_on == (Hop("http://copy.test/", place("owl", 0), 0),)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://no.test/", "nofollow"),
        ("http://locked.test/", "crawl.locked"),
        (place("news", 3), "counterexample"),
        (FAR, "beyond the tunnel: 3 pages"),
    ],
)
def test_a_link_that_was_never_offered_says_why(portal: Path, url: str, reason: str) -> None:
    found = told(portal, url)
    assert found.became is Became.LINKED
    assert "1 page here links to it, but it was never offered: " in found.why
    assert reason in found.why


def test_limits_of_the_crawl_are_reasons(portal: Path) -> None:
    assert "2 are allowed" in told(portal, FAR, overrides=["crawl.depth=2"]).why
    assert "crawl.domains" in told(portal, FAR, overrides=['crawl.domains=["owl1.test"]']).why
    assert "does not say why" in told(portal, FAR, overrides=["crawl.tunnel=9"]).why
    assert "does not say why" in told(portal, FAR, overrides=["crawl.policy=breadth-first"]).why


def test_what_waits_says_where_and_until_when(portal: Path) -> None:
    found = told(portal, "http://busy.test/")
    assert found.became is Became.WAITING
    assert "unavailable" in found.why
    assert found.wait is not None
    assert (found.wait.queue, found.wait.place, found.wait.attempts) == ("owls", 1, 1)
    assert found.wait.not_before is not None
    assert found.rank is not None
    assert found.rank.rank == found.wait.rank
    assert found.rank.parts


def test_an_example_that_nobody_tried_to_fetch_is_known(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    found = told(portal, place("owl", 0))
    assert found.became is Became.EXAMPLE
    assert found.why == "It is an example of 'owls' that nobody has tried to fetch yet."
    add_example(portal, "herons", url=place("owl", 0))
    assert told(portal, place("owl", 0)).examples == ("owls", "herons")


def test_an_example_that_could_not_be_fetched_yet_says_why(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": [place("owl", 0)]})
    with Portal.crawling(portal, "test") as opened:
        run_virtually(fetch_examples(opened, ScriptedWeb({place("owl", 0): (503, {}, b"")})))
    found = told(portal, place("owl", 0))
    assert found.became is Became.EXAMPLE
    assert found.why.startswith(
        "It is an example that waits to be fetched by the next crawl; the last attempt"
    )
    assert "unavailable" in found.why
    assert found.examples == ("owls",)
    assert found.way is None


# --- other policies, and before and after ---------------------------------------------------------------


def test_the_paper_s_own_rank_is_the_parent_s_confidence(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS, crawl__policy="bingo-2003", crawl__hubs=0)
    crawled(portal, web())
    found = told(portal, "http://owl4.test/x").rank
    assert found is not None
    assert found.policy == "bingo-2003"
    assert found.parts[0].name == "parent"
    assert found.parts[0].words == f"how sure its topic is of {place('owl', 3)}"


def test_the_order_of_a_crawl_that_knows_nothing_is_told(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"a": [place("owl", 0)]})
    with Portal.crawling(portal, "test") as opened:
        run_virtually(crawl(opened, ScriptedWeb(web()), BreadthFirst([address(place("owl", 0))]), Limits(2)))
    seed, first, waits = (told(portal, url) for url in (place("owl", 0), place("owl", 1), place("owl", 2)))
    assert first.became is Became.FETCHED or waits.became is Became.WAITING
    assert first.rank is not None
    assert (first.rank.policy, first.rank.rank) == ("breadth-first", -1.0)
    assert "level by level" in first.rank.words
    assert seed.judgement is None


def test_a_page_that_waits_to_be_refreshed_or_is_gone_says_so(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"a": [place("owl", 0)]}, crawl__policy="breadth-first")
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address(place("owl", 0))])
        run_virtually(crawl(opened, ScriptedWeb(web()), policy, Limits(1)))
        choose(opened, Wish(1e12, 10))
    found = told(portal, place("owl", 0))
    assert found.became is Became.FETCHED
    assert found.wait is None
    assert found.fetch is not None
    assert found.fetch.refresh_waits
    with Portal.crawling(portal, "test") as opened:
        run_virtually(refresh(opened, ScriptedWeb({}), Wish(1e12, 10)))
    found = told(portal, place("owl", 0))
    assert found.became is Became.GONE
    assert found.why == "It was fetched, and is not there any more: gone: status 404."
    assert found.fetch is not None
    assert not found.fetch.refresh_waits


def test_an_archetype_is_no_beginning(tmp_path: Path, portal: Path) -> None:
    shutil.copytree(portal, tmp_path / "p")
    add_example(tmp_path / "p", "owls", url="http://near.test/", origin=Origin.ARCHETYPE)
    found = told(tmp_path / "p", "http://near.test/")
    assert (found.examples, found.archetypes) == ((), ("owls",))


# --- in words -------------------------------------------------------------------------------------------


def said(portal: Path, url: str) -> list[str]:
    shown = CliRunner().invoke(command, [str(portal), url])
    assert shown.exit_code == 0, shown.output
    return [" ".join(line.split()) for line in shown.output.splitlines()]


def test_a_rank_and_its_parts_are_shown(portal: Path) -> None:
    lines = said(portal, "http://off1.test/")
    assert "depth 4 links from an example, 1 page off all topics before it" in lines
    assert any(line.startswith("parents +") for line in lines)
    assert any(line.startswith("anchors ") for line in lines)
    assert any(line.startswith("in all ") and line.endswith(" by what is known now") for line in lines)
    assert any(line.startswith("topic none (-") for line in lines)
    assert any(line.startswith("by model ") for line in lines)


def test_what_waits_is_shown_with_its_place_and_its_time(portal: Path) -> None:
    lines = said(portal, "http://busy.test/")
    assert "queue of owls, place 1" in lines
    assert any(line.startswith("not before 2") and line.endswith("after 1 attempt") for line in lines)
    assert any("left alone for another" in line for line in lines)


def test_other_names_of_a_page_are_shown(portal: Path) -> None:
    assert "also http://copy.test/, the same content" in said(portal, place("owl", 0))
    assert "rank first of all when it was taken (examples)" in said(portal, place("owl", 0))
    assert f"leads to {place('owl', 0)}, the same content" in said(portal, "http://copy.test/")
    assert f"much like {place('owl', 2)}" in said(portal, "http://near.test/")
