"""The links of a page with what tells title links from others: text, target, heading, words."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from motherlode.documents.result_lists.page_tree import MAX_ATTRIBUTE_CHARS, PageTree
from motherlode.urls import registrable_domain

MAX_LINKS: Final = 4_000
MAX_ANCHOR_CHARS: Final = 500
TEMPLATE_LEVELS: Final = 5  # elements around a link by which its place is known again
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})
_BOLD = frozenset({"b", "strong", "em", "mark"})
_IN_PATH = re.compile(r"/RU=(https?[^/]+)/", re.IGNORECASE)
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link: the number of its element, its address, and the address behind a redirect."""

    element: int
    url: str
    target: str
    text: str
    is_picture: bool  # its text is that of a picture or an attribute
    is_heading: bool  # in a heading, or around one
    is_bold: bool  # a word of its text is set off, as words of the query often are
    is_search: bool  # it leads to the page's own address with other parameters


@dataclass(frozen=True, slots=True)
class LinkedAnswer:
    """A page's tree, its links in order, and the words that were searched."""

    tree: PageTree
    links: tuple[PageLink, ...]
    url: str
    words: tuple[str, ...] = ()
    template: frozenset[str] = frozenset()  # addresses and texts that other answers have, too
    has_others: bool = False
    target_counts: Counter[str] = field(default_factory=Counter)
    query_text: int = 10**9  # number of the first text that has all words of the query


def link_page(
    tree: PageTree, url: str, query: str = "", others: tuple[LinkedAnswer, ...] = ()
) -> LinkedAnswer:
    """Return a page with its links; `others` are answers of the same portal to other queries."""
    links = tuple(_links(tree, base_of(tree, url), url))
    template = frozenset(name for other in others for name in link_names(other.links))
    words = tuple(word for word in dict.fromkeys(re.findall(r"\w+", query.casefold())) if word)
    counts = Counter(link.target for link in links)
    words = words[:20]
    place = _first_text_with(tree, words)
    return LinkedAnswer(tree, links, url, words, template, bool(others), counts, place)


def without_template(page: LinkedAnswer, empty: LinkedAnswer) -> LinkedAnswer:
    """Return a page without the links that an answer without results has at the same place."""
    known = set(map(partial(_place_of, empty.tree), empty.links))
    links = tuple(link for link in page.links if _place_of(page.tree, link) not in known)
    return replace(page, links=links)


def _place_of(tree: PageTree, link: PageLink) -> tuple[str, ...]:
    """Return the address of a link, and the elements that it stands in with their classes."""
    around = (link.element, *tree.above(link.element)[:TEMPLATE_LEVELS])
    return (link.url, *(f"{tree.tags[number]}.{tree.classes[number]}" for number in around))


def _first_text_with(tree: PageTree, words: tuple[str, ...]) -> int:
    """Return the number of the first text that has all the words; beyond all if none."""
    for number, text in enumerate(tree.texts):
        folded = text.casefold()
        if words and all(word in folded for word in words):
            return number
    return len(tree.texts) + 1


def link_names(links: tuple[PageLink, ...]) -> set[str]:
    """Return what links are known again by in another answer: address and text together."""
    return {f"{link.url}\n{link.text}" for link in links}


def base_of(tree: PageTree, url: str) -> str:
    """Return the address that the page's references are relative to."""
    return urljoin_safely(url, tree.base) if tree.base else url


def urljoin_safely(base: str, reference: str) -> str:
    """Return the absolute address without its fragment; empty where there is none."""
    try:
        return urljoin(base, reference.strip()).partition("#")[0]
    except ValueError:  # such as brackets that are no IPv6 address
        return ""


def _links(tree: PageTree, base: str, page: str) -> list[PageLink]:
    links: list[PageLink] = []
    own = _parts(page)
    for number, tag in enumerate(tree.tags):
        if tag != "a" or len(links) >= MAX_LINKS:
            continue
        href = (tree.elements[number].attr("href") or "")[:MAX_ATTRIBUTE_CHARS].strip()
        url = "" if href.startswith("#") else urljoin_safely(base, href)
        if href and url.lower().startswith(_WEB):
            links.append(_read_link(tree, number, url, own))
    return links


def _read_link(tree: PageTree, number: int, url: str, own: tuple[str, str]) -> PageLink:
    text = tree.own_text(number, MAX_ANCHOR_CHARS)
    inner = tree.tags[number + 1 : min(tree.ends[number], number + 40)]
    around = [tree.tags[above] for above in tree.above(number)[:3]]
    return PageLink(
        element=number,
        url=url,
        target=behind_redirect(url, own[0]),
        text=text or _described(tree, number),
        is_picture=not text,
        is_heading=not _HEADINGS.isdisjoint(inner) or not _HEADINGS.isdisjoint(around),
        is_bold=not _BOLD.isdisjoint(inner),
        is_search=_parts(url) == own,
    )


def _described(tree: PageTree, number: int) -> str:
    """Return what a link without text says of itself: its picture, label or title."""
    element = tree.elements[number]
    image = element.find("img")
    picture = image.attr("alt") if image is not None else None
    hints = element.attr("aria-label"), picture, element.attr("title")
    return " ".join((next(filter(None, hints), "") or "")[:MAX_ANCHOR_CHARS].split())


def _parts(url: str) -> tuple[str, str]:
    """Return host and path of an address."""
    try:
        parts = urlsplit(url)
        return parts.netloc.lower(), parts.path.rstrip("/")
    except ValueError:
        return "", ""


def behind_redirect(url: str, own_host: str) -> str:
    """Return the address that a redirect of the portal itself names; else the address.

    >>> behind_redirect("http://a.test/url?q=http%3A%2F%2Fb.test%2Fowl&sa=1", "www.a.test")
    'http://b.test/owl'
    """
    try:
        parts = urlsplit(url)
        values = [value for _, value in parse_qsl(parts.query, max_num_fields=50)]
    except ValueError:
        return url
    if "http" not in url[8:] or not _is_own(parts.hostname or "", own_host):
        return url
    in_path = _IN_PATH.search(parts.path)
    if in_path:
        values.insert(0, unquote(in_path[1]))
    return next((value for value in values if value.lower().startswith(_WEB)), url)


def _is_own(host: str, own_host: str) -> bool:
    own = own_host.partition(":")[0]
    return host == own or registrable_domain(host) == registrable_domain(own)
