"""Why a site is ranked where it is, and why a page of it was not read."""

from pathlib import Path

import pytest

from motherlode.app.requests.sites import SiteChoicesRequest
from motherlode.app.services.sites.choices import choose_sites
from motherlode.explain.explainer import explain
from motherlode.explain.explanations import Explanation
from motherlode.explain.link_ranks import RankExplanation
from motherlode.policies.websites.ranks import NamedEdgeRank
from motherlode.policies.websites.site_graph import SiteGraph, site_graph
from motherlode.policies.websites.stored_sites import EndReason, SiteState, portal_sites
from motherlode.portal import Portal
from motherlode.records import SITE_CONTRAST_MODEL
from motherlode.training.models import latest_model
from motherlode.urls import address
from support.site_portals import (
    BARN,
    DEAD,
    EAGLE,
    HERONS,
    NEWS,
    OLD_BARN,
    OWLS,
    TAWNY,
    WAITING,
    MadePage,
    MadeSite,
    bird_sites,
    make_sites,
)

EXPLORED = MadePage(
    "Index",
    "Links to pages of sites.",
    0.4,
    {
        f"http://{BARN}/unread": "unread",
        f"http://{EAGLE}/unread": "unread",
        f"http://{OWLS}/unread": "unread",
        f"http://{HERONS}/unread": "unread",
        "http://large.test/unread": "unread",
    },
)


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sites = {
        **bird_sites(),
        "index.test": MadeSite({"/": EXPLORED}, 0.4),
        "large.test": MadeSite({}, 0.6, SiteState.EXAMINED, EndReason.PAGE_LIMIT),
    }
    return make_sites(tmp_path_factory.mktemp("sites") / "birds", sites)


def explained(path: Path, url: str) -> Explanation:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        explanation = explain(session, portal.config, address(url))
    assert explanation is not None
    return explanation


def ranked(path: Path, url: str) -> RankExplanation:
    rank = explained(path, url).rank
    assert rank is not None
    return rank


def test_the_links_to_a_site_make_its_rank(birds: Path) -> None:
    rank = ranked(birds, f"http://{BARN}/")
    names = [part.name for part in rank.parts]
    assert names == ["site", "edge", "edge", "edge"]
    values = {part.words.split()[0]: part.value for part in rank.parts[1:]}
    assert values == pytest.approx({OWLS: 0.9 / 3, "index.test": 0.4 / 3, HERONS: 0.31 / 3})
    assert rank.now == pytest.approx((0.9 + 0.4 + 0.31) / 3)
    assert rank.parts[0].words == (
        f"{BARN}, examined after 3 pages, relevant: sure (0.97), ended: decided"
    )
    assert "links to it on 2 pages of mean probability 0.80; weight 0.90" in rank.parts[1].words
    assert ranked(birds, f"http://{NEWS}/").parts == ()  # no site links to it


def test_the_parts_of_our_rank_add_up_to_what_the_policy_gives(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "own")
    choose_sites(path, SiteChoicesRequest(accept=(TAWNY,)))
    with Portal.reading(path) as portal, portal.store.reading() as session:
        model = latest_model(session, portal.tree(), SITE_CONTRAST_MODEL)
        sites = portal_sites(session, portal.config)
        graph: SiteGraph = site_graph(
            sites, NamedEdgeRank(portal.config.websites.edges, model.formula)
        )
        best = graph.take()
    assert best is not None
    assert best[0].site == WAITING
    why = explained(path, f"http://{WAITING}/a/b").why
    assert f"{WAITING} waits to be examined with rank {best[1]:.3f}; links to it weigh: " in why
    rank = ranked(path, f"http://{BARN}/")
    assert rank.parts[-1].name == "names"
    assert rank.now == pytest.approx(sum(part.value for part in rank.parts))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (f"http://{BARN}/unread", "that was enough to decide about it (websites.threshold"),
        (f"http://{EAGLE}/unread", "other pages of it were read first"),
        (
            f"http://{OWLS}/unread",
            "a site that you named; 2 of its pages were read first, up to 25",
        ),
        (f"http://{HERONS}/unread", "no other page of it was known then"),
        ("http://large.test/unread", "no more than 25 of its pages are read (websites.max_pages)"),
        (f"http://{OLD_BARN}/", f"{OLD_BARN} leads to {BARN}, which counts in its place"),
        (f"http://{DEAD}/", "none of its pages to begin at could be read"),
    ],
)
def test_why_a_page_was_not_read(birds: Path, url: str, words: str) -> None:
    assert words in explained(birds, url).why
