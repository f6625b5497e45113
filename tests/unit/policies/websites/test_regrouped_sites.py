"""What a site is, said after a crawl; and what is counted of sites."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.kind import relearn
from motherlode.policies.websites.retraining import study_sites
from motherlode.policies.websites.site_table import (
    SiteFilter,
    SiteStanding,
    SiteTable,
    site_table,
)
from motherlode.policies.websites.stored_sites import (
    EndReason,
    PortalSites,
    SiteState,
    portal_sites,
)
from motherlode.portal import Portal
from support.site_crawls import (
    crawl_sites,
    home,
    redirect_to,
    relevant_sites,
    site_pages,
    sites_in,
    sites_portal,
    small_site_web,
)
from support.site_portals import (
    BARN,
    EAGLE,
    HERONS,
    OWLS,
    SHOP,
    TAWNY,
    MadePage,
    MadeSite,
    bird_sites,
    make_sites,
)
from support.small_webs import record_web
from support.training_webs import VOCABULARY, text


@pytest.fixture(autouse=True)
def _vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.training.training_set.common_vocabulary", lambda: VOCABULARY)


def grouped(path: Path, groups: str) -> PortalSites:
    with (
        Portal.reading(path, [f"websites.sites={groups}"]) as portal,
        portal.store.reading() as session,
    ):
        return portal_sites(session, portal.config)


def table_of(path: Path, settings: Sequence[str] = ()) -> SiteTable:
    with Portal.reading(path, settings) as portal, portal.store.reading() as session:
        return site_table(session, portal.config)


def test_joined_sites_get_the_probability_that_was_learned_for_them(tmp_path: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES, others=["news0.test"])
    crawl_sites(portal, record_web(tmp_path / "web", small_site_web()))
    groups = '[["owl2.test", "news3.test"]]'
    with Portal.writing(portal, "test", [f"websites.sites={groups}"]) as opened:
        relearn(opened)
        with opened.store.reading() as session:
            study = study_sites(session, opened.config, None, None)
    joined = grouped(portal, groups).verdicts["owl2.test"]
    assert joined.probability == pytest.approx(study.probabilities["owl2.test"])


def test_pages_of_joined_sites_count_once(tmp_path: Path) -> None:
    sites = bird_sites()
    sites[BARN] = MadeSite(sites[BARN].pages, 0.97, counted=4)  # the verdict has both sites' pages
    sites[EAGLE] = MadeSite(sites[EAGLE].pages, 0.6, SiteState.OPEN, None)
    path = make_sites(tmp_path / "birds", sites)
    joined = grouped(path, f'[["{BARN}", "{EAGLE}"]]').verdicts[BARN]
    assert joined.pages == 4
    assert joined.state is SiteState.EXAMINED


def test_a_site_is_examined_if_one_of_those_that_it_was_joined_from_is(tmp_path: Path) -> None:
    sites = bird_sites()
    pages = {
        **sites[EAGLE].pages,
        "/1": MadePage("More", text("owl", 6), 0.6),
        "/2": MadePage("Still more", text("owl", 7), 0.6),
    }
    sites[EAGLE] = MadeSite(pages, 0.6, SiteState.OPEN, None)
    path = make_sites(tmp_path / "birds", sites)
    joined = grouped(path, f'[["{TAWNY}", "{EAGLE}"]]').verdicts[TAWNY]
    assert (joined.state, joined.pages) == (SiteState.EXAMINED, 4)


def test_a_part_of_a_host_takes_its_pages_along_and_is_open(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds")
    anna = f"{SHOP}/~anna/"
    rows = table_of(path, [f'websites.sites=[["{anna}"]]']).row_of
    assert (rows[SHOP].pages, rows[SHOP].standing) == (1, SiteStanding.EXAMINED)
    assert (rows[anna].pages, rows[anna].standing) == (1, SiteStanding.OPEN)
    assert rows[anna].home == f"http://{anna}"


def test_a_host_whose_pages_all_belong_to_a_part_of_it_has_no_verdict(tmp_path: Path) -> None:
    page = MadePage("Anna's owls", text("owl", 5), 0.9)
    path = make_sites(
        tmp_path / "birds", {**bird_sites(), "host.test": MadeSite({"/~anna/": page}, 0.9)}
    )
    sites = grouped(path, '[["host.test/~anna"]]')
    assert "host.test" not in sites.verdicts
    assert sites.verdicts["host.test/~anna/"].state is SiteState.OPEN


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
def test_a_part_of_a_host_is_examined_by_the_next_crawl(tmp_path: Path, policy: str) -> None:
    pages = {**small_site_web()}
    pages |= {
        f"{home('owl2.test')}~anna/{page}": pages[f"{home('owl2.test')}{page}"]
        for page in ("1", "2")
    }
    body = pages[home("owl2.test")]
    assert isinstance(body, str)
    pages[home("owl2.test")] = body.replace(
        "</title>", "</title><a href='/~anna/1'>1</a><a href='/~anna/2'>2</a>"
    )
    web = record_web(tmp_path / "web", pages)
    portal = sites_portal(
        tmp_path / "p",
        policy,
        others=["news0.test"],
        websites__link_rank=1e9,
        websites__max_pages=3,
    )
    crawl_sites(portal, web)
    toml = portal / "lode.toml"
    prefix = "owl2.test/~anna/"
    stored = toml.read_text()
    assert "[websites]" in stored
    toml.write_text(stored.replace("[websites]", f'[websites]\nsites = [["{prefix}"]]'))
    before = sites_in(portal)
    assert before.verdicts[prefix].state is SiteState.OPEN
    crawl_sites(portal, web)
    after = sites_in(portal)
    assert after.verdicts[prefix].state is SiteState.EXAMINED
    assert after.verdicts[prefix].reason is not None
    assert after.verdicts["owl2.test"].state is SiteState.EXAMINED


def test_pages_of_named_sites_are_no_cost_of_the_sites_that_were_found(tmp_path: Path) -> None:
    pages = {
        **site_pages("owl0.test", "owl", ["owl2.test"], pages=40),
        **site_pages("owl1.test", "owl", ["news0.test"], pages=40),
        **site_pages("owl2.test", "owl"),
        **site_pages("news0.test", "news"),
    }
    pages[f"{home('owl0.test')}1"] = pages[f"{home('owl0.test')}39"]
    portal = sites_portal(tmp_path / "p", WEBSITES, websites__training_pages=5)
    progress = crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert relevant_sites(sites) == {"owl2.test"}
    assert sum(len(sites.pages[site]) for site in sites.given) > 2 * 5  # they were read on
    found = sum(len(of_site) for site, of_site in sites.pages.items() if site not in sites.given)
    assert progress.summary.endswith(f"1 relevant, {found:.1f} pages each")


def test_a_site_that_only_a_redirect_led_to_is_not_open(tmp_path: Path) -> None:
    pages = {
        **site_pages("owl0.test", "owl", ["owl2.test"]),
        **site_pages("owl1.test", "owl", ["news0.test"]),
        **site_pages("owl2.test", "owl"),
        **site_pages("news0.test", "news"),
        **site_pages("led.test", "news"),
    }
    pages[f"{home('owl0.test')}1"] = redirect_to(f"{home('led.test')}1")
    portal = sites_portal(tmp_path / "p", WEBSITES_2004)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    row = table_of(portal).row_of["led.test"]
    assert (row.standing, row.pages) == (SiteStanding.WAITING, 1)


def test_only_sites_that_a_crawl_has_decided_count_as_examined(tmp_path: Path) -> None:
    table = table_of(make_sites(tmp_path / "birds"))
    examined = {row.site for row in table.rows if row.standing is SiteStanding.EXAMINED}
    assert examined == {BARN, TAWNY, HERONS, SHOP}
    assert table.examined_count == len(examined)
    assert {OWLS, EAGLE} < {row.site for row in table.filtered(SiteFilter.ALL)}
    assert EndReason.DECIDED.value == table.row_of[BARN].reason
