"""A Scrapy spider that fetches, finds links, follows them and keeps nothing, to measure a crawl beside."""

import sys
from collections.abc import AsyncIterator, Iterator
from time import perf_counter
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.linkextractors import LinkExtractor

SETTINGS = {
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class Spider(scrapy.Spider):
    """Tells its pages a second once it has so many."""

    name = "bench"
    port: int
    pages: int
    seeds: ClassVar[list[str]] = []
    links = LinkExtractor()
    got = 0
    began = 0.0

    async def start(self) -> AsyncIterator[Any]:
        for url in self.seeds:
            yield self.asked(url)

    def asked(self, url: str) -> scrapy.Request:
        return scrapy.Request(url, self.parse, meta={"proxy": f"http://127.0.0.1:{self.port}"})

    def parse(self, response: Any) -> Iterator[scrapy.Request]:
        self.began = self.began or perf_counter()
        self.got += 1
        if self.got == self.pages:
            print(self.pages / (perf_counter() - self.began), flush=True)
            raise CloseSpider
        if isinstance(response, scrapy.http.HtmlResponse):
            for link in self.links.extract_links(response):
                yield self.asked(link.url)


if __name__ == "__main__":
    Spider.port, Spider.pages, Spider.seeds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    process = CrawlerProcess(SETTINGS)
    process.crawl(Spider)
    process.start()
