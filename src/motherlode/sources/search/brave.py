"""The Web search API of Brave: https://api-dashboard.search.brave.com/documentation."""

from motherlode.sources.search.hits import hits_of_pages, without_markup
from motherlode.sources.search.json_values import list_at, text_at, value_at
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 20  # hits in one response
MAX_OFFSET = 9  # pages of results, from 0
MAX_QUERY_CHARS = 400
MAX_QUERY_WORDS = 50


class Brave:
    """Asks the Web search of Brave, with the user's key in a header."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url
        self._headers = (("X-Subscription-Token", setup.key),)
        language = setup.options.language.partition("-")[0].lower()
        self._language = {"search_lang": language} if language else {}

    async def search(self, query: str, wanted: int) -> list[Hit]:
        words = " ".join(query.split()[:MAX_QUERY_WORDS])[:MAX_QUERY_CHARS]

        async def fetch(page: int, _received: int) -> list[Hit]:
            if page > MAX_OFFSET:
                return []
            parameters = {
                "q": words,
                "count": min(wanted, MAX_COUNT),
                "offset": page,
                **self._language,
            }
            answer = await self._client.get_json(self._url, parameters, self._headers)
            if value_at(answer, "web") is None and text_at(answer, "type") == "search":
                return []  # nothing was found
            results = list_at(answer, "web", "results")
            if results is None:
                raise self._client.unexpected()
            return [
                Hit(
                    text_at(result, "url"),
                    without_markup(text_at(result, "title")),
                    without_markup(text_at(result, "description")),
                )
                for result in results
                if text_at(result, "url")
            ]

        return await hits_of_pages(fetch, wanted)
