"""Generated webs for tests, and a walk over every page of one."""

from collections.abc import Iterator
from functools import cache, cached_property
from hashlib import blake2b

from msgspec import Struct

from motherlode.documents.analysis import read
from motherlode.documents.extracts import Raw
from motherlode.lab.description import WebPlan
from motherlode.lab.generated.atlas import Part, Site
from motherlode.lab.generated.pages import Leaf
from motherlode.lab.generated.web import GeneratedWeb
from motherlode.lab.web import Answer
from motherlode.records import Document, LodeError
from motherlode.urls import canonical, host_of
from support.helpers import lacks

MOST_HOPS = 25
# What a process of its own runs to tell the digest of a web.
DIGEST_SCRIPT = """
import sys
from support.generated_webs import digest_of, made
from motherlode.lab.description import WebPlan
print(digest_of(made(WebPlan(*map(int, sys.argv[1:])))))
"""


@cache
def made(plan: WebPlan) -> GeneratedWeb:
    """The web of a plan; a test without one is skipped where there is no WordNet."""
    try:
        return GeneratedWeb(plan)
    except LodeError as error:
        lacks(f"WordNet 3.0: {error}")


@cache
def survey(plan: WebPlan) -> "Survey":
    return Survey(made(plan))


def digest_of(web: GeneratedWeb) -> str:
    """A digest over every URL and everything that is said there."""
    digest = blake2b()
    for url in web.urls():
        digest.update(repr((url, web.answer(url))).encode())
    for host in web.hosts():
        for name in ("robots.txt", "sitemap.xml", "old/4/1"):
            digest.update(repr(web.answer(f"http://{host}/{name}")).encode())
    return digest.hexdigest()


class Way(Struct, frozen=True):
    """Where a URL led to in the end; None: to nothing."""

    end: str | None
    hops: tuple[Answer, ...]


class Survey:
    """Every page of a small web, read."""

    def __init__(self, web: GeneratedWeb) -> None:
        self.web = web
        self.atlas = web._atlas
        self.pages = web._pages
        self.urls = list(web.urls())
        self.ways: dict[str, Way] = {}

    @cached_property
    def sites(self) -> list[Site]:
        return [self.atlas.site(number) for number in range(self.atlas.plan.hosts)]

    @cached_property
    def answers(self) -> dict[str, Answer]:
        return {url: answer for url in self.urls if (answer := self.web.answer(url))}

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The HTML pages."""
        return {
            url: read(Raw(url, answer.body, content_type=answer.header("content-type")))[0]
            for url, answer in self.answers.items()
            if answer.header("content-type").startswith("text/html")
        }

    @cached_property
    def graph(self) -> dict[str, list[str]]:
        """For each HTML page, where its links end."""
        return {
            url: [end for link in document.links if (end := self.way(link.url).end)]
            for url, document in self.documents.items()
        }

    def way(self, url: str) -> Way:
        if url not in self.ways:
            self.ways[url] = self._walk(url)
        return self.ways[url]

    def of(self, part: Part) -> list[Site]:
        return [site for site in self.sites if site.part is part]

    def leaves(self) -> Iterator[Leaf]:
        for site in self.sites:
            yield from (self.pages.leaf(site, number) for number in range(site.size))

    def reached(self, starts: set[str], without: set[str]) -> set[str]:
        """All that can be reached from some pages when others are taken out of the web."""
        found = set(starts) - without
        waiting = list(found)
        while waiting:
            for end in self.graph.get(waiting.pop(), ()):
                if end not in found and end not in without:
                    found.add(end)
                    waiting.append(end)
        return found

    def on(self, *hosts: str) -> set[str]:
        return {url for url in self.urls if host_of(url) in hosts}

    def _walk(self, url: str) -> Way:
        hops: list[Answer] = []
        while len(hops) <= MOST_HOPS:
            answer = self.answers.get(url) or self.web.answer(url)
            if answer is None:
                return Way(None, tuple(hops))
            if answer.status == 200:
                return Way(url, tuple(hops))
            hops.append(answer)
            url = canonical(answer.header("location"), url)
        return Way(None, tuple(hops))
