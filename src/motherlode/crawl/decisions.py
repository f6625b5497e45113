"""What a fetch leads to: a page with its judgement and the links to follow, or why there is none.

Decisions only: nothing here waits, and nothing is written.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.analysing import Analysed
from motherlode.fetch import Response
from motherlode.fetch.failures import Kind, is_passing
from motherlode.fetch.fetching import Fetched
from motherlode.learning.tree import Sample
from motherlode.policies.policy import Policy, Visit
from motherlode.records import (
    Document,
    Entry,
    Fate,
    Follow,
    Judgement,
    Link,
    LinkFlag,
    Outcome,
    Page,
    Redirect,
    UrlId,
    UrlState,
)
from motherlode.store.archive import GZIPPED, Exchange
from motherlode.store.pages import NOT_REFRESHED
from motherlode.urls import address, host_of, url_key

_CODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_NOT_MODIFIED = 304
_NOFOLLOW = int(LinkFlag.NOFOLLOW)  # a bare number: every link of every page is looked at
_REFRESH = int(LinkFlag.REFRESH)
_GONE = frozenset({404, 410})
_NO_INDEX = "noindex"
# Not failures: it was never asked for, by our own rules or the host's.
_SKIPPED = frozenset(
    {Kind.ROBOTS, Kind.TRAP, Kind.OUTSIDE, Kind.HOST_FULL, Kind.BAD_HOST, Kind.TYPE, Kind.TOO_LARGE}
)


class Catch(Struct, frozen=True):
    """An entry, what was fetched for it, and what that says: the document, and those inside it."""

    entry: Entry
    fetched: Fetched
    said: Sequence[Analysed] = ()


class Draft(Struct, frozen=True):
    """An outcome that lacks nothing but the place of its raw response in the archive."""

    outcome: Outcome
    exchange: Exchange | None = None
    fetched: Fetched | None = None  # None: it was inside another


# A document in the feature spaces that a policy judges in.
InSpaces = Callable[[Entry, Document], Sample]


def settle(catches: Sequence[Catch], policy: Policy, in_spaces: InSpaces, *, obey: bool) -> list[Draft]:
    """What becomes of each, documents inside archives after them. `obey` what pages ask of crawlers."""
    found = [(catch, list(_visits(catch, in_spaces))) for catch in catches]
    judgements = iter(policy.judge([visit for _, visits in found for visit in visits]))
    drafts: list[Draft] = []
    for catch, visits in found:
        judged = [(visit, next(judgements)) for visit in visits]
        steered = [(*both, tuple(_allowed(policy, *both, catch.fetched, obey=obey))) for both in judged]
        drafts += _drafts(catch, steered, obey=obey) if steered else [_without_document(catch)]
    return drafts


_Steered = tuple[Visit, Judgement | None, tuple[Follow, ...]]


def _visits(catch: Catch, in_spaces: InSpaces) -> Iterator[Visit]:
    for place, one in enumerate(catch.said):
        document, entry = one.document, catch.entry
        if place == 0:
            document = _with_canonical(document, catch.fetched)
        else:
            entry = replace(entry, url_id=UrlId(0), url=one.url, key=url_key(one.url, host_of(one.url)))
        yield Visit(entry, document, in_spaces(entry, document))


def _drafts(catch: Catch, steered: Sequence[_Steered], *, obey: bool) -> Iterator[Draft]:
    """A page and, if it is kept, the documents inside it: pages of their own under its address."""
    fetched, response = catch.fetched, catch.fetched.response
    assert response is not None  # noqa: S101 - there is a document
    visit, judgement, follows = steered[0]
    if obey and (visit.document.noindex or not fetched.directives.index):
        fate = Fate(UrlState.SKIPPED, _NO_INDEX)
        yield Draft(Outcome(catch.entry, fate, redirects=fetched.hops, follows=follows), None, fetched)
        return
    page = _page(fetched, response)
    hops = (*fetched.hops, *_leads_by_itself(page, visit.document))
    outcome = Outcome(catch.entry, Fate(), page, visit.document, judgement, hops, follows)
    yield Draft(outcome, _exchange(fetched, response), fetched)
    for (inner, said, leads), one in zip(steered[1:], catch.said[1:], strict=True):
        entry = inner.entry
        away = tuple(follow for follow in leads if "#" not in follow.url)  # members are here already
        if obey and inner.document.noindex:
            yield Draft(Outcome(entry, Fate(UrlState.SKIPPED, _NO_INDEX), follows=away))
        else:
            member = replace(page, url=entry.url, key=entry.key, mime=one.mime, size=0, digest=b"")
            yield Draft(Outcome(entry, Fate(), member, inner.document, said, follows=away))


def _leads_by_itself(page: Page, document: Document) -> Iterator[Redirect]:
    """A page that leads on by itself (a meta refresh) is a redirect as well, though it is here."""
    if document.refresh:
        for link in document.links:
            if link.flags & _REFRESH:
                yield Redirect(page.url, page.key, link.url, link.key, page.status)


def _without_document(catch: Catch) -> Draft:
    entry, fetched = catch.entry, catch.fetched
    hops, response = fetched.hops, fetched.response
    if fetched.failure is not None:
        reason = f"{fetched.failure}: {fetched.detail}" if fetched.detail else str(fetched.failure)
        state = UrlState.SKIPPED if fetched.failure in _SKIPPED else UrlState.FAILED
        tried, passing = fetched.failure is not Kind.RESTING, is_passing(fetched.failure)
        fate = Fate(state, reason, fetched.retry_at, tried=tried, passing=passing)
        return Draft(Outcome(entry, fate, redirects=hops), None, fetched)
    if fetched.copy_of == entry.url:  # a redirect has led to it meanwhile
        return Draft(Outcome(entry), None, fetched)
    if fetched.copy_of:
        fate = Fate(UrlState.MOVED, f"copy of {fetched.copy_of}")
        return Draft(Outcome(entry, fate, redirects=_merged(fetched)), None, fetched)
    if response is not None and response.status == _NOT_MODIFIED:
        return Draft(Outcome(entry, Fate(), _page(fetched, response), redirects=hops), None, fetched)
    return Draft(Outcome(entry, Fate(UrlState.FAILED, "nothing new"), redirects=hops), None, fetched)


def unmodified(fetched: Fetched) -> Fetched:
    """The same, as if its host had said itself that nothing has changed."""
    response = fetched.response
    assert response is not None  # noqa: S101 - a document came
    nothing_new = replace(response, status=_NOT_MODIFIED, body=b"", sent=b"")
    return replace(fetched, copy_of="", response=nothing_new, answered=response)


def for_known_page(draft: Draft) -> Draft:
    """What becomes of a page that was there before: it stays as it was, unless its host says that it is gone,
    has moved, or is not to be shown. What failed in another way is left to another time."""
    outcome, fetched = draft.outcome, draft.fetched
    fate, entry = outcome.fate, outcome.entry
    if fetched is not None and fetched.response is not None and fetched.copy_of == entry.url:
        same = Page(entry.url, entry.key, fetched.response.at, fetched.response.status)
        return replace(draft, outcome=replace(outcome, page=same))  # at another address, as it was here
    if fetched is None or fate.state not in (UrlState.FAILED, UrlState.SKIPPED) or fate.reason == _NO_INDEX:
        return draft
    status = fetched.response.status if fetched.response is not None else 0
    if status in _GONE:
        fate = Fate(UrlState.FAILED, f"gone: status {status}")
    else:
        fate = Fate(UrlState.FETCHED, f"{NOT_REFRESHED}{fate.reason}")
    return replace(draft, outcome=replace(outcome, fate=fate, redirects=()))


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
    policy: Policy, visit: Visit, judgement: Judgement | None, fetched: Fetched, *, obey: bool
) -> Iterable[Follow]:
    """What the policy follows, without links that the page asks not to be followed."""
    follows = policy.steer(visit, judgement)
    if not obey:
        return follows
    if not fetched.directives.follow:
        return ()
    links = visit.document.links
    barred = {link.key for link in links if link.flags & _NOFOLLOW}
    if barred:
        barred.difference_update([link.key for link in links if not link.flags & _NOFOLLOW])
    return [follow for follow in follows if follow.key not in barred] if barred else follows


def _exchange(fetched: Fetched, response: Response) -> Exchange:
    head = "".join(f"{name}: {value}\r\n" for name, value in response.headers if name.lower() not in _CODED)
    block = f"HTTP/1.1 {response.status} -\r\n{head}".encode("latin-1", "replace")
    if response.sent:  # as it came, so that nobody has to pack it again
        return Exchange(fetched.final.url, response.at, block + GZIPPED, response.sent, response.address)
    return Exchange(fetched.final.url, response.at, block, response.body, response.address)


def _page(fetched: Fetched, response: Response) -> Page:
    return Page(
        url=fetched.final.url,
        key=fetched.final.key,
        fetched_at=response.at,
        status=response.status,
        mime=response.mime,
        size=len(response.body),
        digest=fetched.digest,
        etag=response.header("etag"),
        last_modified=response.header("last-modified"),
        address=response.address,
    )
