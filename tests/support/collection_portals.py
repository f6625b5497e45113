"""A portal with two collections, made by hand: its pages, their merits and their paths are given."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from motherlode.documents.features.fingerprints import fingerprint
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import count, sequence_of
from motherlode.policies.tunnel.kind import store_model
from motherlode.policies.tunnel.steps import REACHED_HIT, Reached, reached_value
from motherlode.portal import Portal
from motherlode.records import (
    Document,
    Entry,
    Example,
    Judgement,
    Link,
    Note,
    Origin,
    Outcome,
    Page,
    PageId,
    QueueId,
    UrlId,
)
from motherlode.records.digests import digest_of
from motherlode.store.tables import outcomes
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import keep_judgements
from motherlode.store.tables.pages import page_at
from motherlode.topics import TopicTree, parse_path
from motherlode.urls import address
from support.training_webs import place, planted, text

OWLS, HERONS, EMPTY = "birds/owls", "birds/herons", "birds/dodos"
THRESHOLD = 0.5
SEED = "http://seed.test/"
PAPER = "http://files.test/owls.pdf"
NOTES = "http://files.test/Notes.PS.gz"
READ_PAPER = "http://files.test/read.pdf"
FETCHED_AT = 1_700_000_000.0
HITS = {OWLS: [place("owl", n) for n in range(4)], HERONS: [place("heron", n) for n in range(4)]}


class MadePage(Struct, frozen=True):
    """A page of a made-up crawl. `score` is its correlation with `topic`; `via` led to it."""

    title: str = "Title"
    text: str = ""
    topic: str = ""
    score: float = 0.0
    via: str = ""
    links: Mapping[str, str] = {}
    fetched_at: float = FETCHED_AT
    mime: str = "text/html"


def bird_pages() -> dict[str, MadePage]:
    """Return hits, pages near both subjects, a seed that is near none, and links to files."""
    pages = {
        SEED: MadePage("Seed", "Everything on this page is about nothing at all."),
        **{url: MadePage(f"Owl {n}", text("owl", n)) for n, url in enumerate(HITS[OWLS])},
        **{url: MadePage(f"Heron {n}", text("heron", n)) for n, url in enumerate(HITS[HERONS])},
        "http://a.test/": MadePage(
            "Barn owls",
            f"{text('owl', 4)} One.",
            OWLS,
            0.9,
            SEED,
            {PAPER: "A paper on owls", NOTES: "", READ_PAPER: "read", "http://far.test/": "far"},
        ),
        "http://b.test/": MadePage(
            "Owlets", f"{text('owl', 5)} Two.", OWLS, 0.6, "http://a.test/", {PAPER: "same paper"}
        ),
        "http://c.test/": MadePage("Few owls", "An owl, perhaps.", OWLS, 0.3, "http://b.test/"),
        "http://d.test/": MadePage("No owls", "Nothing to see.", OWLS, 0.1, "http://b.test/"),
        "http://e.test/": MadePage(
            "Egrets", f"{text('heron', 5)} Three.", HERONS, 0.7, "http://d.test/", {PAPER: "owls"}
        ),
        READ_PAPER: MadePage(
            "A read paper", "Marsh birds.", HERONS, 0.4, "http://a.test/", mime="application/pdf"
        ),
    }
    hits = {url: subject for subject, urls in HITS.items() for url in urls}
    scores = {OWLS: 0.8, HERONS: 0.75}
    return {
        url: MadePage(page.title, page.text, hits[url], scores[hits[url]]) if url in hits else page
        for url, page in pages.items()
    }


def make_collections(
    directory: Path,
    pages: Mapping[str, MadePage] | None = None,
    database_url: str = "",
    **settings: object,
) -> Path:
    """Make a portal with the subjects of `HITS`, and `EMPTY`, which has too few hits."""
    database = {"store__url": database_url} if database_url else {}
    chosen = {"tunnel__threshold": THRESHOLD, **database, **settings}
    planted(directory, {OWLS: [], HERONS: [], EMPTY: []}, **chosen)
    made = bird_pages() if pages is None else pages
    with Portal.crawling(directory, "test") as portal:
        add_pages(portal, made)
        with portal.batch() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            topic_rows.add_examples(
                session,
                [
                    Example(tree.at(parse_path(subject)).id, url, origin=Origin.HIT)
                    for subject, urls in HITS.items()
                    for url in urls
                ]
                + [Example(tree.at(parse_path(EMPTY)).id, "http://dodo.test/", origin=Origin.HIT)],
            )
        store_model(portal, with_meanings=False)
        judge_pages(portal, made)
    return directory


def add_pages(portal: Portal, pages: Mapping[str, MadePage]) -> None:
    """Store pages, each with its way, in this order."""
    for url, page in pages.items():
        with portal.batch() as session:
            via = None if not page.via else _page(session, page.via)
            outcomes.keep(session, [_outcome(url, page, via)])


def judge_pages(portal: Portal, pages: Mapping[str, MadePage]) -> None:
    """Judge pages as they say themselves."""
    with portal.batch() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        made = [
            (
                _page(session, url),
                Judgement(
                    tree.at(parse_path(page.topic or "/")).id,
                    page.score - THRESHOLD,
                    score=page.score,
                ),
            )
            for url, page in pages.items()
        ]
        keep_judgements(session, made)


def reach_hit(portal: Portal, hit: str, parent: str) -> None:
    """Note that the crawl found a link to a hit on a page."""
    url = f"http://note-of-{address(hit).host}/"
    note = Note(REACHED_HIT, hit, reached_value(Reached(parent, 1, 0.0)))
    with portal.batch() as session:
        outcomes.keep(session, [_outcome(url, MadePage(), None, notes=(note,))])


def _page(session: object, url: str) -> PageId:
    kept = page_at(session, address(url).key)  # type: ignore[arg-type]
    assert kept is not None, url
    return kept.id


def _outcome(url: str, made: MadePage, via: PageId | None, notes: tuple[Note, ...] = ()) -> Outcome:
    at = address(url)
    sequence = sequence_of(f"{made.title}\n{made.text}", "en")
    targets = [(address(to), anchor) for to, anchor in made.links.items()]
    document = Document(
        title=made.title,
        language="en",
        text=made.text,
        main=made.text,
        links=tuple(Link(to.url, to.key, anchor) for to, anchor in targets),
        fingerprint=fingerprint(sequence),
        vectors={TERMS: count(sequence).pack()},
    )
    page = Page(
        url=at.url,
        key=at.key,
        fetched_at=made.fetched_at,
        status=200,
        mime=made.mime,
        size=len(made.text),
        digest=digest_of(f"{url} {made.text}".encode(errors="replace")),
    )
    entry = Entry(UrlId(0), at.url, at.key, QueueId(1), 0.0, via=via)
    return Outcome(entry, page=page, document=document, notes=notes)
