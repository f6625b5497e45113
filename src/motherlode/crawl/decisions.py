"""Decide the outcome of each fetch: a page with judgement and links, or the reason for having none.

Pure decisions: nothing in this module waits or writes.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.exchanges import exchange_of
from motherlode.documents.analysis import Analysed
from motherlode.documents.features.spaces import Sample
from motherlode.fetch import Response
from motherlode.fetch.failures import FailureKind, is_passing
from motherlode.fetch.fetcher import Fetched
from motherlode.policies.policy import FollowWatcher, Miss, MissKind, Moves, Policy, Visit
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
    UrlKey,
    UrlState,
)
from motherlode.store.archive import Exchange
from motherlode.store.tables.pages import NOT_REFRESHED
from motherlode.urls import address, host_of, url_key

_NOT_MODIFIED = 304
_NOFOLLOW = int(LinkFlag.NOFOLLOW)  # a plain int is faster, and every link of every page is tested
_REFRESH = int(LinkFlag.REFRESH)
_GONE_STATUSES = frozenset({404, 410})
_NO_INDEX = "noindex"
_COPY_OF = "copy of "
# Not failures: our own rules or the host's kept the crawler from requesting the URL.
_SKIPPED_KINDS = frozenset(
    {
        FailureKind.ROBOTS,
        FailureKind.TRAP,
        FailureKind.OUTSIDE,
        FailureKind.HOST_FULL,
        FailureKind.BAD_HOST,
        FailureKind.TYPE,
        FailureKind.TOO_LARGE,
    }
)


class FetchedEntry(Struct, frozen=True):
    """An entry with its fetch result and the documents read from it.

    The first document is the page itself; the others are the members of an archive.
    """

    entry: Entry
    fetched: Fetched
    documents: Sequence[Analysed] = ()


class BarredLinks(Struct, frozen=True):
    """Links that a page asks not to follow: all of its links, or those with these keys."""

    page: UrlKey
    keys: frozenset[UrlKey] = frozenset()
    has_all: bool = False

    def bars(self, follow: Follow) -> bool:
        """Return whether a follow was found on this page, and the page asks not to follow it."""
        is_own = follow.found_on is None or follow.found_on == self.page
        return is_own and (self.has_all or follow.key in self.keys)


class DraftOutcome(Struct, frozen=True):
    """An outcome that lacks only the archive position of its raw response.

    `barred` are links that a `FollowWatcher` is told of, if it follows them.
    """

    outcome: Outcome
    exchange: Exchange | None = None
    fetched: Fetched | None = None  # None: the document is a member of an archive
    barred: BarredLinks | None = None


# Returns the document of a visit in the feature spaces in which a policy judges.
MakeSample = Callable[[Visit], Sample]


def decide_outcomes(
    fetched_entries: Sequence[FetchedEntry], policy: Policy, make_sample: MakeSample, *, obey: bool
) -> list[DraftOutcome]:
    """Return an outcome for each fetched entry, followed by those of its archive members.

    `obey`: respect the robots directives of pages (noindex, nofollow).
    """
    visits_of_entries = [list(_visits(entry, make_sample)) for entry in fetched_entries]
    judgements = iter(policy.judge([visit for visits in visits_of_entries for visit in visits]))
    drafts: list[DraftOutcome] = []
    for fetched_entry, visits in zip(fetched_entries, visits_of_entries, strict=True):
        judged = [(visit, next(judgements)) for visit in visits]
        steered = [
            (
                visit,
                judgement,
                _allowed_moves(policy, visit, judgement, fetched_entry.fetched, obey=obey),
            )
            for visit, judgement in judged
        ]
        if steered:
            page, *members = _drafts(fetched_entry, steered, obey=obey)
            if obey and isinstance(policy, FollowWatcher):
                page = replace(page, barred=barred_links(steered[0][0], fetched_entry.fetched))
            drafts += [page, *members]
        else:
            drafts.append(_with_moves_after_miss(_without_document(fetched_entry), policy))
    return drafts


_Steered = tuple[Visit, Judgement | None, Moves]


def _visits(fetched_entry: FetchedEntry, make_sample: MakeSample) -> Iterator[Visit]:
    for place, analysed in enumerate(fetched_entry.documents):
        document, entry = analysed.document, fetched_entry.entry
        final = fetched_entry.fetched.final
        moved_to = None if final.key == entry.key else final
        if place == 0:
            document = _with_canonical(document, fetched_entry.fetched)
        else:
            key = url_key(analysed.url, host_of(analysed.url))
            entry = replace(entry, url_id=UrlId(0), url=analysed.url, key=key)
            moved_to = None
        visit = Visit(entry, document, moved_to=moved_to)
        yield replace(visit, sample=make_sample(visit))


def _drafts(
    fetched_entry: FetchedEntry, steered: Sequence[_Steered], *, obey: bool
) -> Iterator[DraftOutcome]:
    """Return the outcome of a page and, unless it is noindex, of its archive members."""
    fetched, response = fetched_entry.fetched, fetched_entry.fetched.response
    assert response is not None  # noqa: S101 - there is a document
    visit, judgement, moves = steered[0]
    follows, notes = tuple(moves.follows), tuple(moves.notes)
    if obey and (visit.document.noindex or not fetched.directives.index):
        fate = Fate(UrlState.SKIPPED, _NO_INDEX)
        outcome = Outcome(
            fetched_entry.entry,
            fate,
            redirects=fetched.hops,
            follows=follows,
            notes=notes,
        )
        yield DraftOutcome(outcome, None, fetched)
        return
    page = _page(fetched, response)
    outcome = Outcome(
        entry=fetched_entry.entry,
        fate=Fate(),
        page=page,
        document=visit.document,
        judgement=judgement,
        redirects=(*fetched.hops, *_meta_refreshes(page, visit.document)),
        follows=follows,
        notes=notes,
    )
    yield DraftOutcome(outcome, exchange_of(fetched.final.url, response), fetched)
    for member, analysed in zip(steered[1:], fetched_entry.documents[1:], strict=True):
        yield DraftOutcome(_member_outcome(page, member, analysed.mime, obey=obey))


def _member_outcome(archive: Page, member: _Steered, mime: str, *, obey: bool) -> Outcome:
    """Return the outcome of a document inside an archive: a page of its own below its URL."""
    visit, judgement, moves = member
    entry, notes = visit.entry, tuple(moves.notes)
    # Links with a fragment lead to members of this archive, which are already known.
    follows = tuple(follow for follow in moves.follows if "#" not in follow.url)
    if obey and visit.document.noindex:
        return Outcome(entry, Fate(UrlState.SKIPPED, _NO_INDEX), follows=follows, notes=notes)
    page = replace(archive, url=entry.url, key=entry.key, mime=mime, size=0, digest=b"")
    return Outcome(
        entry=entry,
        fate=Fate(),
        page=page,
        document=visit.document,
        judgement=judgement,
        follows=follows,
        notes=notes,
    )


def _meta_refreshes(page: Page, document: Document) -> Iterator[Redirect]:
    """Return a redirect for each meta refresh; the page itself is stored as well."""
    if document.refresh:
        for link in document.links:
            if link.flags & _REFRESH:
                yield Redirect(page.url, page.key, link.url, link.key, page.status)


def miss_of(outcome: Outcome) -> Miss | None:
    """Return the miss to report to a policy; None if there is a page or the entry is retried."""
    entry, fate = outcome.entry, outcome.fate
    if outcome.page is not None or fate.retry_at is not None:
        return None
    if fate.state is UrlState.FAILED:
        return Miss(entry, MissKind.FAILED, fate.reason)
    if fate.state is UrlState.SKIPPED:
        return Miss(entry, MissKind.SKIPPED, fate.reason)
    original = fate.reason.removeprefix(_COPY_OF) if fate.reason.startswith(_COPY_OF) else entry.url
    return Miss(entry, MissKind.DUPLICATE, fate.reason, original)


def _with_moves_after_miss(draft: DraftOutcome, policy: Policy) -> DraftOutcome:
    miss = miss_of(draft.outcome)
    if miss is None:
        return draft
    moves = policy.missed(miss)
    if not moves.follows and not moves.notes:
        return draft
    outcome = replace(draft.outcome, follows=tuple(moves.follows), notes=tuple(moves.notes))
    return replace(draft, outcome=outcome)


def _without_document(fetched_entry: FetchedEntry) -> DraftOutcome:
    entry, fetched = fetched_entry.entry, fetched_entry.fetched
    return DraftOutcome(_outcome_without_document(entry, fetched), None, fetched)


def _outcome_without_document(entry: Entry, fetched: Fetched) -> Outcome:
    hops, response = fetched.hops, fetched.response
    if fetched.failure is not None:
        return Outcome(entry, _fate_of_failure(fetched, fetched.failure), redirects=hops)
    if fetched.copy_of == entry.url:  # another URL has meanwhile redirected to this page
        return Outcome(entry)
    if fetched.copy_of:
        fate = Fate(UrlState.MOVED, f"{_COPY_OF}{fetched.copy_of}")
        return Outcome(entry, fate, redirects=_redirects_to_original(fetched))
    if response is not None and response.status == _NOT_MODIFIED:
        return Outcome(entry, Fate(), _page(fetched, response), redirects=hops)
    return Outcome(entry, Fate(UrlState.FAILED, "nothing new"), redirects=hops)


def _fate_of_failure(fetched: Fetched, failure: FailureKind) -> Fate:
    reason = f"{failure}: {fetched.detail}" if fetched.detail else str(failure)
    state = UrlState.SKIPPED if failure in _SKIPPED_KINDS else UrlState.FAILED
    is_tried = failure is not FailureKind.RESTING
    return Fate(state, reason, fetched.retry_at, tried=is_tried, passing=is_passing(failure))


def as_not_modified(fetched: Fetched) -> Fetched:
    """Return the fetch result as if the host had answered 304 (Not Modified)."""
    response = fetched.response
    assert response is not None  # noqa: S101 - a document came
    not_modified = replace(response, status=_NOT_MODIFIED, body=b"", sent=b"")
    return replace(fetched, copy_of="", response=not_modified, answered=response)


def as_refresh(draft: DraftOutcome) -> DraftOutcome:
    """Return the outcome for a page that was stored before.

    The page stays as it was unless its host says that it is gone, has moved, or is noindex. After
    any other failure the next refresh tries it again.
    """
    outcome, fetched = draft.outcome, draft.fetched
    fate, entry = outcome.fate, outcome.entry
    if fetched is not None and fetched.response is not None and fetched.copy_of == entry.url:
        # The content came from another URL and is what was stored under this one.
        unchanged = Page(entry.url, entry.key, fetched.response.at, fetched.response.status)
        return replace(draft, outcome=replace(outcome, page=unchanged))
    is_failure = fate.state in (UrlState.FAILED, UrlState.SKIPPED) and fate.reason != _NO_INDEX
    if fetched is None or not is_failure:
        return draft
    status = fetched.response.status if fetched.response is not None else 0
    if status in _GONE_STATUSES:
        fate = Fate(UrlState.FAILED, f"gone: status {status}")
    else:
        fate = Fate(UrlState.FETCHED, f"{NOT_REFRESHED}{fate.reason}")
    return replace(draft, outcome=replace(outcome, fate=fate, redirects=()))


def _with_canonical(document: Document, fetched: Fetched) -> Document:
    """Return the document with the canonical URL of its headers, unless it names one itself."""
    if not fetched.canonical or document.canonical:
        return document
    canonical = address(fetched.canonical)
    link = Link(canonical.url, canonical.key, flags=int(LinkFlag.CANONICAL))
    return replace(document, canonical=canonical.url, links=(*document.links, link))


def _redirects_to_original(fetched: Fetched) -> tuple[Redirect, ...]:
    """Return the redirects plus an artificial one (status 0) from a copy to the original page."""
    final, original = fetched.final, address(fetched.copy_of)
    if final.key == original.key:
        return fetched.hops
    return (*fetched.hops, Redirect(final.url, final.key, original.url, original.key, 0))


def _allowed_moves(
    policy: Policy, visit: Visit, judgement: Judgement | None, fetched: Fetched, *, obey: bool
) -> Moves:
    """Return the policy's moves, without links that the page asks not to be followed.

    A `FollowWatcher` keeps these until it is told.
    """
    moves = policy.steer(visit, judgement)
    if not obey or isinstance(policy, FollowWatcher):
        return moves
    barred = barred_links(visit, fetched)
    if not barred.keys and not barred.has_all:
        return moves
    return replace(moves, follows=[each for each in moves.follows if not barred.bars(each)])


def barred_links(visit: Visit, fetched: Fetched) -> BarredLinks:
    """Return the links that a page, or the headers it came with, ask not to follow."""
    if not fetched.directives.follow:
        return BarredLinks(visit.key, has_all=True)
    links = visit.document.links
    nofollow = {link.key for link in links if link.flags & _NOFOLLOW}
    if nofollow:  # one plain link to the same URL is enough to follow it
        nofollow.difference_update([link.key for link in links if not link.flags & _NOFOLLOW])
    return BarredLinks(visit.key, frozenset(nofollow))


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
