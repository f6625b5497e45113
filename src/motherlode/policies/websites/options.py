"""How a crawl looks for websites (SPEC W1 to W7)."""

from typing import Annotated

from msgspec import Meta, Struct

from motherlode.learning.sites.edge_weights import EdgeWeighting
from motherlode.urls.site_rules import check_groups

ACCURATE_THRESHOLD = 0.9
FAST_THRESHOLD = 0.7


class WebsitesOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How websites are found. docs/websites.md says how each default was chosen."""

    sites: Annotated[
        tuple[tuple[str, ...], ...],
        Meta(
            description="Groups of hosts or URL prefixes that count as one site each; by default "
            "each host is a site."
        ),
    ] = ()
    enough_sites: Annotated[
        int, Meta(ge=0, description="End when so many relevant sites are found; 0: no limit.")
    ] = 0
    threshold: Annotated[
        float,
        Meta(
            gt=0.5,
            lt=1.0,
            description="Probability of either class at which a site is decided; the paper has "
            "0.9 for accurate and 0.7 for fast crawls.",
        ),
    ] = ACCURATE_THRESHOLD
    max_pages: Annotated[
        int,
        Meta(ge=1, le=10_000, description="Pages that are read of a site at most."),
    ] = 25
    training_pages: Annotated[
        int,
        Meta(ge=1, le=1000, description="Pages of each site that you name, breadth-first."),
    ] = 25
    link_rank: Annotated[
        float,
        Meta(
            ge=0,
            description="LinkRank up to which policy websites-2004 reads a decided site on for "
            "links to other sites.",
        ),
    ] = 5.0
    link_constant: Annotated[
        float, Meta(ge=1, description="What each page adds to the LinkRank in any case.")
    ] = 1.0
    edges: Annotated[
        EdgeWeighting,
        Meta(description="What a link between sites weighs: global, local or combined."),
    ] = EdgeWeighting.COMBINED
    open_sites: Annotated[
        int, Meta(ge=1, le=10_000, description="Sites that are examined at the same time.")
    ] = 32
    rising_cost: Annotated[
        float,
        Meta(
            ge=0,
            description="End when each relevant site costs so many times the pages that it cost "
            "at best, over 5,000 pages; 0: never.",
        ),
    ] = 4.0

    def __post_init__(self) -> None:
        check_groups(self.sites)
