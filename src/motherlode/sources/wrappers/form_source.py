"""A wrapper that is asked: its page, its form, the pages of results, within one session."""

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct, structs

from motherlode.documents.encoding import decode
from motherlode.documents.forms import submission_of
from motherlode.documents.result_lists import ResultList, ResultRecord, read_result_list
from motherlode.fetch.cookie_jar import CookieJar, CookieWeb
from motherlode.fetch.redirects import EXACT_URLS
from motherlode.fetch.web import Request, Response
from motherlode.records import BadInputError, Form
from motherlode.sources.search.client import SearchClient, is_html
from motherlode.sources.search.description import read_description
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.feeds import read_feed
from motherlode.sources.search.opensearch import OpenSearch
from motherlode.sources.search.source import Hit, SourceSetup
from motherlode.sources.wrappers.assignment import assigned_values
from motherlode.sources.wrappers.attributes import PortalQuery
from motherlode.sources.wrappers.check import (
    FormCheck,
    FormState,
    compare_forms,
    form_of_today,
)
from motherlode.sources.wrappers.matching import is_text
from motherlode.sources.wrappers.registration import forms_of, make_wrapper
from motherlode.sources.wrappers.wrapper import Wrapper
from motherlode.sources.wrappers.wrapper_file import read_wrapper
from motherlode.urls import UrlError, address

MAX_PAGES = 10  # of results that are read for one object
ABSENT_WORD = "qzvxkwj"  # in no text; a number could be a year or an identifier
MIN_LISTED = 8  # records; a portal that shows so many for no word at all lists everything
MAX_EARLIER = 2  # answers that are kept to see what all answers share

_NO_FIELDS: Mapping[str, str] = {}


class PortalAnswer(Struct, frozen=True, kw_only=True):
    """The answer of a portal: its records, the values of the form, and how many pages were read.

    `nothing_found`: the portal says so. `is_whole_page`: no list stands out, and the only record
    is the page itself.
    """

    records: tuple[ResultRecord, ...] = ()
    values: dict[str, str] = {}
    pages: int = 1
    nothing_found: bool = False
    is_whole_page: bool = False

    @property
    def hits(self) -> list[Hit]:
        """The records as hits of a search source; a page as a whole is none."""
        if self.is_whole_page:
            return []
        return [Hit(record.link, record.title, record.snippet) for record in self.records]


