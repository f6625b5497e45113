"""Looking up what explains a URL: redirects in both directions, pages of its host, its run (SPEC
X8).
"""

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import select

from motherlode.records import Judgement, PageId, TopicId, UrlId, UrlKey, UrlState
from motherlode.store.schema import judgements, links, pages, redirects, runs, urls
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judgement_from
from motherlode.store.tables.pages import KnownUrl

_MAX_HOPS = 25
_AT_ONCE = 10_000  # URLs in one question
_HOST_BITS = 48  # the bits of a key below those of its host; the URLs of a host lie together


class KeptHop(Struct, frozen=True):
    """A redirect; status 0: of our own making, from a copy to the page that was there first."""

    url_id: UrlId
    url: str
    target: str
    status: int


class Neighbour(Struct, frozen=True):
    """A page of the same host, or of one whose keys begin alike."""

    page: PageId
    url: str
    judgement: Judgement | None


def hops_from(session: Session, url_id: UrlId) -> list[KeptHop]:
    """The redirects from a URL on, one after the other."""
    hops: list[KeptHop] = []
    seen = {url_id}
    while len(hops) < _MAX_HOPS:
        found = _hops(session, redirects.c.url_id == url_id)
        if not found:
            break
        hop, url_id = found[0]
        hops.append(hop)
        if url_id in seen:
            break
        seen.add(url_id)
    return hops


def hops_to(session: Session, url_id: UrlId, limit: int) -> list[KeptHop]:
    """The redirects that lead to a URL, by one hop or by several, so many at most; the last hops
    first.
    """
    hops: dict[UrlId, KeptHop] = {}
    fresh = [url_id]
    while fresh and len(hops) < limit:
        found = [hop for hop, _ in _hops(session, redirects.c.target_id.in_(fresh))]
        fresh = [hop.url_id for hop in found if hop.url_id not in hops and hop.url_id != url_id]
        hops.update((hop.url_id, hop) for hop in found if hop.url_id in fresh)
    return list(hops.values())[:limit]


def _hops(session: Session, which: object) -> list[tuple[KeptHop, UrlId]]:
    target = urls.alias("target")
    query = (
        select(redirects, urls.c.url, target.c.url.label("led_to"))
        .join_from(redirects, urls, urls.c.id == redirects.c.url_id)
        .join(target, target.c.id == redirects.c.target_id)
        .where(which)  # type: ignore[arg-type]
        .order_by(redirects.c.url_id)
    )
    return [
        (KeptHop(UrlId(row.url_id), row.url, row.led_to, row.status), UrlId(row.target_id))
        for row in session.connection.execute(query)
    ]


def neighbours_of(session: Session, key: UrlKey, limit: int) -> list[Neighbour]:
    """The pages whose keys begin as this one does, so many at most: those of its host, and hardly
    others.
    """
    first = key >> _HOST_BITS << _HOST_BITS
    query = (
        select(pages.c.id, urls.c.url, judgements)
        .join_from(urls, pages, pages.c.url_id == urls.c.id)
        .outerjoin(judgements, judgements.c.page_id == pages.c.id)
        .where(urls.c.key.between(first, first + 2**_HOST_BITS - 1))
        .limit(limit)
    )
    found = []
    for row in session.connection.execute(query):
        said = None if row.topic_id is None else judgement_from(row)
        found.append(Neighbour(PageId(row.id), row.url, said))
    return found


def judged_near(
    session: Session, places: Collection[tuple[PageId, int]], reach: int, names: Collection[UrlId]
) -> list[Judgement]:
    """What is thought of the pages that links lead to which stand near these, as many before and
    behind, by their pages and their positions there, except for those to these URLs; of a page that
    several lead to, several times.
    """
    around = [
        (page, at)
        for page, place in places
        for at in range(max(place - reach, 0), place + reach + 1)
    ]
    columns = ("page_id", "position")
    found = (row[0] for row in session.bulk.find_pairs(links, columns, around, ("url_id",)))
    near = [url for url in found if url not in names]
    wanted = sorted(set(near))
    said: dict[int, Judgement] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        query = (
            select(pages.c.url_id, judgements.c.topic_id, judgements.c.confidence)
            .join_from(pages, judgements, judgements.c.page_id == pages.c.id)
            .where(pages.c.url_id.in_(wanted[start : start + _AT_ONCE]))
        )
        said |= {
            row[0]: Judgement(TopicId(row[1]), row[2]) for row in session.connection.execute(query)
        }
    return [said[url] for url in near if url in said]


def states_of(session: Session, wanted: Collection[UrlId]) -> dict[UrlId, KnownUrl]:
    """What became of each of these URLs."""
    columns = ("id", "url", "state", "attempts", "reason")
    rows = session.bulk.find(urls, "id", sorted(wanted), columns)
    return {
        UrlId(number): KnownUrl(UrlId(number), url, UrlState(state), attempts, reason or "")
        for number, url, state, attempts, reason in rows
    }


def ranks_of(session: Session, wanted: Collection[UrlId]) -> dict[UrlId, float]:
    """The ranks that those of these URLs that are pages were taken at."""
    rows = session.bulk.find(pages, "url_id", sorted(wanted), ("url_id", "rank"))
    return {UrlId(number): rank for number, rank in rows}


def policy_behind(session: Session, page: PageId) -> str:
    """The policy of the run that fetched a page; empty if that is not known."""
    query = (
        select(runs.c.policy)
        .join_from(pages, runs, runs.c.id == pages.c.run_id)
        .where(pages.c.id == page)
    )
    return session.connection.execute(query).scalar_one_or_none() or ""
