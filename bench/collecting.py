"""A crawl for collections with one centroid and with a hundred: processor time a page.

The web is made up: pages of 500 words and 60 links on 40 hosts. Reading, judging, ranking and
writing all count; fetching the hits and making the centroids does not. The crawls take turns.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits
from motherlode.documents.analysis import Manner
from motherlode.lab.clock import run_virtually
from motherlode.lab.labels import Labels
from motherlode.lab.replay import Replay
from motherlode.lab.web import Answer, WebInfo, html
from motherlode.policies.kind import PolicySetup
from motherlode.policies.tunnel.kind import TUNNEL_KIND, make_tunnel, store_model
from motherlode.portal import Portal, create_portal
from motherlode.records import Example, Origin, TopicId
from motherlode.topics import Planting
from motherlode.topics.tree_builder import Planted
from motherlode.workers.worker_pool import InlineWorkerPool

SUBJECTS = (1, 100)
HITS, HOSTS, PAGES = 7, 40, 1_500
WORDS, LINKS, VOCABULARY = 500, 60, 20_000
CRAWLED, ROUNDS = 400, 3


class MadeUpWeb:
    """Pages whose words are drawn by their numbers."""

    about = WebInfo("made up", "bench", PAGES, HOSTS)
    fingerprint = "bench"

    def answer(self, url: str) -> Answer | None:
        number = url.rpartition("/")[2].partition("-")[0]
        return html(self._page(int(number))) if number.isdecimal() else None

    def hosts(self) -> Iterator[str]:
        return (f"host{number}.test" for number in range(HOSTS))

    def has_host(self, name: str) -> bool:
        return name in set(self.hosts())

    def urls(self) -> Iterator[str]:
        return map(url_of, range(PAGES))

    def pages_of(self, host: str) -> Iterator[str]:
        return (url for url in self.urls() if f"//{host}/" in url)

    def labels(self) -> Labels:
        return Labels({})

    def habit_of(self, _host: str) -> str:
        return ""

    def _page(self, number: int) -> str:
        draw = random.Random(number)
        subject = number % max(SUBJECTS)
        words = [_word(int(VOCABULARY * draw.random() ** 3)) for _ in range(WORDS // 2)]
        words += [_word(VOCABULARY + 40 * subject + draw.randrange(40)) for _ in words]
        draw.shuffle(words)
        links = "".join(
            f'<li><a href="{url_of(target)}">{_word(VOCABULARY + 40 * (target % 100))} '
            f"{_word(target)}</a></li>"
            for target in draw.sample(range(PAGES), LINKS)
        )
        text = "".join(f"<p>{' '.join(words[at : at + 50])}.</p>" for at in range(0, WORDS, 50))
        return f"<title>{words[0]} {number}</title><article>{text}</article><ul>{links}</ul>"


def url_of(number: int) -> str:
    """Return the URL of a page."""
    return f"http://host{number % HOSTS}.test/{number}-{_word(VOCABULARY + 40 * (number % 100))}"


def _word(number: int) -> str:
    letters = ""
    for _ in range(5):
        number, place = divmod(number, 12)
        letters += "bdfgklmnprst"[place] + "aeiou"[(number + place) % 5]
    return letters


def main() -> None:
    seconds: dict[int, list[float]] = {subjects: [] for subjects in SUBJECTS}
    _crawl(1)  # loads what is compiled
    for _ in range(ROUNDS):
        for subjects in SUBJECTS:
            seconds[subjects].append(_crawl(subjects))
    single, many = (median(seconds[subjects]) * 1_000 for subjects in SUBJECTS)
    print(
        f"{CRAWLED} pages with {SUBJECTS[0]} centroid: {single:.2f} ms a page; with {SUBJECTS[1]}: "
        f"{many:.2f} ms, {many / single:.2f} times as much"
    )


def _crawl(subjects: int) -> float:
    """Return the processor seconds a page of a crawl for so many subjects."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "portal"
        topics = tuple(
            Planted(
                (f"subject {subject}",),
                tuple(
                    Example(TopicId(0), url_of(PAGES + subject + 100 * hit), origin=Origin.HIT)
                    for hit in range(HITS)  # behind the pages that links lead to
                ),
            )
            for subject in range(subjects)
        )
        chosen: dict[str, object] = {
            "crawl.policy": "tunnel",
            "crawl.seeds": [url_of(0)],
            "politeness.delay": 0.0,
        }
        create_portal(place, Planting(topics), chosen)
        with Portal.crawling(place, "bench") as portal:
            return run_virtually(_timed(portal))


async def _timed(portal: Portal) -> float:
    workers, web = InlineWorkerPool(Manner()), Replay(MadeUpWeb())
    await prepare(portal, web, TUNNEL_KIND.wanted, workers=workers)
    store_model(portal, with_meanings=True)
    policy = make_tunnel(PolicySetup(portal))
    if policy is None:
        sys.exit("bench: no hit could be fetched")
    began = process_time()
    progress = await crawl(
        portal, web, policy, Limits(CRAWLED, patience=0.0), CrawlContext(workers)
    )
    return (process_time() - began) / progress.pages
