"""The policies that a crawl can choose from; a policy is loaded when it is first used.

Another package adds a policy by one line of its own metadata, in the entry point group
`motherlode.policies`: `its-name = its_module:ITS_KIND`, where `ITS_KIND` is a `PolicyKind`.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from msgspec import Struct

ENTRY_POINTS = "motherlode.policies"
BINGO = "bingo"
BINGO_2003 = "bingo-2003"
TUNNEL = "tunnel"
TUNNEL_2002 = "tunnel-2002"
WEBSITES = "websites"
WEBSITES_2004 = "websites-2004"
ORDINAL = "ordinal"
ORDINAL_2007 = "ordinal-2007"
BEST_FIRST = "best-first"
BREADTH_FIRST = "breadth-first"
DEPTH_FIRST = "depth-first"
RANDOM = "random"
ORACLE = "oracle"
SITES_PAGE_CRAWLER = "sites-page-crawler"
SITES_HOMEPAGE = "sites-homepage"
SITES_BREADTH_FIRST = "sites-breadth-first"
SITES_ORACLE = "sites-oracle"


class Registration(Struct, frozen=True):
    """A policy's name, what it does in one sentence, and where its kind is: `module:attribute`.

    `lab_only` is for policies that know the labels of a web, or are only there to be compared with.
    `lode lab compare` runs the policies with `is_compared` unless it is told which to run; those
    with `finds_sites` end when they have examined all sites, not all pages.
    """

    name: str
    summary: str
    kind: str
    lab_only: bool = False
    is_compared: bool = True
    finds_sites: bool = False


BUILT_IN = (
    Registration(
        BINGO,
        "Learns from links and pages as it crawls which links lead to the topics.",
        "motherlode.policies.bingo.kind:BINGO_KIND",
    ),
    Registration(
        BINGO_2003,
        "BINGO! as published in 2003: links of the surest pages first, with short tunnels.",
        "motherlode.policies.bingo.kind:BINGO_2003_KIND",
        is_compared=False,
    ),
    Registration(
        TUNNEL,
        "Builds a collection for each subject; follows the most promising links, subjects in turn.",
        "motherlode.policies.tunnel.kind:TUNNEL_KIND",
        is_compared=False,
    ),
    Registration(
        TUNNEL_2002,
        "Tunnelling as published in 2002: in order of discovery, pruned behind too many duds.",
        "motherlode.policies.tunnel.kind:TUNNEL_2002_KIND",
        is_compared=False,
    ),
    Registration(
        WEBSITES,
        "Finds websites like those that you name, from a few pages of each; learns from each site.",
        "motherlode.policies.websites.kind:WEBSITES_KIND",
        is_compared=False,
        finds_sites=True,
    ),
    Registration(
        WEBSITES_2004,
        "Focused website crawling as published in 2004: page classes, edge weights, LinkRank.",
        "motherlode.policies.websites.kind:WEBSITES_2004_KIND",
        is_compared=False,
        finds_sites=True,
    ),
    Registration(
        ORDINAL,
        "Learns from good pages alone how many links a page is from the topic; nearest first.",
        "motherlode.policies.ordinal.kind:ORDINAL_KIND",
        is_compared=False,
    ),
    Registration(
        ORDINAL_2007,
        "FOCUS as published in 2007: levels by back-links, no order within a level.",
        "motherlode.policies.ordinal.kind:ORDINAL_2007_KIND",
        is_compared=False,
    ),
    Registration(
        BEST_FIRST,
        "Links of the pages most like the examples first; learns nothing on the way.",
        "motherlode.policies.baseline_kinds:BEST_FIRST_KIND",
    ),
    Registration(
        BREADTH_FIRST,
        "Level by level from the examples, in order of discovery.",
        "motherlode.policies.baseline_kinds:BREADTH_FIRST_KIND",
    ),
    Registration(
        DEPTH_FIRST,
        "The latest discovery first.",
        "motherlode.policies.baseline_kinds:DEPTH_FIRST_KIND",
    ),
    Registration(
        RANDOM,
        "Waiting URLs in a random order.",
        "motherlode.policies.baseline_kinds:RANDOM_KIND",
    ),
    Registration(
        ORACLE,
        "Knows the labels of a recorded web: the ceiling for all others.",
        "motherlode.policies.baseline_kinds:ORACLE_KIND",
        lab_only=True,
    ),
    Registration(
        SITES_PAGE_CRAWLER,
        "Pages by the mean probability of those that link to them; sites are judged afterwards.",
        "motherlode.policies.websites.baselines:SITES_PAGE_CRAWLER_KIND",
        lab_only=True,
        is_compared=False,
        finds_sites=True,
    ),
    Registration(
        SITES_HOMEPAGE,
        "Reads the home page of each site, and no more.",
        "motherlode.policies.websites.baselines:SITES_HOMEPAGE_KIND",
        lab_only=True,
        is_compared=False,
        finds_sites=True,
    ),
    Registration(
        SITES_BREADTH_FIRST,
        "Examines sites in order of discovery.",
        "motherlode.policies.websites.baselines:SITES_BREADTH_FIRST_KIND",
        lab_only=True,
        is_compared=False,
        finds_sites=True,
    ),
    Registration(
        SITES_ORACLE,
        "Knows the labels: one page of each relevant site, by the shortest way.",
        "motherlode.policies.websites.baselines:SITES_ORACLE_KIND",
        lab_only=True,
        is_compared=False,
        finds_sites=True,
    ),
)


def policy_names(*, for_lab: bool = False) -> tuple[str, ...]:
    """Return the names of all policies, other packages last; `for_lab` includes the oracle."""
    built_in = [policy.name for policy in BUILT_IN if for_lab or not policy.lab_only]
    return (*built_in, *(name for name in other_packages() if name not in built_in))


def compared_policies() -> tuple[str, ...]:
    """Return the names of the policies that are compared unless the user names others."""
    left_out = {policy.name for policy in BUILT_IN if not policy.is_compared}
    return tuple(name for name in policy_names(for_lab=True) if name not in left_out)


def policy_summaries() -> dict[str, str]:
    """Return what each policy for portals does, by its name."""
    summaries = {policy.name: policy.summary for policy in BUILT_IN}
    return {
        name: summaries.get(name, "A policy of another installed package.")
        for name in policy_names()
    }


def is_policy(name: str) -> bool:
    """Return whether a portal can be crawled by a policy of this name."""
    is_built_in = any(name == policy.name and not policy.lab_only for policy in BUILT_IN)
    return is_built_in or name in other_packages()


def kind_path(name: str) -> str:
    """Return where the kind of a policy is, as `module:attribute`. Raises `KeyError`."""
    for policy in BUILT_IN:
        if policy.name == name:
            return policy.kind
    return other_packages()[name].value


@cache
def other_packages() -> dict[str, EntryPoint]:
    """Return the policies that installed packages have registered, by name."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}
