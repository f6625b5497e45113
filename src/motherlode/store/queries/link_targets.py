"""Where links lead, of many pages at once, and what is still open of that.

The numbers of a page's links come out of the database as one text, which takes a fifth of the time
that a row for each would take; both databases can put such texts together.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Text, cast, func, select

from motherlode.records import UrlState
from motherlode.store.schema import links, pages, urls
from motherlode.store.session import Session

Numbers = npt.NDArray[np.int64]

_PAGES = 1_000  # at once
_URLS = 1 << 16
_BETWEEN = ","
_LINE = "\n"  # between anchors, which have none (`documents.html.links`)


def targets_from(session: Session, of: Sequence[int]) -> Iterator[tuple[Numbers, Numbers]]:
    """The links of these pages, some pages at a time: the pages, and the URLs that they lead to."""
    told = select(links.c.page_id, _listed(links.c.url_id)).group_by(links.c.page_id)
    for start in range(0, len(of), _PAGES):
        here = links.c.page_id.in_(of[start : start + _PAGES])
        found = [
            (page, _parsed(listed)) for page, listed in session.connection.execute(told.where(here))
        ]
        lengths = [len(targets) for _, targets in found]
        owners = np.repeat(np.array([page for page, _ in found], np.int64), lengths)
        yield owners, np.concatenate([np.array([], np.int64), *(targets for _, targets in found)])


def anchors_to_all(session: Session, wanted: Numbers, limit: int) -> list[list[str]]:
    """What links say that lead to each of these URLs, whose numbers rise; of the first so many
    links, each anchor once. Looks at every link there is, which is less work than asking for each
    of very many URLs.
    """
    found: list[list[str]] = [[] for _ in range(len(wanted))]
    counted = np.zeros(len(wanted), np.int64)
    for targets, anchors in _all_links(session) if found else ():
        slots = wanted.searchsorted(targets)
        slots[slots == len(wanted)] = 0
        here = np.flatnonzero(wanted[slots] == targets)
        here = here[np.argsort(slots[here], kind="stable")]
        slots = slots[here]
        firsts = np.flatnonzero(np.r_[True, slots[1:] != slots[:-1]]) if len(slots) else slots
        lengths = np.diff(np.r_[firsts, len(slots)])
        nth = np.arange(len(slots)) - np.repeat(firsts, lengths) + counted[slots]
        counted[slots[firsts]] += lengths
        early = nth < limit
        for slot, at in zip(slots[early].tolist(), here[early].tolist(), strict=True):
            if anchors[at] not in found[slot]:
                found[slot].append(anchors[at])
    return found


def _all_links(session: Session) -> Iterator[tuple[Numbers, list[str]]]:
    """The links of all pages, some pages at a time, the first page first: where to, and what they
    say.
    """
    last = session.connection.execute(select(func.max(pages.c.id))).scalar_one() or 0
    told = select(_listed(links.c.url_id), func.aggregate_strings(links.c.anchor, _LINE))
    for low in range(0, last, _PAGES):
        here = told.where(*_within(links.c.page_id, low + _PAGES, _PAGES)).group_by(links.c.page_id)
        rows = session.connection.execute(here.order_by(links.c.page_id)).all()
        anchors = [
            anchor for listed, said in rows for anchor in _apart(said, listed.count(_BETWEEN) + 1)
        ]
        if rows:
            yield _parsed(_BETWEEN.join(listed for listed, _ in rows)), anchors


def open_urls(session: Session, most: int) -> tuple[Numbers, Numbers]:
    """The numbers, rising, and the keys of URLs that nothing has become of yet: the latest, so many
    or a few more.
    """
    last = session.connection.execute(select(func.max(urls.c.id))).scalar_one() or 0
    found, count = [(np.array([], np.int64), np.array([], np.int64))], 0
    for high in range(last, 0, -_URLS):
        told = select(_listed(urls.c.id), _listed(urls.c.key))
        told = told.where(*_within(urls.c.id, high, _URLS), urls.c.state == UrlState.OPEN)
        numbers, keys = (_parsed(listed or "") for listed in session.connection.execute(told).one())
        order = numbers.argsort()
        found.append((numbers[order], keys[order]))
        count += len(numbers)
        if count >= most:
            break
    numbers, keys = (np.concatenate(parts) for parts in zip(*reversed(found), strict=True))
    return numbers, keys


def urls_of_all_pages(session: Session) -> tuple[Numbers, Numbers]:
    """The numbers of all pages, rising, and those of their URLs."""
    last = session.connection.execute(select(func.max(pages.c.id))).scalar_one() or 0
    found = [(np.array([], np.int64), np.array([], np.int64))]
    for high in range(last, 0, -_URLS):
        told = select(_listed(pages.c.id), _listed(pages.c.url_id)).where(
            *_within(pages.c.id, high, _URLS)
        )
        numbers, of = (_parsed(listed or "") for listed in session.connection.execute(told).one())
        order = numbers.argsort()
        found.append((numbers[order], of[order]))
    numbers, of = (np.concatenate(parts) for parts in zip(*reversed(found), strict=True))
    return numbers, of


def addresses(session: Session, most: int) -> Iterator[tuple[Numbers, Sequence[str]]]:
    """The numbers and the addresses of those URLs, some at a time, the latest first."""
    last, count = session.connection.execute(select(func.max(urls.c.id))).scalar_one() or 0, 0
    for high in range(last, 0, -_URLS):
        told = select(_listed(urls.c.id), func.aggregate_strings(urls.c.url, _LINE))
        told = told.where(*_within(urls.c.id, high, _URLS), urls.c.state == UrlState.OPEN)
        listed, said = session.connection.execute(told).one()
        numbers = _parsed(listed or "")
        yield numbers, _apart(said or "", len(numbers)) if len(numbers) else ()
        count += len(numbers)
        if count >= most:
            break


def _apart(anchors: str, count: int) -> list[str]:
    """So many anchors; where they cannot be told apart, they say nothing."""
    found = anchors.split(_LINE)
    return found if len(found) == count else [""] * count


def _within(number: ColumnElement[int], high: int, count: int) -> tuple[ColumnElement[bool], ...]:
    return number > high - count, number <= high


def _listed(number: ColumnElement[int]) -> ColumnElement[Any]:
    return func.aggregate_strings(cast(number, Text), _BETWEEN)


def _parsed(listed: str) -> Numbers:
    return np.fromstring(listed, np.int64, sep=_BETWEEN)
