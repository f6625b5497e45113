"""The first pages of named sites, breadth-first from their home pages (SPEC W2).

Which pages these are becomes known from page to page: the preparation of a crawl asks again after
it has fetched what was wanted.
"""

from collections import deque
from collections.abc import Iterator

from motherlode.crawl.preparation import Wanted
from motherlode.policies.websites.judges import is_file
from motherlode.portal.config import Config
from motherlode.records import Origin, UrlState
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import known_url, links_from
from motherlode.topics import TopicTree
from motherlode.training.training_document import page_at_url
from motherlode.urls import Address, address, host_of, url_key
from motherlode.urls.site_rules import SiteRules


def wanted_site_pages(session: Session, config: Config) -> list[Wanted]:
    """Return the first pages of all named sites, as far as pages that were read link to them."""
    tree = TopicTree(topic_rows.all_topics(session))
    wanted: dict[int, Wanted] = {}
    for example in topic_rows.examples_of(session):
        if not example.url or example.origin is not Origin.PERSON:
            continue
        is_needed = not tree[example.topic].is_others
        for page in _first_pages(session, config, address(example.url, rules=config.urls)):
            wanted.setdefault(
                page.key, Wanted(page.url, page.key, follows_links=False, is_needed=is_needed)
            )
    return list(wanted.values())


def _first_pages(session: Session, config: Config, home: Address) -> Iterator[Address]:
    """Yield the pages of a site breadth-first, files last; those that failed do not count."""
    rules = SiteRules(config.websites.sites)
    start = page_at_url(session, home.url)
    site = rules.site_of(home.url if start is None else start.page.url)
    ahead, files, met = deque([home]), deque[Address](), {home.key}
    left = config.websites.training_pages
    while (ahead or files) and left:
        page = (ahead or files).popleft()
        known = known_url(session, page.key)
        if known is not None and known.state in (UrlState.FAILED, UrlState.SKIPPED):
            continue
        left -= 1
        yield page
        stored = page_at_url(session, page.url)
        for link in () if stored is None else links_from(session, stored.id):
            key = url_key(link.url, host_of(link.url))
            if key not in met and rules.site_of(link.url) == site:
                met.add(key)
                queue = files if is_file(link.url) else ahead
                queue.append(Address(link.url, key, host_of(link.url)))
