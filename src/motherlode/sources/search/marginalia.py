"""Marginalia Search, small and non-commercial sites: https://about.marginalia-search.com/article/api."""

from motherlode.sources.search.hits import hits_of_pages
from motherlode.sources.search.json_values import list_at, text_at
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 100  # hits in one response
PUBLIC_KEY = "public"


class Marginalia:
    """Asks Marginalia Search, with the user's key or the public one in a header."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url
        self._headers = (("API-Key", setup.key or PUBLIC_KEY),)

    async def search(self, query: str, wanted: int) -> list[Hit]:
        async def fetch(page: int, _received: int) -> list[Hit]:
            parameters = {"query": query, "count": min(wanted, MAX_COUNT), "page": page + 1}
            answer = await self._client.get_json(self._url, parameters, self._headers)
            results = list_at(answer, "results")
            if results is None:
                raise self._client.unexpected()
            return [
                Hit(
                    text_at(result, "url"), text_at(result, "title"), text_at(result, "description")
                )
                for result in results
                if text_at(result, "url")
            ]

        return await hits_of_pages(fetch, wanted)
