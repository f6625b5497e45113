"""What a search source is: it returns hits for a query, or fails with one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from msgspec import Struct

from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.options import SourceOptions


class Hit(Struct, frozen=True):
    """A page that a search source returned for a query."""

    url: str
    title: str = ""
    snippet: str = ""


class SearchSource(Protocol):
    """Returns pages for the words of a query, best first (SPEC T1, B31)."""

    async def search(self, query: str, wanted: int) -> Sequence[Hit]:
        """Return about `wanted` hits with their URLs as the source has them.

        Raises `SourceError` if the source fails.
        """
        ...


@runtime_checkable
class LinkSource(Protocol):
    """Returns the pages that link to a URL (SPEC F1)."""

    async def pages_linking_to(self, url: str, wanted: int) -> Sequence[Hit]:
        """Return about `wanted` pages; none if the source cannot know the URL.

        Raises `SourceError` if the source fails.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSetup:
    """What a source is made of. `url` is the address of its service, empty if it has none.

    `key` and `contact` are empty if there are none.
    """

    client: SearchClient
    options: SourceOptions
    url: str = ""
    key: str = ""
    contact: str = ""
