"""OpenAlex, scholarly works of all subjects: https://developers.openalex.org/."""

from collections.abc import Mapping
from typing import Any

from motherlode.sources.search.hits import MAX_SNIPPET_CHARS, hits_of_pages, without_markup
from motherlode.sources.search.json_values import list_at, text_at, value_at
from motherlode.sources.search.source import Hit, SourceSetup

MAX_COUNT = 100  # hits in one response
MAX_SNIPPET_WORDS = 100
FIELDS = "id,doi,display_name,best_oa_location,primary_location,abstract_inverted_index"
# A copy that everybody may read comes before the publisher's own page.
PLACES = (
    ("best_oa_location", "landing_page_url"),
    ("best_oa_location", "pdf_url"),
    ("primary_location", "landing_page_url"),
    ("doi",),
)


class OpenAlex:
    """Asks OpenAlex for works whose title, abstract or text has the query's words."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url
        self._key = setup.key

    async def search(self, query: str, wanted: int) -> list[Hit]:
        async def fetch(page: int, _received: int) -> list[Hit]:
            parameters = {
                "search": query,
                "per_page": min(wanted, MAX_COUNT),
                "page": page + 1,
                "select": FIELDS,
                "api_key": self._key,
            }
            works = list_at(await self._client.get_json(self._url, parameters), "results")
            if works is None:
                raise self._client.unexpected()
            return [hit for work in works if (hit := _hit(work)).url]

        return await hits_of_pages(fetch, wanted)


def _hit(work: Any) -> Hit:
    url = next((url for place in PLACES if (url := text_at(work, *place))), "")
    abstract = abstract_text(value_at(work, "abstract_inverted_index"))
    return Hit(url, without_markup(text_at(work, "display_name")), abstract)


def abstract_text(inverted: Any) -> str:
    """Return the first words of an abstract that is stored as the places of each word.

    >>> abstract_text({"owls": [1], "Barn": [0], "hunt": [2]})
    'Barn owls hunt'
    """
    if not isinstance(inverted, Mapping):
        return ""
    words: dict[int, str] = {}
    for word, places in inverted.items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < MAX_SNIPPET_WORDS:
                words[place] = str(word)[:MAX_SNIPPET_CHARS]
    return " ".join(words[place] for place in sorted(words))
