"""What each fetch leads to, decided without a network, a store or a clock."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from motherlode.crawl.decisions import (
    DraftOutcome,
    FetchedEntry,
    as_not_modified,
    as_refresh,
    decide_outcomes,
    miss_of,
)
from motherlode.documents.analysis import Analysed
from motherlode.documents.robots_directives import Directives
from motherlode.fetch import Response
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import Fetched
from motherlode.policies.policy import NO_MOVES, Miss, MissKind, Moves, PolicyDefaults, Visit
from motherlode.records import (
    Document,
    Entry,
    Fate,
    Follow,
    Judgement,
    Link,
    LinkFlag,
    Note,
    Outcome,
    Page,
    QueueId,
    Redirect,
    TopicId,
    UrlId,
    UrlKey,
    UrlState,
)
from motherlode.store.archive import GZIPPED
from motherlode.urls import address, host_of, url_key

URL, TARGET, ELSEWHERE = "http://a.test/page", "http://b.test/target", "http://c.test/"
INSTEAD = "http://a.test/instead"
OWLS = QueueId(2)
FETCHED_AT = 1_700_000_000.0
RETRY_AT = 1_700_000_060.0
# Everything else that goes wrong is a failure.
SKIPPED_KINDS = {
    FailureKind.ROBOTS,
    FailureKind.TRAP,
    FailureKind.OUTSIDE,
    FailureKind.HOST_FULL,
    FailureKind.BAD_HOST,
    FailureKind.TYPE,
    FailureKind.TOO_LARGE,
}


class FollowingPolicy(PolicyDefaults):
    """Follows every link, judges pages by their titles, and tries another URL after a miss."""

    name = "following"

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.misses: list[Miss] = []

    def seed(self) -> list[Follow]:
        return []

    def judge(self, visits: Sequence[Visit]) -> list[Judgement | None]:
        return [Judgement(TopicId(5), float(len(visit.document.title))) for visit in visits]

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        self.visits.append(visit)
        return Moves([follow(link.url) for link in visit.document.links], [note(visit.url)])

    def missed(self, miss: Miss) -> Moves:
        self.misses.append(miss)
        return Moves([follow(INSTEAD)], [note(miss.entry.url)])


def key_of(url: str) -> UrlKey:
    """Return the key of a URL as it is: that of a member has a fragment."""
    return url_key(url, host_of(url))


def follow(url: str) -> Follow:
    return Follow(url, key_of(url), OWLS, 0.5)


def note(url: str) -> Note:
    return Note("seen", url, 1)


def entry_of(url: str = URL) -> Entry:
    return Entry(UrlId(7), url, key_of(url), OWLS, 0.5, attempts=1)


def link(url: str, flags: LinkFlag = LinkFlag.NONE) -> Link:
    return Link(url, key_of(url), flags=int(flags))


def hop(source: str, target: str, status: int) -> Redirect:
    return Redirect(source, key_of(source), target, key_of(target), status)


def response(status: int = 200, **fields: Any) -> Response:
    answer = Response(
        url=URL,
        status=status,
        headers=(("ETag", '"1"'), ("Content-Length", "4")),
        body=b"owls",
        at=FETCHED_AT,
        seconds=0.1,
        address="192.0.2.1",
        mime="text/html",
    )
    return replace(answer, **fields)


def fetch(final: str = URL, **fields: Any) -> Fetched:
    return Fetched(URL, address(final), **fields)


def fetch_page(final: str = URL, **fields: Any) -> Fetched:
    return fetch(final, **{"response": response(), "digest": b"owls' digest", **fields})


def members(*documents: Document) -> list[Analysed]:
    """Return documents as a reader does: the first at the URL itself, the others inside it."""
    urls = [URL, *(f"{URL}#{place}" for place in range(1, len(documents)))]
    both = zip(urls, documents, strict=True)
    return [Analysed(url, "text/html", document) for url, document in both]


def decide_all(
    fetched: Fetched, *documents: Document, policy: FollowingPolicy | None = None, obey: bool = True
) -> list[DraftOutcome]:
    pages = [FetchedEntry(entry_of(), fetched, members(*documents) if documents else ())]
    policy = policy or FollowingPolicy()
    return decide_outcomes(pages, policy, lambda _visit: {}, obey=obey)


def decide(
    fetched: Fetched, *documents: Document, policy: FollowingPolicy | None = None, obey: bool = True
) -> Outcome:
    """Return the first outcome: that of the page itself."""
    return decide_all(fetched, *documents, policy=policy, obey=obey)[0].outcome


def followed(outcome: Outcome) -> list[str]:
    return [follow.url for follow in outcome.follows]


# --- pages ---


def test_a_page_is_stored_with_its_judgement_links_and_notes() -> None:
    document = Document(title="Owls", links=(link(ELSEWHERE),))
    outcome = decide(fetch_page(), document)
    assert outcome == Outcome(
        entry=entry_of(),
        fate=Fate(UrlState.FETCHED),
        page=Page(
            url=URL,
            key=key_of(URL),
            fetched_at=FETCHED_AT,
            status=200,
            mime="text/html",
            size=4,
            digest=b"owls' digest",
            etag='"1"',
            address="192.0.2.1",
        ),
        document=document,
        judgement=Judgement(TopicId(5), 4.0),
        follows=(follow(ELSEWHERE),),
        notes=(note(URL),),
    )


def test_a_page_behind_a_redirect_is_stored_at_its_target() -> None:
    policy, hops = FollowingPolicy(), (hop(URL, TARGET, 301),)
    outcome = decide(fetch_page(TARGET, hops=hops), Document(), policy=policy)
    assert outcome.page is not None
    assert (outcome.page.url, outcome.page.key) == (TARGET, key_of(TARGET))
    assert (outcome.entry, outcome.redirects) == (entry_of(), hops)
    assert policy.visits[0].moved_to == address(TARGET)


def test_a_policy_sees_no_move_where_the_page_is_at_its_own_url() -> None:
    policy = FollowingPolicy()
    decide(fetch_page(), Document(), policy=policy)
    assert policy.visits[0].moved_to is None


@pytest.mark.parametrize(
    ("sent", "ending", "body"),
    [(b"", b"", b"owls"), (b"\x1f\x8bpacked", GZIPPED, b"\x1f\x8bpacked")],
    ids=["plain", "gzip"],
)
def test_the_response_is_archived_as_it_came(sent: bytes, ending: bytes, body: bytes) -> None:
    draft = decide_all(fetch_page(response=response(sent=sent)), Document())[0]
    assert draft.exchange is not None
    assert draft.exchange.head == b'HTTP/1.1 200 -\r\nETag: "1"\r\n' + ending
    assert draft.exchange.body == body


def test_a_page_that_leads_on_by_itself_is_a_page_and_a_redirect() -> None:
    links = (link(TARGET, LinkFlag.REFRESH), link(ELSEWHERE))
    outcome = decide(fetch_page(), Document(refresh=TARGET, links=links))
    assert outcome.page is not None
    assert outcome.redirects == (hop(URL, TARGET, 200),)


def test_a_refresh_after_a_redirect_leads_on_from_its_target() -> None:
    hops = (hop(URL, TARGET, 302),)
    document = Document(refresh=ELSEWHERE, links=(link(ELSEWHERE, LinkFlag.REFRESH),))
    outcome = decide(fetch_page(TARGET, hops=hops), document)
    assert outcome.redirects == (*hops, hop(TARGET, ELSEWHERE, 200))


@pytest.mark.parametrize(
    ("in_response", "in_document", "canonical", "links"),
    [
        ("", "", "", ()),
        (TARGET, "", TARGET, (link(TARGET, LinkFlag.CANONICAL),)),
        ("", ELSEWHERE, ELSEWHERE, ()),
        (TARGET, ELSEWHERE, ELSEWHERE, ()),  # the document's own word counts more
    ],
)
def test_the_canonical_url_of_the_response_is_added_if_the_document_names_none(
    in_response: str, in_document: str, canonical: str, links: tuple[Link, ...]
) -> None:
    outcome = decide(fetch_page(canonical=in_response), Document(canonical=in_document))
    assert outcome.document == Document(canonical=canonical, links=links)


# --- what pages ask of crawlers ---


@pytest.mark.parametrize(
    ("in_document", "in_response", "obey", "is_stored"),
    [
        (False, False, True, True),
        (True, False, True, False),
        (False, True, True, False),
        (True, True, False, True),
    ],
)
def test_noindex_keeps_a_page_out_of_the_store_but_its_links_are_followed(
    in_document: bool,  # noqa: FBT001 - a parameter
    in_response: bool,  # noqa: FBT001
    obey: bool,  # noqa: FBT001
    is_stored: bool,  # noqa: FBT001
) -> None:
    fetched = fetch_page(directives=Directives(index=not in_response))
    document = Document(noindex=in_document, links=(link(ELSEWHERE),))
    draft = decide_all(fetched, document, obey=obey)[0]
    outcome = draft.outcome
    assert outcome.fate == (Fate() if is_stored else Fate(UrlState.SKIPPED, "noindex"))
    assert (outcome.page is not None) == (draft.exchange is not None) == is_stored
    assert (followed(outcome), outcome.notes) == ([ELSEWHERE], (note(URL),))


def test_a_policy_that_saw_a_noindex_page_does_not_hear_of_a_miss() -> None:
    policy = FollowingPolicy()
    decide(fetch_page(), Document(noindex=True), policy=policy)
    assert (len(policy.visits), policy.misses) == (1, [])


_PLAIN, _BARRED = link(ELSEWHERE), link(TARGET, LinkFlag.NOFOLLOW)


@pytest.mark.parametrize(
    ("links", "may_follow", "obey", "expected"),
    [
        ((_PLAIN, _BARRED), True, True, [ELSEWHERE]),
        ((_PLAIN, _BARRED), True, False, [ELSEWHERE, TARGET]),
        ((_PLAIN, _BARRED), False, True, []),
        ((_PLAIN, _BARRED), False, False, [ELSEWHERE, TARGET]),
        ((_PLAIN, _BARRED, link(TARGET)), True, True, [ELSEWHERE, TARGET, TARGET]),  # one link may
        ((_PLAIN,), True, True, [ELSEWHERE]),
    ],
)
def test_links_are_not_followed_where_the_page_asks_for_it(
    links: tuple[Link, ...],
    may_follow: bool,  # noqa: FBT001 - a parameter
    obey: bool,  # noqa: FBT001
    expected: list[str],
) -> None:
    fetched = fetch_page(directives=Directives(follow=may_follow))
    assert followed(decide(fetched, Document(links=links), obey=obey)) == expected


# --- documents inside archives ---


def test_members_of_an_archive_are_pages_of_their_own() -> None:
    policy, hops = FollowingPolicy(), (hop(URL, TARGET, 301),)
    archive = Document(title="a", links=(link(f"{URL}#1"),))
    inner = Document(title="bb", links=(link(ELSEWHERE), link(f"{URL}#2")))
    drafts = decide_all(fetch_page(TARGET, hops=hops), archive, inner, policy=policy)
    member = drafts[1].outcome
    url = f"{URL}#1"
    assert member.page is not None
    assert (member.entry.url_id, member.entry.url, member.entry.key) == (0, url, key_of(url))
    assert (member.page.url, member.page.size, member.page.digest) == (url, 0, b"")
    assert (member.page.fetched_at, member.page.mime) == (FETCHED_AT, "text/html")
    assert (drafts[1].exchange, drafts[1].fetched, member.redirects) == (None, None, ())
    assert (member.document, member.judgement) == (inner, Judgement(TopicId(5), 2.0))
    assert followed(member) == [ELSEWHERE]  # other members are here already
    assert [visit.moved_to for visit in policy.visits] == [address(TARGET), None]


@pytest.mark.parametrize(
    ("archive_noindex", "member_noindex", "obey", "states"),
    [
        (False, False, True, [UrlState.FETCHED, UrlState.FETCHED]),
        (False, True, True, [UrlState.FETCHED, UrlState.SKIPPED]),
        (True, False, True, [UrlState.SKIPPED]),
        (True, True, False, [UrlState.FETCHED, UrlState.FETCHED]),
    ],
)
def test_noindex_of_archives_holds_for_their_members(
    archive_noindex: bool,  # noqa: FBT001 - a parameter
    member_noindex: bool,  # noqa: FBT001
    obey: bool,  # noqa: FBT001
    states: list[UrlState],
) -> None:
    documents = Document(noindex=archive_noindex), Document(noindex=member_noindex)
    outcomes = [draft.outcome for draft in decide_all(fetch_page(), *documents, obey=obey)]
    assert [outcome.fate.state for outcome in outcomes] == states
    assert [outcome.page is not None for outcome in outcomes] == [
        state is UrlState.FETCHED for state in states
    ]


def test_a_member_that_is_not_stored_has_its_links_followed() -> None:
    inner = Document(noindex=True, links=(link(ELSEWHERE), link(f"{URL}#2")))
    outcome = decide_all(fetch_page(), Document(), inner)[1].outcome
    assert (followed(outcome), outcome.notes) == ([ELSEWHERE], (note(f"{URL}#1"),))


def test_nofollow_of_an_archive_holds_for_its_members() -> None:
    fetched = fetch_page(directives=Directives(follow=False))
    drafts = decide_all(fetched, Document(), Document(links=(link(ELSEWHERE),)))
    assert [followed(draft.outcome) for draft in drafts] == [[], []]


def test_each_outcome_of_a_batch_has_the_judgement_of_its_own_document() -> None:
    archive = members(Document(title="a"), Document(title="bb"))
    pages = [
        FetchedEntry(entry_of("http://a.test/1"), fetch(failure=FailureKind.RESET)),
        FetchedEntry(entry_of(), fetch_page(), archive),
        FetchedEntry(entry_of("http://a.test/2"), fetch(failure=FailureKind.ROBOTS)),
        FetchedEntry(entry_of("http://a.test/3"), fetch_page(), members(Document(title="ccc"))),
    ]
    policy = FollowingPolicy()
    drafts = decide_outcomes(pages, policy, lambda _visit: {}, obey=True)
    confidences = [
        (draft.outcome.entry.url, draft.outcome.judgement and draft.outcome.judgement.confidence)
        for draft in drafts
    ]
    assert confidences == [
        ("http://a.test/1", None),
        (URL, 1.0),
        (f"{URL}#1", 2.0),
        ("http://a.test/2", None),
        ("http://a.test/3", 3.0),
    ]


class WatchingPolicy(FollowingPolicy):
    """Waits for an answer to each of its follows."""

    def not_queued(self, _follow: Follow) -> Moves:
        return NO_MOVES

    def unwritten_notes(self) -> list[Note]:
        return []


@pytest.mark.parametrize("header", [True, False])
def test_a_watching_policy_is_told_of_links_that_its_page_bars(*, header: bool) -> None:
    flags = LinkFlag.NONE if header else LinkFlag.NOFOLLOW
    document = Document(links=(link(INSTEAD, flags),))
    directives = Directives(follow=not header)
    (draft,) = decide_all(fetch_page(directives=directives), document, policy=WatchingPolicy())
    assert [each.url for each in draft.outcome.follows] == [INSTEAD]
    assert draft.barred is not None
    assert draft.barred.bars(follow(INSTEAD))
    elsewhere = replace(follow(INSTEAD), found_on=key_of("http://a.test/other"))
    assert not draft.barred.bars(elsewhere)  # another page has the link, too


# --- fetches without a document ---


@pytest.mark.parametrize("kind", FailureKind)
@pytest.mark.parametrize("retry_at", [None, RETRY_AT])
def test_every_kind_of_failure_is_failed_or_skipped(
    kind: FailureKind, retry_at: float | None
) -> None:
    hops = (hop(URL, TARGET, 301),)
    outcome = decide(fetch(TARGET, hops=hops, failure=kind, retry_at=retry_at))
    assert outcome.fate.state is (UrlState.SKIPPED if kind in SKIPPED_KINDS else UrlState.FAILED)
    assert (outcome.fate.retry_at, outcome.fate.reason) == (retry_at, kind.value)
    assert (outcome.page, outcome.redirects) == (None, hops)


@pytest.mark.parametrize(
    ("kind", "detail", "fate"),
    [
        (FailureKind.CLIENT, "status 404", Fate(UrlState.FAILED, "not there: status 404")),
        (FailureKind.REFUSED, "", Fate(UrlState.FAILED, "connection refused", passing=True)),
        (FailureKind.RESTING, "busy", Fate(UrlState.FAILED, "host rests: busy", tried=False)),
        (FailureKind.ROBOTS, "", Fate(UrlState.SKIPPED, "robots.txt")),
        (FailureKind.TRAP, "path", Fate(UrlState.SKIPPED, "trap: path")),
        (FailureKind.BAD_HOST, "", Fate(UrlState.SKIPPED, "bad host", passing=True)),
    ],
)
def test_a_failure_says_why_whether_it_was_tried_and_whether_it_may_pass(
    kind: FailureKind, detail: str, fate: Fate
) -> None:
    assert decide(fetch(failure=kind, detail=detail)).fate == fate


@pytest.mark.parametrize(
    ("final", "copy_of", "expected"),
    [
        (URL, ELSEWHERE, (hop(URL, ELSEWHERE, 0),)),
        (TARGET, ELSEWHERE, (hop(URL, TARGET, 301), hop(TARGET, ELSEWHERE, 0))),
        (TARGET, TARGET, (hop(URL, TARGET, 301),)),  # the redirect led to the page itself
    ],
)
def test_a_duplicate_moves_to_the_page_that_was_first(
    final: str, copy_of: str, expected: tuple[Redirect, ...]
) -> None:
    hops = () if final == URL else (hop(URL, final, 301),)
    outcome = decide(fetch(final, hops=hops, copy_of=copy_of))
    assert outcome.fate == Fate(UrlState.MOVED, f"copy of {copy_of}")
    assert (outcome.page, outcome.redirects) == (None, expected)


def test_an_entry_whose_page_another_redirect_has_led_to_is_fetched() -> None:
    outcome = decide(fetch(copy_of=URL, hops=(hop(URL, TARGET, 301),)))
    assert (outcome.fate, outcome.page, outcome.redirects) == (Fate(), None, ())


def test_a_page_that_was_not_modified_is_a_page_without_a_document() -> None:
    policy = FollowingPolicy()
    draft = decide_all(fetch(response=response(304, body=b"")), policy=policy)[0]
    assert (draft.outcome.fate, draft.outcome.document, draft.exchange) == (Fate(), None, None)
    assert draft.outcome.page is not None
    assert (draft.outcome.page.status, draft.outcome.page.fetched_at) == (304, FETCHED_AT)
    assert policy.misses == []


@pytest.mark.parametrize("answer", [None, response()])
def test_a_fetch_without_document_or_reason_has_failed(answer: Response | None) -> None:
    outcome = decide(fetch(response=answer))
    assert (outcome.fate, outcome.page) == (Fate(UrlState.FAILED, "nothing new"), None)


def test_a_page_with_the_same_content_is_taken_for_not_modified() -> None:
    original = response(sent=b"packed")
    unchanged = as_not_modified(fetch_page(response=original, copy_of=URL))
    assert unchanged.response == response(304, body=b"", sent=b"")
    assert (unchanged.answered, unchanged.copy_of) == (original, "")


# --- what a policy hears ---


@pytest.mark.parametrize(
    ("fate", "has_page", "expected"),
    [
        (Fate(UrlState.FAILED, "gone"), False, (MissKind.FAILED, "gone", "")),
        (Fate(UrlState.FAILED, "busy", RETRY_AT), False, None),
        (Fate(UrlState.SKIPPED, "trap"), False, (MissKind.SKIPPED, "trap", "")),
        (Fate(UrlState.SKIPPED, "bad host", RETRY_AT), False, None),
        (
            Fate(UrlState.MOVED, f"copy of {TARGET}"),
            False,
            (MissKind.DUPLICATE, f"copy of {TARGET}", TARGET),
        ),
        (Fate(), False, (MissKind.DUPLICATE, "", URL)),
        (Fate(), True, None),
    ],
)
def test_a_miss_is_an_outcome_without_a_page_that_is_not_tried_again(
    fate: Fate,
    has_page: bool,  # noqa: FBT001 - a parameter
    expected: tuple[MissKind, str, str] | None,
) -> None:
    page = Page(URL, key_of(URL), FETCHED_AT, 200) if has_page else None
    miss = miss_of(Outcome(entry_of(), fate, page))
    assert miss == (None if expected is None else Miss(entry_of(), *expected))


@pytest.mark.parametrize(
    ("fetched", "kind"),
    [
        (fetch(failure=FailureKind.CLIENT), MissKind.FAILED),
        (fetch(failure=FailureKind.ROBOTS), MissKind.SKIPPED),
        (fetch(copy_of=TARGET), MissKind.DUPLICATE),
    ],
)
def test_moves_after_a_miss_are_part_of_the_outcome(fetched: Fetched, kind: MissKind) -> None:
    policy = FollowingPolicy()
    outcome = decide(fetched, policy=policy)
    assert [miss.kind for miss in policy.misses] == [kind]
    assert (followed(outcome), outcome.notes) == ([INSTEAD], (note(URL),))


def test_a_policy_does_not_hear_of_an_entry_that_is_tried_again() -> None:
    policy = FollowingPolicy()
    outcome = decide(fetch(failure=FailureKind.RESET, retry_at=RETRY_AT), policy=policy)
    assert (policy.misses, outcome.follows, outcome.notes) == ([], (), ())


# --- pages that were here before ---


@pytest.mark.parametrize(
    ("fetched", "fate"),
    [
        (
            fetch(failure=FailureKind.CLIENT, response=response(404)),
            Fate(UrlState.FAILED, "gone: status 404"),
        ),
        (
            fetch(failure=FailureKind.CLIENT, response=response(410)),
            Fate(UrlState.FAILED, "gone: status 410"),
        ),
        (
            fetch(failure=FailureKind.CLIENT, detail="status 403", response=response(403)),
            Fate(UrlState.FETCHED, "not refreshed: not there: status 403"),
        ),
        (
            fetch(failure=FailureKind.UNAVAILABLE, response=response(503), retry_at=RETRY_AT),
            Fate(UrlState.FETCHED, "not refreshed: unavailable"),
        ),
        (fetch(failure=FailureKind.ROBOTS), Fate(UrlState.FETCHED, "not refreshed: robots.txt")),
        (fetch(failure=FailureKind.RESTING), Fate(UrlState.FETCHED, "not refreshed: host rests")),
    ],
)
def test_a_page_stays_as_it_was_unless_it_is_gone(fetched: Fetched, fate: Fate) -> None:
    moved = replace(fetched, hops=(hop(URL, TARGET, 301),))
    outcome = as_refresh(decide_all(moved)[0]).outcome
    assert (outcome.fate, outcome.page, outcome.redirects) == (fate, None, ())


@pytest.mark.parametrize(
    ("fetched", "documents"),
    [
        (fetch_page(), [Document(title="new")]),
        (fetch_page(), [Document(noindex=True)]),
        (fetch(copy_of=TARGET), []),
        (fetch(response=response(304)), []),
        (fetch(copy_of=URL), []),
    ],
    ids=["changed", "noindex", "moved", "not modified", "known meanwhile"],
)
def test_a_refresh_decides_as_a_crawl_does_where_the_host_gave_a_clear_answer(
    fetched: Fetched, documents: list[Document]
) -> None:
    draft = decide_all(fetched, *documents)[0]
    assert as_refresh(draft) == draft


def test_members_of_a_refreshed_archive_are_as_in_a_crawl() -> None:
    drafts = decide_all(fetch_page(), Document(), Document(), Document(noindex=True))
    assert [as_refresh(draft) for draft in drafts] == drafts


def test_a_page_that_is_at_another_url_as_it_was_here_is_a_page() -> None:
    fetched = fetch_page(TARGET, copy_of=URL, hops=(hop(URL, TARGET, 301),))
    outcome = as_refresh(decide_all(fetched)[0]).outcome
    assert outcome.page == Page(URL, key_of(URL), FETCHED_AT, 200)
    assert outcome.fate == Fate()
