"""Links, and what they promise, in tests."""

from motherlode.documents.terms import bag_of
from motherlode.policies.bingo.compiled import PARENTS, PRIOR
from motherlode.policies.bingo.prospects import Prospects
from motherlode.records import Link
from motherlode.urls import address, url_key


def link(url: str, anchor: str = "") -> Link:
    found = address(url)
    return Link(found.url, found.key, anchor)


def see(book: Prospects, sure: float, *links: Link, host: str = "parents.test") -> list[float]:
    return [float(rank) for rank in book.see(sure, url_key("", host), book.called(links))]


def share(*parents: float, of_host: float = PRIOR) -> float:
    return (sum(parents) + PARENTS * of_host) / (len(parents) + PARENTS)


def number(word: str) -> int:
    return int(bag_of(word).terms[0])
