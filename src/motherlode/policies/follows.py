"""Follow seeds and links at a given rank, as most policies do."""

from collections.abc import Iterator, Sequence

from motherlode.policies.bounds import allows_host
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import Visit
from motherlode.records import ROOT, Follow, Link, QueueId
from motherlode.urls import Address, host_of

QUEUE = QueueId(ROOT)  # for policies that need only one queue
ANYWHERE = CrawlOptions()
SEED_RANK = 1e9  # above every rank that a policy gives to links


def follow_seeds(seeds: Sequence[Address]) -> Iterator[Follow]:
    """Yield the seeds in their order, ranked before all links."""
    for place, seed in enumerate(seeds):
        yield Follow(seed.url, seed.key, QUEUE, SEED_RANK - place, depth=0)


def follow_links(
    visit: Visit, rank: float, options: CrawlOptions = ANYWHERE, queue: QueueId = QUEUE
) -> list[Follow]:
    """Return the links of a page that the crawl may follow, all at the same rank."""
    depth = visit.entry.depth + 1
    links = links_within(visit.document.links, options)
    return [Follow(link.url, link.key, queue, rank, depth) for link in links]


def links_within(links: Sequence[Link], options: CrawlOptions) -> Sequence[Link]:
    """Return the links that the crawl may follow."""
    if not options.domains and not options.locked:
        return links
    return [link for link in links if allows_host(host_of(link.url), options)]
