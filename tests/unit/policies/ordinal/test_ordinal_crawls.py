"""Crawls by levels on a small web (SPEC F1 to F3)."""

from pathlib import Path

import pytest

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits
from motherlode.crawl.retraining import RetrainingPlan
from motherlode.documents.analysis import Manner
from motherlode.explain.explainer import explain
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.explanation import RankedUrl
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.policies.ordinal.layers import layers_of
from motherlode.policies.ordinal.model import OrdinalModel
from motherlode.portal import Portal, create_portal
from motherlode.records import ORDINAL_MODEL, BadInputError, Example
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import judgement_of
from motherlode.topics import plant_seeds
from motherlode.training.models import latest_model
from motherlode.training.portal_view import PortalView
from motherlode.training.training_document import page_at_url
from motherlode.urls import UrlRules, address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.small_webs import Said, record_web
from support.training_webs import paper, text

OWLS = [f"http://owl{n}.test/" for n in range(12)]
HUBS = [f"http://hub{n}.test/" for n in range(8)]
NEWS = [f"http://news{n}.test/" for n in range(8)]


def small_web() -> dict[str, Said]:
    """Hubs link to owls, news to hubs, and owls to news."""
    said: dict[str, Said] = {}
    for n, url in enumerate(OWLS):
        said[url] = paper(f"Owl {n}", f"{text('owl', n)} {text('owl', n + 1)}", [NEWS[n % 8]])
    for n, url in enumerate(HUBS):
        words = f"{text('heron', n)} {text('heron', n + 1)}"
        said[url] = paper(f"Hub {n}", words, [OWLS[n], OWLS[n + 4]])
    for n, url in enumerate(NEWS):
        words = f"{text('news', n)} {text('news', n + 1)}"
        said[url] = paper(f"News {n}", words, [HUBS[n], HUBS[(n + 1) % 8]])
    return said


def edge_file(path: Path) -> Path:
    """The links to owls and hubs, as a search engine would list them."""
    lines = [f"{hub} {OWLS[n]}" for n, hub in enumerate(HUBS)]
    lines += [f"{news} {HUBS[n]}" for n, news in enumerate(NEWS)]
    path.write_text("\n".join(lines), "utf-8")
    return path


def owl_portal(folder: Path, policy: str, **settings: object) -> Path:
    place = folder / "owls"
    planting = plant_seeds([(("owls",), OWLS[:5])], UrlRules())
    options = {"crawl.policy": policy, "ordinal.min_level_pages": 2, "robots.sitemaps": False}
    create_portal(place, planting, {**options, **settings})
    return place


def go_out(place: Path, web: Path, pages: int = 40) -> None:
    """Crawl as `lode crawl` does."""
    with Portal.crawling(place, "test") as portal:
        kind = load_policy(portal.config.crawl.policy)
        replay, workers = Replay(open_web(web)), InlineWorkerPool(Manner())

        async def run() -> None:
            await prepare(portal, replay, kind.wanted, workers)
            if kind.before_crawl is not None:
                kind.before_crawl(portal)
            context = CrawlContext(workers)
            if kind.make_retrainer is None:
                policy = kind.make(PolicySetup(portal))
                assert policy is not None
            else:
                retrainer = kind.make_retrainer(portal, RetrainingPlan())
                policy = await retrainer.begin(workers)
                context = CrawlContext(workers, retrainer=retrainer)
            await crawl(portal, replay, policy, Limits(pages, patience=0.0), context)

        run_virtually(run())


def model_of(place: Path) -> OrdinalModel:
    with Portal.reading(place) as portal, portal.store.reading() as session:
        model: OrdinalModel | None = latest_model(session, portal.tree(), ORDINAL_MODEL)
    assert model is not None
    return model


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web") / "web", small_web())


def test_back_links_of_a_file_are_fetched_and_learned_from(tmp_path: Path, web: Path) -> None:
    edges = edge_file(tmp_path / "edges.tsv")
    place = owl_portal(tmp_path, "ordinal-2007", **{"ordinal.edge_files": [str(edges)]})
    go_out(place, web)
    model = model_of(place)
    assert model.packed.sizes == {0: 5, 1: 5, 2: 5}
    assert model.packed.levels == (0, 1, 2)
    assert model.levels_in_words() == (
        "levels learned from pages: 5 of level 0, 5 of level 1, 5 of level 2"
    )
    with Portal.reading(place) as portal, portal.store.reading() as session:
        layers = layers_of(session, portal.config)
    assert layers[OWLS[0]] == 0
    assert layers[HUBS[0]] == 1
    assert layers[NEWS[0]] == 2


