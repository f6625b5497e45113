"""Inspect one URL as a crawl would fetch it: report every step, store nothing."""

from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.fetcher_setup import reading_options_of, rules_of, user_agent
from motherlode.crawl.sitemaps import fetch_body
from motherlode.documents.extracts import Raw
from motherlode.fetch import FetchError
from motherlode.fetch.dns.addresses import is_address, is_public
from motherlode.fetch.dns.resolver import Resolved
from motherlode.fetch.fetcher import Fetched, Fetcher
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.robots.rules import Robots
from motherlode.policies.bounds import allows_host
from motherlode.portal.config import Config
from motherlode.records import Document
from motherlode.sources.sitemaps import Listed, read_sitemaps
from motherlode.urls import Address
from motherlode.workers.document_reader import DocumentReaders


class Inspection(Struct, frozen=True):
    """The result of every step for a URL.

    `resolved` is None if the host name was not looked up or has no address. `robots` is None if
    robots.txt could not be fetched; `robots_detail` says why. `resolving` is in seconds.
    """

    fetched: Fetched
    resolved: Resolved | None
    resolving: float
    robots: Robots | None
    robots_detail: str
    document: Document | None
    sitemaps: list[Listed] | None


async def inspect_url(
    target: Address, config: Config, *, sitemaps: bool = False, read: bool = True
) -> Inspection:
    """Fetch one URL with all steps of a crawl; `read` says whether its document is read."""
    # Without keep-alive, the page's own connection is shown, not that of robots.txt.
    network = replace(config.network, keep_alive=0.0)
    async with HttpWeb(network, _agent(target, config), config.dns) as web:
        fetcher = Fetcher(
            web=web,
            courtesy=RateLimiter(config.politeness, sandbox=bool(config.network.connect)),
            rulebook=RobotsCache(web, config.robots, config.crawler.name),
            rules=rules_of(config),
            allows=lambda host: allows_host(host, config.crawl),
        )
        began = monotonic()
        resolved = None if config.network.connect else await _resolved(web, target.host)
        resolving = 0.0 if config.network.connect else monotonic() - began
        robots, detail = await _robots(fetcher, target)
        await fetcher.courtesy.turn(target.host)
        fetched = await fetcher.fetch(target)
        listed = await _listed(fetcher, robots) if sitemaps else None
    document = await _document(fetched, config) if read else None
    return Inspection(
        fetched=fetched,
        resolved=resolved,
        resolving=resolving,
        robots=robots,
        robots_detail=detail,
        document=document,
        sitemaps=listed,
    )


def _agent(target: Address, config: Config) -> str:
    """Return the User-Agent; on a private network it needs no contact."""
    ip_address = target.host.strip("[]")
    is_private = is_address(ip_address) and not is_public(ip_address)
    return f"{config.crawler.name} (on a network of its own)" if is_private else user_agent(config)


async def _resolved(web: HttpWeb, host: str) -> Resolved | None:
    try:
        return await web.resolve(host)
    except FetchError:
        return None


async def _robots(fetcher: Fetcher, target: Address) -> tuple[Robots | None, str]:
    try:
        return await fetcher.rulebook.rules_for(target.url), ""
    except FetchError as error:
        return None, f"{error.kind}: {error.detail}" if error.detail else error.kind


async def _listed(fetcher: Fetcher, robots: Robots | None) -> list[Listed]:
    sitemaps = robots.sitemaps if robots is not None else ()
    return await read_sitemaps(lambda url: fetch_body(fetcher, url), sitemaps)


async def _document(fetched: Fetched, config: Config) -> Document | None:
    """Return the document, read by a separate process: its content is not trusted."""
    response = fetched.response
    if fetched.failure is not None or response is None or not response.ok:
        return None
    raw = Raw(response.url, response.body, response.mime, response.header("content-type"))
    async with DocumentReaders(
        reading_options_of(config),
        replace(config.reading, workers=1),
    ) as readers:
        return (await readers.read_documents([raw]))[0][0].document
