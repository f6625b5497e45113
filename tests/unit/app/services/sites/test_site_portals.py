"""The portal of `lode sites`: made of sites, added to, and what counts as one site in it."""

from pathlib import Path

import pytest

from motherlode.app.requests.sites import SiteChoicesRequest, SiteListRequest, SitesRequest
from motherlode.app.services.sites.choices import choose_sites
from motherlode.app.services.sites.crawl import open_site_portal
from motherlode.app.services.sites.groups import group_sites, joined_groups, keep_groups
from motherlode.app.services.sites.views import site_in, sites_in
from motherlode.portal import Portal
from motherlode.portal.directory import config_of
from motherlode.portal.lock import PortalLock
from motherlode.records import (
    SITE_CONTRAST_MODEL,
    Entry,
    Fate,
    LockedError,
    Outcome,
    QueueId,
    UrlId,
    UrlState,
    UsageError,
)
from motherlode.store.tables import ledger, outcomes
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import show_path
from motherlode.urls import address
from support.site_portals import BARN, OWLS, SHOP, TAWNY, make_sites
from support.training_webs import planted

GONE = "nosuchhost.test"
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
    assert made.messages == (f"Made {path} from 2 sites to find others like, and 1 to avoid.",)
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
    assert added.messages[0] == "Added 1 site."
    assert added.messages[1] == (
        f"http://c.example/ is already named as unlike; 'lode sites {path} --accept c.example' or "
        "--reject changes that."
    )
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
    only = r"needs sites to find others like, and only sites to avoid are named \(1\)"
    with pytest.raises(UsageError, match=only):
        open_site_portal(tmp_path / "birds", request(unlike=("a.example",)))
    (tmp_path / "no.csv").write_text("url,like\na.example,no\n")
    with pytest.raises(UsageError, match=only):
        open_site_portal(tmp_path / "birds", request(csv=str(tmp_path / "no.csv")))
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
    for groups, words in (
        (((),), "needs at least one host"),
        ((("a.org", "http://a.org/"),), "'http://a.org/' is named twice"),
        ((("a b",),), "is no host or prefix"),
        ((("a.org", "b.org"), ("b.org", "c.org")), "belongs to two sites"),
    ):
        with pytest.raises(UsageError, match=f"--site: .*{words}"):
            joined_groups((), groups)
    assert request(site=("a.org, b.org", ",")).groups == (("a.org", "b.org"), ())


