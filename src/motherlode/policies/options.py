"""How a portal is crawled."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.policies.registry import BINGO, BINGO_2003, is_policy, policy_names


class Focus(StrEnum):
    """Whose links are followed: of pages on the topic that led to them, or of pages on any topic."""

    SHARP = "sharp"
    SOFT = "soft"


Count = Annotated[int, Meta(ge=0)]


PAPERS_TUNNEL = (
    2  # pages; BINGO!, section 3.3, follows the links of rejected pages for one or two steps
)


class CrawlOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Which way a crawl goes. The defaults are those of BINGO!, except for what measured better."""

    policy: Annotated[
        str, Meta(description="The policy that steers the crawl; lode crawl --help names all.")
    ] = BINGO
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
    depth: Annotated[int, Meta(ge=0, description="Links from an example, at most; 0: any.")] = 0
    focus: Annotated[
        Focus,
        Meta(
            description="soft: follow the links of pages on any topic; sharp: on their own topic only."
        ),
    ] = Focus.SOFT
    tunnel: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Pages off all topics in a row whose links are followed; bingo-2003: 2 at most.",
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
    seeds: Annotated[
        tuple[str, ...],
        Meta(
            description="URLs where a crawl begins besides the examples; nothing is learned there."
        ),
    ] = ()
    domains: Annotated[
        tuple[str, ...], Meta(description="Stay within these domains; none named: all.")
    ] = ()
    locked: Annotated[tuple[str, ...], Meta(description="Domains that are never entered.")] = ()
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
    hubs: Annotated[
        int, Meta(ge=0, description="Hubs of each topic whose links go to the front of the queue.")
    ] = 10
    connections: Annotated[
        int, Meta(ge=1, le=10_000, description="Pages that are fetched at the same time.")
    ] = 32

    def __post_init__(self) -> None:
        if not is_policy(self.policy):
            known = ", ".join(policy_names())
            raise ValueError(f"there is no policy {self.policy[:40]!r}; there are {known}")

    @property
    def reach(self) -> int:
        """How many pages off all topics in a row may lead to a page that is followed. The paper's crawl goes
        no further than the paper says."""
        return min(self.tunnel, PAPERS_TUNNEL) if self.policy == BINGO_2003 else self.tunnel
