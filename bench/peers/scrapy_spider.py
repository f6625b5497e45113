"""A Scrapy spider with keyword priorities in one global queue. Runs in `.venv-peers`.

The argument is a JSON file with the fields of `runs.Task`.
"""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

from bench.peers.keywords import keyword_share, words_of

SETTINGS = {
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS": 10,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 10,
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    # One queue for all hosts; of equal priorities, the one discovered first.
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class KeywordSpider(scrapy.Spider):
    """Follows links by the keywords in the page they stand on, in their anchor and their URL."""

    name = "keywords"
    task: ClassVar[dict[str, Any]] = {}
    links = LinkExtractor()

    async def start(self) -> AsyncIterator[Any]:
        for url in self.task["seeds"]:
            yield self.request(url, 3000)

    def request(self, url: str, priority: int) -> scrapy.Request:
        proxy = f"http://127.0.0.1:{self.task['port']}"
        return scrapy.Request(url, self.parse, priority=priority, meta={"proxy": proxy})

    def parse(self, response: Any) -> Iterator[scrapy.Request]:
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        keywords = self.task["keywords"]
        page = keyword_share(words_of(" ".join(response.xpath("//text()").getall())), keywords)
        for link in self.links.extract_links(response):
            anchor = keyword_share(words_of(f"{link.text} {link.url}"), keywords)
            yield self.request(link.url, round(1000 * (page + anchor)))


if __name__ == "__main__":
    KeywordSpider.task = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    process = CrawlerProcess(SETTINGS)
    process.crawl(KeywordSpider)
    process.start()
