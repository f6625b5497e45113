"""The portal of `lode sites`: made of sites, added to, and what counts as one site in it."""

from pathlib import Path

import pytest

from motherlode.app.requests.sites import SiteListRequest, SitesRequest
from motherlode.app.services.sites.crawl import joined_groups, keep_groups, open_site_portal
from motherlode.app.services.sites.views import site_in, sites_in
from motherlode.portal import Portal
from motherlode.portal.directory import config_of
from motherlode.records import UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import show_path
from support.site_portals import BARN, SHOP, TAWNY, make_sites
from support.training_webs import planted

CONTACT = "crawler.contact=me@example.org"


def examples(path: Path) -> dict[str, list[str]]:
    """Return the examples by topic."""
    found: dict[str, list[str]] = {}
    with Portal.reading(path) as portal, portal.store.reading() as session:
        tree = portal.tree()
        for example in topic_rows.examples_of(session):
            found.setdefault(show_path(tree.path(example.topic)), []).append(str(example.url))
    return found


def request(**fields: object) -> SitesRequest:
    return SitesRequest(settings=(CONTACT,), **fields)  # type: ignore[arg-type]


def test_a_portal_is_made_of_sites_and_more_are_added_later(tmp_path: Path) -> None:
    path = tmp_path / "birds"
    made = open_site_portal(
        path,
        request(like=("a.example", "b.example/x"), unlike=("c.example",), sites=50, fast=True),
    )
    assert made.is_new
    assert made.told == (f"Made {path} from 2 sites to find others like, and 1 to avoid.",)
    config = config_of(path)
    assert (config.crawl.policy, config.websites.threshold) == ("websites", 0.7)
    assert config.websites.enough_sites == 0  # the limit of one crawl
    assert config.crawler.contact == "me@example.org"
    assert examples(path) == {
        "sites": ["http://a.example/", "http://b.example/"],
        "OTHERS": ["http://c.example/"],
    }
    added = open_site_portal(path, request(like=("d.example", "a.example", "c.example")))
    assert not added.is_new
    assert added.told[0] == "Added 1 site."
    assert "http://c.example/ is named the other way already" in added.told[1]
    assert examples(path)["sites"][2:] == ["http://d.example/"]


def test_sites_join_the_topic_that_the_portal_has(tmp_path: Path) -> None:
    path = tmp_path / "birds"
    open_site_portal(path, request(like=("a.example",), topic="museums"))
    open_site_portal(path, request(like=("b.example",)))
    assert examples(path) == {"museums": ["http://a.example/", "http://b.example/"]}
    for topic in ("OTHERS", "/"):
        with pytest.raises(UsageError, match="cannot be called"):
            open_site_portal(tmp_path / "new", request(like=("a.example",), topic=topic))
    assert not (tmp_path / "new").exists()


def test_what_a_new_portal_lacks_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs sites to find others like"):
        open_site_portal(tmp_path / "birds", request(unlike=("a.example",)))
    assert not (tmp_path / "birds").exists()
    planted(tmp_path / "pages", {"birds": ["http://a.test/"]})
    with pytest.raises(UsageError, match="is crawled by bingo, not for whole websites"):
        open_site_portal(tmp_path / "pages", request(like=("a.example",)))
    with pytest.raises(UsageError, match="is crawled by bingo, not for whole websites"):
        sites_in(tmp_path / "pages", SiteListRequest())


def test_groups_of_hosts_are_sites_before_and_after_the_crawl(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds")
    keep_groups(path, ((BARN, TAWNY), (f"{SHOP}/~anna",)))
    assert config_of(path).websites.sites == ((BARN, TAWNY), (f"{SHOP}/~anna",))
    barn = site_in(path, SiteListRequest(name=TAWNY)).summary
    assert (barn.site, barn.pages) == (BARN, 4)
    assert barn.probability == pytest.approx((3 * 0.97 + 0.74) / 4)
    anna = site_in(path, SiteListRequest(name=f"{SHOP}/~anna/")).summary
    assert (anna.pages, anna.state) == (1, "open")  # the next crawl goes on with it
    keep_groups(path, ((BARN,),))  # a host of its own again
    assert config_of(path).websites.sites == ((f"{SHOP}/~anna",),)
    assert site_in(path, SiteListRequest(name=TAWNY)).summary.site == TAWNY
    new = tmp_path / "new"
    open_site_portal(new, request(like=("b.example/~anna/x",), site=("b.example/~anna",)))
    assert examples(new) == {"sites": ["http://b.example/~anna/"]}


def test_a_group_that_is_none_is_refused() -> None:
    for groups in (((),), (("a.org", "a.org"),), (("a b",),)):
        with pytest.raises(UsageError, match="--site: "):
            joined_groups((), groups)
    assert request(site=("a.org, b.org", ",")).groups == (("a.org", "b.org"), ())
