"""Explanations of URLs: pages of a small crawl, URLs that were not fetched, other policies."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from motherlode.app.cli.commands.explain import command
from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.refresh import RefreshSelection, refresh, select_pages
from motherlode.documents.analysis import Manner
from motherlode.documents.text.terms import bag_of
from motherlode.explain.explainer import explain
from motherlode.explain.explanations import (
    Explanation,
    OutgoingLink,
    PathStep,
    RedirectHop,
    UrlFate,
)
from motherlode.lab.clock import run_virtually
from motherlode.learning.links.model import unpack_link_model
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.bingo.retraining import BingoRetrainer
from motherlode.portal import Portal
from motherlode.records import LINK_MODEL, TOPIC_MODEL, Origin
from motherlode.store.tables import ledger
from motherlode.urls import address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.scripted_web import Said, ScriptedWeb, moved
from support.training_webs import BIRDS, add_example, pages, paper, place, planted, text

FAR = "http://far.test/"
CLOSED: Said = (200, {}, b"User-agent: *\nDisallow: /private/\nCrawl-delay: 3\n")


def web() -> dict[str, Said]:
    responses: dict[str, Said] = {**pages()}
    links = {
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
    responses[place("owl", 4)] = moved("/x")
    html = paper("Owl 4", f"{text('owl', 4)} {text('owl', 1)}", links)
    nofollow = '<a rel=nofollow href="http://no.test/">no</a></p>'
    responses["http://owl4.test/x"] = html.replace("</p>", nofollow, 1)
    responses["http://closed.test/robots.txt"] = CLOSED
    responses["http://closed.test/public"] = paper("Public", text("owl", 1) + " In public.")
    responses["http://copy.test/"] = pages()[place("owl", 0)]
    near = str(pages()[place("owl", 2)]).replace("</title>", " </title>")
    responses["http://near.test/"] = near
    responses["http://busy.test/"] = (503, {"Retry-After": "60000"})
    off1, off2 = {"http://off1.test/": "further"}, {"http://off2.test/": "further still"}
    responses["http://off.test/"] = paper("Off", text("news", 3), off1)
    responses["http://off1.test/"] = paper("Off 1", text("news", 4), off2)
    responses["http://off2.test/"] = paper("Off 2", text("news", 5) + " Again.", {FAR: "too far"})
    return responses


def crawl_portal(portal: Path, responses: Mapping[str, Said], pages: int = 1000) -> Progress:
    """Crawl as `lode crawl` does, with bingo."""
    scripted, workers = ScriptedWeb(responses), InlineWorkerPool(Manner())

    async def run(opened: Portal) -> Progress:
        await prepare(opened, scripted, workers=workers)
        retrainer = BingoRetrainer(opened)
        policy = await retrainer.begin(workers)
        context = CrawlContext(workers, retrainer=retrainer)
        return await crawl(opened, scripted, policy, Limits(pages, patience=0.0), context)

    with Portal.crawling(portal, "test") as opened:
        return run_virtually(run(opened))


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain")
    path = planted(folder / "p", BIRDS, crawl__locked=["locked.test"], bingo__tunnel=2)
    crawl_portal(path, web())
    return path


def explained(
    portal: Path,
    url: str,
    max_links: int = 10,
    overrides: Sequence[str] = (),
) -> Explanation:
    with Portal.reading(portal, overrides) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address(url), max_links)
    assert explanation is not None
    return explanation


# --- fetched pages --------------------------------------------------------------------------------


def test_the_path_to_a_page_begins_at_an_example(portal: Path) -> None:
    way = explained(portal, "http://owl4.test/x").way
    assert way is not None
    assert (way.begins, way.sure, way.depth, way.distance) == ("an example of 'owls'", True, 2, 0.0)
    assert way.steps == (
        PathStep(place("owl", 2)),
        PathStep(place("owl", 3), "the next owl"),
        PathStep(
            "http://owl4.test/x",
            "the next owl",
        ),  # the link led to a URL that redirects there
    )


def test_redirects_and_copies_of_a_page_are_listed(portal: Path) -> None:
    assert explained(portal, "http://owl4.test/x").redirects_here == (
        RedirectHop("http://owl4.test/", "http://owl4.test/x", 302),
    )
    assert explained(portal, place("owl", 0)).redirects_here == (
        RedirectHop("http://copy.test/", place("owl", 0), 0),
    )


def test_the_path_to_an_example_has_one_step(portal: Path) -> None:
    explanation = explained(portal, place("owl", 0))
    assert explanation.became is UrlFate.FETCHED
    assert explanation.examples == ("owls",)
    assert explanation.way is not None
    assert explanation.way.steps == (PathStep(place("owl", 0)),)
    assert explanation.rank is not None
    assert explanation.rank.policy == "examples"


def test_a_rank_is_the_sum_of_its_parts(portal: Path) -> None:
    rank = explained(portal, "http://owl4.test/x").rank
    assert rank is not None
    parts = {part.name: part for part in rank.parts}
    assert rank.policy == "bingo"
    assert list(parts) == ["parents", "anchors", "near", "host"]
    assert rank.now == pytest.approx(sum(part.value for part in rank.parts))
    assert "behind nearby links" in parts["near"].words
    assert "that link to it" in parts["parents"].words
    assert "“the next owl”" in parts["anchors"].words
    assert parts["anchors"].value != 0
    assert parts["host"].words == "on a topic: 1 of 1 page of owl4.test"


def test_the_model_of_a_crawl_has_the_words_that_pages_on_a_topic_mention(portal: Path) -> None:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, LINK_MODEL)
    assert model is not None
    terms, lifts = unpack_link_model(model.packed).mentions.lookup()
    lift_of = dict(zip(terms.tolist(), lifts.tolist(), strict=True))
    owls, news = (int(bag_of(word).terms[0]) for word in ("owl", "parliament"))
    assert lift_of[owls] > 0 > lift_of[news]


def test_only_the_papers_policy_reduces_the_rank_in_a_tunnel(portal: Path, tmp_path: Path) -> None:
    explanation = explained(portal, "http://off1.test/")
    assert explanation.way is not None
    assert explanation.rank is not None
    assert explanation.rank.now is not None
    assert explanation.way.distance == 1
    assert "tunnel" not in [part.name for part in explanation.rank.parts]
    assert explanation.rank.rank == pytest.approx(explanation.rank.now, abs=0.05)
    paper_portal = shutil.copytree(portal, tmp_path / "2003")
    with Portal.crawling(paper_portal, "test") as opened, opened.store.writing() as session:
        session.connection.exec_driver_sql("UPDATE runs SET policy = 'bingo-2003'")
    paper_rank = explained(paper_portal, "http://off1.test/").rank
    assert paper_rank is not None
    parent, tunnel = paper_rank.parts[:2]
    assert (tunnel.name, tunnel.value) == ("tunnel", 0.5)
    assert paper_rank.now == pytest.approx(parent.value / 2)


def test_a_judgement_has_its_model_and_its_strongest_terms(portal: Path) -> None:
    judged = explained(portal, "http://owl4.test/x").judgement
    assert judged is not None
    assert (judged.topic, judged.on_topic) == ("owls", True)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, TOPIC_MODEL)
    assert model is not None
    assert (judged.model, judged.version) == (model.id, model.version)
    assert judged.learned_at == model.created_at
    assert judged.opinion is not None
    assert judged.opinion.about == "owls"
    assert "owl" in [term.word for term in judged.opinion.terms[:3]]


def test_links_have_the_fate_of_their_targets(portal: Path) -> None:
    explanation = explained(portal, "http://owl4.test/x", 100)
    links = {link.url: link for link in explanation.links}
    fates = {url: link.became for url, link in links.items()}
    assert explanation.link_count == len(links) == 10
    assert fates["http://closed.test/private/x"] == "skipped"
    assert fates["http://closed.test/public"] == "fetched"
    assert fates["http://lost.test/"] == "failed"
    assert fates["http://locked.test/"] == fates["http://no.test/"] == "linked"
    assert fates["http://copy.test/"] == "moved"
    assert fates["http://busy.test/"] == "waiting"
    assert links["http://busy.test/"].rank is not None
    assert links["http://lost.test/"] == OutgoingLink(
        "http://lost.test/", "lost", "failed", None, "not there: status 404"
    )
    ranks = [link.rank for link in explained(portal, "http://owl4.test/x", 3).links]
    assert len(ranks) == 3
    assert None not in ranks


def test_near_duplicates_are_listed(portal: Path) -> None:
    assert explained(portal, "http://near.test/").similar == (place("owl", 2),)


def test_host_and_robots_txt_are_summarised(portal: Path) -> None:
    explanation = explained(portal, "http://closed.test/public")
    assert explanation.host is not None
    assert (explanation.host.met, explanation.host.state, explanation.host.pages) == (
        True,
        "good",
        1,
    )
    assert explanation.robots is not None
    assert (explanation.robots.allowed, explanation.robots.rule, explanation.robots.delay) == (
        True,
        "",
        3.0,
    )
    overrides = ["robots.obey=false"]
    robots = explained(portal, "http://closed.test/public", overrides=overrides).robots
    assert robots is not None
    assert robots.ignored


# --- URLs that were not fetched -------------------------------------------------------------------


def test_an_unknown_url_has_no_explanation(portal: Path) -> None:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert explain(session, opened.config, address("http://never.test/")) is None


def test_a_rule_of_robots_txt_is_quoted(portal: Path) -> None:
    explanation = explained(portal, "http://closed.test/private/x")
    assert explanation.became is UrlFate.SKIPPED
    assert explanation.why.endswith("robots.txt, whose rule is 'Disallow: /private/'.")
    assert explanation.robots is not None
    assert explanation.robots.allowed is False
    assert explanation.way is not None
    assert explanation.way.steps[-2:] == (
        PathStep("http://owl4.test/x", "the next owl"),
        PathStep("http://closed.test/private/x", "in private"),
    )


def test_failures_and_moves_are_explained(portal: Path) -> None:
    lost = explained(portal, "http://lost.test/")
    assert lost.why == "It could not be fetched: not there: status 404."
    redirected = explained(portal, "http://owl4.test/")
    assert redirected.became is UrlFate.MOVED
    assert redirected.why == "It redirects to http://owl4.test/x."
    copy = explained(portal, "http://copy.test/")
    original = place("owl", 0)
    assert copy.why == f"It has the same content as {original}, so only that page is stored."
    assert copy.redirects_on == (RedirectHop("http://copy.test/", place("owl", 0), 0),)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://no.test/", "nofollow"),
        ("http://locked.test/", "crawl.locked"),
        (place("news", 3), "counterexample"),
        (FAR, "beyond the tunnel: 3 pages"),
    ],
)
def test_a_link_that_was_not_followed_has_a_reason(portal: Path, url: str, reason: str) -> None:
    explanation = explained(portal, url)
    assert explanation.became is UrlFate.LINKED
    assert "1 page links to it, but the link was not followed: " in explanation.why
    assert reason in explanation.why


def test_limits_of_the_crawl_are_reasons(portal: Path) -> None:
    assert "2 are allowed" in explained(portal, FAR, overrides=["crawl.depth=2"]).why
    assert "crawl.domains" in explained(portal, FAR, overrides=['crawl.domains=["owl1.test"]']).why
    assert "the reason is not stored" in explained(portal, FAR, overrides=["bingo.tunnel=9"]).why
    breadth_first = explained(portal, FAR, overrides=["crawl.policy=breadth-first"])
    assert "the reason is not stored" in breadth_first.why


def test_a_waiting_url_has_its_queue_place_and_time(portal: Path) -> None:
    explanation = explained(portal, "http://busy.test/")
    assert explanation.became is UrlFate.WAITING
    assert "unavailable" in explanation.why
    assert explanation.wait is not None
    assert (explanation.wait.queue, explanation.wait.place, explanation.wait.attempts) == (
        "owls",
        1,
        1,
    )
    assert explanation.wait.not_before is not None
    assert explanation.rank is not None
    assert explanation.rank.rank == explanation.wait.rank
    assert explanation.rank.parts


def test_an_example_that_was_not_fetched_yet_is_explained(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    explanation = explained(portal, place("owl", 0))
    assert explanation.became is UrlFate.EXAMPLE
    assert explanation.why == "It is an example of 'owls' that was not fetched yet."
    add_example(portal, "herons", url=place("owl", 0))
    assert explained(portal, place("owl", 0)).examples == ("owls", "herons")


def test_an_example_that_could_not_be_fetched_has_a_reason(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": [place("owl", 0)]})
    with Portal.crawling(portal, "test") as opened:
        run_virtually(prepare(opened, ScriptedWeb({place("owl", 0): (503, {}, b"")})))
    explanation = explained(portal, place("owl", 0))
    assert explanation.became is UrlFate.EXAMPLE
    assert explanation.why.startswith(
        "It is an example that the next crawl will fetch; the last attempt",
    )
    assert "unavailable" in explanation.why
    assert explanation.examples == ("owls",)
    assert explanation.way is None


# --- other policies, refreshed pages --------------------------------------------------------------


def test_the_papers_rank_is_the_margin_of_the_parent(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS, crawl__policy="bingo-2003", bingo__hubs=0)
    crawl_portal(portal, web())
    rank = explained(portal, "http://owl4.test/x").rank
    assert rank is not None
    assert rank.policy == "bingo-2003"
    assert rank.parts[0].name == "parent"
    assert rank.parts[0].words == f"the margin of {place('owl', 3)}"


def test_the_rank_of_a_breadth_first_crawl_is_explained(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"a": [place("owl", 0)]})
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address(place("owl", 0))])
        run_virtually(crawl(opened, ScriptedWeb(web()), policy, Limits(2)))
    seed, first, second = (explained(portal, place("owl", number)) for number in range(3))
    assert first.became is UrlFate.FETCHED or second.became is UrlFate.WAITING
    assert first.rank is not None
    assert (first.rank.policy, first.rank.rank) == ("breadth-first", -1.0)
    assert "level by level" in first.rank.words
    assert seed.judgement is None


def test_a_page_may_wait_for_a_refresh_or_be_gone(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"a": [place("owl", 0)]}, crawl__policy="breadth-first")
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address(place("owl", 0))])
        run_virtually(crawl(opened, ScriptedWeb(web()), policy, Limits(1)))
        select_pages(opened, RefreshSelection(1e12, 10))
    explanation = explained(portal, place("owl", 0))
    assert explanation.became is UrlFate.FETCHED
    assert explanation.wait is None
    assert explanation.fetch is not None
    assert explanation.fetch.refresh_waits
    with Portal.crawling(portal, "test") as opened:
        run_virtually(refresh(opened, ScriptedWeb({}), RefreshSelection(1e12, 10)))
    explanation = explained(portal, place("owl", 0))
    assert explanation.became is UrlFate.GONE
    assert explanation.why == "It was fetched, but its host no longer has it: gone: status 404."
    assert explanation.fetch is not None
    assert not explanation.fetch.refresh_waits


def test_an_archetype_is_no_example(tmp_path: Path, portal: Path) -> None:
    shutil.copytree(portal, tmp_path / "p")
    add_example(tmp_path / "p", "owls", url="http://near.test/", origin=Origin.ARCHETYPE)
    explanation = explained(tmp_path / "p", "http://near.test/")
    assert (explanation.examples, explanation.archetypes) == ((), ("owls",))


# --- the output of the command --------------------------------------------------------------------


def output_lines(portal: Path, url: str) -> list[str]:
    result = CliRunner().invoke(command, [str(portal), url])
    assert result.exit_code == 0, result.output
    return [" ".join(line.split()) for line in result.output.splitlines()]


def test_a_rank_and_its_parts_are_shown(portal: Path) -> None:
    lines = output_lines(portal, "http://off1.test/")
    assert "depth 4 links from an example, 1 page off all topics before it" in lines
    assert any(line.startswith("parents +") for line in lines)
    assert any(line.startswith("anchors ") for line in lines)
    totals = [line for line in lines if line.startswith("in all ")]
    assert [line.endswith(" by what is known now") for line in totals] == [True]
    assert any(line.startswith("topic none; margin -") for line in lines)
    assert any(line.startswith("by model ") for line in lines)


def test_the_queue_place_and_time_of_a_waiting_url_are_shown(portal: Path) -> None:
    lines = output_lines(portal, "http://busy.test/")
    assert "queue of owls, place 1" in lines
    times = [line for line in lines if line.startswith("not before 2")]
    assert [line.endswith("after 1 attempt") for line in times] == [True]
    assert any("not contacted for another" in line for line in lines)


def test_redirects_and_near_duplicates_are_shown(portal: Path) -> None:
    assert "also http://copy.test/, the same content" in output_lines(portal, place("owl", 0))
    assert "rank first of all when it was fetched (examples)" in output_lines(
        portal, place("owl", 0)
    )
    assert f"leads to {place('owl', 0)}, the same content" in output_lines(
        portal,
        "http://copy.test/",
    )
    assert f"similar to {place('owl', 2)}" in output_lines(portal, "http://near.test/")
