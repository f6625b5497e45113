"""Fetch stored pages again to see whether they have changed (SPEC X7).

Pages to be refreshed wait in a lane of their own and stay as they are until then. If a refresh is
killed, some pages are fresh and some are not, and the next refresh continues with the latter.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import Control, CrawlContext, OutcomeLog
from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.fetcher_setup import without_sitemaps
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import REFRESH, Limits, Progress
from motherlode.fetch import Web
from motherlode.fetch.web import Headers
from motherlode.policies.follows import QUEUE, follow_links
from motherlode.policies.policy import NO_MOVES, Moves, Policy, PolicyDefaults, Visit
from motherlode.portal import Portal
from motherlode.records import Entry, Follow, Judgement, Lane, QueueId, TopicId, UrlState
from motherlode.store.tables import frontier
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import UNREADABLE, known_url, page_at
from motherlode.topics import TopicTree
from motherlode.training.feedback.marks import PortalMarks
from motherlode.training.models import JudgingModel, latest_judge
from motherlode.workers.worker_pool import WorkerPool


class RefreshSelection(Struct, frozen=True):
    """Selects pages to refresh: fetched before a time, of given or all topics, `pages` at most."""

    before: float
    pages: int
    topics: Collection[TopicId] | None = None


class RefreshResult(Struct, frozen=True):
    """The number of refreshed pages by result.

    `failed` pages stay as they are until the next refresh. `resumed` says that an interrupted
    refresh was continued. `left` is the number of pages that still wait.
    """

    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    moved: int = 0
    failed: int = 0
    resumed: bool = False
    left: int = 0
    seconds: float = 0.0
    end: str = ""
    requests: int = 0
    errors: dict[str, int] = {}
    problem: str = ""  # why nothing was fetched, and what to do; empty if all went well


class RefreshContext(Struct, frozen=True):
    """The context of a refresh. `policy` is that of the crawl; None if nothing is learned yet.

    `queue` is where the links of refreshed pages wait for the crawl, if the policy puts them there.
    """

    workers: WorkerPool | None = None
    control: Control | None = None
    policy: Policy | None = None
    report: Callable[[Progress], None] = lambda _progress: None
    log: OutcomeLog | None = None
    queue: QueueId = QUEUE


def select_pages(portal: Portal, selection: RefreshSelection) -> tuple[int, bool]:
    """Queue pages for a refresh; return how many wait, and whether they are left from the last one.

    An interrupted refresh is finished before new pages are selected.
    """
    with portal.batch() as session:
        left = sum(frontier.sizes(session, Lane.REFRESH).values())
        if left:
            return left, True
        frontier.clear(session, Lane.REFRESH)  # entries of pages that were removed meanwhile
        count = frontier.let_wait_again(
            session,
            selection.before,
            selection.pages,
            selection.topics,
        )
        return count, False


async def refresh(
    portal: Portal,
    web: Web,
    selection: RefreshSelection,
    refresh_context: RefreshContext | None = None,
) -> RefreshResult:
    """Fetch the selected pages with conditional requests, and store those that have changed."""
    refresh_context = refresh_context or RefreshContext()
    waiting, resumed = select_pages(portal, selection)
    if not waiting:
        return RefreshResult(end="done")
    counter = _ResultCounter(refresh_context.log)
    context = CrawlContext(
        refresh_context.workers,
        refresh_context.report,
        refresh_context.control or Control(),
        log=counter,
        conditions=lambda entry: conditional_headers(portal, entry),
    )
    policy = refresh_policy(portal, refresh_context.policy, refresh_context.queue)
    limits = _limits(portal, waiting, selection.pages)
    progress = await crawl(without_sitemaps(portal), web, policy, limits, context)
    with portal.store.reading() as session:
        left = sum(frontier.sizes(session, Lane.REFRESH).values())
    return replace(
        counter.result,
        resumed=resumed,
        left=left,
        seconds=progress.seconds,
        end=progress.end,
        requests=progress.requests,
        errors=progress.errors,
    )


def _limits(portal: Portal, waiting: int, pages: int) -> Limits:
    return Limits(
        pages if waiting > pages else waiting + 1,  # fetching all pages is not reaching a limit
        portal.config.crawl.connections,
        command=REFRESH,
        patience=0.0,
        lane=Lane.REFRESH,
    )


def conditional_headers(portal: Portal, entry: Entry) -> Headers:
    """Return headers that request a page only if it has changed.

    There are none for a page that could not be read: it is fetched again in any case.
    """
    with portal.store.reading() as session:
        stored, url = page_at(session, entry.key), known_url(session, entry.key)
    if stored is None or url is None or url.reason.startswith(UNREADABLE):
        return ()
    headers = (
        ("If-None-Match", stored.page.etag),
        ("If-Modified-Since", stored.page.last_modified),
    )
    return tuple((name, value) for name, value in headers if value)


def refresh_policy(portal: Portal, policy: Policy | None = None, queue: QueueId = QUEUE) -> Policy:
    """Return the policy of a refresh.

    It judges pages by the latest model, if there is one, and queues new links as the crawl's own
    policy does.
    """
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
        # A policy that needs feature spaces judges by its own model.
        judge = None if policy is not None and policy.spaces else latest_judge(session, tree)
        marks = PortalMarks.of(session)
    followed = {example.url for example in examples if not tree[example.topic].is_others}
    urls = {example.url for example in examples if example.url}
    return _RefreshPolicy(
        policy or _BreadthFirst(), judge, frozenset(urls - followed), marks, queue
    )


@dataclass(frozen=True, slots=True)
class _BreadthFirst(PolicyDefaults):
    """Follows every link, those nearest to the examples first, while nothing is learned yet."""

    name: ClassVar[str] = REFRESH

    def seed(self) -> Iterable[Follow]:
        return ()

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        return Moves(follow_links(visit, -float(visit.entry.depth + 1)))


@dataclass(frozen=True, slots=True)
class _RefreshPolicy(PolicyDefaults):
    """Judges by a model or the crawl's policy; follows links as that policy does.

    Links of counterexamples are not followed.
    """

    name: ClassVar[str] = REFRESH
    policy: Policy
    model: JudgingModel | None
    dead_ends: frozenset[str]
    marks: PortalMarks
    queue: QueueId

    @property
    def spaces(self) -> Sequence[str]:
        return self.policy.spaces if self.model is None else self.model.spaces

    def seed(self) -> Iterable[Follow]:
        return ()

    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        judgements: Sequence[Judgement | None]
        if self.model is None:
            judgements = self.policy.judge(visits)
        else:
            judgements = self.model.judge([visit.sample for visit in visits])
        judged = zip(visits, judgements, strict=True)
        return [self._overruled(visit, judgement) for visit, judgement in judged]

    def _overruled(self, visit: Visit, judgement: Judgement | None) -> Judgement | None:
        """Return the judgement of a page, overruled by the user's mark if there is one.

        The mark may be on the URL at which the page was before, or on the URL that it moved to.
        """
        if judgement is None:
            return None
        pages = map(self.marks.page_at, (visit.url, visit.entry.url))
        page = next((page for page in pages if page is not None), None)
        return judgement if page is None else self.marks.overrule(page, judgement)

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        urls = (visit.url, visit.entry.url)
        if any(url.partition("#")[0] in self.dead_ends for url in urls):
            return NO_MOVES
        visit = replace(visit, entry=replace(visit.entry, queue=self.queue))
        if self.model is not None:
            judgement = self.policy.judge([visit])[0]
        return self.policy.steer(visit, judgement)


@dataclass(slots=True)
class _ResultCounter:
    """Counts the pages of a refresh by result, and passes the outcomes on to a log."""

    log: OutcomeLog | None
    result: RefreshResult = field(default_factory=RefreshResult)

    def note(self, drafts: Sequence[DraftOutcome], progress: Progress) -> None:
        if self.log is not None:
            self.log.note(drafts, progress)
        for draft in drafts:
            if draft.fetched is not None:
                name = _result_name(draft)
                self.result = replace(self.result, **{name: getattr(self.result, name) + 1})


def _result_name(draft: DraftOutcome) -> str:
    """Return the field of `RefreshResult` that counts an outcome."""
    outcome = draft.outcome
    page, fate = outcome.page, outcome.fate
    if fate.state is UrlState.MOVED or (page is not None and page.key != outcome.entry.key):
        return "moved"
    if page is not None:
        return "unchanged" if outcome.document is None else "changed"
    if fate.state is UrlState.FETCHED:
        return "failed" if fate.reason else "unchanged"
    return "gone"
