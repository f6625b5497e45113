"""One URL, looked at as a crawl would look at it: every step told, nothing kept."""

from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.fetcher_setup import manner_of, rules_of, user_agent
from motherlode.crawl.sitemaps import body_at
from motherlode.documents.raw import Raw
from motherlode.fetch import FetchError
from motherlode.fetch.addresses import is_address, is_public
from motherlode.fetch.courtesy import Courtesy
from motherlode.fetch.dns import Resolved
from motherlode.fetch.fetching import Fetched, Fetcher
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.robots import Robots
from motherlode.fetch.rulebook import RuleBook
from motherlode.policies.bounds import lets_in
from motherlode.portal.config import Config
from motherlode.records import Document
from motherlode.sources.sitemaps import Listed, read_sitemaps
from motherlode.urls import Address
from motherlode.workers.document_reader import DocumentReaders


class Look(Struct, frozen=True):
    """What was seen of a URL. No `resolved`: it was not looked up; no `robots`: it could not be had."""

    fetched: Fetched
    resolved: Resolved | None
    resolving: float  # seconds
    robots: Robots | None
    robots_detail: str
    document: Document | None
    sitemaps: list[Listed] | None


async def look_at(asked: Address, config: Config, *, sitemaps: bool = False, read: bool = True) -> Look:
    """Fetch one URL, with everything that a crawl would do about it; reading it can be left out."""
    network = replace(config.network, keep_alive=0.0)  # else the page would come by the way of robots.txt
    async with HttpWeb(network, _agent(asked, config), config.dns) as web:
        fetcher = Fetcher(
            web=web,
            courtesy=Courtesy(config.politeness, sandbox=bool(config.network.connect)),
            rulebook=RuleBook(web, config.robots, config.crawler.name),
            rules=rules_of(config),
            allows=lambda host: lets_in(host, config.crawl),
        )
        began = monotonic()
        resolved = None if config.network.connect else await _resolved(web, asked.host)
        resolving = 0.0 if config.network.connect else monotonic() - began
        robots, detail = await _robots(fetcher, asked)
        await fetcher.courtesy.turn(asked.host)
        fetched = await fetcher.fetch(asked)
        listed = await _listed(fetcher, robots) if sitemaps else None
    document = await _document(fetched, config) if read else None
    return Look(fetched, resolved, resolving, robots, detail, document, listed)


def _agent(asked: Address, config: Config) -> str:
    """Whoever looks at a machine of their own need not say who they are."""
    own = is_address(asked.host.strip("[]")) and not is_public(asked.host.strip("[]"))
    return f"{config.crawler.name} (on a network of its own)" if own else user_agent(config)


async def _resolved(web: HttpWeb, host: str) -> Resolved | None:
    try:
        return await web.resolve(host)
    except FetchError:
        return None


async def _robots(fetcher: Fetcher, asked: Address) -> tuple[Robots | None, str]:
    try:
        return await fetcher.rulebook.rules_for(asked.url), ""
    except FetchError as error:
        return None, f"{error.kind}: {error.detail}" if error.detail else error.kind


async def _listed(fetcher: Fetcher, robots: Robots | None) -> list[Listed]:
    named = robots.sitemaps if robots is not None else ()
    return await read_sitemaps(lambda url: body_at(fetcher, url), named)


async def _document(fetched: Fetched, config: Config) -> Document | None:
    """What it says, read by a process of its own: it may be anything."""
    response = fetched.response
    if fetched.failure is not None or response is None or not response.ok:
        return None
    raw = Raw(response.url, response.body, response.mime, response.header("content-type"))
    async with DocumentReaders(manner_of(config), replace(config.reading, workers=1)) as readers:
        return (await readers.read_documents([raw]))[0][0].document
