"""The section `index` of the configuration."""

from typing import Annotated

from msgspec import Meta, Struct


class IndexOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """When the search index is made; 'lode index' and 'lode search' bring it up to date in any case."""

    while_crawling: Annotated[
        bool, Meta(description="Bring the index up to date while a crawl goes on, in a process of its own.")
    ] = False
    rest: Annotated[
        float,
        Meta(ge=0.0, le=86_400.0, description="Seconds, at least, between two such times."),
    ] = 5.0
