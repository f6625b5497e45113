"""Crossref, works that have a DOI: https://api.crossref.org/swagger-ui/index.html."""

from typing import Any

from motherlode.sources.search.hits import hits_of_pages, without_markup
from motherlode.sources.search.json_values import first_text, list_at, text_at
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 100  # hits in one response
DOI_RESOLVER = "https://doi.org/"


class Crossref:
    """Asks Crossref for works by their bibliographic records."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url
        self._contact = {"mailto": setup.contact} if "@" in setup.contact else {}

    async def search(self, query: str, wanted: int) -> list[Hit]:
        async def fetch(_page: int, received: int) -> list[Hit]:
            parameters = {
                "query": query,
                "rows": min(wanted, MAX_COUNT),
                "offset": received,
                "select": "DOI,URL,title,abstract",
                **self._contact,
            }
            answer = await self._client.get_json(self._url, parameters)
            works = list_at(answer, "message", "items")
            if works is None:
                raise self._client.unexpected()
            return [hit for work in works if (hit := _hit(work)).url]

        return await hits_of_pages(fetch, wanted)


def _hit(work: Any) -> Hit:
    doi = text_at(work, "DOI")
    url = text_at(work, "URL") or (f"{DOI_RESOLVER}{doi}" if doi else "")
    title = without_markup(first_text(work, "title"))
    return Hit(url, title, without_markup(text_at(work, "abstract")))
