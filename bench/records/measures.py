"""Precision, recall and F1 of the links of records, and records that are right by their cells."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.records.pages import LabelledPage, mean_over_sites, plain
from motherlode.documents.result_lists import densest_links
from motherlode.documents.result_lists.best_group import best_group
from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink
from motherlode.documents.result_lists.reader import result_list_of
from motherlode.documents.result_lists.regions import regions_of

Segmenter = Callable[[LinkedAnswer], Sequence[PageLink]]


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """Precision, recall and F1 of links."""

    precision: float
    recall: float
    f1: float


def title_links(page: LinkedAnswer) -> Sequence[PageLink]:
    """Return the title links that our reader finds; all links where the page is one record."""
    answer = result_list_of(page)
    if answer.is_whole_page:
        return page.links
    links = {record.original_link for record in answer.records}
    return [link for link in page.links if link.url in links]


SEGMENTERS: dict[str, Segmenter] = {
    "whole page": lambda page: page.links,
    "density-2004": densest_links,
    "ours": title_links,
}


def link_figures(links: Iterable[PageLink], labelled: frozenset[str]) -> LinkFigures:
    """Return how well links agree with those of the records."""
    targets = {plain(link.target) for link in links}
    right = len(targets & labelled)
    if not right:
        return LinkFigures(0.0, 0.0, 0.0)
    precision, recall = right / len(targets), right / len(labelled)
    return LinkFigures(precision, recall, 2 * right / (len(targets) + len(labelled)))


def site_means(pages: Sequence[LabelledPage], segment: Segmenter) -> LinkFigures:
    """Return the figures of a segmenter: means over the sites of the pages with links."""
    figures = [
        (page.site, link_figures(segment(page.page), page.links)) for page in pages if page.links
    ]
    return LinkFigures(
        mean_over_sites((site, figure.precision) for site, figure in figures),
        mean_over_sites((site, figure.recall) for site, figure in figures),
        mean_over_sites((site, figure.f1) for site, figure in figures),
    )


def right_by_cells(page: LabelledPage) -> float:
    """Return the fraction of records of which one segment holds all cells and no other's title."""
    titles, _ = best_group(page.page)
    regions = regions_of(page.page.tree, [link.element for link in titles])
    texts = [_spaceless(page.page.tree.text(area.first, area.end, 20_000)) for area in regions]
    cells = [[_spaceless(cell) for cell in record if cell.strip()] for record in page.cells]
    longest = [max(record, key=len, default="") for record in cells]
    right = 0
    for record, own in zip(cells, longest, strict=True):
        others = [other for other in longest if other and other != own and other not in own]
        right += any(
            all(cell in text for cell in record) and not any(other in text for other in others)
            for text in texts
        )
    return right / len(cells)


def _spaceless(text: str) -> str:
    return "".join(text.split()).casefold()
