"""The pool of open indexes: how many queries run at once, and which index they see."""

from pathlib import Path

import pytest

from motherlode.app.errors import BusyError, NoIndexError
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.search.pool import SearchPool
from motherlode.portal import Portal
from motherlode.search.indexer import update_index
from support.search_portals import SamplePage, fill_portal

BARN = {"http://barn.test/": SamplePage("The barn owl", "The barn owl hunts mice.", topic="birds")}
OWLS = {"http://owls.test/": SamplePage("Owls", "Owls hunt at night.", topic="birds", day=2)}


@pytest.fixture
def portals(tmp_path: Path) -> Path:
    """A folder with one portal without an index."""
    fill_portal(tmp_path / "birds", BARN, ("birds",))
    return tmp_path


def test_only_so_many_search_at_once(portals: Path) -> None:
    with Portal.reading(portals / "birds") as portal:
        update_index(portal)
    pool = SearchPool(PortalRegistry(portals), max_queries=1, max_wait_s=0.01)
    with pool.open("birds") as (portal, _), pytest.raises(BusyError), pool.open("birds"):
        assert portal is None, "nobody else gets in"


def test_an_index_that_is_made_anew_is_seen(portals: Path) -> None:
    pool = SearchPool(PortalRegistry(portals))
    with pytest.raises(NoIndexError), pool.open("birds"):
        pass
    with Portal.reading(portals / "birds") as portal:
        update_index(portal)
        assert (pool.status(portal).pages, pool.status(portal).behind) == (1, 0)
        fill_portal(portals / "birds", OWLS)
        assert pool.status(portal).behind == 1
        update_index(portal, rebuild=True)
        assert (pool.status(portal).pages, pool.status(portal).behind) == (2, 0)
    index = portals / "birds" / "index"
    next(index.glob("pages-*")).rename(index / "pages-1")
    with pytest.raises(NoIndexError, match="made by another version"), pool.open("birds"):
        pass
