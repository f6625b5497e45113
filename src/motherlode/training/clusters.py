"""Clusters of a topic's pages, from which new topics can be made (SPEC B22)."""

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.phrases import names_in
from motherlode.documents.text.prose import is_reference_heading, prose_of
from motherlode.documents.text.terms import spell, unpack
from motherlode.learning.clusters.kmeans import DocumentClusters
from motherlode.learning.clusters.labels import MAX_PHRASES, ClusterLabel, cluster_labels
from motherlode.learning.clusters.salience import LabelledDocument
from motherlode.records import BadInputError, LinkFlag, PageId, TopicId
from motherlode.store.queries.index_rows import Material, materials_of
from motherlode.store.session import Session
from motherlode.store.tables.judgements import Judged, judged_for
from motherlode.store.tables.pages import (
    anchors_to,
    gone_pages,
    languages_of,
    links_from,
    text_of,
    vectors_of_all,
)
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed
from motherlode.urls import host_of

MAX_PAGES = 5_000  # the most confident of the topic
MAX_CENTRAL_PAGES = 10  # of each cluster: they are shown, and become examples
_LABEL_PAGES = 60  # at most, of each cluster; its label is made from central and outer pages alike
_LABEL_TEXT_CHARS = 30_000  # of the main text of each of these pages
_MAX_ANCHOR_CHARS = 80  # a longer one is a sentence, not a name
_MAX_ANCHORS = 20  # of links to each of these pages
_MAX_OUTBOUND_ANCHORS = 300  # of links in each of these pages
_MAX_HEADINGS = 100
_CANDIDATE_TERMS = 24  # for a label of terms; some are spelled in none of the central pages
_SPELLING_PAGES = 20  # central pages whose texts are searched for spellings
_MAX_TEXT_CHARS = 100_000  # of a page that is searched for spellings
_PAGES_AT_ONCE = 500


class ClusterOptions(Struct, frozen=True):
    """Options of clustering; without `clusters`, the number with the least impurity is used."""

    clusters: int | None = None
    seed: int = 0
    pages: int = MAX_PAGES
    central: int = MAX_CENTRAL_PAGES


class CentralPage(Assessed, frozen=True):
    """A page near the centre of its cluster, where the cosine is 1."""

    url: str
    title: str
    cosine: float


class Cluster(Struct, frozen=True):
    """Similar pages, the most central first, and the phrases that tell them from the others."""

    name: str
    words: tuple[str, ...]
    size: int
    pages: tuple[CentralPage, ...]


class Clustering(Struct, frozen=True):
    """The clusters of a topic's pages, the largest first.

    `impurities` has the bits per page for each number of clusters that was tried.
    """

    topic: str
    pages: int
    chosen: bool  # whether the number of clusters was chosen, rather than given
    impurities: dict[int, float]
    clusters: tuple[Cluster, ...]


def clusters_of(
    session: Session,
    tree: TopicTree,
    topic: TopicId,
    options: ClusterOptions,
) -> Clustering:
    """Return the clusters of the pages on a topic, or on one below it."""
    path = show_path(tree.path(topic))
    gone = gone_pages(session)
    judged = judged_for(session, tree.descendants(topic), options.pages)
    packed = vectors_of_all(session, {page.page for page in judged if page.page not in gone}, TERMS)
    pages = [page for page in judged if packed.get(page.page)]
    _check_number(len(pages), options.clusters, path)
    vectors = [unpack(packed[page.page]) for page in pages]
    fitted = DocumentClusters(options.clusters, options.seed).fit(vectors)
    members = [_members(fitted, number) for number in range(len(fitted.centres_))]
    labels = [
        label if label.phrases else _term_label(session, fitted, number, pages)
        for number, label in enumerate(_labels(session, pages, members))
    ]
    clusters = [
        Cluster(
            ", ".join(label.name),
            label.phrases,
            len(places),
            _central_pages(fitted, pages, places, options),
        )
        for label, places in zip(labels, members, strict=True)
    ]
    return Clustering(
        topic=path,
        pages=len(pages),
        chosen=options.clusters is None,
        impurities=fitted.impurities_,
        clusters=tuple(_with_unique_names(clusters)),
    )


class FewPagesError(BadInputError):
    """There are fewer pages than clusters."""


def _check_number(pages: int, clusters: int | None, path: str) -> None:
    """Raise `FewPagesError` if there are fewer pages than clusters."""
    if pages >= max(2, clusters or 0):
        return
    few = "is only 1 page" if pages else "is no page yet"
    number = f"are only {pages:,} pages" if pages > 1 else few
    raise FewPagesError(f"There {number} on '{path}' to make clusters of.")


