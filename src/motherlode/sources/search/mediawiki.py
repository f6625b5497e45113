"""The search of a wiki, by MediaWiki's API: https://www.mediawiki.org/wiki/API:Search."""

from typing import Any
from urllib.parse import quote, urljoin

from motherlode.sources.search.hits import hits_of_pages, without_markup
from motherlode.sources.search.json_values import list_at, text_at
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 50  # hits in one response
MAX_QUERY_CHARS = 300  # CirrusSearch, the search of Wikipedia, takes no more
TITLE_MARK = "$1"


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

    def _read(self, answer: Any) -> list[Hit]:
        problem = text_at(answer, "error", "info") or text_at(answer, "error", "code")
        if problem:
            raise self._client.error(f"says: {problem[:200]}")
        results = list_at(answer, "query", "search")
        pattern = text_at(answer, "query", "general", "articlepath")
        server = text_at(answer, "query", "general", "server")
        if results is None or TITLE_MARK not in pattern:
            raise self._client.unexpected()
        base = _joined(self._url, server)  # the server may lack its scheme: //en.wikipedia.org
        return [
            Hit(
                _joined(base, pattern.replace(TITLE_MARK, _in_url(title))),
                title,
                without_markup(text_at(result, "snippet")),
            )
            for result in results
            if (title := text_at(result, "title"))
        ]


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
