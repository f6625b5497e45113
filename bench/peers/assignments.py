"""What every crawler is given: a topic's seeds and keywords, and how many pages it may fetch."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from bench.peers.keywords import choose_keywords
from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.lab.labels import Labels
from motherlode.lab.trials.seeds import draw_seeds
from motherlode.lab.web import LabWeb
from motherlode.records import UsageError

MIN_TOPIC_PAGES = 40
BACKGROUND_PAGES = 300  # drawn from the web to tell what is said everywhere
KEYWORDS = 10


class Assignment(NamedTuple):
    """One topic for all crawlers. `relevant` has its pages without the seeds, which are given."""

    topic: str
    seeds: tuple[str, ...]
    keywords: dict[str, float]
    relevant: frozenset[str]


def draw_topics(labels: Labels, number: int, draw: int) -> list[str]:
    """Return topics of at least 40 pages; the same draw returns the same ones."""
    topics = [topic for topic, pages in labels.topics().items() if pages >= MIN_TOPIC_PAGES]
    if len(topics) < number:
        raise UsageError(
            f"This web has {len(topics)} topics of at least {MIN_TOPIC_PAGES} labelled pages; "
            f"ask for no more than those with --topics."
        )
    return random.Random(draw).sample(sorted(topics), number)


def make_assignments(web: LabWeb, topics: Sequence[str], seeds: int, draw: int) -> list[Assignment]:
    """Return the assignment of each topic; keywords are by tf-idf from the seed pages."""
    urls = sorted(web.urls())
    drawn = random.Random(draw).sample(urls, min(BACKGROUND_PAGES, len(urls)))
    background = [page_text(web, url) for url in drawn]
    labels = web.labels()
    return [_assign(web, labels, topic, seeds, draw, background) for topic in topics]


def _assign(
    web: LabWeb, labels: Labels, topic: str, seeds: int, draw: int, background: list[str]
) -> Assignment:
    urls = tuple(seed.url for seed in draw_seeds(labels, topic, seeds, draw))
    keywords = choose_keywords([page_text(web, url) for url in urls], background, KEYWORDS)
    return Assignment(topic, urls, keywords, labels.relevant(topic) - set(urls))


def page_text(web: LabWeb, url: str) -> str:
    """Return the text of a page; nothing if the web has none there."""
    answer = web.answer(url)
    if answer is None:
        return ""
    raw = Raw(url, answer.body, content_type=answer.header("content-type"))
    document = analyse_one(raw)
    return f"{document.title}\n{document.text}"
