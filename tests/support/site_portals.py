"""A portal of whole websites, made by hand: pages, links, judgements and verdicts are given."""

import random
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from motherlode.documents.features.fingerprints import fingerprint
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import count, sequence_of
from motherlode.policies.websites.stored_sites import (
    EVEN,
    EndReason,
    SiteState,
    SiteVerdict,
    site_note,
)
from motherlode.portal import Portal
from motherlode.records import (
    ROOT,
    Document,
    Entry,
    Judgement,
    Link,
    Outcome,
    Page,
    PageId,
    QueueId,
    UrlId,
)
from motherlode.records.digests import digest_of
from motherlode.store import Session
from motherlode.store.tables import outcomes
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import keep_judgements
from motherlode.store.tables.notes import keep_notes
from motherlode.store.tables.pages import page_at
from motherlode.topics import TopicTree
from motherlode.urls import address
from support.training_webs import planted, text

TOPIC = "sites"
FETCHED_AT = 1_700_000_000.0
OWLS, NEWS = "owls.test", "news.test"  # named by the user: like and unlike
BARN, TAWNY, HERONS, SHOP = "barn.test", "tawny.test", "herons.test", "shop.test"
EAGLE, DEAD, OLD_BARN, WAITING = "eagle.test", "dead.test", "old-barn.test", "snowy.test"


class MadePage(Struct, frozen=True):
    """A page of a site; `probability` is that of appearing in a relevant one."""

    title: str
    text: str
    probability: float
    links: Mapping[str, str] = {}


class MadeSite(Struct, frozen=True):
    """A site with its pages by path, and the verdict on it; `counted` pages, or else all of them."""

    pages: Mapping[str, MadePage] = {}
    probability: float | None = None
    state: SiteState = SiteState.EXAMINED
    reason: EndReason | None = EndReason.DECIDED
    mirror_of: str = ""
    counted: int | None = None


def bird_sites() -> dict[str, MadeSite]:
    """Return sites in all states that there are."""
    return {
        OWLS: MadeSite(
            {
                "/": MadePage(
                    "All owls",
                    text("owl", 0),
                    0.9,
                    {"http://owls.test/links": "links", f"http://{BARN}/": "Barn owls"},
                ),
                "/links": MadePage(
                    "Links",
                    text("owl", 1),
                    0.7,
                    {
                        f"http://{OLD_BARN}/": "Barn owls, as before",
                        f"http://{TAWNY}/": "Tawny owls",
                        f"http://{EAGLE}/": "Eagle owls",
                        f"http://{WAITING}/a/b": "Snowy owls",
                        f"http://{DEAD}/": "A dead link",
                    },
                ),
            }
        ),
        NEWS: MadeSite(
            {
                "/": MadePage(
                    "News",
                    text("news", 0),
                    0.1,
                    {f"http://{SHOP}/": "Shop", f"http://{WAITING}/": "More"},
                )
            }
        ),
        BARN: MadeSite(
            {
                "/": MadePage("Barn owls", text("owl", 2), 0.95, {f"http://{TAWNY}/": "tawny"}),
                "/food": MadePage("What they eat", text("owl", 3), 0.8, {f"http://{SHOP}/": "buy"}),
                "/legal": MadePage("Legal notice", "Nobody is liable for anything here.", 0.3),
            },
            0.97,
        ),
        TAWNY: MadeSite({"/": MadePage("Tawny owls", text("owl", 4), 0.74)}, 0.74),
        HERONS: MadeSite(
            {"/": MadePage("Herons", text("heron", 0), 0.31, {f"http://{BARN}/": "owls"})},
            0.31,
            reason=EndReason.NO_MORE_PAGES,
        ),
        SHOP: MadeSite(
            {
                "/": MadePage("A shop", text("news", 1), 0.04),
                "/~anna/": MadePage("Anna's owls", text("owl", 5), 0.9),
            },
            0.03,
            reason=EndReason.PAGE_LIMIT,
        ),
        EAGLE: MadeSite(
            {"/": MadePage("Eagle owls", text("owl", 1) + " Eagles.", 0.6)},
            0.6,
            SiteState.OPEN,
            None,
        ),
        DEAD: MadeSite({}, 0.1, SiteState.UNREACHABLE, EndReason.UNREACHABLE),
        OLD_BARN: MadeSite({}, 0.5, SiteState.MIRROR, EndReason.MIRROR, mirror_of=BARN),
    }