def test_without_back_links_the_crawler_of_2007_says_what_it_needs(
    tmp_path: Path, web: Path
) -> None:
    place = owl_portal(tmp_path, "ordinal-2007")
    with pytest.raises(BadInputError, match=r"no pages that link to the examples.*edge_files"):
        go_out(place, web)


def test_the_links_of_another_portal_make_levels(tmp_path: Path, web: Path) -> None:
    (tmp_path / "first").mkdir()
    first = owl_portal(tmp_path / "first", "breadth-first")
    go_out(first, web)
    place = owl_portal(tmp_path, "ordinal-2007", **{"ordinal.portals": [str(first)]})
    go_out(place, web)
    assert set(model_of(place).packed.sizes) >= {0, 1, 2}


def test_our_crawler_needs_good_pages_only_and_learns_levels_on_the_way(
    tmp_path: Path, web: Path
) -> None:
    place = owl_portal(tmp_path, "ordinal")
    go_out(place, web)
    model = model_of(place)
    assert len(model.packed.levels) >= 2
    with Portal.reading(place) as portal, portal.store.reading() as session:

        def margin(url: str) -> float:
            page = page_at_url(session, url)
            assert page is not None
            judgement = judgement_of(session, page.id)
            assert judgement is not None
            return judgement.confidence

        owls = [margin(url) for url in OWLS[:5]]
        news = [margin(url) for url in NEWS[:4]]
    assert min(owls) > max(news)


def test_examples_are_never_rejected(tmp_path: Path, web: Path) -> None:
    """One of them is a page of news: by its words it is far from the topic."""
    place = owl_portal(tmp_path, "ordinal")
    with Portal.crawling(place, "test") as portal, portal.batch() as session:
        topic = next(t.id for t in topic_rows.all_topics(session) if t.name == "owls")
        topic_rows.add_examples(session, [Example(topic, NEWS[0])])
    for pages in (8, 20, 40):
        go_out(place, web, pages)
        with Portal.reading(place) as portal, portal.store.reading() as session:
            for url in (*OWLS[:5], NEWS[0]):
                page = page_at_url(session, url)
                assert page is not None
                judgement = judgement_of(session, page.id)
                assert judgement is None or judgement.is_accepted, url
                explanation = explain(session, portal.config, address(url))
                assert explanation is not None
                if explanation.judgement is not None:
                    assert explanation.judgement.on_topic, url


@pytest.mark.parametrize("policy", ["ordinal", "ordinal-2007"])
def test_a_rank_is_explained_by_the_level_of_that_time(
    tmp_path: Path, web: Path, policy: str
) -> None:
    """A newer model may place the page with the link elsewhere; the rank was made before it."""
    edges = edge_file(tmp_path / "edges.tsv")
    settings = {"ordinal.edge_files": [str(edges)]} if policy == "ordinal-2007" else {}
    place = owl_portal(tmp_path, policy, **settings)
    go_out(place, web)
    with Portal.reading(place) as portal, portal.store.reading() as session:
        via = page_at_url(session, OWLS[0])
        assert via is not None
        view = PortalView(session, portal.config, portal.tree())
        kind = load_policy(policy)
        assert kind.explain_rank is not None
        at = address(NEWS[0])
        for level in (0, 3):
            rank = 0.35 if policy == "ordinal" else -float(level)
            url = RankedUrl([], at.key, at.url, rank, 1, float(level), via.id)
            explained = kind.explain_rank(view, url)
            assert explained is not None
            assert explained.total is None  # not of today
            (part,) = explained.parts
            assert part.name == ("link" if policy == "ordinal" else "level")
            assert part.value == pytest.approx(rank)
            assert f"was of level {level} when" in part.words
            assert ("by the newest model it is of level 0" in part.words) == (level == 3)


def test_stored_ranks_are_the_sum_of_their_parts_after_retraining(
    tmp_path: Path, web: Path
) -> None:
    place = owl_portal(tmp_path, "ordinal")
    for pages in (10, 20, 40):
        go_out(place, web, pages)
    explained = []
    with Portal.reading(place) as portal, portal.store.reading() as session:
        for url in (*OWLS, *HUBS, *NEWS):
            explanation = explain(session, portal.config, address(url))
            rank = None if explanation is None else explanation.rank
            if rank is not None and rank.parts:
                assert rank.now is None
                assert sum(part.value for part in rank.parts) == pytest.approx(rank.rank)
                assert 0.0 <= rank.rank <= 1.0  # a probability
                explained.append(url)
    assert explained
