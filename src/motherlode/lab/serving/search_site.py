"""A host with a search engine for a web that is served: OpenSearch, RSS, Atom, HTML, and JSON.

The JSON has the form of SearXNG's. The host is no part of the web: neither its pages nor its labels
name it.
"""

from collections.abc import Callable, Iterator, Sequence
from email.utils import formatdate
from html import escape
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

import msgspec

from motherlode.lab.labels import Labels
from motherlode.lab.search_engine import WebSearch
from motherlode.lab.web import Answer, LabWeb, RequestHandler, WebInfo, handler_of, html
from motherlode.sources.search.source import Hit

# Generated hosts have a number before .test, and the Web has no host below .test (RFC 6761).
SEARCH_HOST = "search.test"
SITE = f"http://{SEARCH_HOST}"
DESCRIPTION_URL = f"{SITE}/opensearch.xml"
_SPELLINGS = (SITE, f"https://{SEARCH_HOST}")
PAGE_HITS = 10
MAX_COUNT = 100
MAX_START = 1_000
DATE = formatdate(0, usegmt=True)  # of all that is said here: a replay says the same at any time
_QUERY = f"{SITE}/search?q={{searchTerms}}"
DESCRIPTION = f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>Sandbox</ShortName>
  <Description>Searches the pages of this web.</Description>
  <Url type="text/html" template="{_QUERY}&amp;page={{startPage?}}"/>
  <Url type="application/rss+xml"
    template="{_QUERY}&amp;format=rss&amp;count={{count?}}&amp;start={{startIndex?}}"/>
  <Url type="application/atom+xml"
    template="{_QUERY}&amp;format=atom&amp;count={{count?}}&amp;start={{startIndex?}}"/>
  <InputEncoding>UTF-8</InputEncoding>
</OpenSearchDescription>
"""
ROBOTS = "User-agent: *\nDisallow: /search\n"


def with_search_engine(web: LabWeb) -> LabWeb:
    """Return a web with the search engine's host in it; unchanged if it has such a host itself."""
    return web if web.has_host(SEARCH_HOST) else SearchableWeb(web)


class SearchableWeb:
    """A web with a search engine at a host of its own."""

    def __init__(self, web: LabWeb) -> None:
        self._web = web
        self._site = SearchSite(WebSearch(web))

    @property
    def about(self) -> WebInfo:
        return self._web.about

    @property
    def fingerprint(self) -> str:
        return self._web.fingerprint

    def answer(self, url: str) -> Answer | None:
        if url.startswith(_SPELLINGS):
            parts = urlsplit(url)
            if parts.netloc == SEARCH_HOST:
                return self._site.answer(parts)
        return self._web.answer(url)

    def handler_for(self, host: str) -> RequestHandler | None:
        return None if host == SEARCH_HOST else handler_of(self._web, host)

    def hosts(self) -> Iterator[str]:
        return self._web.hosts()

    def has_host(self, name: str) -> bool:
        return name == SEARCH_HOST or self._web.has_host(name)

    def urls(self) -> Iterator[str]:
        return self._web.urls()

    def pages_of(self, host: str) -> Iterator[str]:
        return self._web.pages_of(host)

    def labels(self) -> Labels:
        return self._web.labels()

    def habit_of(self, host: str) -> str:
        return "" if host == SEARCH_HOST else self._web.habit_of(host)


class SearchSite:
    """The pages of the search engine."""

    def __init__(self, engine: WebSearch) -> None:
        self._engine = engine

    def answer(self, url: SplitResult) -> Answer | None:
        match url.path:
            case "" | "/":
                return html(_page("Search", ""))
            case "/opensearch.xml":
                return _typed("application/opensearchdescription+xml", DESCRIPTION)
            case "/robots.txt":
                return _typed("text/plain", ROBOTS)
            case "/search":
                return self._search(SearchPage(url.query))
        return None

    def _search(self, page: "SearchPage") -> Answer:
        writer = WRITERS.get(page.format)
        if writer is None:
            return html(_page("Forbidden", "<p>This format is not switched on."), 403)
        if not page.query:
            return html(_page("No query", "<p>Write what you look for."), 400)
        hits = self._engine.hits(page.query, page.start + page.count)
        return writer(page, hits[page.start :])


