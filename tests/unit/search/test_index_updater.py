"""An index that is updated during a crawl, also if its process is killed."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.search.index import PageIndex
from motherlode.search.index_updater import IndexUpdater
from motherlode.search.indexer import index_directory, pending_changes
from motherlode.search.options import IndexOptions
from support.search_portals import SamplePage, fill_portal, found_hosts

OWLS = {"http://owl.test/": SamplePage("Owls", "The barn owl hunts mice.", topic="birds")}
HERONS = {
    "http://heron.test/": SamplePage(
        "Herons",
        "The grey heron.",
        links={"http://owl.test/": "hunters"},
    )
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return fill_portal(tmp_path / "p", OWLS)


def impatient_updater(portal: Portal) -> IndexUpdater:
    config = replace(portal.config, index=IndexOptions(while_crawling=True, rest=0.0))
    return IndexUpdater(Portal(portal.path, config, portal.store, portal.archive))


def pending_change_count(portal: Portal) -> int:
    index = PageIndex.open(index_directory(portal))
    assert index is not None
    with portal.store.reading() as session:
        return pending_changes(session, portal.tree(), index.contents()).change_count


def in_loop(test: Callable[[Path], Coroutine[None, None, None]]) -> Callable[[Path], None]:
    @wraps(test)
    def run(path: Path) -> None:
        asyncio.run(test(path))

    return run


async def wait_for_updates(updater: IndexUpdater, count: int) -> None:
    while updater.update_count < count:  # noqa: ASYNC110 - no event is set by an update
        await asyncio.sleep(0.01)


@in_loop
async def test_pages_stored_meanwhile_are_indexed_and_all_pages_in_the_end(path: Path) -> None:
    with Portal.reading(path) as portal:
        async with impatient_updater(portal) as updater:
            await wait_for_updates(updater, 1)
            assert found_hosts(path, "owl") == ["owl"]
            await asyncio.to_thread(fill_portal, path, HERONS)
            await wait_for_updates(updater, updater.update_count + 2)  # one may have begun before
            assert pending_change_count(portal) == 0
            await asyncio.to_thread(
                fill_portal,
                path,
                {"http://eagle.test/": SamplePage("Eagles", "An eagle.")},
            )
            assert await updater.finish() == ""
            assert pending_change_count(portal) == 0
    assert found_hosts(path, "anchor:hunters") == ["owl"]


@in_loop
async def test_a_killed_process_is_replaced(path: Path) -> None:
    with Portal.reading(path) as portal:
        async with impatient_updater(portal) as updater:
            await wait_for_updates(updater, 1)
            (worker,) = updater._pool._workers
            os.kill(worker.process.pid, signal.SIGKILL)
            await asyncio.to_thread(fill_portal, path, HERONS)
            assert await updater.finish() == ""
            assert pending_change_count(portal) == 0


@in_loop
async def test_no_process_is_left_if_the_context_is_left_early(path: Path) -> None:
    with Portal.reading(path) as portal:
        async with impatient_updater(portal) as updater:
            await wait_for_updates(updater, 1)
            (worker,) = updater._pool._workers
        assert worker.process.poll() is not None
        assert pending_change_count(portal) == 0


@in_loop
async def test_another_writer_of_the_index_is_named(path: Path) -> None:
    (path / "index").mkdir(exist_ok=True)
    with Portal.reading(path) as portal, PortalLock(path / "index", "lode index"):
        async with impatient_updater(portal) as updater:
            assert "is being written by 'lode index'" in await updater.finish()
