"""Batches of made-up pages into a portal, and whether they are whole afterwards."""

import os

from motherlode.portal import Portal
from motherlode.records import Document, Link, Outcome, Page, QueueId
from motherlode.store.archive import Exchange
from motherlode.store.tables import frontier, outcomes, pages
from motherlode.urls import address
from support.helpers import follow

LINKS = 20


def keep_batch(portal: Portal, number: int) -> None:
    """Ten pages with their links and raw responses, in one transaction."""
    with portal.batch() as session:
        frontier.offer(session, [follow(f"http://h/{number}/{n}") for n in range(10)])
        batch = []
        for entry in frontier.waiting(session, QueueId(2), 10):
            archived = portal.archive.append(
                Exchange(entry.url, 1.7e9, b"HTTP/1.1 200 OK\r\n", os.urandom(3000))
            )
            targets = [address(f"{entry.url}/{n}") for n in range(LINKS)]
            document = Document(
                text=entry.url * 50, links=tuple(Link(t.url, t.key) for t in targets)
            )
            page = Page(entry.url, entry.key, 1.7e9, 200, archived=archived)
            batch.append(Outcome(entry, page=page, document=document))
        outcomes.keep(session, batch)


def check_whole(portal: Portal, batches: int) -> None:
    """Everything of the committed batches is there, and nothing else."""
    with portal.store.reading() as session:
        run = session.connection.exec_driver_sql
        assert run("PRAGMA integrity_check").scalar_one() == "ok"
        assert pages.count_pages(session) == batches * 10
        assert run("SELECT count(*) FROM links").scalar_one() == batches * 10 * LINKS
        assert run("SELECT count(*) FROM texts").scalar_one() == batches * 10
        for url in (f"http://h/{number}/{n}" for number in range(batches) for n in range(10)):
            page = pages.page_at(session, address(url).key)
            assert page is not None
            assert page.page.archived is not None
            assert portal.archive.read(page.page.archived).url == url
