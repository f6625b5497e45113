"""Crawls for websites on small webs: what is found, what is read, and what survives a restart."""

from pathlib import Path

import pytest

from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.stored_sites import EndReason, SiteState, portal_sites
from motherlode.portal import Portal
from motherlode.records import ChoiceKind, CollectionChoice, RunEnd
from motherlode.store.queries.path_records import path_rows
from motherlode.store.tables.collection_choices import add_choices
from motherlode.training.training_set import common_vocabulary_bags
from support.site_crawls import (
    NAMED,
    PAGES,
    crawl_sites,
    home,
    pages_by_site,
    relevant_sites,
    site_pages,
    sites_in,
    sites_portal,
    small_site_web,
)
from support.small_webs import Said, record_web
from support.training_webs import VOCABULARY, paper, text

OWLS = {f"owl{number}.test" for number in range(2, 7)}
OTHERS = ("news0.test", "news1.test")


@pytest.fixture(autouse=True)
def _vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.training.training_set.common_vocabulary", lambda: VOCABULARY)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("sites") / "web", small_site_web())


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
def test_relevant_sites_are_found_over_several_links(
    tmp_path: Path, web: Path, policy: str
) -> None:
    portal = sites_portal(tmp_path / "p", policy, others=OTHERS)
    crawl_sites(portal, web)
    assert relevant_sites(sites_in(portal)) == OWLS


def test_without_counterexamples_the_sites_on_the_way_tell_what_is_not_relevant(
    tmp_path: Path, web: Path
) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES)
    crawl_sites(portal, web)
    assert relevant_sites(sites_in(portal)) == OWLS


def test_common_vocabulary_is_the_other_class_without_counterexamples(
    tmp_path: Path, web: Path
) -> None:
    assert len(common_vocabulary_bags()) == len(VOCABULARY)
    portal = sites_portal(tmp_path / "p", WEBSITES_2004)
    crawl_sites(portal, web)
    assert relevant_sites(sites_in(portal)) >= OWLS


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
def test_a_site_begins_at_its_home_page_and_is_read_to_its_limit_at_most(
    tmp_path: Path, web: Path, policy: str
) -> None:
    portal = sites_portal(tmp_path / "p", policy, others=OTHERS, websites__max_pages=3)
    crawl_sites(portal, web)
    sites = sites_in(portal)
    for site, pages in sites.pages.items():
        if site not in sites.given:
            assert pages[0].url == home(site)
            assert len(pages) <= 3 or policy == WEBSITES  # which reads on for links


def test_the_first_pages_of_named_sites_are_read_breadth_first(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, websites__training_pages=3)
    crawl_sites(portal, web, pages=1)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        urls = [row.url for row in path_rows(session)]
    for site in NAMED:
        read = [url for url in urls if url.startswith(home(site))]
        assert read[:3] == [home(site), f"{home(site)}1", f"{home(site)}2"]


@pytest.mark.parametrize("policy", [WEBSITES, WEBSITES_2004])
@pytest.mark.parametrize("pages", [1, 5])
def test_a_crawl_that_is_broken_off_examines_no_site_twice(
    tmp_path: Path, web: Path, policy: str, pages: int
) -> None:
    whole = sites_portal(tmp_path / "whole", policy, others=OTHERS)
    crawl_sites(whole, web)
    parts = sites_portal(tmp_path / "parts", policy, others=OTHERS)
    for _ in range(60):
        progress = crawl_sites(parts, web, pages)
        if progress.pages == 0:
            break
    assert relevant_sites(sites_in(parts)) == relevant_sites(sites_in(whole)) == OWLS
    states = {verdict.state for verdict in sites_in(parts).verdicts.values()}
    assert states == {SiteState.EXAMINED}
    with Portal.reading(parts) as opened, opened.store.reading() as session:
        urls = [row.url for row in path_rows(session)]
    assert len(urls) == len(set(urls))


def test_links_of_a_site_name_the_page_that_has_them(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES, others=OTHERS)
    crawl_sites(portal, web)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        rows = {row.url: row for row in path_rows(session)}
        numbers = {row.page: row.url for row in rows.values()}
    via = rows[home("owl4.test")].via
    assert via is not None
    assert numbers[via] == f"{home('owl2.test')}{PAGES - 1}"
    assert rows[home("owl4.test")].depth == rows[numbers[via]].depth + 1


