"""A web put into a portal as it is, whole or in part: every page kept, topics learned from a few
examples.

A crawl would find the same pages in another order, and learn from more than it was handed. Here
nothing depends on how well a crawl went, so that what is measured is what comes after it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import time
from zlib import crc32

from msgspec.structs import replace

from motherlode.lab.learned.pages import document_at
from motherlode.lab.replay import Timing
from motherlode.lab.trials.trial import throwaway
from motherlode.lab.web import LabWeb
from motherlode.policies.bingo.user_retraining import retrain
from motherlode.policies.follows import QUEUE
from motherlode.portal import Portal
from motherlode.records import Document, Entry, Link, Outcome, Page, UrlId
from motherlode.store.tables import outcomes
from motherlode.topics import Planting
from motherlode.training.user_retraining import RetrainingOptions, save_retrained
from motherlode.urls import address

Progress = Callable[[int, int], object]  # is told how much of how much is done
Sayings = dict[
    str, dict[str, str]
]  # by page, what links said of it; in small letters, and as it was said

_AT_ONCE = 500  # pages that are kept in one transaction


@contextmanager
def filled(
    web: LabWeb, urls: Sequence[str], planting: Planting, held_back: int, told: Progress
) -> Iterator[tuple[Portal, Sayings]]:
    """A portal that has these pages of a web and is gone afterwards, and what it was not told.

    Of what links say of a page, one in `held_back` is held back, on whichever page it stands: the
    links are there, and say nothing.
    """
    with throwaway(planting, {}, Timing()) as portal:
        sayings = _fill(portal, web, urls, held_back, told)
        _learn(portal)
        yield portal, sayings


def _fill(
    portal: Portal, web: LabWeb, urls: Sequence[str], held_back: int, told: Progress
) -> Sayings:
    sayings: Sayings = {}
    for start in range(0, len(urls), _AT_ONCE):
        part = urls[start : start + _AT_ONCE]
        with portal.batch() as session:
            outcomes.keep(session, list(_outcomes(web, part, sayings, held_back)))
        told(start + len(part), len(urls))
    return sayings


def _outcomes(
    web: LabWeb, urls: Sequence[str], sayings: Sayings, held_back: int
) -> Iterator[Outcome]:
    for url in urls:
        document = document_at(web, url)
        if document is not None:
            silenced = replace(document, links=_silenced(document, sayings, held_back))
            at = address(url)
            page = Page(at.url, at.key, time(), 200, _type(web, url), len(document.text))
            yield Outcome(Entry(UrlId(0), at.url, at.key, QUEUE, 0.0), page=page, document=silenced)


def _type(web: LabWeb, url: str) -> str:
    said = web.answer(url)
    return said.header("content-type").partition(";")[0].strip().lower() if said is not None else ""


def _silenced(document: Document, sayings: Sayings, held_back: int) -> tuple[Link, ...]:
    links = []
    for link in document.links:
        said = link.anchor.casefold()
        if said and crc32(f"{link.url} {said}".encode("utf-8", "replace")) % held_back == 0:
            sayings.setdefault(link.url, {}).setdefault(said, link.anchor)
            links.append(replace(link, anchor=""))
        else:
            links.append(link)
    return tuple(links)


def _learn(portal: Portal) -> None:
    """What `lode train` does."""
    with portal.store.reading() as session:
        found = retrain(session, portal.tree(), portal.config, RetrainingOptions())
    save_retrained(portal, found, {})
