"""Write a batch of outcomes with all that they caused, into all the tables they touch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import select

from motherlode.records import (
    Document,
    Entry,
    Fate,
    Lane,
    Link,
    Outcome,
    Page,
    PageId,
    RunId,
    UrlId,
    UrlState,
)
from motherlode.records.texts import pack_text
from motherlode.store.bulk import Row
from motherlode.store.link_rows import LinkRows
from motherlode.store.schema import (
    fingerprints,
    judgements,
    links,
    notes,
    pages,
    redirects,
    texts,
    urls,
    vectors,
)
from motherlode.store.session import Session
from motherlode.store.tables import frontier, parked_urls
from motherlode.store.tables.judgements import COLUMNS as JUDGEMENT_COLUMNS
from motherlode.store.tables.judgements import judgement_row
from motherlode.store.tables.near_duplicates import quarters
from motherlode.store.tables.notes import note_json
from motherlode.store.tables.pages import UNREADABLE
from motherlode.store.values import all_storable, signed, storable

_PAGE_COLUMNS = tuple(column.name for column in pages.columns)
_NO_DOCUMENT = Document()
_NO_ARCHIVES = frozenset({"text/html", "application/xhtml+xml", "text/plain", "application/pdf"})

Ids = dict[int, int]  # a URL's row by its key


class Kept(Struct, frozen=True):
    """What a batch led to: the pages' numbers, in order of the outcomes that have a page; the URLs
    that wait no longer; and what waits now, or at a better rank than before.
    """

    pages: list[PageId]
    settled: set[UrlId]
    offered: list[Entry]


def keep(session: Session, outcomes: Sequence[Outcome], run: RunId | None = None) -> Kept:
    """Write a batch.

    A page that was kept before keeps its number. What it said is replaced, or, where the outcome
    has no document (it was not modified), left as it was. An entry that nobody took has no number:
    its URL gives it. A page that a redirect has led to stays, whatever becomes of its own entry.
    """
    ids = session.sieve.ids_of(_spellings(outcomes))
    outcomes = _without_late(session, [_numbered(outcome, ids) for outcome in outcomes])
    page_keys = [outcome.page.key for outcome in outcomes if outcome.page is not None]
    numbers, refetched = _number_pages(session, [ids[key] for key in page_keys])
    rows = _Rows(ids, numbers, refetched, run)
    for outcome in outcomes:
        rows.add(outcome)
    lost = _lost_members(session, outcomes, ids)
    _write(session, rows)
    settled, offered = _settle(session, outcomes, rows)
    session.bulk.amend(urls, ("id", "state", "reason"), lost)
    return Kept([numbers[ids[key]] for key in page_keys], settled, offered)


def _without_late(session: Session, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The same, but that nothing has become of entries which brought nothing, and whose page is
    here.
    """
    late = [o.entry.url_id for o in outcomes if _comes_late(o)]
    found = session.bulk.find(urls, "id", late, ("id", "state")) if late else ()
    here = {number for number, state in found if state == UrlState.FETCHED}
    return [
        replace(o, fate=Fate(), redirects=()) if o.entry.url_id in here and _comes_late(o) else o
        for o in outcomes
    ]


def _comes_late(outcome: Outcome) -> bool:
    """Whether it brings nothing to who waits for a first page."""
    return outcome.page is None and outcome.entry.lane != Lane.REFRESH


def _numbered(outcome: Outcome, ids: Ids) -> Outcome:
    entry = outcome.entry
    return (
        outcome
        if entry.url_id
        else replace(outcome, entry=replace(entry, url_id=UrlId(ids[entry.key])))
    )


def _spellings(outcomes: Sequence[Outcome]) -> dict[int, str]:
    """Every URL that the batch is about, by its key; those that its pages lead to come with their
    links.
    """
    spelled: dict[int, str] = {}
    for outcome in outcomes:
        if not outcome.entry.url_id:
            spelled[outcome.entry.key] = outcome.entry.url
        if outcome.page is not None:
            spelled[outcome.page.key] = outcome.page.url
        for hop in outcome.redirects:
            spelled[hop.key], spelled[hop.target_key] = hop.url, hop.target
    return spelled


def _number_pages(session: Session, url_ids: list[int]) -> tuple[dict[int, PageId], set[PageId]]:
    """Each page's number by its URL's row, the one it had or a fresh one; and those it had."""
    wanted = list(dict.fromkeys(url_ids))
    found = session.bulk.find(pages, "url_id", wanted, ("url_id", "id"))
    numbers = {url_id: PageId(number) for url_id, number in found}
    refetched = set(numbers.values())
    fresh = [url_id for url_id in wanted if url_id not in numbers]
    if fresh:
        made = session.bulk.numbers(pages, len(fresh))
        numbers.update(zip(fresh, map(PageId, made), strict=True))
    return numbers, refetched


