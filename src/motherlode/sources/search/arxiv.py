"""arXiv, preprints: https://info.arxiv.org/help/api/user-manual.html."""

import re

from motherlode.sources.search.feeds import read_feed
from motherlode.sources.search.hits import hits_of_pages
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 100  # hits in one response
MAX_WORDS = 20
ERROR_PATH = "/api/errors"  # the link of an entry that is an error message
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_OPERATORS = frozenset({"and", "or", "andnot"})


class Arxiv:
    """Asks arXiv for preprints with all words of a query, or with any if there are none."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url

    async def search(self, query: str, wanted: int) -> list[Hit]:
        words = [word for word in _WORD.findall(query) if word.lower() not in _OPERATORS]
        terms = [f"all:{word}" for word in words[:MAX_WORDS]]
        if not terms:
            raise self._client.error("needs a word to search for")
        hits = await self._search(" AND ".join(terms), wanted)
        if not hits and len(terms) > 1:
            hits = await self._search(" OR ".join(terms), wanted)
        return hits

    async def _search(self, expression: str, wanted: int) -> list[Hit]:
        async def fetch(_page: int, received: int) -> list[Hit]:
            parameters = {
                "search_query": expression,
                "start": received,
                "max_results": min(wanted, MAX_COUNT),
                "sortBy": "relevance",
            }
            response = await self._client.get(self._url, parameters)
            hits = read_feed(response.body, response.header("content-type"), response.url)
            if hits is None:
                raise self._client.unexpected()
            if hits and ERROR_PATH in hits[0].url:
                raise self._client.error(f"says: {hits[0].snippet[:200] or hits[0].title[:200]}")
            return hits

        return await hits_of_pages(fetch, wanted)
