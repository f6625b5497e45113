"""What crawls for websites put into the stored frontier: home pages, and pages of open sites."""

from motherlode.policies.websites.examination import WaitingPage
from motherlode.policies.websites.site_graph import WaitingSite
from motherlode.records import Follow, QueueId
from motherlode.urls import Address

SITES_QUEUE = QueueId(1)
PAGES_QUEUE = QueueId(2)
QUEUE_NAMES = {SITES_QUEUE: "sites", PAGES_QUEUE: "pages of open sites"}
PAGE_RANK = 10.0  # of pages of open sites: before all sites, whose ranks are below


def home_follow(home: Address, waiting: WaitingSite, rank: float) -> Follow:
    """Return the home page of a site that is opened."""
    return Follow(home.url, home.key, SITES_QUEUE, rank, waiting.depth, found_on=waiting.found_on)


def page_follow(page: WaitingPage) -> Follow:
    """Return the next page of an open site."""
    return Follow(
        page.address.url,
        page.address.key,
        PAGES_QUEUE,
        PAGE_RANK,
        page.depth,
        found_on=page.found_on,
    )


def entry_follow(entry: Address, linked: WaitingSite | None) -> Follow:
    """Return another page to begin a site at; `linked` are the links to the site, if any."""
    depth = 0 if linked is None else linked.depth
    found_on = entry.key if linked is None else linked.found_on
    return Follow(entry.url, entry.key, PAGES_QUEUE, PAGE_RANK, depth, found_on=found_on)