@dataclass(slots=True)
class _Rows:
    """The batch's rows, table by table, and its offers."""

    ids: Ids
    numbers: dict[int, PageId]
    refetched: set[PageId]
    run: RunId | None
    seen: set[PageId] = field(default_factory=set)
    pages: list[Row] = field(default_factory=list)
    unmodified: list[Row] = field(default_factory=list)
    etags: list[Row] = field(default_factory=list)
    dates: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)
    vectors: list[Row] = field(default_factory=list)
    similar: list[Row] = field(default_factory=list)
    linking: list[tuple[PageId, Sequence[Link]]] = field(default_factory=list)
    redirects: dict[int, Row] = field(default_factory=dict)
    turned: list[Row] = field(
        default_factory=list
    )  # URLs that may have redirected before, and are pages now
    judgements: list[Row] = field(default_factory=list)
    notes: dict[tuple[str, str], Row] = field(default_factory=dict)
    latest: list[PageId | None] = field(default_factory=list)  # the page of every follow, in order

    def add(self, outcome: Outcome) -> None:
        via = None
        for hop in outcome.redirects:
            source = self.ids[hop.key]
            self.redirects[source] = (source, self.ids[hop.target_key], hop.status)
        if outcome.page is not None:
            via = self.numbers[self.ids[outcome.page.key]]
            if outcome.entry.lane == Lane.REFRESH or outcome.entry.attempts:
                self.turned.append((self.ids[outcome.page.key],))
            if via not in self.seen:  # the same page twice in a batch: the first is kept
                self.seen.add(via)
                self._add_page(via, outcome, outcome.page)
        for note in outcome.notes:
            self.notes[note.kind, note.key] = (note.kind, note.key, note_json(note.value), via)
        self.latest += [via] * len(outcome.follows)

    def _add_page(self, number: PageId, outcome: Outcome, page: Page) -> None:
        if outcome.document is None and number in self.refetched:
            self.unmodified.append((number, page.fetched_at))
            for tags, told in ((self.etags, page.etag), (self.dates, page.last_modified)):
                if told:  # a host need not say again what it said before
                    tags.append((number, storable(told)))
            return
        document, ids = outcome.document or _NO_DOCUMENT, self.ids
        self.pages.append(_page_row(number, ids[page.key], outcome, page, self.run))
        packed = document.packed or pack_text(document.text, document.main, document.headings)
        self.texts.append((number, packed))
        self.similar += quarters(document.fingerprint, number)
        self.vectors += [(number, space, packed) for space, packed in document.vectors.items()]
        self.linking.append((number, document.links))
        if outcome.judgement is not None:
            said = outcome.judgement
            self.judgements.append(judgement_row(number, said))


def _page_row(number: PageId, url_id: int, outcome: Outcome, page: Page, run: RunId | None) -> Row:
    entry, document = outcome.entry, outcome.document or _NO_DOCUMENT
    where: tuple[Any, ...] = (None, None, None)
    if page.archived is not None:
        where = (page.archived.file, page.archived.offset, page.archived.length)
    return (
        number,
        url_id,
        run,
        page.fetched_at,
        page.status,
        storable(page.mime),
        page.size,
        page.digest,
        storable(page.etag),
        storable(page.last_modified),
        page.address,
        storable(document.title),
        document.language,
        signed(document.fingerprint),
        entry.depth,
        entry.distance,
        entry.rank,
        entry.via,
        *where,
    )


def _lost_members(session: Session, outcomes: Sequence[Outcome], ids: Ids) -> list[Row]:
    """Files inside archives that were fetched again, and have them no more, or are gone
    themselves.
    """
    again = [o for o in outcomes if o.entry.lane == Lane.REFRESH and not _is_as_it_was(o)]
    changed = {
        o.entry.url_id: o.entry.url for o in again if o.page is None or o.document is not None
    }
    mimes = session.bulk.find(pages, "url_id", list(changed), ("url_id", "mime")) if changed else ()
    archives = {changed[url_id] for url_id, mime in mimes if mime not in _NO_ARCHIVES}
    if not archives:
        return []
    here = {ids[o.page.key] for o in outcomes if o.page is not None}
    inside = select(urls.c.id, urls.c.url).where(
        urls.c.state == UrlState.FETCHED, urls.c.url.like("%#%")
    )
    return [
        (number, UrlState.FAILED.value, "gone: no longer in its archive")
        for number, url in session.connection.execute(inside)
        if url.partition("#")[0] in archives and number not in here
    ]


def _write(session: Session, rows: _Rows) -> None:
    bulk = session.bulk
    replaced = [(row[0],) for row in rows.pages if row[0] in rows.refetched]
    for table in (links, vectors, judgements):
        bulk.remove(table, ("page_id",), replaced)
    bulk.upsert(pages, _PAGE_COLUMNS, rows.pages)
    bulk.amend(pages, ("id", "fetched_at"), rows.unmodified)
    bulk.amend(pages, ("id", "etag"), rows.etags)
    bulk.amend(pages, ("id", "last_modified"), rows.dates)
    bulk.upsert(texts, ("page_id", "packed"), rows.texts)
    bulk.insert_new(fingerprints, ("quarter", "bits", "page_id"), rows.similar)
    bulk.insert(vectors, ("page_id", "space", "packed"), rows.vectors)
    bulk.insert_links(_link_rows(session, rows.linking))
    bulk.insert(judgements, JUDGEMENT_COLUMNS, rows.judgements)
    bulk.upsert(notes, ("kind", "key", "value", "page_id"), list(rows.notes.values()))
    bulk.remove(redirects, ("url_id",), rows.turned)
    bulk.upsert(redirects, ("url_id", "target_id", "status"), list(rows.redirects.values()))


