"""The search of a wiki, by MediaWiki's API: https://www.mediawiki.org/wiki/API:Search.

It also says which pages link to a page: https://www.mediawiki.org/wiki/API:Backlinks.
"""

from typing import Any
from urllib.parse import quote, unquote, urljoin

from motherlode.sources.search.hits import hits_of_pages, without_markup
from motherlode.sources.search.json_values import list_at, text_at
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 50  # hits in one response
MAX_QUERY_CHARS = 300  # CirrusSearch, the search of Wikipedia, takes no more
MAX_LINKS = 500  # back-links in one response
TITLE_MARK = "$1"
SITE_QUERY = {
    "action": "query",
    "meta": "siteinfo",
    "siprop": "general",
    "format": "json",
    "formatversion": 2,
}


class MediaWiki:
    """Asks the search of a wiki for its pages."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url

    async def search(self, query: str, wanted: int) -> list[Hit]:
        async def fetch(_page: int, received: int) -> list[Hit]:
            parameters = {
                "action": "query",
                "list": "search",
                "srsearch": query[:MAX_QUERY_CHARS],
                "srlimit": min(wanted, MAX_COUNT),
                "sroffset": received,
                "srprop": "snippet",
                "meta": "siteinfo",
                "siprop": "general",
                "format": "json",
                "formatversion": 2,
            }
            return self._read(await self._client.get_json(self._url, parameters))

        return await hits_of_pages(fetch, wanted)

    async def pages_linking_to(self, url: str, wanted: int) -> list[Hit]:
        """Return the articles that link to a page of this wiki; none for a URL elsewhere."""
        answer = await self._client.get_json(self._url, SITE_QUERY)
        title = _title_in(url, self._page_pattern(answer))
        if not title:
            return []

        async def fetch(_page: int, received: int) -> list[Hit]:
            if received:
                return []
            parameters = {
                **SITE_QUERY,
                "list": "backlinks",
                "bltitle": title,
                "blnamespace": 0,
                "bllimit": min(wanted, MAX_LINKS),
            }
            return self._read(await self._client.get_json(self._url, parameters), "backlinks")

        return await hits_of_pages(fetch, wanted)

    def _read(self, answer: Any, part: str = "search") -> list[Hit]:
        problem = text_at(answer, "error", "info") or text_at(answer, "error", "code")
        if problem:
            raise self._client.error(f"says: {problem[:200]}")
        results = list_at(answer, "query", part)
        if results is None:
            raise self._client.unexpected()
        pattern = self._page_pattern(answer)
        return [
            Hit(
                pattern.replace(TITLE_MARK, _in_url(title)),
                title,
                without_markup(text_at(result, "snippet")),
            )
            for result in results
            if (title := text_at(result, "title"))
        ]

    def _page_pattern(self, answer: Any) -> str:
        """Return the URL of a page, with a mark for its title."""
        pattern = text_at(answer, "query", "general", "articlepath")
        server = text_at(answer, "query", "general", "server")
        if TITLE_MARK not in pattern:
            raise self._client.unexpected()
        return _joined(_joined(self._url, server), pattern)  # the server may lack its scheme


def _title_in(url: str, pattern: str) -> str:
    """Return the title in the URL of a page; empty if the URL does not have this pattern.

    >>> _title_in("http://wiki.test/wiki/Barn_owl%3F", "https://wiki.test/wiki/$1")
    'Barn owl?'
    """
    before, _, after = pattern.partition("://")[2].partition(TITLE_MARK)
    rest = url.partition("://")[2].partition("#")[0]
    if not rest.startswith(before) or not rest.endswith(after) or len(rest) <= len(before):
        return ""
    return unquote(rest[len(before) : len(rest) - len(after)]).replace("_", " ")[:MAX_QUERY_CHARS]


def _in_url(title: str) -> str:
    """Return a page's title as it stands in its URL.

    >>> _in_url("Barn owl/Food?")
    'Barn_owl/Food%3F'
    """
    return quote(title.replace(" ", "_").encode("utf-8", "replace"), safe="/:;@!*(),")


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:  # such as brackets that are no IPv6 address
        return base
