"""What travels through the crawl loop: entries out of the frontier, outcomes into the store."""

from enum import IntEnum
from typing import Any

from msgspec import Struct

from motherlode.records.identifiers import PageId, QueueId, UrlId, UrlKey
from motherlode.records.learning import Judgement
from motherlode.records.pages import Document, Page


class UrlState(IntEnum):
    """What became of a URL. An open one waits if the frontier has an entry for it."""

    OPEN = 0
    FETCHED = 1
    MOVED = 2
    FAILED = 3
    SKIPPED = 4


class Lane(IntEnum):
    """Which runs take an entry: every run takes from one lane only."""

    CRAWL = 0
    HELD = 1  # no run takes it until the policy moves it to the crawl
    PARKED = 2  # given up for now; `lode hosts --forgive` brings it back
    REFRESH = 3  # a page that is to be fetched again
    PREPARATION = 4  # wanted before the crawl begins, such as an example


class Follow(Struct, frozen=True, gc=False):
    """Offer this URL to a queue at this rank; a rediscovery may raise the rank, never lower it.

    Where the page that led to it is not the one that was just fetched, `via` is its number or
    `found_on` the key of its URL.
    """

    url: str
    key: UrlKey
    queue: QueueId
    rank: float
    depth: int = 0
    distance: float = 0.0
    lane: int = Lane.CRAWL  # a `Lane`; a bare number, because sixty a page are made
    via: PageId | None = None
    found_on: UrlKey | None = None


class Entry(Struct, frozen=True, gc=False):
    """A place in a queue: which URL, how good, and how it was come by."""

    url_id: UrlId
    url: str
    key: UrlKey
    queue: QueueId
    rank: float
    depth: int = 0
    distance: float = 0.0
    via: PageId | None = None
    attempts: int = 0
    not_before: float = 0.0
    lane: int = Lane.CRAWL


class Requeue(Struct, frozen=True, gc=False):
    """Let a waiting entry wait elsewhere: in this lane and queue, at this rank."""

    entry: Entry
    queue: QueueId
    rank: float
    lane: int = Lane.CRAWL


class Redirect(Struct, frozen=True, gc=False):
    """One hop, kept for the link analysis (SPEC B25)."""

    url: str
    key: UrlKey
    target: str
    target_key: UrlKey
    status: int


class Fate(Struct, frozen=True, gc=False):
    """What becomes of the entry's URL, and why in a word or two; `retry_at` keeps it waiting. Only
    what was `tried` counts as an attempt. `passing`: it is given up, and may well be there another
    time.
    """

    state: UrlState = UrlState.FETCHED
    reason: str = ""
    retry_at: float | None = None
    tried: bool = True
    passing: bool = False


class Note(Struct, frozen=True):
    """What a policy writes down with a page, such as a site's verdict; of one kind and key, the
    last.
    """

    kind: str
    key: str
    value: Any  # anything that JSON can hold


class Outcome(Struct, frozen=True):
    """One taken entry and all that it caused: written whole, or not at all."""

    entry: Entry
    fate: Fate = Fate()
    page: Page | None = None
    document: Document | None = None
    judgement: Judgement | None = None
    redirects: tuple[Redirect, ...] = ()
    follows: tuple[Follow, ...] = ()
    notes: tuple[Note, ...] = ()
