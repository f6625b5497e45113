"""What a topic's pages fall into, and topics made of that (SPEC B22)."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import spell, unpack
from motherlode.learning.kmeans import DocumentClusters
from motherlode.records import BadInputError, PageId, TopicId
from motherlode.store.judged import Judged, judged_for
from motherlode.store.pages import gone_pages, languages_of, text_of, vectors_of_all
from motherlode.store.session import Session
from motherlode.topics import TopicTree, show_path

PAGES = 5_000  # of the topic, the surest
CENTRAL = 10  # pages of each cluster that are shown, and become examples
_WORDS = 8  # of a label
_CANDIDATES = 24  # terms to make them of: some are spelled in none of the central pages
_SPELLED_IN = 20  # central pages whose texts are looked at for spellings
_LOOKED_AT = 100_000  # characters of each


class Wanted(Struct, frozen=True):
    """How to cluster; without a number, as many clusters as are least mixed."""

    clusters: int | None = None
    seed: int = 0
    pages: int = PAGES
    central: int = CENTRAL


class Central(Struct, frozen=True):
    """A page near the middle of its cluster: 1 is the middle itself."""

    url: str
    title: str
    cosine: float
    confidence: float


class Cluster(Struct, frozen=True):
    """Pages that are alike, and the words that tell them from the others; the most central first."""

    name: str
    words: tuple[str, ...]
    size: int
    pages: tuple[Central, ...]


class Clustering(Struct, frozen=True):
    """A topic's pages in clusters, the largest first. `impurities`: bits a page, by the number of them."""

    topic: str
    pages: int
    chosen: bool  # whether the number of clusters was, rather than given
    impurities: dict[int, float]
    clusters: tuple[Cluster, ...]


def clusters_of(session: Session, tree: TopicTree, topic: TopicId, wanted: Wanted) -> Clustering:
    """The clusters of the pages that are on a topic, or on one below it."""
    path = show_path(tree.path(topic))
    gone = gone_pages(session)
    every = judged_for(session, tree.descendants(topic), wanted.pages)
    packed = vectors_of_all(session, {one.page for one in every if one.page not in gone}, TERMS)
    pages = [one for one in every if packed.get(one.page)]
    if len(pages) < max(2, wanted.clusters or 0):
        one = "is only 1 page" if pages else "is no page yet"
        there = f"are only {len(pages):,} pages" if len(pages) > 1 else one
        raise BadInputError(f"There {there} on '{path}' to make clusters of; 'lode crawl' finds more.")
    found = DocumentClusters(wanted.clusters, wanted.seed).fit([unpack(packed[one.page]) for one in pages])
    described = [_cluster(session, found, number, pages, wanted) for number in range(len(found.centres_))]
    return Clustering(path, len(pages), wanted.clusters is None, found.impurities_, tuple(_named(described)))


def _cluster(
    session: Session, found: DocumentClusters, number: int, pages: Sequence[Judged], wanted: Wanted
) -> Cluster:
    mine = np.flatnonzero(found.clusters_ == number)
    order = mine[np.argsort(-found.cosines_[mine], kind="stable")].tolist()
    central = [
        Central(pages[at].url, pages[at].title, round(float(found.cosines_[at]), 4), pages[at].confidence)
        for at in order[: wanted.central]
    ]
    terms = [term for term, _ in found.characteristic(number, _CANDIDATES)]
    words = spelled_in(session, terms, [pages[at] for at in order[:_SPELLED_IN]])
    return Cluster("", tuple(words[:_WORDS]), len(mine), tuple(central))


def spelled_in(session: Session, terms: Sequence[int], pages: Sequence[Judged]) -> list[str]:
    """How the most central pages spell some terms; those that none of them has are left out."""
    languages = languages_of(session, {one.page for one in pages})
    spelled: dict[int, str] = {}
    for one in pages:
        missing = [term for term in terms if term not in spelled]
        if missing:
            spelled |= spell(missing, _text(session, one), languages[PageId(one.page)])
    return list(dict.fromkeys(spelled[term] for term in terms if term in spelled))


def _text(session: Session, page: Judged) -> str:
    return f"{page.title}\n{text_of(session, page.page)}"[:_LOOKED_AT]


def _named(clusters: Sequence[Cluster]) -> list[Cluster]:
    """The clusters with names of two words; of three or more, where two would not tell them apart."""
    taken: set[str] = set()
    named = []
    for number, one in enumerate(clusters, 1):
        tried = (", ".join(one.words[:length]) for length in range(2, len(one.words) + 1))
        name = next((name for name in tried if name not in taken), "") or f"cluster {number}"
        taken.add(name)
        named.append(Cluster(name, one.words, one.size, one.pages))
    return named