def test_a_host_is_whole_again_after_a_part_of_it_was_a_site(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds")
    group_sites(path, ((f"{SHOP}/~anna",), (f"{BARN}/food", "x.test")))
    assert site_in(path, SiteListRequest(name=f"{SHOP}/~anna/")).summary.state == "open"
    result = group_sites(path, ((SHOP,), (f"{TAWNY}/a",)))
    assert config_of(path).websites.sites == ((f"{BARN}/food", "x.test"), (f"{TAWNY}/a",))
    assert f"{SHOP} is a site by itself again." in result.messages
    assert f"{SHOP}/~anna is no longer a site of its own." in result.messages
    assert site_in(path, SiteListRequest(name=f"{SHOP}/~anna/")).summary.site == SHOP


def test_groups_are_learned_from_at_once_and_unknown_hosts_are_named(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds")
    said: list[str] = []
    result = group_sites(path, ((BARN, TAWNY, "no.test"),), say=said.append)
    group, unknown = result.messages
    assert group == f"{BARN}, {TAWNY}, no.test: these are one site now, called {BARN}."
    assert unknown.startswith("no.test is not known here yet: no page of it was read")
    assert said == ["Learning from the new sites ..."]
    assert result.changes is not None
    assert not {BARN, TAWNY} & {*result.changes.became_relevant, *result.changes.became_irrelevant}
    with Portal.reading(path) as portal, portal.store.reading() as session:
        assert ledger.latest_model(session, SITE_CONTRAST_MODEL) is not None
    again = group_sites(path, ((BARN, TAWNY, "no.test"),))
    assert again.messages[0].endswith(f"these are one site already, called {BARN}.")
    assert again.changes is None


def test_groups_are_written_into_no_portal_of_pages_and_not_during_a_crawl(tmp_path: Path) -> None:
    planted(tmp_path / "pages", {"birds": ["http://a.test/"]})
    with pytest.raises(UsageError, match="is crawled by bingo, not for whole websites"):
        group_sites(tmp_path / "pages", (("a.test", "b.test"),))
    assert config_of(tmp_path / "pages").websites.sites == ()
    path = make_sites(tmp_path / "birds")
    with PortalLock(path, "lode crawl"), pytest.raises(LockedError):
        group_sites(path, ((BARN, TAWNY),))
    assert config_of(path).websites.sites == ()


def test_a_portal_of_pages_becomes_one_of_sites_for_good(tmp_path: Path) -> None:
    path = tmp_path / "pages"
    planted(path, {"birds": ["http://a.test/"]})
    made = open_site_portal(path, request(policy="websites", crawl=True))
    assert made.messages == (
        f"{path} is crawled by websites from now on (crawl.policy in lode.toml).",
    )
    assert config_of(path).crawl.policy == "websites"
    open_site_portal(path, request(crawl=True))
    assert open_site_portal(path, request(policy="websites-2004", crawl=True)).messages == ()
    assert config_of(path).crawl.policy == "websites"  # for one crawl only


def test_a_topic_without_new_sites_is_refused(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds")
    with pytest.raises(UsageError, match="--topic names the topic of new sites"):
        open_site_portal(path, request(topic="owls", crawl=True))


def test_sites_that_could_not_be_read_are_not_relevant(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds", like=(OWLS, GONE))
    fail(path, GONE, "no such host")
    listed = sites_in(path, SiteListRequest())
    assert [(site.site, site.reason, site.is_like) for site in listed.unread] == [
        (GONE, "no such host", True)
    ]
    assert listed.advice == (
        f"1 named site could not be read: {GONE} (no such host). Check the address and your "
        f"network. 'lode hosts {path} --forgive {GONE}' lets the next crawl try again. To take it "
        f"out: 'lode sites {path} --forget {GONE}'; to name another: --like URL."
    )
    row = next(site for site in listed.sites if site.site == GONE)
    assert (row.state, row.probability, row.relevant, row.choice) == (
        "unreachable",
        None,
        False,
        "like",
    )
    relevant = sites_in(path, SiteListRequest(show="relevant"))
    assert GONE not in {site.site for site in relevant.sites}
    assert relevant.counts.relevant == len(relevant.sites)
    shown = site_in(path, SiteListRequest(name=GONE))
    assert shown.reason == "no such host"
    assert f"--forget {GONE}" in shown.advice


def test_a_portal_whose_only_site_could_not_be_read_says_why(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds", {}, like=(GONE,), unlike=())
    fail(path, GONE, "no such host")
    with pytest.raises(UsageError, match=rf"has no sites yet\. 1 named site .*{GONE} \(no such"):
        sites_in(path, SiteListRequest())
    assert site_in(path, SiteListRequest(name=GONE)).reason == "no such host"
    result = choose_sites(path, SiteChoicesRequest(forget=(GONE,)))
    assert result.forgotten == (GONE,)
    assert examples(path) == {}
    with pytest.raises(UsageError, match=f"'lode sites {path} --like URL' names one"):
        sites_in(path, SiteListRequest())
    open_site_portal(path, request(like=("right.test",)))
    assert list(examples(path)) == ["sites"]


def fail(path: Path, site: str, reason: str) -> None:
    """Note that the home page of a site could not be fetched."""
    at = address(f"http://{site}/")
    entry = Entry(UrlId(0), at.url, at.key, QueueId(1), 0.0)
    with Portal.crawling(path, "test") as portal, portal.batch() as session:
        outcomes.keep(session, [Outcome(entry, Fate(UrlState.FAILED, reason))])