def _members(fitted: DocumentClusters, number: int) -> list[int]:
    """Return the places of a cluster's pages, the most central first."""
    members = np.flatnonzero(fitted.clusters_ == number)
    places: list[int] = members[np.argsort(-fitted.cosines_[members], kind="stable")].tolist()
    return places


def _central_pages(
    fitted: DocumentClusters,
    pages: Sequence[Judged],
    places: Sequence[int],
    options: ClusterOptions,
) -> tuple[CentralPage, ...]:
    return tuple(
        CentralPage(
            pages[place].url,
            pages[place].title,
            round(float(fitted.cosines_[place]), 4),
            margin=pages[place].confidence,
            probability=pages[place].probability,
        )
        for place in places[: options.central]
    )


def _labels(
    session: Session, pages: Sequence[Judged], members: Sequence[Sequence[int]]
) -> list[ClusterLabel]:
    """Return the label of each cluster, given by the places of its pages."""
    clusters = {
        pages[place].page: number
        for number, places in enumerate(members)
        for place in places[:: math.ceil(len(places) / _LABEL_PAGES)]
    }
    documents = list(_labelled_documents(session, sorted(clusters)))
    return cluster_labels(
        [document for _, document in documents],
        [clusters[page] for page, _ in documents],
        len(members),
    )


def _term_label(
    session: Session, fitted: DocumentClusters, number: int, pages: Sequence[Judged]
) -> ClusterLabel:
    """Return the characteristic terms of a cluster; for pages without titles and anchors."""
    central = [pages[place] for place in _members(fitted, number)[:_SPELLING_PAGES]]
    terms = [term for term, _ in fitted.characteristic(number, _CANDIDATE_TERMS)]
    words = tuple(filter(names_in, words_for_terms(session, terms, central)))[:MAX_PHRASES]
    return ClusterLabel(words, words[:2])


def _labelled_documents(
    session: Session, page_ids: Sequence[PageId]
) -> Iterator[tuple[PageId, LabelledDocument]]:
    for start in range(0, len(page_ids), _PAGES_AT_ONCE):
        for material in materials_of(session, page_ids[start : start + _PAGES_AT_ONCE], TERMS):
            yield material.page, _labelled_document(session, material)


def _labelled_document(session: Session, material: Material) -> LabelledDocument:
    text = (material.text.main or material.text.rest)[:_LABEL_TEXT_CHARS]
    headings = material.text.headings.split("\n")[:_MAX_HEADINGS]
    (inbound,) = anchors_to(session, [material.url_id], _MAX_ANCHORS)
    outbound = {
        link.anchor
        for link in links_from(session, material.page)
        if link.flags & LinkFlag.CONTENT and len(link.anchor) <= _MAX_ANCHOR_CHARS
    }
    return LabelledDocument(
        host=host_of(material.url),
        title=material.title,
        headings=[heading for heading in headings if not is_reference_heading(heading)],
        prose=prose_of(text, set(headings), material.language),
        inbound=[anchor for anchor in inbound.split("\n") if len(anchor) <= _MAX_ANCHOR_CHARS],
        outbound=sorted(outbound)[:_MAX_OUTBOUND_ANCHORS],
        language=material.language,
    )


def words_for_terms(session: Session, terms: Sequence[int], pages: Sequence[Judged]) -> list[str]:
    """Return terms as the first of these pages spells them, without terms that no page has."""
    languages = languages_of(session, {page.page for page in pages})
    spellings: dict[int, str] = {}
    for page in pages:
        missing = [term for term in terms if term not in spellings]
        if missing:
            spellings |= spell(missing, _text(session, page), languages[PageId(page.page)])
    return list(dict.fromkeys(spellings[term] for term in terms if term in spellings))


def _text(session: Session, page: Judged) -> str:
    return f"{page.title}\n{text_of(session, page.page)}"[:_MAX_TEXT_CHARS]


def _with_unique_names(clusters: Sequence[Cluster]) -> Iterator[Cluster]:
    """Yield the clusters, with more phrases in the name where an earlier cluster has the same."""
    taken = {""}
    for number, cluster in enumerate(clusters, 1):
        names = [", ".join(cluster.words[:length]) for length in range(1, len(cluster.words) + 1)]
        longer = names[names.index(cluster.name) :] if cluster.name else []
        name = next((name for name in longer if name not in taken), f"cluster {number}")
        taken.add(name)
        yield msgspec.structs.replace(cluster, name=name)