class SearchPage:
    """The parameters of a search, within bounds."""

    def __init__(self, query_string: str) -> None:
        parameters = parse_qs(query_string, errors="replace")

        def text(name: str) -> str:
            return parameters.get(name, [""])[0]

        self.query = " ".join(text("q").split())
        self.format = text("format") or "html"
        self.count = _number(text("count"), PAGE_HITS, MAX_COUNT)
        number = _number(text("page") or text("pageno"), 1, MAX_START // PAGE_HITS)
        first = _number(text("start"), 1 + (number - 1) * self.count, MAX_START)
        self.start = first - 1


def _html_results(page: SearchPage, hits: Sequence[Hit]) -> Answer:
    items = "".join(
        f'<li class="result"><h2><a href="{escape(hit.url)}">{escape(hit.title)}</a></h2>'
        f"<p>{escape(hit.snippet)}</p></li>\n"
        for hit in hits
    )
    number = page.start // page.count + 1
    more = urlencode({"q": page.query, "page": number + 1})
    body = f'<ol class="results">\n{items}</ol>\n<p><a href="/search?{more}">Next page</a></p>'
    return html(_page(page.query, body))


def _rss_results(page: SearchPage, hits: Sequence[Hit]) -> Answer:
    items = "".join(
        f"<item><title>{escape(hit.title)}</title><link>{escape(hit.url)}</link>"
        f"<description>{escape(hit.snippet)}</description></item>\n"
        for hit in hits
    )
    return _typed(
        "application/rss+xml",
        f"{_XML}<rss version='2.0' {_OPENSEARCH}><channel><title>{_xml(page.query)}</title>"
        f"<link>{SITE}/</link><description>Search results</description>{_counts(page)}\n"
        f"{_xml(items, escaped=True)}</channel></rss>\n",
    )


def _atom_results(page: SearchPage, hits: Sequence[Hit]) -> Answer:
    entries = "".join(
        f'<entry><title>{escape(hit.title)}</title><link href="{escape(hit.url)}"/>'
        f"<id>{escape(hit.url)}</id><updated>1970-01-01T00:00:00Z</updated>"
        f"<summary>{escape(hit.snippet)}</summary></entry>\n"
        for hit in hits
    )
    return _typed(
        "application/atom+xml",
        f"{_XML}<feed xmlns='http://www.w3.org/2005/Atom' {_OPENSEARCH}>"
        f"<title>{_xml(page.query)}</title><id>{SITE}/search</id>"
        f"<updated>1970-01-01T00:00:00Z</updated>{_counts(page)}\n"
        f"{_xml(entries, escaped=True)}</feed>\n",
    )


def _json_results(page: SearchPage, hits: Sequence[Hit]) -> Answer:
    results = [
        {
            "url": hit.url,
            "title": hit.title,
            "content": hit.snippet,
            "engine": "sandbox",
            "engines": ["sandbox"],
            "category": "general",
            "positions": [place],
            "score": 1 / place,
        }
        for place, hit in enumerate(hits, start=page.start + 1)
    ]
    lists = ("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines")
    answer = {"query": page.query, "number_of_results": 0, "results": results}
    body = msgspec.json.encode(answer | {name: [] for name in lists})
    return _typed("application/json", body.decode())


WRITERS: dict[str, Callable[[SearchPage, Sequence[Hit]], Answer]] = {
    "html": _html_results,
    "rss": _rss_results,
    "atom": _atom_results,
    "json": _json_results,
}
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_OPENSEARCH = "xmlns:opensearch='http://a9.com/-/spec/opensearch/1.1/'"


def _counts(page: SearchPage) -> str:
    return (
        f"<opensearch:startIndex>{page.start + 1}</opensearch:startIndex>"
        f"<opensearch:itemsPerPage>{page.count}</opensearch:itemsPerPage>"
    )


def _xml(text: str, *, escaped: bool = False) -> str:
    """Return a text for XML, which forbids some characters in any form."""
    plain = "".join(c if c.isprintable() or c in "\n\t" else " " for c in text)
    return plain if escaped else escape(plain)


def _page(title: str, body: str) -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{escape(title)}</title>"
        f'<link rel="search" type="application/opensearchdescription+xml" href="{DESCRIPTION_URL}">'
        f'</head><body><form action="/search"><input name="q" value="{escape(title)}"></form>'
        f"{body}</body></html>"
    )


def _typed(kind: str, text: str) -> Answer:
    headers = (("Content-Type", f"{kind}; charset=utf-8"), ("Last-Modified", DATE))
    return Answer(200, headers, text.encode("utf-8", "replace"))


def _number(text: str, default: int, most: int) -> int:
    return (
        min(max(1, int(text)), most) if text.isdecimal() and len(text) < len("1000000") else default
    )
