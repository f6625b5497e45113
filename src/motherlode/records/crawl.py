"""What travels through the crawl loop: entries out of the frontier, outcomes into the store."""

from enum import IntEnum

from msgspec import Struct

from motherlode.records.identifiers import PageId, TopicId, UrlId, UrlKey
from motherlode.records.learning import Judgement
from motherlode.records.pages import Document, Page


class UrlState(IntEnum):
    """What became of a URL. An open one waits if the frontier has an entry for it."""

    OPEN = 0
    FETCHED = 1
    MOVED = 2
    FAILED = 3
    SKIPPED = 4


class Follow(Struct, frozen=True, gc=False):
    """Offer this URL to a queue at this rank; a rediscovery may raise the rank, never lower it."""

    url: str
    key: UrlKey
    queue: TopicId
    rank: float
    depth: int = 0
    distance: float = 0.0


class Entry(Struct, frozen=True, gc=False):
    """A place in a queue: which URL, how good, and how it was come by."""

    url_id: UrlId
    url: str
    key: UrlKey
    queue: TopicId
    rank: float
    depth: int = 0
    distance: float = 0.0
    via: PageId | None = None
    attempts: int = 0
    not_before: float = 0.0


class Redirect(Struct, frozen=True, gc=False):
    """One hop, kept for the link analysis (SPEC B25)."""

    url: str
    key: UrlKey
    target: str
    target_key: UrlKey
    status: int


class Fate(Struct, frozen=True, gc=False):
    """What becomes of the entry's URL, and why in a word or two; `retry_at` keeps it waiting. Only what was
    `tried` counts as an attempt. `passing`: it is given up, and may well be there another time."""

    state: UrlState = UrlState.FETCHED
    reason: str = ""
    retry_at: float | None = None
    tried: bool = True
    passing: bool = False


class Outcome(Struct, frozen=True):
    """One taken entry and all that it caused: kept whole, or not at all (DESIGN, step 5)."""

    entry: Entry
    fate: Fate = Fate()
    page: Page | None = None
    document: Document | None = None
    judgement: Judgement | None = None
    redirects: tuple[Redirect, ...] = ()
    follows: tuple[Follow, ...] = ()
