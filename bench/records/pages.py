"""Labelled pages of results: what is in `../shared/records` and `../shared/pagination`."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from motherlode.documents.encoding import decode
from motherlode.documents.result_lists.page_links import (
    LinkedAnswer,
    behind_redirect,
    link_page,
)
from motherlode.documents.result_lists.page_tree import read_tree
from motherlode.urls import UrlError, canonical

MAX_OTHERS = 5


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of results with the links of its records; `brand` groups sites for folds."""

    name: str
    site: str
    brand: str
    page: LinkedAnswer
    links: frozenset[str]
    cells: tuple[tuple[str, ...], ...]


def plain(url: str) -> str:
    """Return the form in which two addresses are compared."""
    with suppress(UrlError):
        url = canonical(url)
    return url.partition("://")[2].partition("#")[0].rstrip("/") or url


def read_labelled(folder: Path) -> list[LabelledPage]:
    """Return the pages of `folder` that have records; each alone, without other answers."""
    index: list[dict[str, Any]] = json.loads((folder / "index.json").read_text("utf-8"))
    return [_labelled(folder, entry) for entry in index]


def read_html(path: Path) -> str:
    """Return the text of a saved page."""
    return decode(gzip.decompress(path.read_bytes()))


def _labelled(folder: Path, entry: Mapping[str, Any]) -> LabelledPage:
    host = entry["site"]
    links = {item["link"] for item in entry["items"] if item.get("link")}
    return LabelledPage(
        name=entry["file"],
        site=f"{entry['source']} {entry['site']}",
        brand=entry["brand"],
        page=link_page(read_tree(read_html(folder / entry["file"])), entry["url"], entry["query"]),
        links=frozenset(plain(behind_redirect(link, host)) for link in links),
        cells=tuple(tuple(item["cells"]) for item in entry["items"] if "cells" in item),
    )


def with_other_answers(pages: Iterable[LabelledPage]) -> list[LabelledPage]:
    """Return the pages whose site has answers to other queries, with those beside them."""
    by_site: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        by_site[page.site].append(page)
    return [
        _beside(page, [other for other in group if other.page.words != page.page.words])
        for group in by_site.values()
        for page in group
        if any(other.page.words != page.page.words for other in group)
    ]


def _beside(page: LabelledPage, others: list[LabelledPage]) -> LabelledPage:
    alone = page.page
    answers = tuple(other.page for other in others[:MAX_OTHERS])
    query = " ".join(alone.words)
    linked = link_page(alone.tree, alone.url, query, answers)
    return LabelledPage(page.name, page.site, page.brand, linked, page.links, page.cells)


def mean_over_sites(figures: Iterable[tuple[str, float]]) -> float:
    """Return the mean over sites of the means of their pages."""
    by_site: dict[str, list[float]] = defaultdict(list)
    for site, figure in figures:
        by_site[site].append(figure)
    return fmean(map(fmean, by_site.values()))
