"""Links to next pages: learn their weights, and measure them leaving one site out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.records.pages import plain, read_html
from motherlode.documents.result_lists import find_next_page
from motherlode.documents.result_lists.next_page import MIN_SCORE
from motherlode.documents.result_lists.next_page_features import next_page_features
from motherlode.documents.result_lists.page_links import (
    LinkedAnswer,
    PageLink,
    link_page,
    urljoin_safely,
)
from motherlode.documents.result_lists.page_tree import read_tree
from motherlode.documents.result_lists.weights import weighted_sum

STRENGTH = 0.1  # the inverse of the penalty


@dataclass(frozen=True, slots=True)
class PagedPage:
    """A page with its links to the next page of a list, if it has any."""

    site: str
    page: LinkedAnswer
    next_links: frozenset[str]
    described: tuple[tuple[PageLink, dict[str, float]], ...]


def read_paged(folder: Path) -> list[PagedPage]:
    """Return the labelled pages of `folder`."""
    index = json.loads((folder / "index.json").read_text("utf-8"))
    return [
        _paged(entry["site"], page, set(map(plain, entry["links"]["next"])))
        for entry in index
        for page in [link_page(read_tree(read_html(folder / entry["file"])), entry["url"])]
    ]


def _paged(site: str, page: LinkedAnswer, labels: set[str]) -> PagedPage:
    """Return a page whose labels respect its <base>, which those of the data do not."""
    for link in page.links if page.tree.base else ():
        href = page.tree.elements[link.element].attr("href") or ""
        if plain(urljoin_safely(page.url, href)) in labels:
            labels = {*labels, plain(link.url)}
    return PagedPage(site, page, frozenset(labels), tuple(next_page_features(page)))


def next_page_f1(pages: Sequence[PagedPage], answers: Sequence[str]) -> float:
    """Return F1 of the links to next pages; an empty answer says that there is none."""
    right = sum(
        plain(answer) in page.next_links
        for page, answer in zip(pages, answers, strict=True)
        if answer
    )
    given = sum(map(bool, answers))
    return 2 * right / (given + sum(bool(page.next_links) for page in pages))


def learn_next_page(pages: Sequence[PagedPage]) -> dict[str, float]:
    """Return the weights of a logistic regression over the links of the pages."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - only where it learns

    rows = [
        (features, plain(link.url) in page.next_links)
        for page in pages
        for link, features in page.described
    ]
    names = list(rows[0][0])
    table = np.array([[*map(features.get, names), label] for features, label in rows], float)
    distinct, counts = np.unique(table, axis=0, return_counts=True)
    model = LogisticRegression(C=STRENGTH, max_iter=500)
    model.fit(distinct[:, :-1], distinct[:, -1], sample_weight=counts)
    weights = dict(zip(names, map(float, model.coef_[0]), strict=True))
    return {**weights, "bias": float(model.intercept_[0])}


def left_out_f1(pages: Sequence[PagedPage]) -> float:
    """Return F1 where each site is judged by weights learned from the other sites."""
    answers = [""] * len(pages)
    for site in sorted({page.site for page in pages}):
        weights = learn_next_page([page for page in pages if page.site != site])
        for number, page in enumerate(pages):
            if page.site == site:
                answers[number] = _answer(page, weights)
    return next_page_f1(pages, answers)


def _answer(page: PagedPage, weights: dict[str, float]) -> str:
    scores = [
        (weights["bias"] + weighted_sum(features, weights), link.url)
        for link, features in page.described
    ]
    score, url = max(scores, default=(MIN_SCORE, ""), key=lambda pair: pair[0])
    return url if score > MIN_SCORE else ""


def stored_f1(pages: Sequence[PagedPage], find: Callable[[LinkedAnswer], str]) -> float:
    """Return F1 of the stored weights, which were learned on the same pages."""
    return next_page_f1(pages, [find(page.page) for page in pages])


def print_figures(folder: Path) -> None:
    """Print F1 of the links to next pages."""
    pages = read_paged(folder)
    print(f"next page, one site left out: F1 {left_out_f1(pages):.3f}")
    by_label = stored_f1(pages, lambda page: find_next_page(page, by_number=False))
    print(f"next page, stored weights:    F1 {by_label:.3f}")
    print(f"  with numbers as well:       F1 {stored_f1(pages, find_next_page):.3f}")
