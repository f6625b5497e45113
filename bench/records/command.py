"""`python -m bench records ../shared/records [../shared/pagination] [--validate] [--fit FILE]`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.records.measures import SEGMENTERS, Segmenter, right_by_cells, site_means
from bench.records.pages import (
    LabelledPage,
    mean_over_sites,
    read_labelled,
    with_other_answers,
)
from bench.records.pagination import learn_next_page, print_figures, read_paged
from bench.records.training import cross_validated, examples_of, learn, site_mean

SEEDS = (0, 1)
LEAST_WEIGHT = 0.005


def main(arguments: Sequence[str]) -> None:
    """Print how well records and next pages are found; learn the weights anew if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench records")
    parser.add_argument("records", type=Path)
    parser.add_argument("pagination", type=Path, nargs="?")
    parser.add_argument("--validate", action="store_true", help="cross-validate by brands")
    parser.add_argument("--fit", type=Path, help="write the weights to this file")
    options = parser.parse_args(arguments)
    pages = read_labelled(options.records)
    beside = with_other_answers(pages)
    if options.fit:
        _write_weights(options.fit, [*pages, *beside], options.pagination)
    elif options.validate:
        _print_validation(pages, beside)
    else:
        _print_stored(pages, beside)
    if options.pagination and not options.fit:
        print_figures(options.pagination)


def _print_stored(pages: Sequence[LabelledPage], beside: Sequence[LabelledPage]) -> None:
    print(f"{'stored weights':28} precision  recall     F1")
    for name, segment in SEGMENTERS.items():
        _print_row(name, pages, segment)
    _print_row("ours, other answers known", beside, SEGMENTERS["ours"])
    celled = [(page.site, right_by_cells(page)) for page in pages if page.cells]
    print(f"records right by their cells, mean over sites: {mean_over_sites(celled):.3f}")


def _print_row(name: str, pages: Sequence[LabelledPage], segment: Segmenter) -> None:
    figures = site_means(pages, segment)
    print(f"{name:28} {figures.precision:9.3f} {figures.recall:7.3f} {figures.f1:6.3f}")


def _print_validation(pages: Sequence[LabelledPage], beside: Sequence[LabelledPage]) -> None:
    alone, known = examples_of(pages), examples_of(beside)
    examples = [*alone, *known]
    for seed in SEEDS:
        gains = cross_validated(examples, seed)
        first = site_mean(examples, gains, range(len(alone)))
        second = site_mean(examples, gains, range(len(alone), len(examples)))
        print(f"cross-validated F1, folds {seed}: alone {first:.3f}, others known {second:.3f}")


def _write_weights(path: Path, pages: Sequence[LabelledPage], pagination: Path | None) -> None:
    weights = {"groups": learn(examples_of(pages))}
    if pagination:
        weights["next_page"] = learn_next_page(read_paged(pagination))
    lines = ["# Learned by `python -m bench records ../shared/records ../shared/pagination --fit`."]
    for name, table in weights.items():
        kept = {key: value for key, value in table.items() if abs(value) >= LEAST_WEIGHT}
        lines += ["", f"[{name}]", *(f'"{key}" = {value:.3f}' for key, value in kept.items())]
    path.write_text("\n".join([*lines, ""]), "utf-8")
