"""What a rank is made of, by what the store knows now (SPEC X8)."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.compiled import NEAR_BY
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.steering import FRONT, attend, is_on_topic, sureness
from motherlode.policies.options import CrawlOptions, PolicyName
from motherlode.records import Judgement, Link, PageId, UrlId, UrlKey
from motherlode.store.judged import judgements_of
from motherlode.store.pages import KeptLink, judgement_of, links_to, page_numbered
from motherlode.store.session import Session
from motherlode.store.tracing import Neighbour, judged_near, neighbours_of
from motherlode.urls import host_of, url_key

FIRST_OF_ALL = 5e8  # examples are ranked above this, and nothing else is
_HUB = FRONT  # what links promise is less, so whatever has more was put to the front
_PARENTS = 1_000
_PAGES = 10_000
_SHOWN = 3  # anchors
_SLOTS = 1 << 12


class Part(Struct, frozen=True):
    """Something that a rank is made of: added, or, for `tunnel`, multiplied with all else."""

    name: str
    value: float
    words: str


class Ranked(Struct, frozen=True):
    """A rank as it was given, and what it would be made of today; `now`: what these parts come to."""

    rank: float
    policy: str
    words: str
    now: float | None = None
    parts: tuple[Part, ...] = ()


class Place(Struct, frozen=True):
    """Whose rank it is: all names of a URL, since links may lead to any, and how it was come by."""

    names: Collection[UrlId]
    key: UrlKey
    url: str
    rank: float
    depth: int
    distance: float
    via: PageId | None
    later: bool = False  # it is not for the learning phase, and waits as if there were no tunnel


_WORDS = {
    PolicyName.BINGO: "how many of the pages that link to it are on a topic, what it is called in links and "
    "in its address, where links near those lead, and what its host has had to offer",
    PolicyName.BINGO_2003: "how sure its topic is of the page that led to it; less for each page off all "
    "topics before it",
    PolicyName.BEST_FIRST: "how alike the page that led to it is to the examples, from 0 to 1",
    PolicyName.BREADTH_FIRST: "level by level: the rank is minus the number of links from an example",
}
_RUNS = {"BreadthFirst": PolicyName.BREADTH_FIRST, "BestFirst": PolicyName.BEST_FIRST}


def ranked(
    session: Session, options: CrawlOptions, place: Place, run: str, classifier: TreeClassifier | None
) -> Ranked:
    """What a rank is made of; `run` names the policy that was at work, where that is known."""
    if place.rank > FIRST_OF_ALL:
        return Ranked(place.rank, "examples", "examples come before everything else")
    policy = _RUNS.get(run, options.policy)
    parts: list[Part] = []
    if policy is PolicyName.BINGO and classifier is not None:
        parts = _promise(session, place, classifier)
    elif policy is PolicyName.BINGO_2003 and place.via is not None:
        parts = _confidence(session, place.via)
    if not parts:
        return Ranked(place.rank, policy.value, _WORDS[policy])
    if policy is PolicyName.BINGO_2003:
        parts += _tunnel(place, options.decay)
    now = _sum(parts)
    if policy is PolicyName.BINGO and place.rank >= _HUB:
        parts.append(Part("hub", 1.0, "one of the best hubs of a topic linked to it"))
        now = _sum(parts)
    if policy is PolicyName.BINGO_2003 and place.rank >= 1.0:
        parts.append(Part("depth", float(place.depth), "the learning phase goes deep before it goes wide"))
        now = _sum(parts)
    return Ranked(place.rank, policy.value, _WORDS[policy], now, tuple(parts))


def _sum(parts: Sequence[Part]) -> float:
    """Hubs and depth come on top of what the tunnel has left."""
    found = {part.name: part.value for part in parts}
    on_top = found.pop("hub", 0.0) + found.pop("depth", 0.0)
    left = found.pop("tunnel", 1.0)
    return sum(found.values()) * left + on_top


def _tunnel(place: Place, decay: float) -> list[Part]:
    if not place.distance or place.later:
        return []
    pages = f"{place.distance:g} page{'s' if place.distance != 1 else ''}"
    return [Part("tunnel", decay**place.distance, f"{pages} off all topics led to it, each leaves {decay:g}")]


def _confidence(session: Session, via: PageId) -> list[Part]:
    said, page = judgement_of(session, via), page_numbered(session, via)
    if said is None or page is None:
        return []
    return [Part("parent", max(said.confidence, 0.0), f"how sure its topic is of {page.page.url}")]


def _promise(session: Session, place: Place, classifier: TreeClassifier) -> list[Part]:
    """The parts of what links and host promise; the same book as the crawl's, with a single page in it."""
    leading = [link for name in place.names for link in links_to(session, name, _PARENTS)]
    arriving = {link.page: link for link in leading}
    judged = judgements_of(session, set(arriving))
    host = host_of(place.url)
    around = neighbours_of(session, place.key, _PAGES)
    book = _book(session, place, classifier, [arriving[page] for page in judged], judged, around)
    near = judged_near(session, [(link.page, link.position) for link in leading], NEAR_BY, place.names)
    if near:
        book.note_near(place.key, sum(map(sureness, near)), len(near))
    promise = book.promise(place.key)
    if promise is None:
        return []
    nearby = Part("near", promise.near, f"on a topic are {_share(near)} that links near by lead to")
    here = [one.judgement for one in around if host_of(one.url) == host and one.judgement is not None]
    return [
        Part("parents", promise.parents, f"on a topic are {_share(list(judged.values()))} that link to it"),
        Part("anchors", promise.words, _quoted([arriving[page].anchor for page in judged])),
        *([nearby] if near else []),
        Part("host", promise.host, f"on a topic are {_share(here)} of {host}"),
    ]


def _book(
    session: Session,
    place: Place,
    classifier: TreeClassifier,
    arriving: Sequence[KeptLink],
    judged: dict[PageId, Judgement],
    around: Sequence[Neighbour],
) -> Prospects:
    book = Prospects(_SLOTS)
    attend(book, classifier)
    for link in arriving:
        page = page_numbered(session, link.page)
        if page is not None:
            to_it = Link(place.url, place.key, link.anchor)
            book.see(sureness(judged[link.page]), page.page.key, book.called([to_it]))
    for one in around:
        if one.judgement is not None and one.page not in judged:
            book.note_host(url_key(one.url, host_of(one.url)), sureness(one.judgement))
    return book


def _share(judged: Sequence[Judgement]) -> str:
    return f"{sum(map(is_on_topic, judged)):,} of {len(judged):,} page{'s' if len(judged) != 1 else ''}"


def _quoted(anchors: Sequence[str]) -> str:
    told = list(dict.fromkeys(anchor for anchor in anchors if anchor))
    if not told:
        return "its links say nothing"
    more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return f"its links say {', '.join(f'“{anchor[:60]}”' for anchor in told[:_SHOWN])}{more}"
