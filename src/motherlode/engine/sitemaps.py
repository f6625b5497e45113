"""Sitemaps as a source of links: read once, for each origin whose robots.txt a crawl has just met."""

from collections.abc import Iterable

from motherlode.fetch import FetchError
from motherlode.fetch.fetching import Fetcher
from motherlode.records import Follow, RobotsFile, TopicId
from motherlode.sources.sitemaps import read_sitemaps
from motherlode.urls import Address, UrlError, address


async def follows_from_sitemaps(
    fetcher: Fetcher, met: Iterable[RobotsFile], queue: TopicId, rank: float
) -> list[Follow]:
    """Every page that the sitemaps of these origins list, at one rank."""
    found: dict[int, Follow] = {}
    for file in met:
        try:
            named = (await fetcher.rulebook.rules_for(f"{file.origin}/")).sitemaps
        except FetchError:
            continue
        for page in await read_sitemaps(lambda url: body_at(fetcher, url), named):
            listed = _address(page.url, fetcher)
            if listed is not None:
                found[listed.key] = Follow(listed.url, listed.key, queue, rank)
    return list(found.values())


async def body_at(fetcher: Fetcher, url: str) -> bytes | None:
    """What lies at a URL, fetched as politely as anything else; None: nothing."""
    asked = _address(url, fetcher)
    if asked is None:
        return None
    await fetcher.courtesy.turn(asked.host)
    response = (await fetcher.fetch(asked)).response
    return response.body if response is not None and response.ok else None


def _address(url: str, fetcher: Fetcher) -> Address | None:
    try:
        return address(url, rules=fetcher.rules.urls)
    except UrlError:
        return None
