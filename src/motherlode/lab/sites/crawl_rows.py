"""Tables of crawls for sites: means over subjects and draws."""

from collections.abc import Sequence
from statistics import fmean

from motherlode.lab.sites.crawl_plan import (
    HubRow,
    SiteCrawlPlan,
    SiteCrawlResult,
    SiteCrawlRow,
)
from motherlode.policies.registry import ORACLE


def crawl_rows(plan: SiteCrawlPlan, results: Sequence[SiteCrawlResult]) -> list[SiteCrawlRow]:
    """Return a row for each number of named sites, contender and number of pages."""
    return [
        _row(results_of(results, contender, named), results_of(results, ORACLE, named), place)
        for named in plan.named
        for contender in plan.contenders
        for place in range(len(plan.at))
    ]


def hub_rows(plan: SiteCrawlPlan, results: Sequence[SiteCrawlResult]) -> list[HubRow]:
    """Return when each contender examined the hub."""
    return [
        _hub_row(contender, named, results_of(results, contender, named))
        for named in plan.named
        for contender in plan.contenders
    ]


def found_curves(
    plan: SiteCrawlPlan, results: Sequence[SiteCrawlResult], named: int
) -> dict[str, list[tuple[float, float]]]:
    """Return the mean number of relevant sites found over pages, for each contender."""
    rows = [row for row in crawl_rows(plan, results) if row.named == named]
    return {
        contender: [
            (0.0, 0.0),
            *((float(row.at), row.found) for row in rows if row.contender == contender),
        ]
        for contender in plan.contenders
    }


def results_of(
    results: Sequence[SiteCrawlResult], contender: str, named: int
) -> list[SiteCrawlResult]:
    """Return the crawls of one contender from so many named sites."""
    return [
        result
        for result in results
        if result.task.contender == contender and result.task.named == named
    ]


def _row(
    results: Sequence[SiteCrawlResult], oracle: Sequence[SiteCrawlResult], place: int
) -> SiteCrawlRow:
    figures = [result.figures[place] for result in results]
    found = sum(each.found for each in figures)
    best = sum(result.figures[place].found for result in oracle)
    return SiteCrawlRow(
        contender=results[0].task.contender,
        named=results[0].task.named,
        at=figures[0].at,
        crawls=len(results),
        pages=fmean(each.pages for each in figures),
        requests=fmean(each.requests for each in figures),
        preparation=fmean(result.preparation for result in results),
        examined=fmean(each.examined for each in figures),
        found=found / len(figures),
        to_find=fmean(result.to_find for result in results),
        pages_per_relevant_site=_ratio(sum(each.pages for each in figures), found),
        harvest_rate=_ratio(
            sum(each.relevant for each in figures), sum(each.examined for each in figures)
        ),
        precision=_ratio(found, sum(each.judged for each in figures)),
        of_oracle=_ratio(found, best),
    )


def _hub_row(contender: str, named: int, results: Sequence[SiteCrawlResult]) -> HubRow:
    with_hub = [result for result in results if result.has_hub]
    places = [result.hub_place for result in with_hub if result.hub_place is not None]
    return HubRow(
        contender=contender,
        named=named,
        crawls=len(with_hub),
        examined=len(places),
        place=fmean(places) if places else None,
    )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
