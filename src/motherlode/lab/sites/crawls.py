"""Crawls for sites like a few named ones, by several crawlers on the real engine (SPEC W7, W8).

Every crawler has the same named sites and the same pages of them before it begins, the same budget
of pages and requests, and fetches one page at a time. A site counts as found when it was examined,
is held for relevant, and has the subject's label; sites without a label are not relevant.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from motherlode.crawl.counters import requests_of
from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.progress import Progress
from motherlode.lab.clock import run_virtually
from motherlode.lab.generated.dice import Dice
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.sites.crawl_plan import (
    MIN_SITES_TO_FIND,
    SITE_CONTENDERS,
    SiteCrawlPlan,
    SiteCrawlResult,
    SiteCrawlTask,
    SiteFigures,
    tasks,
)
from motherlode.lab.sites.labelled_sites import LabelledSites
from motherlode.lab.sites.site_ways import SiteWays
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.trial import Budget, TrialSetup, crawl_portal, throwaway
from motherlode.policies.kind import LabelledWeb, PolicyKind, load_policy
from motherlode.policies.websites.options import WebsitesOptions
from motherlode.policies.websites.stored_sites import SiteState, SiteVerdict, stored_verdicts
from motherlode.portal import Portal
from motherlode.records import UsageError
from motherlode.topics import Planting, plant_seeds
from motherlode.urls import UrlRules, host_of

SITES_TOPIC, OTHERS_TOPIC = ("sites",), ("OTHERS",)
_SETTINGS = {"websites.open_sites": 1, "websites.rising_cost": 0.0}


def crawl_for_sites(plan: SiteCrawlPlan, jobs: int | None = None) -> Iterator[SiteCrawlResult]:
    """Run every crawl, on as many processes as there are cores unless told, as they finish."""
    return spread(SiteCrawlBench, plan, tasks(plan), jobs)


class SiteCrawlBench:
    """A web that is opened once for many crawls."""

    def __init__(self, plan: SiteCrawlPlan) -> None:
        self._plan = plan
        self._web = open_web(Path(plan.web))
        self._readings = Readings(self._web)
        self.sites = LabelledSites(self._web, self._readings)
        self._ways: SiteWays | None = None

    @property
    def ways(self) -> SiteWays:
        """The links of the whole web, which are read when they are first needed."""
        if self._ways is None:
            self._ways = SiteWays(self._web)
        return self._ways

    def check(self) -> None:
        """Raise a `LodeError` for whatever is wrong with the plan."""
        known = [contender.name for contender in SITE_CONTENDERS]
        for name in self._plan.contenders:
            if name not in known:
                raise UsageError(f"There is no contender '{name}'; there are {', '.join(known)}.")
        most = max(self._plan.named)
        for subject in self._plan.subjects:
            sites = len(self.sites.of_subject(subject))
            if sites < most + MIN_SITES_TO_FIND:
                raise UsageError(
                    f"'{subject}' has {sites} sites, too few to name {most} of them; name fewer."
                )
        _ = self.ways

    def run(self, task: SiteCrawlTask) -> SiteCrawlResult:
        """Crawl by one contender, and return its figures."""
        named = self.named_sites(task)
        contender = next(each for each in SITE_CONTENDERS if each.name == task.contender)
        kind = load_policy(contender.policy)
        settings = {
            **_SETTINGS,
            **({"crawl.policy": kind.name} if kind.is_for_portals else {}),
            **self._plan.settings,
            **contender.settings,
        }
        with throwaway(self._planting(named), settings, Timing()) as portal:
            journal = SiteJournal(portal, self._plan.at)
            setup = TrialSetup(
                kind=_watched(kind, journal),
                seeds=(),
                budget=self._budget(portal.config.websites, named),
                timing=Timing(),
                chance=self._plan.seed + task.turn,
                labels=(
                    self._labelled(task.subject, named, portal.config.websites)
                    if kind.needs_labels
                    else None
                ),
            )
            replay = Replay(self._web)
            run_virtually(crawl_portal(portal, replay, setup, self._readings, journal))
            journal.finish()
        return self._measured(task, named, journal)

    def named_sites(self, task: SiteCrawlTask) -> dict[str, bool]:
        """Return the named sites, and which are relevant; a turn draws the same ones for all."""
        relevant = self.sites.of_subject(task.subject)
        others = [site for site in self.sites.labels if site not in relevant]
        dice = Dice("named sites", self._plan.seed + task.turn, task.subject)
        drawn = _drawn(relevant, task.named, dice)
        unlike = Dice("unlike sites", self._plan.seed + task.turn, task.subject)
        return dict.fromkeys(drawn, True) | dict.fromkeys(
            _drawn(others, self._plan.unlike, unlike), False
        )

    def _planting(self, named: Mapping[str, bool]) -> Planting:
        topics = [
            (path, [self.sites.home(site) for site, given in named.items() if given is relevant])
            for path, relevant in ((SITES_TOPIC, True), (OTHERS_TOPIC, False))
        ]
        return plant_seeds([(path, homes) for path, homes in topics if homes], UrlRules())

    def _budget(self, options: WebsitesOptions, named: Mapping[str, bool]) -> Budget:
        """Return the budget, with the pages of the preparation, which are never more than this."""
        return Budget(max(self._plan.at) + len(named) * options.training_pages)

    def _labelled(
        self, subject: str, named: Mapping[str, bool], options: WebsitesOptions
    ) -> LabelledWeb:
        """Return what the oracle knows: one page of each relevant site is enough."""
        wanted = set(self.sites.of_subject(subject)) - set(named)
        begin = [
            page.url
            for site in named
            for page in self.sites.first_pages(site, options.training_pages)
        ]
        return LabelledWeb(
            self.ways.pages_of(wanted), lambda: self.ways.way_to_sites(begin, wanted)
        )

    def _measured(
        self, task: SiteCrawlTask, named: Mapping[str, bool], journal: "SiteJournal"
    ) -> SiteCrawlResult:
        relevant = set(self.sites.of_subject(task.subject)) - set(named)
        examined, judged = _examined(journal.verdicts[-1], named)
        hub = self.ways.hub
        begun = [site for site in journal.begun if site not in named]
        has_hub = hub not in named and hub not in relevant
        return SiteCrawlResult(
            task=task,
            to_find=len(relevant),
            preparation=journal.preparation,
            figures=tuple(
                _figures(at, state, verdicts, named, relevant)
                for at, state, verdicts in zip(
                    self._plan.at, journal.states, journal.verdicts, strict=True
                )
            ),
            has_hub=has_hub,
            hub_place=begun.index(hub) + 1 if has_hub and hub in begun else None,
            wrong=tuple(sorted(judged - relevant)),
            missed=tuple(sorted((examined & relevant) - judged)),
        )


class SiteJournal:
    """Counts pages and requests of a crawl, and takes down all verdicts at given numbers of pages.

    The preparation is counted apart: `begin` ends it.
    """

    def __init__(self, portal: Portal, at: Sequence[int]) -> None:
        self._portal, self._at = portal, at
        self.preparation = self.pages = self.requests = 0
        self.begun: dict[str, None] = {}  # sites in the order of their first pages
        self.states: list[tuple[int, int]] = []  # pages and requests
        self.verdicts: list[dict[str, SiteVerdict]] = []

    def begin(self) -> None:
        self.preparation, self.pages, self.requests = self.pages, 0, 0
        self.begun.clear()
        self.states.clear()
        self.verdicts.clear()

    def note(self, drafts: Sequence[DraftOutcome], _progress: Progress) -> None:
        for draft in drafts:
            fetched = draft.fetched
            if fetched is None:
                continue
            self.requests += requests_of(fetched)
            is_copy = fetched.response is not None and bool(fetched.copy_of)
            if draft.outcome.page is not None or is_copy:
                self.pages += 1
                self.begun.setdefault(host_of(fetched.final.url))
        while len(self.states) < len(self._at) and self.pages >= self._at[len(self.states)]:
            self._take_down()

    def finish(self) -> None:
        """Take down how the crawl ended, for the numbers of pages that it did not reach."""
        while len(self.states) < len(self._at):
            self._take_down()

    def _take_down(self) -> None:
        with self._portal.store.reading() as session:
            self.verdicts.append(stored_verdicts(session))
        self.states.append((self.pages, self.requests))


def _watched(kind: PolicyKind, journal: SiteJournal) -> PolicyKind:
    """Return the policy with a journal that hears of the end of the preparation."""
    before = kind.before_crawl

    def begin(portal: Portal) -> None:
        journal.begin()
        if before is not None:
            before(portal)

    return dataclasses.replace(kind, before_crawl=begin)


def _figures(
    at: int,
    state: tuple[int, int],
    verdicts: Mapping[str, SiteVerdict],
    named: Mapping[str, bool],
    relevant: set[str],
) -> SiteFigures:
    examined, judged = _examined(verdicts, named)
    pages, requests = state
    return SiteFigures(
        at=at,
        pages=min(at, pages),
        requests=requests,
        examined=len(examined),
        relevant=len(examined & relevant),
        judged=len(judged),
        found=len(judged & relevant),
    )


def _examined(
    verdicts: Mapping[str, SiteVerdict], named: Mapping[str, bool]
) -> tuple[set[str], set[str]]:
    """Return the sites that were examined, and those of them that are held for relevant."""
    examined = {
        site
        for site, verdict in verdicts.items()
        if verdict.state is SiteState.EXAMINED and site not in named
    }
    return examined, {site for site in examined if verdicts[site].is_relevant}


def _drawn(sites: Sequence[str], number: int, dice: Dice) -> list[str]:
    left = sorted(sites)
    return [left.pop(dice.below(len(left))) for _ in range(min(number, len(left)))]
