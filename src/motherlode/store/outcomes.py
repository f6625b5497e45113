"""A batch of outcomes with all that they caused, into all the tables they touch (DESIGN, step 5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from isal import isal_zlib

from motherlode.records import (
    Document,
    Follow,
    Outcome,
    Page,
    PageId,
    RunId,
    UrlState,
)
from motherlode.store import frontier
from motherlode.store.bulk import Row
from motherlode.store.schema import frontier as frontier_table
from motherlode.store.schema import judgements, links, pages, redirects, texts, urls, vectors
from motherlode.store.session import Session

_PAGE_COLUMNS = tuple(column.name for column in pages.columns)
_NO_DOCUMENT = Document()


def keep(session: Session, outcomes: Sequence[Outcome], run: RunId | None = None) -> list[PageId]:
    """Write a batch. Returns the pages' numbers, in order of the outcomes that have a page."""
    rows = _Rows(session, outcomes)
    numbers = _number_pages(session, rows)
    _fill(rows, numbers, run)
    _write(session, rows)
    _settle(session, rows)
    return [numbers[url_id] for url_id in rows.page_urls]


@dataclass(slots=True)
class _Known:
    """An outcome with the rows of every URL it names."""

    outcome: Outcome
    page: int | None
    redirects: list[tuple[int, int]]
    links: Sequence[int]
    follows: Sequence[int]


@dataclass(slots=True)
class _Filled:
    """Rows to write, table by table."""

    pages: dict[int, Row] = field(default_factory=dict)  # by the page's URL: one page a URL
    texts: dict[int, Row] = field(default_factory=dict)
    vectors: dict[tuple[int, str], Row] = field(default_factory=dict)
    links: list[Row] = field(default_factory=list)
    redirects: dict[int, Row] = field(default_factory=dict)
    judgements: dict[int, Row] = field(default_factory=dict)
    follows: list[Follow] = field(default_factory=list)
    follow_ids: list[int] = field(default_factory=list)
    vias: list[PageId | None] = field(default_factory=list)


class _Rows:
    """A batch under way to its tables."""

    def __init__(self, session: Session, outcomes: Sequence[Outcome]) -> None:
        self.known = list(_look_up(session, outcomes))
        self.page_urls = [known.page for known in self.known if known.page is not None]
        self.refetched: list[PageId] = []
        self.filled = _Filled()


def _look_up(session: Session, outcomes: Sequence[Outcome]) -> Iterator[_Known]:
    """Find or make the row of every URL in the batch, in one question to the sieve."""
    keys: list[int] = []
    spellings: list[str] = []
    for outcome in outcomes:
        named: list[tuple[int, str]] = []
        if outcome.page is not None:
            named.append((outcome.page.key, outcome.page.url))
        for hop in outcome.redirects:
            named += ((hop.key, hop.url), (hop.target_key, hop.target))
        keys += [key for key, _ in named]
        spellings += [spelling for _, spelling in named]
        found_links = outcome.document.links if outcome.document else ()
        keys += [link.key for link in found_links]
        spellings += [link.url for link in found_links]
        keys += [follow.key for follow in outcome.follows]
        spellings += [follow.url for follow in outcome.follows]
    ids = session.sieve.ids_of(keys, spellings)
    place = 0
    for outcome in outcomes:
        page = None
        if outcome.page is not None:
            page, place = ids[place], place + 1
        hops = [(ids[place + 2 * n], ids[place + 2 * n + 1]) for n in range(len(outcome.redirects))]
        place += 2 * len(hops)
        count = len(outcome.document.links) if outcome.document else 0
        link_ids, place = ids[place : place + count], place + count
        follow_ids, place = ids[place : place + len(outcome.follows)], place + len(outcome.follows)
        yield _Known(outcome, page, hops, link_ids, follow_ids)


def _number_pages(session: Session, rows: _Rows) -> dict[int, PageId]:
    """Each page's number by its URL's row: the one it had, or a fresh one."""
    wanted = list(dict.fromkeys(rows.page_urls))
    numbers = {
        url_id: PageId(number)
        for url_id, number in session.bulk.find(pages, "url_id", wanted, ("url_id", "id"))
    }
    rows.refetched = list(numbers.values())
    fresh = [url_id for url_id in wanted if url_id not in numbers]
    if fresh:
        made = session.bulk.numbers(pages, len(fresh))
        numbers.update(zip(fresh, map(PageId, made), strict=True))
    return numbers


