"""A crawl in rounds: take the best entries that wait, fetch them at once, keep them in one transaction.

Kill it anywhere: what a round fetched is kept with all it caused, or not at all, and waits again.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import time

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.analysing import Analysed
from motherlode.documents.raw import Raw
from motherlode.engine.equipment import fetcher_for, keep_books, manner_of
from motherlode.engine.reading import Read, read_here
from motherlode.engine.sitemaps import follows_from_sitemaps
from motherlode.fetch import Response, Web
from motherlode.fetch.courtesy import Courtesy
from motherlode.fetch.failures import Kind
from motherlode.fetch.fetching import Fetched, Fetcher
from motherlode.policies import Policy
from motherlode.portal import Portal
from motherlode.records import (
    Document,
    Entry,
    Fate,
    Follow,
    Link,
    LinkFlag,
    Outcome,
    Page,
    Redirect,
    RunEnd,
    TopicId,
    UrlId,
    UrlKey,
    UrlState,
)
from motherlode.store import frontier, ledger
from motherlode.store.archive import Exchange
from motherlode.store.outcomes import keep
from motherlode.store.pages import copies_of
from motherlode.store.session import Session
from motherlode.urls import Address, address, host_of, url_key

_CODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})  # bodies are kept unpacked
_AT_ONCE = 100
# Not failures: it was never asked for, by our own rules or the host's.
_SKIPPED = frozenset({Kind.ROBOTS, Kind.TRAP, Kind.HOST_FULL, Kind.BAD_HOST, Kind.TYPE, Kind.TOO_LARGE})


class Limits(Struct, frozen=True):
    """When a crawl ends, how many pages it fetches at once, and for which command it is noted."""

    pages: int
    connections: int = 32
    command: str = "crawl"


class Progress(Struct, frozen=True):
    """How far a crawl is."""

    pages: int = 0
    failed: int = 0
    redirects: int = 0
    hosts: int = 0
    seconds: float = 0.0


async def crawl(
    portal: Portal,
    web: Web,
    policy: Policy,
    limits: Limits,
    report: Callable[[Progress], None],
    read: Read | None = None,
) -> Progress:
    """Crawl until so many documents were fetched, or nothing waits; `report` is told after every round."""
    read = read or read_here(manner_of(portal.config))
    seeds = list(policy.seed())
    queue = seeds[0].queue if seeds else TopicId(1)
    with portal.batch() as session:
        run = ledger.start_run(session, limits.command, type(policy).__name__, time())
        frontier.offer(session, seeds)
    courtesy: Courtesy[Entry] = Courtesy(
        portal.config.politeness, sandbox=bool(portal.config.network.connect)
    )
    fetcher = fetcher_for(portal, web, courtesy)
    began = asyncio.get_running_loop().time()
    progress, hosts, end = Progress(), set[str](), RunEnd.DONE
    while entries := _due(portal, queue, min(limits.connections, limits.pages - progress.pages)):
        for entry in entries:
            web.expect(host_of(entry.url))
            courtesy.add(entry, entry.rank, host_of(entry.url))
        fetched = await asyncio.gather(*(_fetch_next(fetcher, courtesy) for _ in entries))
        order = {entry.url_id: place for place, entry in enumerate(entries)}
        fetched.sort(key=lambda one: order[one[0].url_id])  # who answered first must not matter
        with portal.store.reading() as session:
            copies = copies_of(session, {one.digest for _, one in fetched if one.digest})
        told = list(_told([one for _, one in fetched], copies))
        said = await _said(told, read)
        with portal.batch() as session:
            outcomes = [
                _outcome(portal, policy, entry, one, said)
                for (entry, _), one in zip(fetched, told, strict=True)
            ]
            obey = portal.config.robots.page_rules
            members = [
                member
                for outcome, one in zip(outcomes, told, strict=True)
                for member in _members(session, policy, outcome, one, said, obey=obey)
            ]
            keep(session, [*outcomes, *members], run.id)
            met = keep_books(session, fetcher)
            ledger.advance_run(session, run.id, sum(outcome.page is not None for outcome in outcomes))
        progress = _advanced(progress, outcomes, hosts, asyncio.get_running_loop().time() - began)
        report(progress)
        if portal.config.robots.sitemaps and met:
            listed = await follows_from_sitemaps(
                fetcher, met, queue, min(entry.rank for entry in entries) - 1
            )
            with portal.batch() as session:
                frontier.offer(session, listed)
        if progress.pages >= limits.pages:
            end = RunEnd.PAGES
            break
    with portal.batch() as session:
        ledger.end_run(session, run.id, end, time())
    return progress


def _due(portal: Portal, queue: TopicId, limit: int) -> Sequence[Entry]:
    """The best entries that wait for nothing but us."""
    due: list[Entry] = []
    after: Entry | None = None
    with portal.store.reading() as session:
        while len(due) < limit and (found := frontier.waiting(session, queue, _AT_ONCE, after)):
            now, held = time(), {entry.url_id for entry in due}
            due += [entry for entry in found if entry.not_before <= now and entry.url_id not in held]
            after = found[-1]
    return due[:limit]


async def _fetch_next(fetcher: Fetcher, courtesy: Courtesy[Entry]) -> tuple[Entry, Fetched]:
    entry = await courtesy.next()
    asked = Address(entry.url, entry.key, host_of(entry.url))
    return entry, await fetcher.fetch(asked, attempts=entry.attempts + 1)


def _told(fetched: Sequence[Fetched], copies: Mapping[bytes, str]) -> Iterator[Fetched]:
    """What was fetched, with what the store knows of its content; two ways to one page are one page."""
    reached: set[UrlKey] = set()
    for one in fetched:
        key, copy = one.final.key, copies.get(one.digest, "")
        if one.digest and (key in reached or (copy and copy != one.final.url)):
            yield replace(one, copy_of=one.final.url if key in reached else copy)
        else:
            yield one
        if one.digest:
            reached.add(key)


Said = Mapping[str, Sequence[Analysed]]


async def _said(fetched: Sequence[Fetched], read: Read) -> Said:
    """What the new documents say, by their addresses."""
    new = [one.response for one in fetched if one.response and one.response.ok and not one.copy_of]
    raws = [Raw(one.url, one.body, one.mime, one.header("content-type")) for one in new]
    return {raw.url: analysed for raw, analysed in zip(raws, await read(raws), strict=True)}


def _members(
    session: Session, policy: Policy, outcome: Outcome, fetched: Fetched, said: Said, *, obey: bool
) -> Iterator[Outcome]:
    """The documents inside an archive: pages of their own, under the archive's address and their names."""
    if outcome.page is None:
        return
    for one in said[outcome.page.url][1:]:
        key = url_key(one.url, host_of(one.url))
        number = session.sieve.ids_of({key: one.url})[key]
        entry = replace(outcome.entry, url_id=UrlId(number), url=one.url, key=key)
        judgement = policy.judge(entry, one.document)
        allowed = _allowed(one.document, policy.steer(entry, one.document, judgement), fetched, obey=obey)
        follows = tuple(follow for follow in allowed if "#" not in follow.url)  # members are here already
        if obey and one.document.noindex:
            yield Outcome(entry, Fate(UrlState.SKIPPED, "noindex"), follows=follows)
            continue
        page = replace(outcome.page, url=one.url, key=key, mime=one.mime, size=0, digest=b"", archived=None)
        yield Outcome(entry, Fate(), page, one.document, judgement, follows=follows)


