"""Portals of hand-made pages, to be searched."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from motherlode.app.services.search import desk_at, made_ready
from motherlode.documents.similarity import fingerprint
from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import count, sequence_of
from motherlode.portal import Portal
from motherlode.records import Document, Entry, Judgement, Link, Outcome, Page, TopicId, UrlId
from motherlode.records.digests import digest_of
from motherlode.search.ranking import DEFAULT_RANKING, parse_weights
from motherlode.search.service import SearchRequest, SearchResults
from motherlode.store import outcomes
from motherlode.store.archive import Archive, Exchange
from motherlode.topics import TopicTree, parse_path
from motherlode.urls import Address, address, url_key
from support.training_webs import planted

DAY = 86_400
START = 1_700_000_000  # the 14th of November, 2023


class Paper(Struct, frozen=True):
    """A page that somebody wrote; `menu` stands outside its main text, headings are lines of it or apart."""

    title: str = ""
    text: str = ""
    menu: str = ""
    language: str = "en"
    topic: str = ""
    confidence: float = 0.5
    mime: str = "text/html"
    links: Mapping[str, str] = {}
    day: int = 0
    headings: tuple[str, ...] = ()


def shelve(
    directory: Path, papers: Mapping[str, Paper], topics: Iterable[str] = (), database_url: str = ""
) -> Path:
    """Put pages into a portal, which is made if need be, in a database of its own or in this."""
    if not directory.exists():
        shown = {topic: ["http://example.test/"] for topic in (topics or ["birds"])}
        planted(directory, shown, **({"store__url": database_url} if database_url else {}))
    with Portal.writing(directory, "test") as portal:
        tree = portal.tree()
        with portal.batch() as session:
            made = [_outcome(url, paper, tree, portal.archive) for url, paper in papers.items()]
            outcomes.keep(session, made)
    return directory


def _place(url: str) -> Address:
    """Where a page is; what is inside an archive has the name of its file behind a hash."""
    at = address(url)
    return Address(url, url_key(url, at.host), at.host) if "#" in url else at


def _outcome(url: str, paper: Paper, tree: TopicTree, archive: Archive) -> Outcome:
    at = _place(url)
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
    page = Page(at.url, at.key, fetched_at, 200, paper.mime, len(body), digest_of(body), archived=where)
    judgement = None
    if paper.topic:
        judgement = Judgement(tree.at(parse_path(paper.topic)).id, paper.confidence)
    entry = Entry(UrlId(0), at.url, at.key, TopicId(1), 0.0)
    return Outcome(entry, page=page, document=document, judgement=judgement)


def searched(directory: Path, text: str = "", rank: str = DEFAULT_RANKING, **asked: object) -> SearchResults:
    """What is found, in an index that is brought up to date first."""
    with Portal.reading(directory) as portal:
        made_ready(portal, lambda _done, _of: None)
        with desk_at(portal) as desk:
            return desk.search(SearchRequest(parse_weights(rank), text, **asked))  # type: ignore[arg-type]


def found(directory: Path, text: str = "", rank: str = DEFAULT_RANKING, **asked: object) -> list[str]:
    """The hosts of what is found, without their ends, the best first."""
    results = searched(directory, text, rank, **asked).results
    return [one.url.split("/")[2].removesuffix(".test") for one in results]
