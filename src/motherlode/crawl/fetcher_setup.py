"""What a crawl goes out with: a fetcher that knows its portal, and the books that it fills on the way."""

import dataclasses
from collections.abc import Callable
from time import time

from msgspec import Struct
from msgspec.structs import replace

from motherlode import __version__
from motherlode.documents.analysing import Manner
from motherlode.fetch import Web
from motherlode.fetch.courtesy import Courtesy
from motherlode.fetch.fetching import Fetcher, FetchRules
from motherlode.fetch.hosts import HostBook
from motherlode.fetch.rulebook import RuleBook
from motherlode.policies.bounds import lets_in
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import BadInputError, Entry, Host, RobotsFile, UrlKey
from motherlode.store import ledger
from motherlode.store.pages import page_url_behind
from motherlode.store.session import Session


def user_agent(config: Config) -> str:
    """How the crawler introduces itself: its name and version, and whom to write to about it.

    Raises `BadInputError` where it would go out into the Web without saying so.
    """
    name, contact = config.crawler.name, " ".join(config.crawler.contact.split())
    if contact:
        return f"{name}/{__version__} (+{contact})"
    if config.network.connect:
        return f"{name}/{__version__} (in a sandbox)"
    raise BadInputError(
        "The Web is crawled only by those who say who they are: set crawler.contact to a web page or a mail "
        "address where a site's owner reaches you, in lode.toml or by --set crawler.contact=you@example.org."
    )


def manner_of(config: Config) -> Manner:
    return Manner(config.urls, config.crawler.name)


def rules_of(config: Config) -> FetchRules:
    return FetchRules(config.crawler.name, config.urls, config.types, config.traps, config.robots.page_rules)


def courtesy_of(config: Config) -> Courtesy[Entry]:
    """Nobody has been asked yet."""
    return Courtesy(config.politeness, sandbox=bool(config.network.connect))


def fetcher_for(
    portal: Portal, web: Web, courtesy: Courtesy[Entry], clock: Callable[[], float] = time
) -> Fetcher:
    """A fetcher that goes on from what the portal knows of hosts, robots.txt and URLs."""

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
        rulebook=RuleBook(web, config.robots, config.crawler.name, robots, clock),
        rules=rules_of(config),
        hosts=HostBook(host),
        known=known,
        allows=lambda host: lets_in(host, config.crawl),
        clock=clock,
    )


def without_sitemaps(portal: Portal) -> Portal:
    """The same portal, for a crawl that takes nothing but what it was given."""
    robots = replace(portal.config.robots, sitemaps=False)
    return dataclasses.replace(portal, config=replace(portal.config, robots=robots))


class Books(Struct, frozen=True):
    """What was learned of hosts, and not kept yet."""

    hosts: list[Host]
    robots: list[RobotsFile]


def books_of(fetcher: Fetcher) -> Books:
    """Take what there is to keep. Where fetches go on, that is their loop's business, not a thread's."""
    return Books(fetcher.hosts.changed(), fetcher.rulebook.changed())


def keep_books(session: Session, books: Books) -> None:
    """Keep them, in the transaction of the pages that they were learned from."""
    ledger.keep_hosts(session, books.hosts)
    ledger.keep_robots(session, books.robots)
