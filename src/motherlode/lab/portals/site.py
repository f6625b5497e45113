"""A portal as a host: what it answers to each request, and which papers it should have shown."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from urllib.parse import unquote

from jinja2 import Environment
from msgspec import Struct
from msgspec.structs import replace

from motherlode.export.templates import filled_from
from motherlode.lab.generated.formats import KINDS as FILE_KINDS
from motherlode.lab.generated.formats import Manuscript, make
from motherlode.lab.portals import metadata
from motherlode.lab.portals.designs import PortalDesign
from motherlode.lab.portals.page_links import PageLinks, ResultPage, author_slug
from motherlode.lab.portals.paper_index import PaperIndex
from motherlode.lab.portals.records import PaperRecord, parse_author
from motherlode.lab.portals.sessions import COOKIE, Sessions
from motherlode.lab.portals.submissions import submitted_values
from motherlode.lab.web import Answer, SandboxRequest

POPULAR_PAPERS = 5
MAX_AUTHOR_PAPERS = 200
FAULT_PERIOD = 4  # of so many searches of a faulty portal, the last one fails
PROMOS = {
    "shoes": "Walking shoes for the field",
    "loans": "Loans for students, within a day",
    "printers": "Printers at half price",
}
OPENSEARCH = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{title}</ShortName>
  <Description>Searches papers.</Description>
  <Url type="text/html" template="{url}?{field}={{searchTerms}}&amp;{page}={{startPage?}}"/>
  <InputEncoding>UTF-8</InputEncoding>
</OpenSearchDescription>
"""


class PortalTraits(Struct, frozen=True):
    """A portal of a web: its design, its host, and what is wrong with it.

    A faulty portal answers some searches with an error or half a page. A closed one asks crawlers
    not to search. `habit` is one of the sandbox's habits of misbehaviour.
    """

    design: PortalDesign
    host: str
    habit: str = ""
    faulty: bool = False
    closed: bool = False


