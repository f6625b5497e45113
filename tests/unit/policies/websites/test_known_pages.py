"""A page that is chosen and known already keeps no site open: crawls with redirects and failures."""

import random
from pathlib import Path

import pytest

from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.stored_sites import (
    EVEN,
    EndReason,
    SiteState,
    SiteVerdict,
    site_note,
)
from motherlode.portal import Portal
from motherlode.store.queries.path_records import path_rows
from motherlode.store.tables.notes import keep_notes
from support.site_crawls import (
    crawl_sites,
    crawl_to_the_end,
    home,
    open_sites,
    redirect_to,
    site_pages,
    sites_in,
    sites_portal,
)
from support.small_webs import Said, record_web
from support.training_webs import VOCABULARY, paper, text

ALL_PAGES = 1e9  # a LinkRank that no site reaches, so that all its pages are read


@pytest.fixture(autouse=True)
def _vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.training.training_set.common_vocabulary", lambda: VOCABULARY)


def named_pages(*targets: str) -> dict[str, Said]:
    """Two named sites that link to others."""
    return {
        **site_pages("owl0.test", "owl", targets),
        **site_pages("owl1.test", "owl", ["news0.test"]),
        **site_pages("news0.test", "news"),
    }


def test_a_named_site_that_leads_to_another_host_is_its_mirror(tmp_path: Path) -> None:
    pages = {
        **named_pages("owl2.test"),
        **site_pages("owl2.test", "owl"),
        home("red.test"): redirect_to(home("owl0.test")),
    }
    portal = sites_portal(tmp_path / "p", WEBSITES, named=["red.test"], others=["news0.test"])
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert sites.given == {"owl0.test": True, "news0.test": False}
    assert sites.site_of(home("red.test")) == "owl0.test"
    assert "owl0.test" not in sites.verdicts
    assert sites.verdicts["owl2.test"].state is SiteState.EXAMINED


def test_a_named_page_that_leads_to_another_host_names_that_host(tmp_path: Path) -> None:
    pages = {
        **named_pages("owl2.test"),
        **site_pages("owl2.test", "owl"),
        "http://red.test/en/": redirect_to(f"{home('owl0.test')}1"),
    }
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, named=["red.test/en"])
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    assert sites_in(portal).given == {"owl0.test": True}


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
def test_an_open_site_whose_pages_have_all_failed_is_unreachable_after_a_restart(
    tmp_path: Path, policy: str
) -> None:
    pages = named_pages("gone.test", "gone.test/1", "gone.test/2")
    web = record_web(tmp_path / "web", pages)
    portal = sites_portal(tmp_path / "p", policy, others=["news0.test"])
    crawl_sites(portal, web)
    with Portal.crawling(portal, "test") as opened, opened.batch() as session:
        verdict = SiteVerdict(home("gone.test"), SiteState.OPEN, EVEN, 0)
        keep_notes(session, [site_note("gone.test", verdict)])  # as if the crawl had been killed
    crawl_sites(portal, web)
    assert sites_in(portal).verdicts["gone.test"].state is SiteState.UNREACHABLE


def test_the_home_page_of_a_mirror_is_not_read_again_as_a_page_of_its_site(tmp_path: Path) -> None:
    pages = {
        **named_pages("owl2.test", "mirror.test"),
        **site_pages("owl2.test", "owl"),
        home("mirror.test"): redirect_to(f"{home('owl2.test')}1"),
    }
    inner = [home("mirror.test"), f"{home('owl2.test')}2"]
    pages[f"{home('owl2.test')}1"] = paper("One", text("owl", 3), inner)
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, websites__link_rank=ALL_PAGES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert sites.verdicts["mirror.test"].mirror_of == "owl2.test"
    assert sites.verdicts["owl2.test"].state is SiteState.EXAMINED
    assert sites.verdicts["owl2.test"].pages == len(sites.pages["owl2.test"])


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
def test_a_home_page_that_a_redirect_brought_before_counts_as_read(
    tmp_path: Path, policy: str
) -> None:
    pages = {**named_pages("owl2.test"), **site_pages("owl2.test", "owl")}
    pages[f"{home('owl1.test')}1"] = redirect_to(home("owl2.test"))
    portal = sites_portal(tmp_path / "p", policy, websites__link_rank=ALL_PAGES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert sites.verdicts["owl2.test"].state is SiteState.EXAMINED
    assert sites.verdicts["owl2.test"].pages == len(sites.pages["owl2.test"]) == 5
    assert sites.pages["owl2.test"][0].url == home("owl2.test")


def test_a_page_that_a_redirect_brings_while_it_is_chosen_goes_to_its_site(tmp_path: Path) -> None:
    pages = {
        **named_pages("owl2.test", "owl3.test"),
        **site_pages("owl2.test", "owl"),
        **site_pages("owl3.test", "owl"),
    }
    for page in range(1, 5):
        pages[f"{home('owl2.test')}{page}"] = redirect_to(f"{home('owl3.test')}{page}")
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, websites__link_rank=ALL_PAGES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert open_sites(sites) == set()
    assert sites.verdicts["owl3.test"].pages == len(sites.pages["owl3.test"]) == 5


def test_a_site_whose_links_may_not_be_followed_ends_with_what_was_read(tmp_path: Path) -> None:
    body = paper("Owls", text("owl", 3), [f"{home('owl2.test')}1"])
    pages = {
        **named_pages("owl2.test"),
        home("owl2.test"): body.replace("<a ", "<a rel=nofollow "),
        f"{home('owl2.test')}1": paper("More owls", text("owl", 4)),
    }
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, websites__link_rank=ALL_PAGES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    verdict = sites_in(portal).verdicts["owl2.test"]
    assert (verdict.state, verdict.reason) == (SiteState.EXAMINED, EndReason.NO_MORE_PAGES)
    assert verdict.pages == 1


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
@pytest.mark.parametrize("seed", range(4))
def test_no_site_stays_open_on_a_web_of_redirects_and_failures(
    tmp_path: Path, policy: str, seed: int
) -> None:
    web = record_web(tmp_path / "web", tangled_web(seed))
    for name, pages in (("whole", 1000), ("parts", 2)):
        portal = sites_portal(
            tmp_path / name, policy, websites__link_rank=ALL_PAGES, websites__open_sites=4
        )
        crawl_to_the_end(portal, web, pages)
        assert open_sites(sites_in(portal)) == set()
        with Portal.reading(portal) as opened, opened.store.reading() as session:
            urls = [row.url for row in path_rows(session)]
        assert len(urls) == len(set(urls))


def tangled_web(seed: int) -> dict[str, Said]:
    """Sites that link to each other, of which many pages redirect anywhere, fail, or are copies."""
    draw = random.Random(seed)
    names = [f"owl{number}.test" for number in range(10)]
    pages: dict[str, Said] = {}
    for name in names:
        pages |= site_pages(name, draw.choice(["owl", "news"]), draw.sample(names, 4))
    free = [url for url in pages if url.split("/")[2] not in names[:2]]
    for url in draw.sample(free, len(free) // 2):
        match draw.randrange(4):
            case 0:
                del pages[url]
            case 1:
                pages[url] = pages.get(draw.choice(free), "")
            case _:
                pages[url] = redirect_to(draw.choice(free))
    return pages
