"""What a site is made of, as plain records: its writer knows nothing of the store."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct

from motherlode.learning.precision import PrecisionEstimate
from motherlode.records.example_counts import ExampleCounts
from motherlode.training.topic_profile import HubOrAuthority, PageCard


class Bunch(Struct, frozen=True):
    """A cluster of a topic's pages, with addresses and titles of the most central."""

    name: str
    words: tuple[str, ...]
    size: int
    pages: tuple[tuple[str, str], ...]


class Shown(Struct, frozen=True):
    """An example of a topic: a page, or words without an address. `origin` says who chose it."""

    url: str | None
    title: str
    origin: str


class Head(Struct, frozen=True):
    """A topic of the tree, with the precision that is expected of it, if that is known."""

    topic: int
    path: tuple[str, ...]
    precision: PrecisionEstimate | None = None


class Detail(Struct, frozen=True):
    """What a topic's own page says besides its pages. `clustered`: of how many pages the clusters
    are.
    """

    best: tuple[PageCard, ...] = ()
    authorities: tuple[HubOrAuthority, ...] = ()
    hubs: tuple[HubOrAuthority, ...] = ()
    clusters: tuple[Bunch, ...] = ()
    clustered: int = 0
    examples: tuple[Shown, ...] = ()
    examples_from: ExampleCounts = ExampleCounts()
    terms: tuple[str, ...] = ()


class Outing(Struct, frozen=True):
    """One crawl. No end: it goes on, or was killed."""

    started_at: float
    ended_at: float | None
    policy: str
    pages: int


class Imprint(Struct, frozen=True):
    """What the site says of the portal as a whole. `as_of` is the time of the latest page."""

    title: str
    software: str
    as_of: float | None
    fetched: int
    size: int
    links: int
    hosts: int
    relevance: float | None  # the share of them that is on any topic
    types: dict[str, int]
    languages: dict[str, int]
    outings: tuple[Outing, ...]


class Website(Struct, frozen=True):
    """A relevant website: its home page, and the numbers of its pages and relevant referrers."""

    site: str
    home: str
    title: str
    probability: float | None
    pages: int
    referrers: int


@dataclass(frozen=True)
class Content:
    """Everything. Topics come parents first, each followed by those below it; cards come surest
    first, and so do the relevant websites of a portal of such. `picture` is an SVG of their links;
    empty without one.
    """

    imprint: Imprint
    heads: Sequence[Head]
    cards: Callable[[Head], Iterator[PageCard]]
    detail: Callable[[Head], Detail]
    websites: Sequence[Website] = ()
    picture: str = ""
