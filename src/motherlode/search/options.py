"""The section `index` of the configuration."""

from typing import Annotated

from msgspec import Meta, Struct


class IndexOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """When the search index is updated; 'lode index' and 'lode search' always update it."""

    while_crawling: Annotated[
        bool, Meta(description="Keep the index up to date during a crawl, in a separate process.")
    ] = False
    rest: Annotated[
        float,
        Meta(ge=0.0, le=86_400.0, description="Seconds, at least, between two such updates."),
    ] = 5.0
