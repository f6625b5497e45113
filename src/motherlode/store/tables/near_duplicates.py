"""Pages that say nearly the same (SPEC X3): found by a quarter of their fingerprint.

Of 64 bits in four quarters, three differing ones leave a quarter alone (Manku, Jain and Das Sarma,
WWW 2007). So whoever is near shares a quarter, and there are few of those to look at.
"""

from collections.abc import Iterable

from sqlalchemy import select

from motherlode.records import PageId
from motherlode.store.bulk import Row
from motherlode.store.schema import fingerprints, pages
from motherlode.store.session import Session
from motherlode.store.values import signed

NEAR = 3  # bits; more would need more parts
_QUARTERS = 4
_BITS = 16
_MOST = 1000  # pages of one quarter that are looked at: more have a template in common, not a text


def quarters(fingerprint: int, page: PageId) -> Iterable[Row]:
    """The rows under which a page is found again."""
    unsigned = fingerprint & 0xFFFF_FFFF_FFFF_FFFF
    return (
        (place, unsigned >> (place * _BITS) & 0xFFFF, page)
        for place in range(_QUARTERS)
        if fingerprint
    )


def near(session: Session, fingerprint: int, distance: int = NEAR) -> list[PageId]:
    """The pages whose fingerprints differ from this one in so many bits at most, the
    oldest first.
    """
    if not fingerprint:
        return []
    found: dict[int, int] = {}
    for place, bits, _ in quarters(fingerprint, PageId(0)):
        query = (
            select(pages.c.id, pages.c.fingerprint)
            .join_from(fingerprints, pages, pages.c.id == fingerprints.c.page_id)
            .where(fingerprints.c.quarter == place, fingerprints.c.bits == bits)
            .limit(_MOST)
        )
        found.update((row.id, row.fingerprint) for row in session.connection.execute(query))
    sought = signed(fingerprint)
    close = (page for page, known in found.items() if _distance(known, sought) <= distance)
    return sorted(PageId(page) for page in close)


def _distance(one: int, other: int) -> int:
    return ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
