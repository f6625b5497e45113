"""The search index of another portal on this machine as a search source."""

import asyncio
import re
import shlex
from pathlib import Path

from motherlode.portal import Portal
from motherlode.records import LodeError
from motherlode.search.index import PageIndex
from motherlode.search.indexer import index_directory
from motherlode.search.ranking import DEFAULT_RANKING, parse_weights
from motherlode.search.service import SearchEngine, SearchRequest
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.source import Hit, SourceSetup
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree

MAX_HITS = 1_000
_WORD = re.compile(r"\w+")


class PortalSource:
    """Searches the index of a portal as it is; it is not brought up to date."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._path = Path(setup.options.portal)

    async def search(self, query: str, wanted: int) -> list[Hit]:
        return await asyncio.to_thread(self._search, query, min(wanted, MAX_HITS))

    def _search(self, query: str, wanted: int) -> list[Hit]:
        # A subject is no query of ours: only its words count, not colons, hyphens or AND.
        words = " ".join(_WORD.findall(query.casefold()))
        request = SearchRequest(
            weights=parse_weights(DEFAULT_RANKING), text=words, any_word=True, limit=wanted
        )
        try:
            with Portal.reading(self._path) as portal:
                index = PageIndex.open(index_directory(portal))
                if index is None:
                    raise self._client.error(
                        "has no search index; "
                        f"'lode index {shlex.quote(str(self._path))}' makes one"
                    )
                with portal.store.reading() as session:
                    tree = TopicTree(topic_rows.all_topics(session))
                    results = SearchEngine(portal, session, index, tree).search(request).results
        except SourceError:
            raise
        except LodeError as error:
            raise self._client.error(f"cannot be searched: {error}") from error
        return [Hit(result.url, result.title, result.snippet.text) for result in results]