def make_sites(
    directory: Path,
    sites: Mapping[str, MadeSite] | None = None,
    like: tuple[str, ...] = (OWLS,),
    unlike: tuple[str, ...] = (NEWS,),
    **settings: object,
) -> Path:
    """Make a portal of these sites; by default of `bird_sites`."""
    topics = {TOPIC: [home(site) for site in like]}
    if unlike:
        topics["OTHERS"] = [home(site) for site in unlike]
    planted(directory, topics, crawl__policy="websites", **settings)
    made = bird_sites() if sites is None else sites
    with Portal.crawling(directory, "test") as portal, portal.batch() as session:
        written = [
            _outcome(f"http://{site}{path}", page)
            for site, one in made.items()
            for path, page in one.pages.items()
        ]
        outcomes.keep(session, written)
        _judge(session, made)
        keep_verdicts(session, made)
    return directory


def keep_verdicts(session: Session, sites: Mapping[str, MadeSite]) -> None:
    """Write the verdicts on sites."""
    notes = []
    for site, one in sites.items():
        if one.probability is not None:
            verdict = SiteVerdict(
                home=home(site),
                state=one.state,
                probability=one.probability,
                pages=len(one.pages) if one.counted is None else one.counted,
                reason=one.reason,
                mirror_of=one.mirror_of,
            )
            notes.append(site_note(site, verdict))
    keep_notes(session, notes)


def home(site: str) -> str:
    return f"http://{site}/"


def many_sites(number: int, seed: int = 1) -> dict[str, MadeSite]:
    """Return sites whose links prefer their own kind: a third is relevant, and some are hubs."""
    draw = random.Random(seed)
    names = [f"{_NAMES[n % len(_NAMES)]}-{n}.example" for n in range(number)]
    relevant = {name for place, name in enumerate(names) if place % 3 == 0}
    weights = [1.0 / (1 + place // 3) ** 0.8 for place in range(number)]
    sites = {}
    for name in names:
        is_in = name in relevant
        targets = set()
        for _ in range(draw.randint(1, 6)):
            (target,) = draw.choices(names, weights)
            if target != name and ((target in relevant) == is_in or draw.random() < 0.15):
                targets.add(target)
        probability = min(0.99, max(0.01, draw.gauss(0.85 if is_in else 0.2, 0.12)))
        links = {home(target): target for target in sorted(targets)}
        page = MadePage(f"Site {name}", f"{text('owl', len(name))} {name}", probability, links)
        sites[name] = MadeSite({"/": page}, probability)
    return sites


_NAMES = ("museum", "gallery", "collection", "archive", "heritage", "institute", "foundation")


def _judge(session: Session, sites: Mapping[str, MadeSite]) -> None:
    topic = next(one.id for one in TopicTree(topic_rows.all_topics(session)) if one.name == TOPIC)
    judged = []
    for site, one in sites.items():
        for path, page in one.pages.items():
            margin = page.probability - EVEN
            judgement = Judgement(topic if margin > 0 else ROOT, margin, score=page.probability)
            judged.append((_page(session, f"http://{site}{path}"), judgement))
    keep_judgements(session, judged)


def _page(session: Session, url: str) -> PageId:
    kept = page_at(session, address(url).key)
    assert kept is not None, url
    return kept.id


def _outcome(url: str, made: MadePage) -> Outcome:
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
        fetched_at=FETCHED_AT,
        status=200,
        mime="text/html",
        size=len(made.text),
        digest=digest_of(f"{url} {made.text}".encode(errors="replace")),
    )
    entry = Entry(UrlId(0), at.url, at.key, QueueId(1), 0.0)
    return Outcome(entry, page=page, document=document)
