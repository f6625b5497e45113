"""The parts of a rank, as a policy explains them."""

from collections.abc import Collection

from msgspec import Struct

from motherlode.records import PageId, UrlId, UrlKey


class RankPart(Struct, frozen=True):
    """A part of a rank, with the words that explain it to people."""

    name: str
    value: float
    words: str


class PresentRank(Struct, frozen=True):
    """The rank that a URL would have today: its parts, and their total.

    Without a total, the parts are those that the rank was made of when it was given.
    """

    parts: tuple[RankPart, ...]
    total: float | None


class RankedUrl(Struct, frozen=True):
    """A URL with a rank. `url_ids` include the URLs that redirect to it."""

    url_ids: Collection[UrlId]
    key: UrlKey
    url: str
    rank: float
    depth: int
    distance: float
    via: PageId | None
    is_held: bool = False  # until the harvesting phase; it waits as if there were no tunnel