def _fill(rows: _Rows, numbers: dict[int, PageId], run: RunId | None) -> None:
    filled = rows.filled
    for known in rows.known:
        outcome = known.outcome
        via = None
        for hop, (source, target) in zip(outcome.redirects, known.redirects, strict=True):
            filled.redirects[source] = (source, target, hop.status)
        if outcome.page is not None and known.page is not None:
            via = numbers[known.page]
            if via not in filled.texts:  # the same page twice in a batch: the first is kept
                _fill_page(filled, via, known, run)
        filled.follows += outcome.follows
        filled.follow_ids += known.follows
        filled.vias += [via] * len(outcome.follows)


def _fill_page(filled: _Filled, number: PageId, known: _Known, run: RunId | None) -> None:
    outcome, page = known.outcome, known.outcome.page
    assert page is not None  # noqa: S101 - the caller looked
    document = outcome.document or _NO_DOCUMENT
    filled.pages[number] = _page_row(number, known, page, document, run)
    filled.texts[number] = (number, isal_zlib.compress(document.text.encode(), 1))
    for space, packed in document.vectors.items():
        filled.vectors[number, space] = (number, space, packed)
    filled.links += [
        (number, position, url_id, link.anchor, link.flags)
        for position, (url_id, link) in enumerate(zip(known.links, document.links, strict=True))
    ]
    if outcome.judgement is not None:
        said = outcome.judgement
        filled.judgements[number] = (number, said.topic, said.confidence, said.model)


def _page_row(number: PageId, known: _Known, page: Page, document: Document, run: RunId | None) -> Row:
    entry, archived = known.outcome.entry, page.archived
    where: tuple[Any, ...] = (None, None, None)
    if archived is not None:
        where = (archived.file, archived.offset, archived.length)
    return (
        number,
        known.page,
        run,
        page.fetched_at,
        page.status,
        page.mime,
        page.size,
        page.digest,
        page.etag,
        page.last_modified,
        page.address,
        document.title,
        document.language,
        document.fingerprint,
        entry.depth,
        entry.distance,
        entry.rank,
        entry.via,
        *where,
    )


def _write(session: Session, rows: _Rows) -> None:
    bulk, filled = session.bulk, rows.filled
    if rows.refetched:
        old = [(number,) for number in rows.refetched]
        for table in (links, vectors):
            bulk.remove(table, ("page_id",), old)
    bulk.upsert(pages, _PAGE_COLUMNS, list(filled.pages.values()))
    bulk.upsert(texts, ("page_id", "packed"), list(filled.texts.values()))
    bulk.insert(vectors, ("page_id", "space", "packed"), list(filled.vectors.values()))
    bulk.insert(links, ("page_id", "position", "url_id", "anchor", "flags"), filled.links)
    bulk.upsert(redirects, ("url_id", "target_id", "status"), list(filled.redirects.values()))
    bulk.upsert(
        judgements,
        ("page_id", "topic_id", "confidence", "model_id"),
        list(filled.judgements.values()),
    )


def _settle(session: Session, rows: _Rows) -> None:
    """The entries leave the frontier, their URLs get their fate, and the links they led to come in."""
    outcomes = [known.outcome for known in rows.known]
    session.bulk.remove(
        frontier_table,
        ("queue", "rank", "url_id"),
        [(o.entry.queue, o.entry.rank, o.entry.url_id) for o in outcomes],
    )
    session.bulk.amend(urls, ("id", "state", "reason", "attempts"), _fates(rows.known))
    _close(session, outcomes)
    filled = rows.filled
    frontier.offer_known(session, filled.follows, filled.follow_ids, filled.vias)
    session.bulk.insert_new(
        frontier_table,
        frontier.COLUMNS,
        [
            (e.queue, e.rank, e.url_id, e.depth, e.distance, e.via, fate.retry_at)
            for e, fate in ((o.entry, o.fate) for o in outcomes)
            if fate.retry_at is not None
        ],
    )


def _fates(batch: Sequence[_Known]) -> list[Row]:
    """What becomes of each URL; a page that stands elsewhere settles that URL too."""
    fates: dict[int, Row] = {}
    for known in batch:
        entry, fate = known.outcome.entry, known.outcome.fate
        state = UrlState.OPEN if fate.retry_at is not None else fate.state
        if known.page is not None and known.page != entry.url_id:
            fates[known.page] = (known.page, UrlState.FETCHED.value, None, 1)
            state = UrlState.MOVED
        fates[entry.url_id] = (entry.url_id, state.value, fate.reason or None, entry.attempts + 1)
    return list(fates.values())


def _close(session: Session, outcomes: Sequence[Outcome]) -> None:
    done = [o.entry.key for o in outcomes if o.fate.retry_at is None]
    done += [o.page.key for o in outcomes if o.page is not None]
    session.sieve.memory.close(np.array(done, np.int64))