class FormSource:
    """Asks a portal through its form, by attributes or by free words."""

    def __init__(self, setup: SourceSetup, wrapper: Wrapper | None = None) -> None:
        self._setup = setup
        self._client = setup.client
        self._stored = wrapper
        self._is_probed = False
        self._empty: tuple[str, str] | None = None  # an answer without results
        self._earlier: deque[tuple[str, str]] = deque(maxlen=MAX_EARLIER)  # HTML and address

    async def wrapper(self) -> Wrapper:
        """Return the stored wrapper; without one, make it of the page at the source's address.

        Raises `SourceError`.
        """
        if self._stored is None:
            try:
                self._stored = await make_wrapper(self._client, self._setup.url)
            except BadInputError as error:
                raise self._client.error(f"cannot be asked: {error}") from error
        return self._stored

    async def search(self, query: str, wanted: int) -> list[Hit]:
        """Return the hits for free words, or for words of a title where the form takes only those.

        Raises `SourceError`.
        """
        return (await self.ask(PortalQuery(query=query), wanted)).hits

    async def ask(
        self, subject: PortalQuery, wanted: int, fields: Mapping[str, str] = _NO_FIELDS
    ) -> PortalAnswer:
        """Return at most `wanted` records for an object, best first, each page once.

        `fields` has values for fields of the form by their names; they count before those of the
        object. Raises `SourceError`.
        """
        wrapper = await self.wrapper()
        values = assigned_values(wrapper.form, wrapper.matching, subject) | dict(fields)
        if not values:
            raise self._client.error(
                "cannot be asked for this: its form has a field for none of it"
            )
        words = " ".join(values.values())
        if wrapper.template:
            source = OpenSearch(replace(self._setup, url=wrapper.page))
            return _answer_of_hits(await source.search(words, wanted), values)
        await self._learn_template(wrapper, values)
        client = _in_session(self._client)
        response = await self._submit(client, wrapper, values)
        answer = await self._read(client, response, words, wanted)
        return structs.replace(answer, values=values)

    async def check(self) -> FormCheck:
        """Return how the form of today compares with that of the wrapper. Raises `SourceError`."""
        check, _ = await self._today(_in_session(self._client), await self.wrapper())
        return check

    async def _submit(
        self, client: SearchClient, wrapper: Wrapper, values: dict[str, str]
    ) -> Response:
        """Return the answer to the form, read anew from its page where it has to be."""
        form = wrapper.form
        if wrapper.reads_page:
            check, today = await self._today(client, wrapper)
            if today is None or not check.is_usable:
                what = check.changes[0] if check.changes else "it is gone"
                raise client.error(
                    f"has another form than when it was added: {what}; check it, and add it again"
                )
            form = today
        try:
            submission = submission_of(form, values)
            url = address(submission.url, rules=EXACT_URLS).url
        except (BadInputError, UrlError) as error:
            raise client.error(f"has a form that cannot be sent: {error}") from error
        method = submission.method.upper()
        return await client.send(
            Request(url, method=method, body=submission.body, content_type=submission.content_type)
        )

    async def _learn_template(self, wrapper: Wrapper, values: dict[str, str]) -> None:
        """Ask once for a word that nothing has: what the answer shows is no result.

        A portal that does not answer this is read without.
        """
        if self._is_probed:
            return
        self._is_probed = True
        text_fields = {field.name for field in wrapper.form.fields if is_text(field)}
        probe = {name: ABSENT_WORD if name in text_fields else v for name, v in values.items()}
        with suppress(SourceError):
            response = await self._submit(_in_session(self._client), wrapper, probe)
            page = self._read_page(response, "")
            if self._earlier and len(page.records) < MIN_LISTED:
                self._empty = self._earlier.pop()

    async def _read(
        self, client: SearchClient, first: Response, words: str, wanted: int
    ) -> PortalAnswer:
        """Return the records of as many pages of results as are needed, from the first one on.

        A page that leads to an earlier one or has no new record is the last, and so is one that
        fails.
        """
        page = self._read_page(first, words)
        if page.nothing_found or page.is_whole_page:
            return PortalAnswer(
                records=page.records,
                nothing_found=page.nothing_found,
                is_whole_page=page.is_whole_page,
            )
        by_link = {record.link: record for record in page.records}
        asked, response = {first.url}, first
        while len(by_link) < wanted and len(asked) < MAX_PAGES:
            following = _following(page.next_page, response.url)
            if not following or following in asked:
                break
            asked.add(following)
            try:
                response = await client.get(following)
            except SourceError:
                break
            page = self._read_page(response, words)
            new = [record for record in page.records if record.link not in by_link]
            if not new or page.is_whole_page:
                break
            by_link.update((record.link, record) for record in new)
        return PortalAnswer(records=tuple(by_link.values())[:wanted], pages=len(asked))

    def _read_page(self, response: Response, words: str) -> ResultList:
        """Return the records of a page of results; earlier answers show what all answers share."""
        content_type = response.header("content-type")
        feed = read_feed(response.body, content_type, response.url)
        if feed is not None:
            return ResultList(tuple(map(_record_of, feed)), nothing_found=not feed)
        if not is_html(response):
            return ResultList(nothing_found=not response.body)
        html = decode(response.body, content_type)
        earlier = tuple(self._earlier)
        page = read_result_list(html, response.url, words, earlier, self._empty)
        self._earlier.append((html, response.url))
        return page

    async def _today(self, client: SearchClient, wrapper: Wrapper) -> tuple[FormCheck, Form | None]:
        """Return what changed in the form, and the form as it is now."""
        if wrapper.template:
            return await _check_template(client, wrapper), wrapper.form
        page = await client.get(wrapper.page)
        forms = forms_of(page)
        today = form_of_today(wrapper.form, forms, wrapper.number)
        if today is None:
            return FormCheck(FormState.GONE, ("no form of its page has a field of it",)), None
        return compare_forms(wrapper.form, today), today


def open_form_source(setup: SourceSetup) -> FormSource:
    """Return the source of the wrapper whose file the options name, else of a page's best form.

    Raises `BadInputError` if the file cannot be used.
    """
    if not setup.options.file:
        return FormSource(setup)
    path = Path(setup.options.file)
    return FormSource(setup, read_wrapper(path.parent.parent, path.stem))


def _in_session(client: SearchClient) -> SearchClient:
    """Return a client that keeps cookies, from here on."""
    return replace(client, web=CookieWeb(client.web, CookieJar()))


async def _check_template(client: SearchClient, wrapper: Wrapper) -> FormCheck:
    """Return whether an OpenSearch description still has the template of a wrapper."""
    response = await client.get(wrapper.page)
    description = read_description(response.body, response.header("content-type"))
    if description is None:
        return FormCheck(FormState.GONE, ("its address has no OpenSearch description",))
    if wrapper.template in {template.template for template in description.templates}:
        return FormCheck(FormState.SAME)
    return FormCheck(FormState.CHANGED, ("its description has another template",))


def _answer_of_hits(hits: list[Hit], values: dict[str, str]) -> PortalAnswer:
    return PortalAnswer(
        records=tuple(_record_of(hit) for hit in hits), values=values, nothing_found=not hits
    )


def _record_of(hit: Hit) -> ResultRecord:
    return ResultRecord(hit.url, hit.title, hit.snippet, original_link=hit.url)


def _following(reference: str, here: str) -> str:
    """Return the address of a next page at the same host; empty if there is none."""
    try:
        url = address(reference, here, EXACT_URLS).url if reference else ""
    except UrlError:
        return ""
    return url if urlsplit(url).netloc == urlsplit(here).netloc else ""
