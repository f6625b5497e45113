"""Set up the fetcher of a crawl from its portal, and store its records of hosts."""

import dataclasses
from collections.abc import Callable
from time import time

from msgspec import Struct
from msgspec.structs import replace

from motherlode import __version__
from motherlode.documents.analysis import Manner
from motherlode.fetch import Web
from motherlode.fetch.fetcher import Fetcher, FetchRules
from motherlode.fetch.host_records import HostBook
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.policies.bounds import allows_host
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import BadInputError, Entry, Host, RobotsFile, UrlKey
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import page_url_behind

EXAMPLE_CONTACT = "crawler.contact=you@example.org"


def user_agent(config: Config) -> str:
    """Return the User-Agent header: name, version and contact of the crawler.

    Raises `BadInputError` if no contact is configured and the crawler would leave the sandbox.
    """
    name, contact = config.crawler.name, " ".join(config.crawler.contact.split())
    if contact:
        return f"{name}/{__version__} (+{contact})"
    if not needs_contact(config):
        return f"{name}/{__version__} (in a sandbox)"
    raise BadInputError(
        "The crawler has no contact address, so it does not start: site owners must be able to "
        "reach you. Set crawler.contact to a web page or a mail address, in lode.toml or by "
        f"--set {EXAMPLE_CONTACT}."
    )


def needs_contact(config: Config) -> bool:
    """Return whether a crawl with these settings is refused, because site owners cannot reach
    you.
    """
    return not config.crawler.contact.split() and not config.network.connect


def reading_options_of(config: Config) -> Manner:
    return Manner(config.urls, config.crawler.name)


def rules_of(config: Config) -> FetchRules:
    return FetchRules(
        config.crawler.name,
        config.urls,
        config.types,
        config.traps,
        config.robots.page_rules,
    )


def courtesy_of(config: Config) -> RateLimiter[Entry]:
    """Return host slots in which no host was requested yet."""
    return RateLimiter(config.politeness, sandbox=bool(config.network.connect))


def fetcher_for(
    portal: Portal, web: Web, courtesy: RateLimiter[Entry], clock: Callable[[], float] = time
) -> Fetcher:
    """Return a fetcher that uses the portal's records of hosts, robots.txt files and URLs."""

    def host(name: str) -> Host | None:
        with portal.store.reading() as session:
            return ledger.host_named(session, name)

    def robots(origin: str) -> RobotsFile | None:
        with portal.store.reading() as session:
            return ledger.robots_of(session, origin)

    def known(key: UrlKey) -> str:
        with portal.store.reading() as session:
            return page_url_behind(session, key)

    config = portal.config
    return Fetcher(
        web=web,
        courtesy=courtesy,
        rulebook=RobotsCache(web, config.robots, config.crawler.name, robots, clock),
        rules=rules_of(config),
        hosts=HostBook(host),
        known=known,
        allows=lambda host: allows_host(host, config.crawl),
        clock=clock,
    )


def without_sitemaps(portal: Portal) -> Portal:
    """Return the portal with sitemaps turned off, for a crawl of given pages only."""
    robots = replace(portal.config.robots, sitemaps=False)
    return dataclasses.replace(portal, config=replace(portal.config, robots=robots))


class HostChanges(Struct, frozen=True):
    """Changes of host records and robots.txt files that are not stored yet."""

    hosts: list[Host]
    robots: list[RobotsFile]


def take_host_changes(fetcher: Fetcher) -> HostChanges:
    """Take the unstored changes. During fetches, call this in their event loop, not in a thread."""
    return HostChanges(fetcher.hosts.changed(), fetcher.rulebook.changed())


def save_host_changes(session: Session, changes: HostChanges) -> None:
    """Store changes, in the transaction of the pages that caused them."""
    ledger.keep_hosts(session, changes.hosts)
    ledger.keep_robots(session, changes.robots)
