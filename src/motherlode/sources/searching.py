"""The seam for whatever knows where to begin: a search engine, a library, one's own index (SPEC B31)."""

from collections.abc import Sequence
from typing import Protocol


class SearchSource(Protocol):
    """Knows pages of the Web for the words of a query. There is none yet: `lode ask` is given pages."""

    async def find(self, query: str, most: int) -> Sequence[str]:
        """The URLs of at most so many pages, the best first; none, if it knows none."""
        ...
