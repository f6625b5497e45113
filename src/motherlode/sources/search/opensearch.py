"""OpenSearch 1.1: any site that has a description document, or a page that links to one."""

import turbohtml

from motherlode.documents.encoding import decode
from motherlode.documents.result_lists import read_result_list
from motherlode.fetch.redirects import EXACT_URLS
from motherlode.fetch.web import Response
from motherlode.sources.search.client import is_html
from motherlode.sources.search.description import (
    OpenSearchDescription,
    SearchTemplate,
    read_description,
)
from motherlode.sources.search.feeds import read_feed
from motherlode.sources.search.hits import hits_of_pages
from motherlode.sources.search.source import Hit, SourceSetup
from motherlode.urls import UrlError, address

DESCRIPTION_TYPE = "application/opensearchdescription+xml"
MAX_COUNT = 50  # hits on a page of results


class OpenSearch:
    """Asks a site in the way that its description document describes."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._url = setup.url
        self._language = setup.options.language
        self._found: tuple[OpenSearchDescription, str] | None = None

    async def pages_linking_to(self, url: str, wanted: int) -> list[Hit]:
        """Return what is found for the operator `link:`, which not every engine knows."""
        return await self.search(f"link:{url}", wanted)

    async def search(self, query: str, wanted: int) -> list[Hit]:
        if self._found is None:
            self._found = await self._describe()
        description, base = self._found
        count = min(wanted, MAX_COUNT)
        template = self._template(description, self._values(query, count, 1, 1, description))
        is_paged = bool(template.parameters & {"startPage", "startIndex"})

        async def fetch(page: int, received: int) -> list[Hit]:
            if page and not is_paged:
                return []
            start, number = template.index_offset + received, template.page_offset + page
            values = self._values(query, count, start, number, description)
            url = self._absolute(template.url(values, description.encoding), base)
            return self._read(await self._client.get(url), query)

        return await hits_of_pages(fetch, wanted)

    async def _describe(self) -> tuple[OpenSearchDescription, str]:
        """Return the description, and the URL against which its templates are resolved."""
        response = await self._client.get(self._url)
        description = read_description(response.body, response.header("content-type"))
        if description is None:
            linked = _linked_description(response)
            if linked:
                response = await self._client.get(linked)
                description = read_description(response.body, response.header("content-type"))
        if description is None:
            raise self._client.error(
                "has no OpenSearch description at its address, nor a page that links to one"
            )
        return description, response.url

    def _values(
        self, query: str, count: int, start: int, page: int, description: OpenSearchDescription
    ) -> dict[str, str]:
        return {
            "searchTerms": query,
            "count": str(count),
            "startIndex": str(start),
            "startPage": str(page),
            "language": self._language,
            "inputEncoding": description.encoding.upper(),
            "outputEncoding": "UTF-8",
        }

    def _template(
        self, description: OpenSearchDescription, values: dict[str, str]
    ) -> SearchTemplate:
        template = description.best(values)
        if template is not None and "searchTerms" in template.parameters:
            return template
        if any(template.method == "post" for template in description.templates):
            raise self._client.error("takes searches only by POST, which is not supported")
        required = sorted({name for one in description.templates for name in one.missing(values)})
        if required:
            raise self._client.error(
                f"asks for {', '.join(required)[:100]} in each search, which is not known here"
            )
        raise self._client.error("describes no search whose results are RSS, Atom or HTML")

    def _absolute(self, url: str, base: str) -> str:
        try:
            return address(url, base, EXACT_URLS).url
        except UrlError as error:
            raise self._client.error(
                f"has a description whose template is no URL ({error.kind})"
            ) from error

    def _read(self, response: Response, query: str) -> list[Hit]:
        """Return the hits of a page of results, whichever type it has in truth."""
        content_type = response.header("content-type")
        hits = read_feed(response.body, content_type, response.url)
        if hits is not None:
            return hits
        if is_html(response):
            return read_result_page(decode(response.body, content_type), response.url, query)
        raise self._client.error("sent results that are neither RSS, Atom nor HTML")


def read_result_page(html: str, url: str, query: str) -> list[Hit]:
    """Return the results on a page; none if nothing on it looks like a list of results."""
    answer = read_result_list(html, url, query)
    if answer.is_whole_page:
        return []
    return [Hit(record.link, record.title, record.snippet) for record in answer.records]


def _linked_description(response: Response) -> str:
    """Return the description that an HTML page links to; empty if there is none."""
    if not is_html(response):
        return ""
    tree = turbohtml.parse(decode(response.body, response.header("content-type")), positions=False)
    for link in tree.find_all("link"):
        kind, href = link.attrs.get("type"), link.attrs.get("href")
        if isinstance(kind, str) and kind.strip().lower() == DESCRIPTION_TYPE and href:
            try:
                return address(str(href), response.url, EXACT_URLS).url
            except UrlError:
                continue
    return ""
