"""The addresses of a portal's pages, as paths on its host, and the parts of a list of results."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from msgspec import Struct

from motherlode.lab.portals.designs import PortalDesign
from motherlode.lab.portals.paper_index import words
from motherlode.lab.portals.records import PaperRecord, parse_author

MAX_PAGE_LINKS = 10
MAX_OFFSET = 1_000_000


class PageLink(Struct, frozen=True):
    """A numbered link to a page of results; the page that is shown is current."""

    number: int
    url: str
    current: bool


class ResultPage(Struct, frozen=True, kw_only=True):
    """A page of results: its papers, their places among all hits (from 1), and the way on."""

    papers: tuple[PaperRecord, ...]
    total: int
    start: int  # hits before the first one shown
    pages: tuple[PageLink, ...]
    previous_url: str
    next_url: str
    suggestions: tuple[tuple[str, str], ...]

    @property
    def first(self) -> int:
        return self.start + 1

    @property
    def last(self) -> int:
        return self.start + len(self.papers)


class PageLinks:
    """Makes the addresses that a design has."""

    def __init__(self, design: PortalDesign) -> None:
        self._design = design

    def record(self, paper: PaperRecord) -> str:
        return self._design.record_path + paper.slug

    def pdf(self, paper: PaperRecord) -> str:
        return f"/pdf/{paper.slug}.pdf"

    def bibtex(self, paper: PaperRecord) -> str:
        return f"/export/{paper.slug}.bib"

    def author(self, author: str) -> str:
        return f"/author/{author_slug(author)}"

    def search(self, text: str) -> str:
        """Return a search for a text; the form, if it cannot be asked by an address."""
        design = self._design
        field = next(field for field in design.fields if field.attribute in ("any", "title"))
        if design.method != "GET" or design.needs_script:
            return design.form_path
        return f"{design.search_path}?{self._encoded({field.name: text})}"

    def results(self, values: Mapping[str, str], start: int) -> str:
        """Return the page of results that begins after `start` hits."""
        design = self._design
        place = start // design.page_size + 1 if design.counts_pages else start + design.first
        fields = {name: text for name, text in values.items() if text}
        path = design.more_path or design.search_path
        return f"{path}?{self._encoded({**fields, design.page_parameter: str(place)})}"

    def start_of(self, text: str) -> int:
        """Return how many hits come before the page that a parameter names; 0 for nonsense."""
        design = self._design
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0  # noqa: PLR2004
        start = (number - 1) * design.page_size if design.counts_pages else number - design.first
        return min(max(start, 0), MAX_OFFSET)

    def result_page(
        self, hits: Sequence[PaperRecord], start: int, values: Mapping[str, str]
    ) -> ResultPage:
        """Return the page of results after `start` hits; `values` go into its links."""
        size = self._design.page_size
        current = start // size
        first = max(0, current - MAX_PAGE_LINKS // 2)
        numbers = range(first, min(-(-len(hits) // size), first + MAX_PAGE_LINKS))
        more = start + size < len(hits)
        return ResultPage(
            papers=tuple(hits[start : start + size]),
            total=len(hits),
            start=start,
            pages=tuple(
                PageLink(n + 1, self.results(values, n * size), n == current) for n in numbers
            ),
            previous_url=self.results(values, max(0, start - size)) if start else "",
            next_url=self.results(values, start + size) if more else "",
            suggestions=(),
        )

    def _encoded(self, values: Mapping[str, str]) -> str:
        return urlencode(values, encoding=self._design.encoding, errors="replace")


def author_slug(author: str) -> str:
    """Return an author's name as a part of a URL."""
    return quote("-".join(words(parse_author(author).full)), safe="-")