def _outcome(portal: Portal, policy: Policy, entry: Entry, fetched: Fetched, said: Said) -> Outcome:
    """What a fetch leads to: a page, or the reason why there is none."""
    hops, response = fetched.hops, fetched.response
    if fetched.failure is not None:
        reason = f"{fetched.failure}: {fetched.detail}" if fetched.detail else str(fetched.failure)
        state = UrlState.SKIPPED if fetched.failure in _SKIPPED else UrlState.FAILED
        return Outcome(entry, Fate(state, reason, fetched.retry_at), redirects=hops)
    if fetched.copy_of:
        return Outcome(entry, Fate(UrlState.MOVED, f"copy of {fetched.copy_of}"), redirects=_merged(fetched))
    if response is None or not response.ok:
        return Outcome(entry, Fate(UrlState.FAILED, "nothing new"), redirects=hops)
    config = portal.config
    document = _with_canonical(said[response.url][0].document, fetched)
    judgement = policy.judge(entry, document)
    follows = _allowed(
        document, policy.steer(entry, document, judgement), fetched, obey=config.robots.page_rules
    )
    if config.robots.page_rules and (document.noindex or not fetched.directives.index):
        return Outcome(entry, Fate(UrlState.SKIPPED, "noindex"), redirects=hops, follows=follows)
    return Outcome(entry, Fate(), _page(portal, fetched, response), document, judgement, hops, follows)


def _with_canonical(document: Document, fetched: Fetched) -> Document:
    """A document with the canonical address that its response named, unless it names one itself."""
    if not fetched.canonical or document.canonical:
        return document
    true = address(fetched.canonical)
    link = Link(true.url, true.key, flags=int(LinkFlag.CANONICAL))
    return replace(document, canonical=true.url, links=(*document.links, link))


def _merged(fetched: Fetched) -> tuple[Redirect, ...]:
    """The redirects, and one more, of our own making, from a copy to the page that was there first."""
    final, copy = fetched.final, address(fetched.copy_of)
    if final.key == copy.key:
        return fetched.hops
    return (*fetched.hops, Redirect(final.url, final.key, copy.url, copy.key, 0))


def _allowed(
    document: Document, follows: Iterable[Follow], fetched: Fetched, *, obey: bool
) -> tuple[Follow, ...]:
    """The follows, without links that the page asks not to be followed."""
    if not obey:
        return tuple(follows)
    if not fetched.directives.follow:
        return ()
    free = {link.key for link in document.links if not link.flags & LinkFlag.NOFOLLOW}
    closed = {link.key for link in document.links} - free
    return tuple(follow for follow in follows if follow.key not in closed)


def _page(portal: Portal, fetched: Fetched, response: Response) -> Page:
    url = fetched.final.url
    head = "".join(f"{name}: {value}\r\n" for name, value in response.headers if name.lower() not in _CODED)
    block = f"HTTP/1.1 {response.status} -\r\n{head}".encode("latin-1", "replace")
    archived = portal.archive.append(
        Exchange(url, response.at, block, response.body, response.address, fetched.digest)
    )
    return Page(
        url=url,
        key=fetched.final.key,
        fetched_at=response.at,
        status=response.status,
        mime=response.mime,
        size=len(response.body),
        digest=fetched.digest,
        etag=response.header("etag"),
        last_modified=response.header("last-modified"),
        address=response.address,
        archived=archived,
    )


def _advanced(progress: Progress, outcomes: Sequence[Outcome], hosts: set[str], seconds: float) -> Progress:
    hosts.update(host_of(outcome.page.url) for outcome in outcomes if outcome.page)
    return Progress(
        progress.pages + sum(outcome.page is not None for outcome in outcomes),
        progress.failed + sum(outcome.fate.state is UrlState.FAILED for outcome in outcomes),
        progress.redirects + sum(bool(outcome.redirects) for outcome in outcomes),
        len(hosts),
        seconds,
    )
