"""SearXNG's JSON API: https://docs.searxng.org/dev/search_api.html."""

from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.hits import hits_of_pages
from motherlode.sources.search.json_values import list_at, text_at
from motherlode.sources.search.source import Hit, SourceSetup

SEARCH_PATH = "/search"
FORBIDDEN = 403


class SearXNG:
    """Asks a SearXNG server, which asks many search engines."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        base = setup.url.partition("?")[0].rstrip("/")
        self._url = base if base.endswith(SEARCH_PATH) else f"{base}{SEARCH_PATH}"
        self._language = {"language": setup.options.language} if setup.options.language else {}

    async def search(self, query: str, wanted: int) -> list[Hit]:
        async def fetch(page: int, _received: int) -> list[Hit]:
            parameters = {
                "q": query,
                "format": "json",
                "pageno": page + 1,
                **self._language,
            }
            try:
                answer = await self._client.get_json(self._url, parameters)
            except SourceError as error:
                if error.status == FORBIDDEN:
                    raise self._json_is_off() from error
                raise
            results = list_at(answer, "results")
            if results is None:
                raise self._client.unexpected()
            return [
                Hit(text_at(result, "url"), text_at(result, "title"), text_at(result, "content"))
                for result in results
                if text_at(result, "url")
            ]

        return await hits_of_pages(fetch, wanted)

    async def pages_linking_to(self, url: str, wanted: int) -> list[Hit]:
        """Return what is found for the operator `link:`, which not every engine knows."""
        return await self.search(f"link:{url}", wanted)

    def _json_is_off(self) -> SourceError:
        return self._client.error(
            "answers 403, as SearXNG does where JSON is not switched on; its owner can add json "
            "to search.formats in its settings.yml",
            FORBIDDEN,
        )
