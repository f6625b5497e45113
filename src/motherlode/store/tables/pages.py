"""Reading back what was kept: pages, texts, vectors, links in both directions, redirects."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Integer, Row, Select, bindparam, func, literal, or_, select

from motherlode.records import (
    Archived,
    Judgement,
    Page,
    PageId,
    UrlId,
    UrlKey,
    UrlState,
)
from motherlode.records.texts import unpack_text
from motherlode.store.schema import (
    SEGMENT_BITS,
    judgements,
    links,
    pages,
    redirects,
    segment_of_link,
    texts,
    urls,
    vectors,
)
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judgement_from


class KnownUrl(Struct, frozen=True):
    """What became of a URL."""

    id: UrlId
    url: str
    state: UrlState
    attempts: int
    reason: str


class KeptLink(Struct, frozen=True):
    """A link between a page and a URL, read from either end."""

    page: PageId
    position: int
    url_id: UrlId
    url: str
    anchor: str
    flags: int


class KeptPage(Struct, frozen=True):
    """A page with what is said of it in its own row."""

    id: PageId
    page: Page
    title: str
    language: str
    fingerprint: int
    depth: int
    distance: float
    rank: float
    via: PageId | None


_AT_ONCE = 500  # values in one question

# Put together once: half of a look-up's time would go into building them.
_URL_BY_KEY = select(urls).where(urls.c.key == bindparam("sought"))
_PAGES = select(pages, urls.c.url, urls.c.key).join_from(pages, urls, urls.c.id == pages.c.url_id)
_PAGE_BY_KEY = _PAGES.where(urls.c.key == bindparam("sought"))
_PAGE_BY_NUMBER = _PAGES.where(pages.c.id == bindparam("sought"))
_MAX_HOPS = 25
UNREADABLE = "unreadable: "  # with what follows, the reason of a page that is here without its text
NOT_REFRESHED = "not refreshed: "  # likewise, of a page that could not be had again
_COPIES = (
    select(pages.c.digest, urls.c.url)
    .join_from(pages, urls, urls.c.id == pages.c.url_id)
    .where(
        pages.c.digest.in_(bindparam("sought", expanding=True)), urls.c.state == UrlState.FETCHED
    )
    .order_by(pages.c.id)
)
_IS_READ = or_(urls.c.reason.is_(None), urls.c.reason.not_like(f"{UNREADABLE}%"))
_TEXT = select(texts.c.packed).where(texts.c.page_id == bindparam("sought"))
_VECTORS = select(vectors.c.space, vectors.c.packed).where(vectors.c.page_id == bindparam("sought"))
_LINKS = select(links, urls.c.url)
_LINKS_FROM = (
    _LINKS.join_from(links, urls, urls.c.id == links.c.url_id)
    .where(links.c.page_id == bindparam("sought"))
    .order_by(links.c.position)
)
_LAST_PAGE = select(func.max(pages.c.id))


def _arriving(columns: Select[Any]) -> Select[Any]:
    """Something of the links that lead to a URL; asks the index of each segment."""
    segments = select(literal(0).label("number")).cte("segments", recursive=True)
    segments = segments.union_all(
        select(segments.c.number + 1).where(segments.c.number < bindparam("last", type_=Integer))
    )
    here = (segment_of_link == segments.c.number) & (links.c.url_id == bindparam("sought"))
    return columns.join_from(segments, links, here).limit(bindparam("most", type_=Integer))


_LINKS_TO = _arriving(_LINKS).join(urls, urls.c.id == links.c.url_id)
_LINKING = _arriving(select(links.c.page_id).distinct())
_said = _arriving(select(links.c.anchor)).subquery()
_SAYING = select(func.aggregate_strings(_said.c.anchor, "\n"))


def known_url(session: Session, key: UrlKey) -> KnownUrl | None:
    return _known(session.connection.execute(_URL_BY_KEY, {"sought": key}).one_or_none())


def settled_keys(session: Session, keys: Sequence[UrlKey]) -> set[UrlKey]:
    """Return those of the keys whose URLs were fetched, moved or given up: they do not wait."""
    found = session.bulk.find(urls, "key", list(keys), ("key", "state")) if keys else ()
    return {UrlKey(key) for key, state in found if state != UrlState.OPEN}


def url_numbered(session: Session, number: UrlId) -> KnownUrl | None:
    return _known(session.connection.execute(select(urls).where(urls.c.id == number)).one_or_none())


def page_url_behind(session: Session, key: UrlKey) -> str:
    """The URL of the page that a URL is, or that it has led to; empty: there is none,
    or no longer.
    """
    known = known_url(session, key)
    for _ in range(_MAX_HOPS):
        if known is None or known.state is not UrlState.MOVED:
            break
        target = redirect_of(session, known.id)
        known = None if target is None else url_numbered(session, target)
    return known.url if known is not None and known.state is UrlState.FETCHED else ""


def _known(row: Row[Any] | None) -> KnownUrl | None:
    if row is None:
        return None
    return KnownUrl(UrlId(row.id), row.url, UrlState(row.state), row.attempts, row.reason or "")


def page_at(session: Session, key: UrlKey) -> KeptPage | None:
    """The page at a URL, if it was fetched."""
    return _kept(session.connection.execute(_PAGE_BY_KEY, {"sought": key}).one_or_none())


def page_numbered(session: Session, number: PageId) -> KeptPage | None:
    return _kept(session.connection.execute(_PAGE_BY_NUMBER, {"sought": number}).one_or_none())


def _kept(row: Row[Any] | None) -> KeptPage | None:
    if row is None:
        return None
    archived = None
    if row.archive_file is not None:
        archived = Archived(row.archive_file, row.archive_offset, row.archive_length)
    return KeptPage(
        id=PageId(row.id),
        page=Page(
            url=row.url,
            key=UrlKey(row.key),
            fetched_at=row.fetched_at,
            status=row.status,
            mime=row.mime,
            size=row.size,
            digest=bytes(row.digest),
            etag=row.etag,
            last_modified=row.last_modified,
            address=row.address,
            archived=archived,
        ),
        title=row.title,
        language=row.language,
        fingerprint=row.fingerprint,
        depth=row.depth,
        distance=row.distance,
        rank=row.rank,
        via=row.via,
    )


def text_of(session: Session, page: PageId) -> str:
    """Everything that a page says."""
    return _texts_of(session, page)[0]


def main_text_of(session: Session, page: PageId) -> str:
    """What a page says, without menus and the like."""
    return _texts_of(session, page)[1]


def _texts_of(session: Session, page: PageId) -> tuple[str, str]:
    return unpack_text(session.connection.execute(_TEXT, {"sought": page}).scalar_one())


def vectors_of(session: Session, page: PageId) -> dict[str, bytes]:
    rows = session.connection.execute(_VECTORS, {"sought": page})
    return {space: bytes(packed) for space, packed in rows}


def vectors_of_all(session: Session, wanted: Collection[PageId], space: str) -> dict[PageId, bytes]:
    """The vectors of these pages in one feature space."""
    rows = session.bulk.find(vectors, "page_id", sorted(wanted), ("page_id", "space", "packed"))
    return {PageId(page): bytes(packed) for page, named, packed in rows if named == space}


def languages_of(session: Session, wanted: Collection[PageId]) -> dict[PageId, str]:
    """The languages of these pages, as far as they are known."""
    rows = session.bulk.find(pages, "id", sorted(wanted), ("id", "language"))
    return {PageId(page): language for page, language in rows}


class Traits(Struct, frozen=True):
    """What tells a page from others at a glance."""

    url: str
    mime: str
    language: str
    fetched_at: float


def traits_of(session: Session, wanted: Collection[PageId]) -> Iterator[Traits]:
    """What these pages are, in no order."""
    columns = ("url_id", "mime", "language", "fetched_at")
    rows = list(session.bulk.find(pages, "id", sorted(wanted), columns))
    named = session.bulk.find(urls, "id", sorted(row[0] for row in rows), ("id", "url"))
    spelled: dict[int, str] = {row[0]: row[1] for row in named}
    return (Traits(spelled[row[0]], row[1], row[2], row[3]) for row in rows if row[0] in spelled)


def pages_at(session: Session, wanted: Collection[UrlId]) -> dict[UrlId, PageId]:
    """The pages at those of these URLs that were fetched."""
    rows = session.bulk.find(pages, "url_id", sorted(wanted), ("url_id", "id"))
    return {UrlId(url_id): PageId(page) for url_id, page in rows}


def urls_of_pages(session: Session, wanted: Sequence[PageId]) -> dict[PageId, str]:
    """The addresses of these pages."""
    at = {row[0]: row[1] for row in session.bulk.find(pages, "id", list(wanted), ("id", "url_id"))}
    named = {
        row[0]: row[1] for row in session.bulk.find(urls, "id", sorted(at.values()), ("id", "url"))
    }
    return {PageId(page): named[number] for page, number in at.items()}


def links_from(session: Session, page: PageId) -> list[KeptLink]:
    """A page's links, in their order in the page."""
    return [_link(row) for row in session.connection.execute(_LINKS_FROM, {"sought": page})]


