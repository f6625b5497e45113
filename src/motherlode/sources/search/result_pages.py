"""Search results as an HTML page: find the list of results among all links of the page.

Links are grouped by the elements that they stand in. The results are the group with the most
telling links: long anchors, headings, words of the query, and other pages rather than this one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import parse_qsl, urljoin, urlsplit

import turbohtml
from turbohtml import Element

from motherlode.sources.search.source import Hit

MAX_LINKS = 2_000
MIN_ANCHOR_CHARS = 3
MAX_ANCHOR_CHARS = 80  # beyond them, a longer anchor tells no more
MAX_CLIMB = 4  # elements above a link that its group is named by
HEADING_FACTOR = 3.0
RESULT_FACTOR = 2.0
QUERY_WORD_FACTOR = 4.0
_ASIDE = frozenset({"nav", "header", "footer", "aside", "form"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "dt"})
_RESULT_WORDS = ("result", "hit", "serp")
_BLOCKS = frozenset({"li", "article", "tr", "dd", "section"})
_CODE = ("script", "style", "template")


@dataclass(frozen=True, slots=True)
class _ResultLink:
    """A link that may be a result."""

    link: Element
    url: str
    title: str


def read_result_page(html: str, url: str, query: str) -> list[Hit]:
    """Return the results on a page; none if nothing on it looks like a list of results."""
    tree = turbohtml.parse(html, positions=False)
    for name in _CODE:
        for element in tree.find_all(name):
            element.decompose()
    words = frozenset(query.casefold().split())
    groups: dict[tuple[str, ...], list[_ResultLink]] = defaultdict(list)
    for candidate in _candidates(tree.find_all("a")[:MAX_LINKS], url):
        groups[_place_of(candidate.link)].append(candidate)
    best = max(groups.items(), key=lambda group: _score(*group, words), default=((), []))
    return [Hit(found.url, found.title, _snippet(found)) for found in best[1]]


def _candidates(links: list[Element], page: str) -> Iterator[_ResultLink]:
    own = urlsplit(page)
    for link in links:
        href = link.attrs.get("href")
        title = " ".join(link.text.split())
        if not isinstance(href, str) or len(title) < MIN_ANCHOR_CHARS:
            continue
        try:
            target = _behind_redirect(urljoin(page, href.strip()), own.netloc)
            parts = urlsplit(target)
        except ValueError:  # such as brackets that are no IPv6 address
            continue
        is_search = (parts.netloc, parts.path) == (own.netloc, own.path)
        if parts.scheme not in ("http", "https") or is_search or _is_aside(link):
            continue
        yield _ResultLink(link, target, title)


def _behind_redirect(url: str, own_host: str) -> str:
    """Return the URL that the search engine's own redirect names in its query."""
    parts = urlsplit(url)
    if parts.netloc != own_host:
        return url
    values = (value for _, value in parse_qsl(parts.query))
    return next((value for value in values if value.startswith(("http://", "https://"))), url)


def _is_aside(link: Element) -> bool:
    return any(element.tag in _ASIDE for element in _above(link))


def _place_of(link: Element) -> tuple[str, ...]:
    """Return the names of the elements around a link, by which results are told from the rest."""
    names = [_described(link)]
    names += [_described(element) for element in islice(_above(link), MAX_CLIMB)]
    return tuple(names)


def _described(element: Element) -> str:
    classes = element.attrs.get("class") or ()
    words = classes.split() if isinstance(classes, str) else classes
    return ".".join([str(element.tag), *sorted(map(str, words))[:3]])


def _score(place: tuple[str, ...], found: list[_ResultLink], words: Collection[str]) -> float:
    text = " ".join(place).casefold()
    factor = 1.0
    if any(name.partition(".")[0] in _HEADINGS for name in place):
        factor *= HEADING_FACTOR
    if any(word in text for word in _RESULT_WORDS):
        factor *= RESULT_FACTOR
    titles = {candidate.url: candidate.title for candidate in found}
    telling = sum(_worth(title, words) for title in titles.values())
    return factor * telling


def _worth(title: str, words: Collection[str]) -> float:
    matches = any(word in title.casefold() for word in words)
    return min(len(title), MAX_ANCHOR_CHARS) * (QUERY_WORD_FACTOR if matches else 1.0)


def _snippet(found: _ResultLink) -> str:
    """Return the text of the block around a result, without its title."""
    above = list(_above(found.link))
    block = next((element for element in above if element.tag in _BLOCKS), None)
    if block is None and above:  # the element around the link, or around its heading
        block = above[1] if above[0].tag in _HEADINGS and len(above) > 1 else above[0]
    if block is None or len(block.find_all("a")) > MAX_CLIMB:
        return ""
    text = " ".join(block.to_text().split())
    return text.replace(found.title, "", 1).strip()


def _above(element: Element) -> Iterator[Element]:
    """Yield the elements around an element, from the inside out."""
    return (found for found in element.ancestors if isinstance(found, Element))
