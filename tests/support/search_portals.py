"""Portals with hand-made pages, for tests of the search."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from motherlode.app.services.search.searcher import open_searcher, prepare_index
from motherlode.documents.features.fingerprints import fingerprint
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import count, sequence_of
from motherlode.portal import Portal
from motherlode.records import Document, Entry, Judgement, Link, Outcome, Page, QueueId, UrlId
from motherlode.records.digests import digest_of
from motherlode.search.ranking import DEFAULT_RANKING, parse_weights
from motherlode.search.service import SearchRequest, SearchResults
from motherlode.store.archive import Archive, Exchange
from motherlode.store.tables import outcomes
from motherlode.topics import TopicTree, parse_path
from motherlode.urls import Address, address, url_key
from support.training_webs import planted

DAY = 86_400
START = 1_700_000_000  # 14 November 2023


class SamplePage(Struct, frozen=True):
    """A page to be indexed.

    `menu` is outside its main text; `headings` may be lines of the main text or not.
    """

    title: str = ""
    text: str = ""
    menu: str = ""
    language: str = "en"
    topic: str = ""
    confidence: float = 0.5
    probability: float | None = None
    mime: str = "text/html"
    links: Mapping[str, str] = {}
    day: int = 0
    headings: tuple[str, ...] = ()


def fill_portal(
    directory: Path,
    pages: Mapping[str, SamplePage],
    topics: Iterable[str] = (),
    database_url: str = "",
) -> Path:
    """Store pages in a portal, which is created if it does not exist; return its directory."""
    if not directory.exists():
        examples = {topic: ["http://example.test/"] for topic in (topics or ["birds"])}
        planted(directory, examples, **({"store__url": database_url} if database_url else {}))
    with Portal.writing(directory, "test") as portal:
        tree = portal.tree()
        with portal.batch() as session:
            fetched = [_outcome(url, page, tree, portal.archive) for url, page in pages.items()]
            outcomes.keep(session, fetched)
    return directory


def _address(url: str) -> Address:
    """Return the address of a page; a file inside an archive has its name after a hash."""
    at = address(url)
    return Address(url, url_key(url, at.host), at.host) if "#" in url else at


def _outcome(url: str, paper: SamplePage, tree: TopicTree, archive: Archive) -> Outcome:
    at = _address(url)
    sequence = sequence_of(f"{paper.title}\n{paper.text}\n{paper.menu}", paper.language)
    targets = [(address(to), words) for to, words in paper.links.items()]
    document = Document(
        title=paper.title,
        language=paper.language,
        text=f"{paper.menu}\n{paper.text}" if paper.menu else paper.text,
        main=paper.text,
        headings=paper.headings,
        links=tuple(Link(to.url, to.key, words) for to, words in targets),
        fingerprint=fingerprint(sequence),
        vectors={TERMS: count(sequence).pack()},
    )
    fetched_at = float(START + paper.day * DAY)
    body = paper.text.encode()
    where = archive.append(Exchange(at.url, fetched_at, b"HTTP/1.1 200 OK\r\n", body))
    page = Page(
        url=at.url,
        key=at.key,
        fetched_at=fetched_at,
        status=200,
        mime=paper.mime,
        size=len(body),
        digest=digest_of(body),
        archived=where,
    )
    judgement = None
    if paper.topic:
        topic = tree.at(parse_path(paper.topic)).id
        judgement = Judgement(topic, paper.confidence, probability=paper.probability)
    entry = Entry(UrlId(0), at.url, at.key, QueueId(1), 0.0)
    return Outcome(entry, page=page, document=document, judgement=judgement)


def search_portal(
    directory: Path,
    text: str = "",
    rank: str = DEFAULT_RANKING,
    **options: object,
) -> SearchResults:
    """Bring the index up to date, then search it."""
    with Portal.reading(directory) as portal:
        prepare_index(portal, lambda _done, _total: None)
        with open_searcher(portal) as searcher:
            request = SearchRequest(parse_weights(rank), text, **options)  # type: ignore[arg-type]
            return searcher.search(request)


def found_hosts(
    directory: Path,
    text: str = "",
    rank: str = DEFAULT_RANKING,
    **options: object,
) -> list[str]:
    """Return the hosts of the results, the best first, without the suffix `.test`."""
    results = search_portal(directory, text, rank, **options).results
    return [result.url.split("/")[2].removesuffix(".test") for result in results]
