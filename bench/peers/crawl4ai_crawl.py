"""Crawl4AI without a browser: best-first by keywords, or adaptive. Runs in `.venv-peers`.

The arguments are the strategy and a JSON file with the fields of `runs.Task`. The adaptive crawler
runs without its link previews: they fetch linked pages for their heads, and found no more.
"""

import asyncio
import json
import math
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.adaptive_crawler import (
    AdaptiveConfig,
    AdaptiveCrawler,
    CrawlState,
    StatisticalStrategy,
)
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy, KeywordRelevanceScorer
from crawl4ai.models import Link

MAX_DEPTH = 1_000_000  # of links for best-first, of rounds for adaptive: the page limit decides
SEED_SCORE = 100.0  # above any that a link gets: seeds are fetched first


async def crawl_best_first(crawler: Any, task: dict[str, Any]) -> None:
    """Crawl by its best-first strategy: keywords in URLs, all hosts, no delays."""
    strategy = BestFirstCrawlingStrategy(
        max_depth=MAX_DEPTH,
        include_external=True,
        max_pages=task["pages"],
        url_scorer=KeywordRelevanceScorer(keywords=list(task["keywords"])),
        resume_state=_seeds_as_queue(task["seeds"]),
    )
    config = CrawlerRunConfig(
        deep_crawl_strategy=strategy,
        stream=True,
        cache_mode=CacheMode.BYPASS,
        mean_delay=0.0,
        max_range=0.0,
        verbose=False,
    )
    async for _ in await crawler.arun(task["seeds"][0], config=config):
        pass


def _seeds_as_queue(seeds: list[str]) -> dict[str, Any]:
    """Return the state of a crawl that is about to fetch all seeds: a start has only one URL."""
    queue = [{"score": -SEED_SCORE, "depth": 0, "url": seed, "parent_url": None} for seed in seeds]
    depths = dict.fromkeys(seeds, 0)
    return {"visited": [], "depths": depths, "pages_crawled": 0, "queue_items": queue}


async def crawl_adaptively(crawler: Any, task: dict[str, Any], *, leaves_hosts: bool) -> None:
    """Crawl by its adaptive crawler, the keywords being the query, without its stop rules."""
    config = AdaptiveConfig(max_depth=MAX_DEPTH, max_pages=task["pages"], min_gain_threshold=0.0)
    crawler = LinkCrawler(crawler, leaves_hosts=leaves_hosts)
    adaptive = AdaptiveCrawler(crawler, config, strategy=EndlessStrategy())
    first, *others = task["seeds"]
    links = [Link(href=seed, text=seed, contextual_score=SEED_SCORE) for seed in others]
    state = Path(task["folder"]) / "state.json"
    CrawlState(pending_links=links).save(state)
    await adaptive.digest(first, " ".join(task["keywords"]), resume_from=str(state))


class LinkCrawler:
    """Gives the adaptive crawler all links of a page, without previews.

    By itself it stays on the hosts of its seeds; `leaves_hosts` adds the links to others.
    """

    def __init__(self, crawler: Any, *, leaves_hosts: bool) -> None:
        self._crawler = crawler
        self._kinds = ("internal", "external") if leaves_hosts else ("internal",)

    async def arun(self, url: str, config: Any) -> Any:
        config.verbose = False
        config.link_preview_config = None
        result = await self._crawler.arun(url=url, config=config)
        if result.links:
            links = [link for kind in self._kinds for link in result.links[kind]]
            # A link without the head of its page would be dropped.
            result.links["internal"] = [{**link, "head_data": {"meta": {}}} for link in links]
        return result


class EndlessStrategy:
    """Crawl4AI's statistical strategy without its stop rules.

    Scores are its own. Scores only fall, because links lose novelty, so a link is scored again only
    when it is about to be chosen; and each is handed out once. Scoring all links in each round,
    and the confidence, which compares all pages with each other, would take hours.
    """

    config: Any = None  # set by the adaptive crawler

    def __init__(self) -> None:
        self._strategy = StatisticalStrategy()
        self._queue: list[tuple[float, int, Any]] = []
        self._known: set[tuple[str, str]] = set()
        self._chosen: set[str] = set()

    async def calculate_confidence(self, _state: Any) -> float:
        return 0.0

    async def should_stop(self, state: Any, config: Any) -> bool:
        return len(state.crawled_urls) >= int(config.max_pages)

    async def update_state(self, state: Any, new_results: list[Any]) -> None:
        await self._strategy.update_state(state, new_results)

    async def rank_links(self, state: Any, config: Any) -> list[tuple[Any, float]]:
        """Return the best links of the whole queue, as many as are crawled in a round."""
        for link in state.pending_links:
            if (link.href, link.text) not in self._known:
                self._known.add((link.href, link.text))
                heappush(self._queue, (-math.inf, len(self._known), link))
        state.pending_links.clear()
        ranked = [await self._choose_best(state, config) for _ in range(config.top_k_links)]
        return [pair for pair in ranked if pair is not None]

    async def _choose_best(self, state: Any, config: Any) -> tuple[Any, float] | None:
        while self._queue:
            _, number, link = heappop(self._queue)
            if link.href in self._chosen or link.href in state.crawled_urls:
                continue
            alone = replace(state, pending_links=[link])
            ((_, score),) = await self._strategy.rank_links(alone, config)
            if not self._queue or score >= -self._queue[0][0]:
                self._chosen.add(link.href)
                return link, score
            heappush(self._queue, (-score, number, link))
        return None


STRATEGIES: dict[str, Callable[[Any, dict[str, Any]], Awaitable[None]]] = {
    "best-first": crawl_best_first,
    "adaptive": partial(crawl_adaptively, leaves_hosts=False),
    "adaptive-all-hosts": partial(crawl_adaptively, leaves_hosts=True),
}


async def main(strategy: str, task: dict[str, Any]) -> None:
    proxy = f"http://127.0.0.1:{task['port']}"
    http = AsyncHTTPCrawlerStrategy()
    http.set_hook("before_request", lambda _url, request: request.update(proxy=proxy))
    async with AsyncWebCrawler(
        crawler_strategy=http, config=BrowserConfig(verbose=False)
    ) as crawler:
        await STRATEGIES[strategy](crawler, task)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text("utf-8"))))
