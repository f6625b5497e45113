"""An index that follows a crawl, whatever happens to the process that makes it."""

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
from support.search_portals import Paper, found, shelve

OWLS = {"http://owl.test/": Paper("Owls", "The barn owl hunts mice.", topic="birds")}
HERONS = {"http://heron.test/": Paper("Herons", "The grey heron.", links={"http://owl.test/": "hunters"})}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return shelve(tmp_path / "p", OWLS)


def restless(portal: Portal) -> IndexUpdater:
    config = replace(portal.config, index=IndexOptions(while_crawling=True, rest=0.0))
    return IndexUpdater(Portal(portal.path, config, portal.store, portal.archive))


def behind(portal: Portal) -> int:
    index = PageIndex.open(index_directory(portal))
    assert index is not None
    with portal.store.reading() as session:
        return pending_changes(session, portal.tree(), index.contents()).change_count


def in_loop(test: Callable[[Path], Coroutine[None, None, None]]) -> Callable[[Path], None]:
    @wraps(test)
    def run(path: Path) -> None:
        asyncio.run(test(path))

    return run


async def until(follower: IndexUpdater, renewals: int) -> None:
    while follower.updates < renewals:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.01)


@in_loop
async def test_it_takes_up_what_is_kept_meanwhile_and_all_of_it_in_the_end(path: Path) -> None:
    with Portal.reading(path) as portal:
        async with restless(portal) as follower:
            await until(follower, 1)
            assert found(path, "owl") == ["owl"]
            await asyncio.to_thread(shelve, path, HERONS)
            await until(follower, follower.updates + 2)  # the first of them may have begun before
            assert behind(portal) == 0
            await asyncio.to_thread(shelve, path, {"http://eagle.test/": Paper("Eagles", "An eagle.")})
            assert await follower.finish() == ""
            assert behind(portal) == 0
    assert found(path, "anchor:hunters") == ["owl"]


@in_loop
async def test_a_killed_process_is_replaced(path: Path) -> None:
    with Portal.reading(path) as portal:
        async with restless(portal) as follower:
            await until(follower, 1)
            (worker,) = follower._pool._workers
            os.kill(worker.process.pid, signal.SIGKILL)
            await asyncio.to_thread(shelve, path, HERONS)
            assert await follower.finish() == ""
            assert behind(portal) == 0


@in_loop
async def test_left_in_the_midst_it_leaves_no_process_behind(path: Path) -> None:
    with Portal.reading(path) as portal:
        async with restless(portal) as follower:
            await until(follower, 1)
            (worker,) = follower._pool._workers
        assert worker.process.poll() is not None
        assert behind(portal) == 0


@in_loop
async def test_it_says_who_else_is_at_it(path: Path) -> None:
    (path / "index").mkdir(exist_ok=True)
    with Portal.reading(path) as portal, PortalLock(path / "index", "lode index"):
        async with restless(portal) as follower:
            assert "is being written by 'lode index'" in await follower.finish()
