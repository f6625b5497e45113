"""The options of a crawl that mean the same for every policy."""

from typing import Annotated

from msgspec import Meta, Struct

from motherlode.policies.registry import BINGO, is_policy, policy_names

DEFAULT_CONNECTIONS = 32


class CrawlOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How a portal is crawled, by whichever policy."""

    policy: Annotated[
        str, Meta(description="The policy that steers the crawl; lode crawl --help names all.")
    ] = BINGO
    depth: Annotated[int, Meta(ge=0, description="Links from an example, at most; 0: any.")] = 0
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
    connections: Annotated[
        int, Meta(ge=1, le=10_000, description="Pages that are fetched at the same time.")
    ] = DEFAULT_CONNECTIONS

    def __post_init__(self) -> None:
        if not is_policy(self.policy):
            known = ", ".join(policy_names())
            raise ValueError(f"there is no policy {self.policy[:40]!r}; there are {known}")