def test_a_host_that_redirects_to_another_counts_once(tmp_path: Path) -> None:
    moved: dict[str, Said] = {
        home("old.test"): (301, {"Location": home("owl2.test")}, b""),
    }
    pages = {
        **site_pages("owl0.test", "owl", ["old.test"]),
        **site_pages("owl1.test", "owl", ["owl2.test", "news0.test"]),
        **site_pages("owl2.test", "owl", ["owl3.test"]),
        **site_pages("owl3.test", "owl"),
        **site_pages("news0.test", "news"),
        **moved,
    }
    portal = sites_portal(tmp_path / "p", WEBSITES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert sites.verdicts["old.test"].state is SiteState.MIRROR
    assert sites.verdicts["old.test"].mirror_of == "owl2.test"
    assert sites.site_of(home("old.test")) == "owl2.test"
    assert set(sites.linked["owl2.test"].edges) == {"owl0.test", "owl1.test"}


def test_a_mirror_with_the_same_content_counts_once(tmp_path: Path) -> None:
    pages = {
        **site_pages("owl0.test", "owl", ["owl2.test"]),
        **site_pages("owl1.test", "owl", ["mirror.test", "news0.test"]),
        **site_pages("owl2.test", "owl"),
        **site_pages("news0.test", "news"),
    }
    pages[home("mirror.test")] = pages[home("owl2.test")]
    portal = sites_portal(tmp_path / "p", WEBSITES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    states = {site: verdict.state for site, verdict in sites_in(portal).verdicts.items()}
    assert sorted([states["owl2.test"], states["mirror.test"]]) == ["examined", "mirror"]


def test_a_site_without_a_home_page_begins_where_links_lead(tmp_path: Path) -> None:
    deep = "http://owl2.test/deep/page"
    pages = {
        **site_pages("owl0.test", "owl"),
        **site_pages("owl1.test", "owl", ["news0.test"]),
        **site_pages("news0.test", "news"),
        deep: paper("Owls", text("owl", 3), ["http://owl2.test/deep/other"]),
        "http://owl2.test/deep/other": paper("More owls", text("owl", 4)),
        "http://owl0.test/4": paper("Links", text("owl", 5), [deep]),
    }
    portal = sites_portal(tmp_path / "p", WEBSITES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert sites.verdicts["owl2.test"].is_relevant
    assert sites.pages["owl2.test"][0].url == deep


def test_an_unreachable_site_is_told_and_ends_nothing(tmp_path: Path) -> None:
    pages = {
        **site_pages("owl0.test", "owl", ["gone.test", "owl2.test"]),
        **site_pages("owl1.test", "owl", ["news0.test"]),
        **site_pages("owl2.test", "owl"),
        **site_pages("news0.test", "news"),
    }
    portal = sites_portal(tmp_path / "p", WEBSITES)
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert sites.verdicts["gone.test"].state is SiteState.UNREACHABLE
    assert relevant_sites(sites) == {"owl2.test"}


def test_a_trap_cannot_hold_a_site(tmp_path: Path) -> None:
    trap = {
        f"http://trap.test/{number or ''}": paper(
            "Calendar", "mon tue wed thu", [f"http://trap.test/{number + 1}"]
        )
        for number in range(300)
    }
    pages = {
        **site_pages("owl0.test", "owl", ["trap.test", "owl2.test"]),
        **site_pages("owl1.test", "owl", ["news0.test"]),
        **site_pages("owl2.test", "owl"),
        **site_pages("news0.test", "news"),
        **trap,
    }
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, others=["news0.test"])
    crawl_sites(portal, record_web(tmp_path / "web", pages))
    sites = sites_in(portal)
    assert pages_by_site(sites)["trap.test"] <= 25
    assert "owl2.test" in relevant_sites(sites)


def test_the_crawl_ends_when_enough_relevant_sites_are_found(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES, others=OTHERS, websites__enough_sites=2)
    progress = crawl_sites(portal, web)
    assert progress.end == RunEnd.ENOUGH
    assert len(relevant_sites(sites_in(portal))) == 2
    assert "2 relevant" in progress.summary


def test_hosts_that_belong_together_are_one_site(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(
        tmp_path / "p", WEBSITES, others=OTHERS, websites__sites=[["owl2.test", "owl4.test"]]
    )
    crawl_sites(portal, web)
    sites = sites_in(portal)
    assert "owl4.test" not in sites.verdicts
    assert {page.url.split("/")[2] for page in sites.pages["owl2.test"]} <= {
        "owl2.test",
        "owl4.test",
    }


def test_sites_joined_after_the_crawl_have_one_verdict(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES, others=OTHERS)
    crawl_sites(portal, web)
    before = sites_in(portal)
    overrides = ['websites.sites=[["owl2.test", "owl3.test"]]']
    with Portal.reading(portal, overrides) as opened, opened.store.reading() as session:
        after = portal_sites(session, opened.config)
    joined = after.verdicts["owl2.test"]
    assert "owl3.test" not in after.verdicts
    assert joined.pages == sum(before.verdicts[site].pages for site in ("owl2.test", "owl3.test"))
    assert "owl3.test" not in after.linked


def test_a_site_that_the_user_rejects_teaches_the_next_crawl(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES)
    crawl_sites(portal, web, pages=6)
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        choice = CollectionChoice(home("news0.test"), ChoiceKind.REJECT, None, None, 1.0)
        add_choices(session, [choice])
    crawl_sites(portal, web)
    sites = sites_in(portal)
    assert sites.given["news0.test"] is False
    assert relevant_sites(sites) == OWLS


def test_verdicts_say_why_an_examination_ended(tmp_path: Path, web: Path) -> None:
    portal = sites_portal(tmp_path / "p", WEBSITES_2004, others=OTHERS, websites__link_rank=1e9)
    crawl_sites(portal, web)
    reasons = {verdict.reason for verdict in sites_in(portal).verdicts.values()}
    assert reasons == {EndReason.DECIDED}
    limited = sites_portal(
        tmp_path / "q",
        WEBSITES_2004,
        others=OTHERS,
        websites__link_rank=1e9,
        websites__max_pages=2,
    )
    crawl_sites(limited, web)
    reasons = {verdict.reason for verdict in sites_in(limited).verdicts.values()}
    assert EndReason.PAGE_LIMIT in reasons
