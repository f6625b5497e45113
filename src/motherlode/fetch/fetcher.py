"""The life of a fetch: may it be asked for, ask, follow redirects by hand, and say what became of
it.

A turn at the URL's host is held on the way in (`RateLimiter`), changed for one at each host that a
redirect leads to, and given back on the way out, whatever happens.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import time
from typing import Any

from msgspec import Struct

from motherlode.documents.robots_directives import Directives
from motherlode.fetch.duplicates import Duplicates
from motherlode.fetch.failures import FailureKind, of_status
from motherlode.fetch.host_records import HostBook, after_failure, after_success, without_blame
from motherlode.fetch.politeness.rate_limiter import RateLimiter  # noqa: TC001 - the fields of a dataclass are looked up
from motherlode.fetch.redirects import REDIRECTS
from motherlode.fetch.response_headers import (
    SILENT,
    canonical_of,
    directives_of,
    retry_after,
    speaks_to_crawlers,
)
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.robots.rules import Robots
from motherlode.fetch.types import DEFAULT_TYPES, TypeOptions
from motherlode.fetch.web import FetchError, Headers, Request, Response, Web
from motherlode.records import Host, HostState, Redirect, UrlKey
from motherlode.records.digests import digest_of
from motherlode.urls import Address, UrlError, UrlRules, address
from motherlode.urls.traps import DEFAULT_TRAPS, TrapRules, trap_in

MAX_HOPS = 25
_NOT_MODIFIED = 304
_MOMENT = 1.0  # seconds by which clocks may differ
_OF_THE_HOST = frozenset({FailureKind.TOO_MANY, FailureKind.UNAVAILABLE, FailureKind.SERVER})
_BAD = HostState.BAD  # a look into an enumeration is slow, and each fetch takes one


class FetchRules(Struct, frozen=True):
    """What is fetched and what is not."""

    agent: str = "motherlode"
    urls: UrlRules = UrlRules()
    types: TypeOptions = DEFAULT_TYPES
    traps: TrapRules = DEFAULT_TRAPS
    page_rules: bool = True


DEFAULT_RULES = FetchRules()


class Fetched(Struct, frozen=True, gc=False):
    """What became of a URL: a response, or the kind of its failure; either may lie behind
    redirects.

    `retry_at` is when it is worth another try. `copy_of` names a page that was there already with
    the same content, or at the end of the same redirects; then there may be no response. `answered`
    is what came where `response` only says that nothing has changed.
    """

    url: str
    final: Address
    hops: tuple[Redirect, ...] = ()
    response: Response | None = None
    failure: FailureKind | None = None
    detail: str = ""
    retry_at: float | None = None
    digest: bytes = b""
    copy_of: str = ""
    canonical: str = ""
    directives: Directives = Directives()
    answered: Response | None = None


class _Trail(Struct):
    """Where a fetch has come from and where it is."""

    asked: Address
    here: Address
    attempts: int
    delay: float | None = None  # that the host asks for in its robots.txt
    hops: tuple[Redirect, ...] = ()

    def end(self, **said: Any) -> Fetched:
        return Fetched(self.asked.url, self.here, self.hops, **said)

    def step(self, target: Address, status: int) -> FailureKind | None:
        """Go on to where a redirect leads; or say why not."""
        if len(self.hops) == MAX_HOPS:
            return FailureKind.REDIRECTS
        here = self.here
        self.hops += (Redirect(here.url, here.key, target.url, target.key, status),)
        if any(target.key == hop.key for hop in self.hops):
            return FailureKind.REDIRECT_LOOP
        self.here = target
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetcher:
    """Fetches URLs for a crawl. Of a redirect's target, `known` names the page that it is or has
    led to, if that was fetched before, and `allows` says whether the crawl may go to its host at
    all.
    """

    web: Web
    courtesy: "RateLimiter[Any]"
    rulebook: RobotsCache
    rules: FetchRules = DEFAULT_RULES
    hosts: HostBook = field(default_factory=HostBook)
    duplicates: Duplicates = field(default_factory=Duplicates)
    known: Callable[[UrlKey], str] = lambda _key: ""
    allows: Callable[[str], bool] = lambda _host: True
    clock: Callable[[], float] = time

    async def fetch(self, asked: Address, headers: Headers = (), attempts: int = 1) -> Fetched:
        """What becomes of a URL at this attempt. A turn at its host is held; it is given back in
        any case.
        """
        trail = _Trail(asked, asked, attempts)
        while True:  # one request each time; None: a redirect leads on
            here, seconds = trail.here, None
            try:
                host = self._admit(here)
                ended = self._put_off(trail, host) if host.next_at else None
                if ended is None:
                    robots = self.rulebook.rules_at_hand(here.url) or await self.rulebook.rules_for(
                        here.url
                    )
                    ended = self._refused(trail, robots)
                if ended is None:
                    seconds = 0.0
                    response = await self.web.fetch(Request(here.url, headers, self.rules.types))
                    seconds = response.seconds
                    ended = self._answered(trail, response)
            except FetchError as error:
                ended = self._failed(
                    trail, FailureKind(error.kind), error.detail, asked_for=error.wait
                )
            finally:
                # Last of all: what the answer made of the host must be known before anybody else is
                # let in.
                self.courtesy.release(here.host, seconds, trail.delay)
            if ended is not None:
                return ended
            headers, trail.delay = (
                (),
                None,
            )  # they were about the page that was asked for, and its host
            await self.courtesy.turn(trail.here.host)

    def _admit(self, here: Address) -> Host:
        """The host of a URL. Raises `FetchError` if it need not be asked, whatever its robots.txt
        says.
        """
        host = self.hosts[here.host]
        if host.state is _BAD:
            raise FetchError(FailureKind.BAD_HOST, here.url, host.reason)
        if trap := trap_in(here.url, self.rules.traps):
            raise FetchError(FailureKind.TRAP, here.url, trap)
        most = self.rules.traps.pages_per_host
        if most and host.pages >= most:
            raise FetchError(FailureKind.HOST_FULL, here.url, f"{most:,} pages")
        return host

    def _put_off(self, trail: _Trail, host: Host) -> Fetched | None:
        """What there is to say of a URL whose host was to be left alone by what an earlier crawl
        has kept; from now on, those who give out turns know that, too. None: it may be asked.
        """
        wait = host.next_at - self.clock()
        if wait <= _MOMENT:
            return None
        self.courtesy.hold(host.name, wait)
        return trail.end(failure=FailureKind.RESTING, detail=host.reason, retry_at=host.next_at)

    def _refused(self, trail: _Trail, robots: Robots) -> Fetched | None:
        """What there is to say of a URL that may not or need not be asked for; None: it may."""
        here, trail.delay = trail.here, robots.delay
        if robots.rules and not robots.allows(here.url):
            return self._failed(trail, FailureKind.ROBOTS, "")
        if self.duplicates.has_twins:
            copy = self.duplicates.before(here.url, self.hosts[here.host].address)
            return trail.end(copy_of=copy) if copy else None
        return None

    def _answered(self, trail: _Trail, response: Response) -> Fetched | None:
        self.rulebook.reachability.note_answer()
        if response.ok:
            self._credit(trail, response)
            return self._document(trail, response)
        location = response.header("location") if response.status in REDIRECTS else ""
        failure = None if location else of_status(response.status)
        if failure in _OF_THE_HOST:
            return self._failed(trail, failure, f"status {response.status}", response)
        self._credit(trail, response)
        if location:
            return self._redirected(trail, response, location)
        if failure is not None:
            return trail.end(failure=failure, detail=f"status {response.status}", response=response)
        unchanged = response.status == _NOT_MODIFIED  # or a redirect to nowhere
        return trail.end(response=response, failure=None if unchanged else FailureKind.BAD_REDIRECT)

    def _credit(self, trail: _Trail, response: Response) -> None:
        """A host has answered."""
        hosts, rest = self.hosts, self.courtesy.rest(response.seconds, trail.delay)
        hosts.put(after_success(hosts[trail.here.host], response, rest))

    def _redirected(self, trail: _Trail, response: Response, location: str) -> Fetched | None:
        try:
            target = address(location, trail.here.url, self.rules.urls)
        except UrlError as error:
            return trail.end(failure=FailureKind.BAD_REDIRECT, detail=error.kind)
        refusal = trail.step(target, response.status)
        if refusal is not None:
            return trail.end(failure=refusal)
        if not self.allows(target.host):
            return trail.end(failure=FailureKind.OUTSIDE, detail=target.host)
        page = self.known(target.key)
        # One that we come from ourselves: the redirect was turned round since.
        if page and all(page != hop.url for hop in trail.hops):
            return trail.end(copy_of=target.url)
        return None

    def _document(self, trail: _Trail, response: Response) -> Fetched:
        digest = (
            digest_of(response.body) if response.body else b""
        )  # nothing is no content to share
        said, canonical = SILENT, ""
        if speaks_to_crawlers(response):
            canonical = canonical_of(response)
            said = directives_of(response, self.rules.agent) if self.rules.page_rules else SILENT
        # What is not to be kept is no page that others could be copies of.
        told_apart = digest and said.index
        copy = self.duplicates.after(trail.here.url, response.address, digest) if told_apart else ""
        return Fetched(
            trail.asked.url,
            trail.here,
            trail.hops,
            response,
            None,
            "",
            None,
            digest,
            copy,
            canonical,
            said,
        )

    def _failed(
        self,
        trail: _Trail,
        kind: FailureKind,
        detail: str,
        response: Response | None = None,
        asked_for: float | None = None,
    ) -> Fetched:
        now = self.clock()
        if response is not None:
            asked_for = retry_after(response)
        host = self.hosts[trail.here.host]
        reachability = self.rulebook.reachability
        reachability.note_failure(host.name, kind)
        if not reachability.blames(kind):
            retry_at = without_blame(kind, trail.attempts, now, asked_for)
            self.courtesy.hold(host.name, retry_at - now)
            return trail.end(failure=kind, detail=detail, retry_at=retry_at)
        host, said = after_failure(host, kind, trail.attempts, now, asked_for)
        self.hosts.put(host)
        self.courtesy.hold(host.name, host.next_at - now)
        return trail.end(failure=kind, detail=detail, retry_at=said.retry_at, response=response)
