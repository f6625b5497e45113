"""Outcomes as a crawl brings them, without a crawl.

Measured on the recorded `campus` web in breadth-first order: 62 links a page, 85% to the same host, 8 hosts
a page, 5 new URLs a page on 1.7 hosts. The model is harder on the store: 60 links, 75% to the same host,
8 hosts, `new` (by default 15) URLs never seen, on 3 hosts; ranks at random, so that
rediscoveries often raise one.
"""

import random

from motherlode.records import (
    Document,
    Entry,
    Follow,
    Judgement,
    Link,
    Outcome,
    Page,
    QueueId,
    TopicId,
    UrlKey,
)
from motherlode.urls import url_key

HOSTS = 2000
LINKS = 60
QUEUES = 20
ANCHORS = (
    "read more about this topic",
    "home",
    "next page",
    "the history of violins",
    "Publications 2003",
)
TEXT = 4000  # characters of main text a page
VECTOR = 1200  # bytes of packed term vector a page

Named = tuple[str, UrlKey]


class CrawlModel:
    def __init__(self, new: int = 15, seed: int = 1) -> None:
        self._draw = random.Random(seed)
        self._new = new
        self._known: list[list[Named]] = [[] for _ in range(HOSTS)]
        self._made = 0
        words = [f"word{self._draw.randrange(5000)}" for _ in range(4000)]
        self._texts = [" ".join(self._draw.choices(words, k=TEXT // 8)) for _ in range(50)]
        self._vectors = [self._draw.randbytes(VECTOR) for _ in range(50)]

    def seeds(self) -> list[Follow]:
        """A first page on every host."""
        named = (self._fresh(host) for host in range(HOSTS))
        return [
            Follow(url, key, QueueId(2 + n % QUEUES), 1.0) for n, (url, key) in enumerate(named)
        ]

    def outcomes(self, entries: list[Entry]) -> list[Outcome]:
        return [self._outcome(entry) for entry in entries]

    def urls(self, count: int) -> list[Named]:
        """URLs that some page has linked to."""
        return [self._old(self._draw.randrange(HOSTS)) for _ in range(count)]

    def _outcome(self, entry: Entry) -> Outcome:
        draw = self._draw
        host = int(entry.url.partition("site")[2].partition(".")[0])
        queue, rank = TopicId(2 + draw.randrange(QUEUES)), 0.2 + 0.6 * draw.random()
        links = tuple(
            Link(url, key, ANCHORS[place % len(ANCHORS)])
            for place, (url, key) in enumerate(self._targets(host))
        )
        return Outcome(
            entry=entry,
            page=Page(entry.url, entry.key, 1.7e9, 200, "text/html", 35_000, draw.randbytes(20)),
            document=Document(
                title="A page of the model",
                language="en",
                text=draw.choice(self._texts),
                fingerprint=draw.getrandbits(63),
                vectors={"terms": draw.choice(self._vectors)},
                links=links,
            ),
            judgement=Judgement(queue, rank),
            follows=tuple(
                Follow(link.url, link.key, QueueId(queue), rank, depth=2) for link in links
            ),
        )

    def _targets(self, host: int) -> list[Named]:
        others = [self._draw.randrange(HOSTS) for _ in range(7)]
        abroad = self._new // 3
        targets = [self._fresh(host) for _ in range(self._new - abroad)]
        targets += [self._old(host) for _ in range(LINKS * 3 // 4 - len(targets))]
        targets += [self._fresh(self._draw.choice(others[:2])) for _ in range(abroad)]
        targets += [self._old(self._draw.choice(others)) for _ in range(LINKS - len(targets))]
        self._draw.shuffle(targets)
        return targets

    def _fresh(self, host: int) -> Named:
        self._made += 1
        name = f"www.site{host}.example.org"
        url = f"http://{name}/department/section{self._made % 50}/page-{self._made}.html"
        self._known[host].append((url, url_key(url, name)))
        return self._known[host][-1]

    def _old(self, host: int) -> Named:
        """A known URL of the host: often one of its navigation, else the older the likelier."""
        known = self._known[host]
        if not known:
            return self._fresh(host)
        if self._draw.random() < 0.6:
            return known[self._draw.randrange(min(30, len(known)))]
        return known[int(self._draw.random() ** 2 * len(known))]
