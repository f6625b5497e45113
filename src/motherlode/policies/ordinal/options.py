"""How levels are learned and used (SPEC F1 to F3)."""

from typing import Annotated

from msgspec import Meta, Struct

PAPERS_LEVELS = 5
PAPERS_FEATURES = 4_000


class OrdinalOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How levels are learned and used."""

    levels: Annotated[
        int,
        Meta(ge=2, le=10, description="Levels, the examples included; fewer if pages are few."),
    ] = PAPERS_LEVELS
    accepted: Annotated[
        int,
        Meta(
            ge=0,
            le=9,
            description="Pages up to this level are on the topic; the paper counts 0, 1 and 2.",
        ),
    ] = 0
    followed: Annotated[
        int,
        Meta(
            ge=0,
            le=9,
            description="Policy ordinal-2007 follows the links of pages up to this level.",
        ),
    ] = 3
    level_pages: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Pages of a level that are fetched to learn from before a crawl, at most.",
        ),
    ] = 50
    min_level_pages: Annotated[
        int,
        Meta(ge=1, le=10_000, description="Pages that a level needs, or it joins its neighbour."),
    ] = 20
    features: Annotated[
        int, Meta(ge=10, le=100_000, description="Terms that pages are compared by, at most.")
    ] = PAPERS_FEATURES
    edge_files: Annotated[
        tuple[str, ...],
        Meta(description="Files of links, a page and its target on each line; gzip is read, too."),
    ] = ()
    portals: Annotated[
        tuple[str, ...], Meta(description="Directories of other portals whose links are used.")
    ] = ()
