"""Search results as an HTML page: find the list of results among all links of the page.

Links are grouped by the elements that they stand in. The results are the group with the most
telling links: long anchors, headings, words of the query, and other pages rather than this one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
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


class _Candidate:
    """A link that may be a result, and the element that its snippet stands in."""

    def __init__(self, link: Element, url: str, title: str) -> None:
        self.link = link
        self.url = url
        self.title = title


def read_result_page(html: str, url: str, query: str) -> list[Hit]:
    """Return the results on a page; none if nothing on it looks like a list of results."""
    tree = turbohtml.parse(html, positions=False)
    for name in _CODE:
        for element in tree.find_all(name):
            element.decompose()
    words = frozenset(query.casefold().split())
    groups: dict[tuple[str, ...], list[_Candidate]] = defaultdict(list)
    for candidate in _candidates(tree.find_all("a")[:MAX_LINKS], url):
        groups[_place_of(candidate.link)].append(candidate)
    best = max(groups.items(), key=lambda group: _score(*group, words), default=((), []))
    return [Hit(found.url, found.title, _snippet(found)) for found in best[1]]


def _candidates(links: list[Element], page: str) -> Iterator[_Candidate]:
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
        yield _Candidate(link, target, title)


def _behind_redirect(url: str, own_host: str) -> str:
    """Return the URL that the search engine's own redirect names in its query."""
    parts = urlsplit(url)
    if parts.netloc != own_host:
        return url
    values = (value for _, value in parse_qsl(parts.query))
    return next((value for value in values if value.startswith(("http://", "https://"))), url)


def _is_aside(link: Element) -> bool:
    return any(element.tag in _ASIDE for element in link.ancestors)


def _place_of(link: Element) -> tuple[str, ...]:
    """Return the names of the elements around a link, by which results are told from the rest."""
    names = [_described(link)]
    for element, _ in zip(link.ancestors, range(MAX_CLIMB), strict=False):
        names.append(_described(element))
    return tuple(names)


def _described(element: Element) -> str:
    classes = element.attrs.get("class") or ()
    words = classes.split() if isinstance(classes, str) else classes
    return ".".join([str(element.tag), *sorted(map(str, words))[:3]])


def _score(place: tuple[str, ...], found: list[_Candidate], words: Collection[str]) -> float:
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


def _snippet(found: _Candidate) -> str:
    """Return the text of the block around a result, without its title."""
    block = next(
        (element for element in found.link.ancestors if element.tag in _BLOCKS),
        _above(found.link),
    )
    if block is None or len(block.find_all("a")) > MAX_CLIMB:
        return ""
    text = " ".join(block.to_text().split())
    return text.replace(found.title, "", 1).strip()


def _above(link: Element) -> Element | None:
    """Return the element around a link, or around the heading that it stands in."""
    parent = link.parent
    if isinstance(parent, Element) and parent.tag in _HEADINGS:
        parent = parent.parent
    return parent if isinstance(parent, Element) else None
