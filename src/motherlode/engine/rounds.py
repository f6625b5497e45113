"""A crawl in rounds: take the best entries that wait, fetch them at once, keep them in one transaction.

Kill it anywhere: what a round fetched is kept with all it caused, or not at all, and waits again.
"""

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha1
from time import time

from msgspec import Struct

from motherlode.documents import analyse
from motherlode.fetch import FetchError, Request, Response, Web
from motherlode.policies import Policy
from motherlode.portal import Portal
from motherlode.records import Entry, Fate, Follow, Outcome, Page, Redirect, RunEnd, TopicId, UrlState
from motherlode.store import frontier, ledger
from motherlode.store.archive import Exchange
from motherlode.store.outcomes import keep
from motherlode.urls import UrlError, address, host_of

_CODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})  # bodies are kept unpacked


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


class _Fetched(Struct, frozen=True):
    """What became of an entry: a response, or the reason why there is none."""

    entry: Entry
    response: Response | None = None
    reason: str = ""


async def crawl(
    portal: Portal, web: Web, policy: Policy, limits: Limits, report: Callable[[Progress], None]
) -> Progress:
    """Crawl until so many documents were fetched, or nothing waits; `report` is told after every round."""
    seeds = list(policy.seed())
    queue = seeds[0].queue if seeds else TopicId(1)
    with portal.batch() as session:
        run = ledger.start_run(session, limits.command, type(policy).__name__, time())
        frontier.offer(session, seeds)
    began = asyncio.get_running_loop().time()
    progress, hosts, end = Progress(), set[str](), RunEnd.DONE
    while entries := _waiting(portal, queue, min(limits.connections, limits.pages - progress.pages)):
        fetched = await asyncio.gather(*(_fetch(web, entry) for entry in entries))
        with portal.batch() as session:
            outcomes = [_outcome(portal, policy, one) for one in fetched]
            keep(session, outcomes, run.id)
            ledger.advance_run(session, run.id, sum(outcome.page is not None for outcome in outcomes))
        progress = _advanced(progress, outcomes, hosts, asyncio.get_running_loop().time() - began)
        report(progress)
        if progress.pages >= limits.pages:
            end = RunEnd.PAGES
            break
    with portal.batch() as session:
        ledger.end_run(session, run.id, end, time())
    return progress


def _waiting(portal: Portal, queue: TopicId, limit: int) -> Sequence[Entry]:
    with portal.store.reading() as session:
        return frontier.waiting(session, queue, limit)


async def _fetch(web: Web, entry: Entry) -> _Fetched:
    try:
        return _Fetched(entry, await web.fetch(Request(entry.url)))
    except FetchError as error:
        return _Fetched(entry, reason=error.kind)


def _outcome(portal: Portal, policy: Policy, fetched: _Fetched) -> Outcome:
    entry, response = fetched.entry, fetched.response
    if response is None:
        return Outcome(entry, Fate(UrlState.FAILED, fetched.reason))
    if location := response.header("location"):
        return _moved(entry, response, location)
    if not response.ok:
        return Outcome(entry, Fate(UrlState.FAILED, f"status {response.status}"))
    kind = response.header("content-type")
    document = analyse(response.url, kind, response.body, portal.config.urls)
    judgement = policy.judge(entry, document)
    follows = tuple(policy.steer(entry, document, judgement))
    return Outcome(entry, Fate(), _page(portal, entry, response), document, judgement, (), follows)


def _moved(entry: Entry, response: Response, location: str) -> Outcome:
    """A redirect: its target waits in the entry's place."""
    try:
        target = address(location, entry.url)
    except UrlError as error:
        return Outcome(entry, Fate(UrlState.FAILED, f"redirect to {error.kind}"))
    hop = Redirect(entry.url, entry.key, target.url, target.key, response.status)
    follow = Follow(target.url, target.key, entry.queue, entry.rank, entry.depth + 1)
    return Outcome(entry, Fate(UrlState.MOVED), redirects=(hop,), follows=(follow,))


def _page(portal: Portal, entry: Entry, response: Response) -> Page:
    head = "".join(f"{name}: {value}\r\n" for name, value in response.headers if name.lower() not in _CODED)
    block = f"HTTP/1.1 {response.status} -\r\n{head}".encode("latin-1", "replace")
    archived = portal.archive.append(Exchange(entry.url, response.at, block, response.body, response.address))
    return Page(
        url=entry.url,
        key=entry.key,
        fetched_at=response.at,
        status=response.status,
        mime=response.header("content-type").partition(";")[0],
        size=len(response.body),
        digest=sha1(response.body).digest(),  # noqa: S324 - an address of the content, not a signature
        etag=response.header("etag"),
        last_modified=response.header("last-modified"),
        address=response.address,
        archived=archived,
    )


def _advanced(progress: Progress, outcomes: Sequence[Outcome], hosts: set[str], seconds: float) -> Progress:
    hosts.update(host_of(outcome.page.url) for outcome in outcomes if outcome.page)
    states = [outcome.fate.state for outcome in outcomes]
    return Progress(
        progress.pages + states.count(UrlState.FETCHED),
        progress.failed + states.count(UrlState.FAILED),
        progress.redirects + states.count(UrlState.MOVED),
        len(hosts),
        seconds,
    )