def links_to(session: Session, url_id: UrlId, limit: int = 1000) -> list[KeptLink]:
    """The links that lead to a URL, at most `limit` of them, in no order."""
    asked = {"sought": url_id, "last": _last_segment(session), "most": limit}
    return [_link(row) for row in session.connection.execute(_LINKS_TO, asked)]


def pages_linking_to(
    session: Session, wanted: Iterable[UrlId], limit: int
) -> Iterator[tuple[UrlId, list[PageId]]]:
    """The pages that link to each of these URLs, at most `limit` of them, in no order."""
    last = _last_segment(session)
    for url_id in wanted:
        asked = {"sought": url_id, "last": last, "most": limit}
        yield (
            url_id,
            [PageId(page) for page in session.connection.execute(_LINKING, asked).scalars().all()],
        )


def anchors_to(session: Session, wanted: Iterable[UrlId], limit: int) -> Iterator[str]:
    """What the first links say that lead to each of these URLs, one a line, at most `limit` of
    them.
    """
    last = _last_segment(session)
    for url_id in wanted:
        asked = {"sought": url_id, "last": last, "most": limit}
        yield session.connection.execute(_SAYING, asked).scalar_one() or ""


def _last_segment(session: Session) -> int:
    return (session.connection.execute(_LAST_PAGE).scalar_one() or 0) >> SEGMENT_BITS


