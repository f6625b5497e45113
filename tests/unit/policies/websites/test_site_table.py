"""The table of sites: whose word counts, what is counted, and in which order."""

from pathlib import Path

import pytest

from motherlode.policies.websites.site_table import SiteFilter, SiteStanding, SiteTable, site_table
from motherlode.portal import Portal
from support.site_portals import (
    BARN,
    DEAD,
    EAGLE,
    HERONS,
    NEWS,
    OLD_BARN,
    OWLS,
    SHOP,
    TAWNY,
    WAITING,
    make_sites,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SiteTable:
    return read(make_sites(tmp_path_factory.mktemp("sites") / "birds"))


def read(path: Path) -> SiteTable:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return site_table(session, portal.config)


def test_sites_come_by_probability_and_unknown_ones_last(table: SiteTable) -> None:
    names = [row.site for row in table.rows]
    assert names == [OWLS, BARN, TAWNY, EAGLE, HERONS, SHOP, NEWS, DEAD, WAITING]
    assert OLD_BARN not in names  # it counts once, where it leads to
    assert table.row_of[BARN].mirrors == (OLD_BARN,)


def test_every_site_has_its_standing(table: SiteTable) -> None:
    standings = {site: table.row_of[site].standing for site in (OWLS, BARN, EAGLE, DEAD, WAITING)}
    assert standings == {
        OWLS: SiteStanding.NAMED,
        BARN: SiteStanding.EXAMINED,
        EAGLE: SiteStanding.OPEN,
        DEAD: SiteStanding.UNREACHABLE,
        WAITING: SiteStanding.WAITING,
    }


def test_links_through_a_mirror_count_for_the_site_that_it_leads_to(table: SiteTable) -> None:
    owls, herons = table.referrers(BARN)
    assert (owls.site, owls.pages) == (OWLS, 2)
    assert owls.weight == pytest.approx(0.9)
    assert (herons.site, herons.is_relevant, herons.weight) == (HERONS, False, 0.31)
    barn = table.row_of[BARN]
    assert (barn.referrers, barn.linked_by) == (1, 2)
    assert barn.rank == pytest.approx((0.9 + 0.31) / 2)
    assert [link.site for link in table.targets(BARN)] == [TAWNY, SHOP]


def test_homes_and_titles_are_those_of_the_pages(table: SiteTable) -> None:
    assert (table.row_of[BARN].home, table.row_of[BARN].title) == (f"http://{BARN}/", "Barn owls")
    waiting = table.row_of[WAITING]
    assert (waiting.home, waiting.title) == (f"http://{WAITING}/", "Snowy owls")


def test_every_site_passes_the_filters_that_fit(table: SiteTable) -> None:
    shown = {one: {row.site for row in table.filtered(one)} for one in SiteFilter}
    assert shown[SiteFilter.RELEVANT] == {OWLS, BARN, TAWNY}  # an open site has no verdict yet
    assert shown[SiteFilter.WAITING] == {WAITING}
    assert shown[SiteFilter.ALL] == shown[SiteFilter.RELEVANT] | shown[SiteFilter.OTHERS]
    assert shown[SiteFilter.ALL] - shown[SiteFilter.UNDECIDED] == {OWLS, NEWS}


def test_edges_stay_among_the_sites_that_are_wanted(table: SiteTable) -> None:
    edges = {(source, link.site) for source, link in table.edges([OWLS, BARN, SHOP])}
    assert edges == {(OWLS, BARN), (BARN, SHOP)}
