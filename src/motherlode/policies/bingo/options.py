"""The options of BINGO!: its learning phase, its tunnels, and the pages that it learns from."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.policies.registry import BINGO_2003

PAPER_TUNNEL = 2  # pages; BINGO!, section 3.3: links of rejected pages, for one or two steps


class Focus(StrEnum):
    """Whose links are followed: pages on the topic that led to them, or pages on any topic."""

    SHARP = "sharp"
    SOFT = "soft"


class BingoOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How the policies bingo and bingo-2003 learn, and how far they go off their topics."""

    learn_pages: Annotated[
        int,
        Meta(
            ge=0,
            description="Pages of the learning phase at most, a tenth of those asked for; 0: none.",
        ),
    ] = 200
    learn_depth: Annotated[
        int,
        Meta(ge=0, description="Links from an example, at most, in the learning phase; 0: any."),
    ] = 4
    learn_at_home: Annotated[
        bool, Meta(description="Whether the learning phase stays in the domains of the examples.")
    ] = True
    focus: Annotated[
        Focus,
        Meta(
            description="soft: follow the links of pages on any topic; "
            "sharp: on their own topic only."
        ),
    ] = Focus.SOFT
    tunnel: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Pages off all topics in a row whose links are followed; "
            "bingo-2003: 2 at most.",
        ),
    ] = 8
    decay: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="What each such page leaves of the rank of its links; bingo-2003.",
        ),
    ] = 0.5
    authorities: Annotated[
        int,
        Meta(
            ge=1, description="Pages of the highest authority that may become archetypes, a topic."
        ),
    ] = 20
    confident: Annotated[
        int,
        Meta(ge=1, description="Pages of the highest margin that may become archetypes, a topic."),
    ] = 20
    retrain: Annotated[
        bool,
        Meta(
            description="Whether the crawl learns from what it finds, not from the examples alone."
        ),
    ] = True
    apprentice: Annotated[
        bool,
        Meta(
            description="Whether bingo, if it retrains, learns from links followed which to follow."
        ),
    ] = True
    sites: Annotated[
        bool,
        Meta(
            description="Whether bingo also compares pages with the sites of the examples, where "
            "the pages of a site are about one subject."
        ),
    ] = False
    hubs: Annotated[
        int, Meta(ge=0, description="Hubs of each topic whose links go to the front of the queue.")
    ] = 10

    def reach(self, policy: str) -> int:
        """Return the number of rejected pages in a row that may lead to a page to be fetched.

        The policy of the paper goes no further than the paper says.
        """
        return min(self.tunnel, PAPER_TUNNEL) if policy == BINGO_2003 else self.tunnel