def _link_rows(session: Session, linking: Sequence[tuple[PageId, Sequence[Link]]]) -> LinkRows:
    """The rows of these pages' links. URLs that were never seen get theirs."""
    found = [link for _, of_page in linking for link in of_page]
    keys = np.array([link.key for link in found], np.int64)
    return LinkRows(
        [(page, len(of_page)) for page, of_page in linking],
        session.sieve.rows_of(keys, lambda place: found[place].url),
        all_storable([link.anchor for link in found]),
        np.array([link.flags for link in found], np.int64),
    )


def _settle(
    session: Session, outcomes: Sequence[Outcome], rows: _Rows
) -> tuple[set[UrlId], list[Entry]]:
    """Entries leave the frontier, URLs get their fate, and what the pages led to comes in.

    Returns the URLs that wait no longer, and what waits now.
    """
    frontier.remove(session, [o.entry for o in outcomes if not _waits(o)])
    parked_urls.park(session, [o.entry for o in outcomes if _is_passing(o)])
    columns = ("id", "state", "reason", "attempts", "not_before")
    fates = _fates(outcomes, rows.ids, _still_unreadable(session, outcomes, rows))
    session.bulk.amend(urls, columns, fates)
    _close(session, outcomes)
    follows = [follow for outcome in outcomes for follow in outcome.follows]
    settled = {UrlId(fate[0]) for fate in fates if fate[1] != UrlState.OPEN}
    vias = frontier.vias_of(session, follows, rows.latest)
    return settled, frontier.offer_all(session, follows, vias)


def _is_as_it_was(outcome: Outcome) -> bool:
    """Whether a page that was to be fetched again stays what it is, as it cannot be had now."""
    return outcome.page is None and outcome.fate.state is UrlState.FETCHED


def _waits(outcome: Outcome) -> bool:
    """Whether the entry stays where it is, for another attempt."""
    return outcome.fate.retry_at is not None and outcome.page is None


def _is_passing(outcome: Outcome) -> bool:
    """Whether it was given up, and may be had another time."""
    here = outcome.page is None and outcome.entry.lane != Lane.REFRESH
    return here and outcome.fate.passing and not _waits(outcome)


def _still_unreadable(session: Session, outcomes: Sequence[Outcome], rows: _Rows) -> dict[int, str]:
    """Why pages that were not modified, or could not be had again, have no text, by their URL's
    row.
    """
    unmodified = {number for number, _ in rows.unmodified}
    asked = [url_id for url_id, number in rows.numbers.items() if number in unmodified]
    asked += [outcome.entry.url_id for outcome in outcomes if _is_as_it_was(outcome)]
    found = session.bulk.find(urls, "id", asked, ("id", "reason")) if asked else ()
    return {url_id: reason for url_id, reason in found if reason and reason.startswith(UNREADABLE)}


def _fates(outcomes: Sequence[Outcome], ids: Ids, unreadable: dict[int, str]) -> list[Row]:
    """What becomes of each URL. A page that stands elsewhere settles that URL too, for good."""
    fates: dict[int, Row] = {}
    for outcome in outcomes:
        entry, fate, page = outcome.entry, outcome.fate, outcome.page
        state, retry_at = fate.state, None
        if _waits(outcome):
            state, retry_at = UrlState.OPEN, fate.retry_at
        elif page is not None and page.key != entry.key:
            state = UrlState.MOVED
        reason = storable(fate.reason) or None
        if _is_as_it_was(outcome):
            reason = unreadable.get(entry.url_id, reason)
        fates[entry.url_id] = (
            entry.url_id,
            state.value,
            reason,
            entry.attempts + fate.tried,
            retry_at,
        )
    for page, document in ((o.page, o.document) for o in outcomes if o.page is not None):
        here = ids[page.key]
        attempts = fates[here][3] if here in fates else 1
        if document is not None and document.unreadable:
            reason = storable(f"{UNREADABLE}{document.unreadable}")
        else:
            reason = unreadable.get(here) if document is None else None
        fates[here] = (here, UrlState.FETCHED.value, reason, attempts, None)
    return list(fates.values())


def _close(session: Session, outcomes: Sequence[Outcome]) -> None:
    """What is settled takes no more offers."""
    done = [o.entry.key for o in outcomes if not _waits(o)]
    done += [o.page.key for o in outcomes if o.page is not None]
    session.sieve.memory.close(np.array(done, np.int64))