def _link(row: Row[Any]) -> KeptLink:
    page, position, url_id, anchor, flags, url = tuple(row)
    return KeptLink(PageId(page), position, UrlId(url_id), url, anchor, flags)


def redirect_of(session: Session, url_id: UrlId) -> UrlId | None:
    query = select(redirects.c.target_id).where(redirects.c.url_id == url_id)
    target = session.connection.execute(query).scalar_one_or_none()
    return None if target is None else UrlId(target)


def judgement_of(session: Session, page: PageId) -> Judgement | None:
    query = select(judgements).where(judgements.c.page_id == page)
    row = session.connection.execute(query).one_or_none()
    return None if row is None else judgement_from(row)


def page_log(session: Session, *, members: bool = True) -> Iterator[tuple[str, int, float | None]]:
    """Yield every page in order of its first fetch: its URL, its status, and its score.

    Without `members`, only what was fetched: files inside an archive have addresses with a `#`.
    """
    query = (
        select(
            urls.c.url,
            pages.c.status,
            func.coalesce(judgements.c.score, judgements.c.confidence).label("score"),
        )
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .outerjoin(judgements, judgements.c.page_id == pages.c.id)
        .order_by(pages.c.id)
    )
    if not members:
        query = query.where(urls.c.url.not_like("%#%"))
    for row in session.connection.execute(query):
        yield row.url, row.status, row.score


def copies_of(
    session: Session, digests: Collection[bytes], *, readable: bool = False
) -> dict[bytes, str]:
    """For each digest that a page has, the URL of the first such page; pages that are gone do not
    count, nor, if they are to be `readable`, those whose text could not be had.
    """
    query = _COPIES.where(_IS_READ) if readable else _COPIES
    found: dict[bytes, str] = {}
    wanted = list(digests)
    for start in range(0, len(wanted), _AT_ONCE):
        for row in session.connection.execute(query, {"sought": wanted[start : start + _AT_ONCE]}):
            found.setdefault(bytes(row.digest), row.url)
    return found


def all_digests(session: Session) -> Iterator[bytes]:
    """What pages have said, those that are gone included."""
    for (digest,) in session.connection.execute(
        select(pages.c.digest).where(pages.c.digest != b"")
    ):
        yield bytes(digest)


def newest_url(session: Session) -> UrlId:
    """The number of the URL that was seen last; 0: there is none."""
    return UrlId(
        session.connection.execute(select(func.coalesce(func.max(urls.c.id), 0))).scalar_one()
    )


def count_pages(session: Session) -> int:
    return session.connection.execute(select(func.count()).select_from(pages)).scalar_one()


def gone_pages(session: Session) -> set[PageId]:
    """The pages that are kept for what they said, and not at their addresses any more."""
    query = (
        select(pages.c.id)
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .where(urls.c.state != UrlState.FETCHED)
    )
    return {PageId(number) for (number,) in session.connection.execute(query)}