class PortalSite:
    """Answers for one portal; `papers` are the ids of those that it holds, of all in the index."""

    def __init__(self, traits: PortalTraits, index: PaperIndex, papers: Collection[str]) -> None:
        self.traits = traits
        self.design = traits.design
        self.links = PageLinks(traits.design)
        self._index = index
        self._held = {paper.id: paper for paper in index.papers if paper.id in papers}
        self._sessions = Sessions(traits.host)
        self._searches = 0

    @property
    def papers(self) -> Collection[PaperRecord]:
        """The papers that the portal holds."""
        return self._held.values()

    def search(self, query: Mapping[str, str]) -> list[PaperRecord]:
        """Return the papers that the portal finds, in its order; `query` goes by attribute."""
        return [paper for paper in self._index.search(query) if paper.id in self._held]

    def query_of(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return what submitted values ask for, by attribute."""
        attributes = self.design.attributes()
        return {attributes[name]: text for name, text in values.items() if name in attributes}

    def url(self, path: str) -> str:
        """Return a path as an address."""
        return f"http://{self.traits.host}{path}"

    def record_url(self, paper: PaperRecord) -> str:
        """Return the address of a paper's abstract page."""
        return self.url(self.links.record(paper))

    def urls(self) -> Iterator[str]:
        """Yield the page with the form, and all abstract pages and full texts."""
        yield self.url(self.design.form_path)
        for paper in self.papers:
            yield self.record_url(paper)
            if paper.has_full_text:
                yield self.url(self.links.pdf(paper))

    def reply(self, request: SandboxRequest) -> Answer | None:
        """Return the answer to a GET or POST; None: nothing is there."""
        design = self.design
        routes: dict[str, Callable[[SandboxRequest], Answer]] = {
            "/robots.txt": self._robots,
            "/": lambda _: Answer(302, (("Location", design.form_path),)),
            design.form_path: lambda request: self._search_page(request, "form", None, {}),
            design.more_path: self._more,
            design.search_path: self._submission,
        }
        if design.has_opensearch:
            routes["/opensearch.xml"] = self._opensearch
        answer = routes.get(request.path)
        return answer(request) if answer else self._document(unquote(request.target))

    def _robots(self, _request: SandboxRequest) -> Answer:
        rule = f"Disallow: {self.design.search_path}" if self.traits.closed else "Disallow:"
        return _text("text/plain", f"User-agent: *\n{rule}\n")

    def _submission(self, request: SandboxRequest) -> Answer:
        """Answer a form that was sent."""
        design = self.design
        if request.method != design.method:
            headers = (("Allow", design.method), ("Content-Type", "text/html"))
            return Answer(405, headers, b"<p>Use the form.")
        values = submitted_values(request, design.encoding)
        if not design.needs_token:
            return self._results(request, values)
        session = self._sessions.session_of(request.headers.get("cookie", ""))
        if not self._sessions.redeem(values.get("token", ""), session):
            return self._plain("This form has expired.", status=403)
        query = {name: text for name, text in values.items() if name != "token"}
        kept = self._sessions.keep_query(session, query)
        return Answer(303, (("Location", self.links.results({"set": kept}, 0)),))

    def _more(self, request: SandboxRequest) -> Answer:
        """Answer with a further page of results, or the first one of a kept query."""
        values = submitted_values(request, self.design.encoding)
        if not self.design.needs_token:
            return self._results(request, values)
        session = self._sessions.session_of(request.headers.get("cookie", ""))
        kept = self._sessions.query(values.get("set", ""), session)
        if kept is None:
            return self._plain("These results are no longer here.", status=403)
        return self._results(request, values, kept)

    def _results(
        self,
        request: SandboxRequest,
        values: Mapping[str, str],
        kept: Mapping[str, str] | None = None,
    ) -> Answer:
        design = self.design
        in_links = {name: text for name, text in values.items() if name != design.page_parameter}
        hits = self.search(self.query_of(values if kept is None else kept))
        start = self.links.start_of(values.get(design.page_parameter, ""))
        results = self.links.result_page(hits, start, in_links)
        if design.needs_script:
            return self._json_results(results)
        if not hits:
            results = replace(results, suggestions=self._suggestions)
        answer = self._search_page(request, "results", results, values if kept is None else kept)
        return self._faulty(answer) if self.traits.faulty else answer

    def _faulty(self, answer: Answer) -> Answer:
        """Let some searches fail: with an error, and next time with half of the page."""
        self._searches += 1
        if self._searches % FAULT_PERIOD:
            return answer
        if self._searches % (2 * FAULT_PERIOD):
            return self._plain("Internal error: table HITS is locked", status=500)
        return replace(answer, body=answer.body[: len(answer.body) // 2])

    def _json_results(self, results: ResultPage) -> Answer:
        """Return what the script of a page without a form of its own asks for."""
        items = [
            {"title": paper.title, "authors": paper.authors, "url": self.links.record(paper)}
            for paper in results.papers
        ]
        answer = {"total": results.total, "items": items, "next": results.next_url}
        return _text("application/json", json.dumps(answer))

    def _opensearch(self, _request: SandboxRequest) -> Answer:
        design = self.design
        text = OPENSEARCH.format(
            title=design.title,
            url=self.url(design.search_path),
            field=design.fields[0].name,
            page=design.page_parameter,
        )
        return _text("application/opensearchdescription+xml", text)

    def _document(self, target: str) -> Answer | None:
        """Answer for what is not a search: the pages and files of papers, authors, adverts."""
        routes: tuple[tuple[str, str, Callable[[str], Answer | None]], ...] = (
            (self.design.record_path, "", self._record),
            ("/pdf/", ".pdf", self._pdf),
            ("/export/", ".bib", self._bibtex),
            ("/author/", "", self._author),
            ("/promo/", ".html", self._promo),
        )
        for before, after, answer in routes:
            if target.startswith(before) and target.endswith(after):
                return answer(target[len(before) : len(target) - len(after)])
        return None

    def _record(self, paper_id: str) -> Answer | None:
        paper = self._held.get(paper_id)
        if paper is None:
            return None
        related = [self._held[other] for other in paper.links if other in self._held]
        return self._page(f"{self.design.name}.html", page="record", paper=paper, related=related)

    def _pdf(self, paper_id: str) -> Answer | None:
        paper = self._held.get(paper_id)
        if paper is None or not paper.has_full_text:
            return None
        authors = ", ".join(parse_author(author).full for author in paper.authors)
        keywords = f"Keywords: {', '.join(paper.keywords)}" if paper.keywords else ""
        texts = (authors, f"{paper.venue} {paper.year or ''}", paper.abstract, keywords)
        paragraphs = tuple(text for text in texts if text.strip())
        body = make("pdf", Manuscript(paper.title, paragraphs, ()))
        return Answer(200, (("Content-Type", FILE_KINDS["pdf"]),), body)

    def _bibtex(self, paper_id: str) -> Answer | None:
        paper = self._held.get(paper_id)
        if paper is None:
            return None
        return _text("application/x-bibtex", metadata.bibtex(paper))

    def _author(self, slug: str) -> Answer | None:
        papers = self._papers_by_author.get(slug)
        if not papers:
            return None
        author = next(name for name in papers[0].authors if author_slug(name) == slug)
        return self._plain(parse_author(author).full, papers[:MAX_AUTHOR_PAPERS])

    def _promo(self, name: str) -> Answer | None:
        return self._plain(PROMOS[name]) if name in PROMOS else None

    def _search_page(
        self,
        request: SandboxRequest,
        page: str,
        results: ResultPage | None,
        values: Mapping[str, str],
    ) -> Answer:
        """Return a page with the form, and a new token for it if it wants one."""
        shown = {field.name: values.get(field.name, "") for field in self.design.fields}
        template = f"{self.design.name}.html"
        if not self.design.needs_token:
            return self._page(template, page=page, values=shown, results=results)
        cookies = request.headers.get("cookie", "")
        session = self._sessions.session_of(cookies) or self._sessions.start()
        shown["token"] = self._sessions.issue_token(session)
        answer = self._page(template, page=page, values=shown, results=results)
        cookie = ("Set-Cookie", f"{COOKIE}={session}; Path=/; HttpOnly")
        return replace(answer, headers=(*answer.headers, cookie))

    def _plain(
        self, heading: str, papers: Collection[PaperRecord] = (), status: int = 200
    ) -> Answer:
        answer = self._page("plain.html", heading=heading, papers=papers)
        return replace(answer, status=status)

    def _page(self, template: str, **content: object) -> Answer:
        design = self.design
        text = _TEMPLATES.get_template(template).render(
            site=self, design=design, links=self.links, metadata=metadata, **content
        )
        charset = f"; charset={design.charset}" if design.charset else ""
        body = text.encode(design.encoding, "xmlcharrefreplace")
        return Answer(200, (("Content-Type", f"text/html{charset}"),), body)

    @property
    def promos(self) -> dict[str, str]:
        """The adverts around the pages."""
        return PROMOS

    @cached_property
    def popular(self) -> tuple[PaperRecord, ...]:
        """The papers in the box beside every page, whatever was asked."""
        by_links = sorted(self.papers, key=lambda paper: (-len(paper.links), paper.id))
        return tuple(by_links[:POPULAR_PAPERS])

    @cached_property
    def _suggestions(self) -> tuple[tuple[str, str], ...]:
        """Texts and addresses of searches that find something."""
        texts = [(paper.keywords or (paper.title,))[0] for paper in self.popular]
        return tuple((text, self.links.search(text)) for text in texts)

    @cached_property
    def _papers_by_author(self) -> dict[str, list[PaperRecord]]:
        papers: dict[str, list[PaperRecord]] = defaultdict(list)
        for paper in self.papers:
            for author in dict.fromkeys(paper.authors):
                papers[author_slug(author)].append(paper)
        return papers


def _text(kind: str, text: str) -> Answer:
    return Answer(200, (("Content-Type", f"{kind}; charset=utf-8"),), text.encode())


def _snippet(paper: PaperRecord, length: int = 200) -> str:
    """The beginning of the abstract, up to the end of a word."""
    text = paper.abstract
    return text if len(text) <= length else text[:length].rpartition(" ")[0] + " ..."


_TEMPLATES: Environment = filled_from(
    "motherlode.lab.portals",
    {
        "snippet": _snippet,
        "full_name": lambda author: parse_author(author).full,
        "heading": lambda paper: paper.title or "[untitled]",
    },
)
