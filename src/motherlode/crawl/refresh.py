"""Fetching pages again to see whether they have changed (SPEC X7).

What is to be fetched again waits in a queue of its own and is still what it was: killed in the midst of it,
the portal has some pages that are fresh and some that are not yet, and the next refresh goes on with these.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import Company, Control, Journal
from motherlode.crawl.decisions import Draft
from motherlode.crawl.fetcher_setup import without_sitemaps
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import REFRESH, Limits, Progress
from motherlode.fetch import Web
from motherlode.fetch.web import Headers
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.bingo.retraining import home_of
from motherlode.policies.bingo.steering import Bingo, Phase, policy_for
from motherlode.policies.policy import Policy, Visit
from motherlode.portal import Portal
from motherlode.records import ROOT, Entry, Follow, Judgement, TopicId, UrlState
from motherlode.store import frontier, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import UNREADABLE, known_url, page_at
from motherlode.topics import TopicTree
from motherlode.training.marks import Marks
from motherlode.training.opinion import still_of_use
from motherlode.training.training_set import KIND, can_tell
from motherlode.workers.worker_pool import WorkerPool


class Wish(Struct, frozen=True):
    """Which pages to fetch again: those last fetched before a moment, of some topics or of all, so many."""

    before: float
    pages: int
    topics: Collection[TopicId] | None = None


class Refreshed(Struct, frozen=True):
    """What became of pages that were fetched again. `failed`: they are as they were, until the next time.

    `resumed`: these were left over by a refresh that did not come to its end. `left`: so many still are.
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


class Party(Struct, frozen=True):
    """Who goes along. `guide` is how the portal's crawl finds its way, where that needs no model."""

    workers: WorkerPool | None = None
    control: Control | None = None
    guide: Policy | None = None
    report: Callable[[Progress], None] = lambda _progress: None
    journal: Journal | None = None


def choose(portal: Portal, wish: Wish) -> tuple[int, bool]:
    """Let pages wait to be fetched again: how many do, and whether they are left over from before.

    What was begun is finished first.
    """
    with portal.batch() as session:
        left = frontier.sizes(session).get(frontier.AGAIN, 0)
        if left:
            return left, True
        frontier.clear(session, frontier.AGAIN)  # of pages that are gone meanwhile
        return frontier.let_wait_again(session, wish.before, wish.pages, wish.topics), False


async def refresh(portal: Portal, web: Web, wish: Wish, party: Party | None = None) -> Refreshed:
    """Fetch pages again, with conditional requests, and keep what has changed."""
    party = party or Party()
    waiting, resumed = choose(portal, wish)
    if not waiting:
        return Refreshed(end="done")
    limits = Limits(
        wish.pages if waiting > wish.pages else waiting + 1,  # who has them all has reached no limit
        portal.config.crawl.connections,
        command=REFRESH,
        patience=0.0,
        queues=frozenset({frontier.AGAIN}),
    )
    count = _Count(party.journal)
    company = Company(
        party.workers,
        party.report,
        party.control or Control(),
        journal=count,
        conditions=lambda entry: conditions(portal, entry),
    )
    progress = await crawl(without_sitemaps(portal), web, policy_of(portal, party.guide), limits, company)
    with portal.store.reading() as session:
        left = frontier.sizes(session).get(frontier.AGAIN, 0)
    return replace(count.so_far, resumed=resumed, left=left, seconds=progress.seconds, end=progress.end)


def conditions(portal: Portal, entry: Entry) -> Headers:
    """Headers that ask for a page only if it is not the one that is here; if that could not be read, it is
    asked for in any case, to be read once more."""
    with portal.store.reading() as session:
        known, url = page_at(session, entry.key), known_url(session, entry.key)
    if known is None or url is None or url.reason.startswith(UNREADABLE):
        return ()
    told = (("If-None-Match", known.page.etag), ("If-Modified-Since", known.page.last_modified))
    return tuple((name, value) for name, value in told if value)


def policy_of(portal: Portal, guide: Policy | None = None) -> Policy:
    """Pages are judged by the latest model, if there is one; new links go where the crawl will find them."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
        model = ledger.latest_model(session, KIND)
        marks = Marks.of(session)
    shown = {one.url for one in examples if not tree[one.topic].is_others}
    against = frozenset(one.url for one in examples if one.url and one.url not in shown)
    learned: Bingo | None = None
    classifier = None if model is None else still_of_use(model.packed, tree)
    if model is not None and classifier is not None and can_tell(classifier):
        phase = Phase(model.report.get("crawl", {}).get("phase", Phase.LEARNING))
        learned = policy_for(portal.config.crawl, classifier, model.id, home_of(tree, examples), phase)
    judges = learned or guide or BreadthFirst(())
    return _Revisit(judges, guide or judges, against, marks)


@dataclass(frozen=True, slots=True)
class _Revisit:
    """One policy judges pages, and one, the same or another, steers. Counterexamples lead nowhere."""

    judges: Policy
    guide: Policy
    against: frozenset[str]
    marks: Marks

    @property
    def spaces(self) -> Sequence[str]:
        return self.judges.spaces

    def seed(self) -> Iterable[Follow]:
        return ()

    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        said = self.judges.judge(visits)
        return [self._overruled(visit, one) for visit, one in zip(visits, said, strict=True)]

    def _overruled(self, visit: Visit, said: Judgement | None) -> Judgement | None:
        """A page that a person has marked stays where that put it, whatever it says now."""
        page = self.marks.page_at(visit.entry.url)
        return said if page is None or said is None else self.marks.overrule(page, said)

    def steer(self, visit: Visit, judgement: Judgement | None) -> Iterable[Follow]:
        if visit.entry.url.partition("#")[0] in self.against:
            return ()
        visit = replace(visit, entry=replace(visit.entry, queue=ROOT))  # links wait for the crawl
        if self.guide is not self.judges:
            judgement = self.guide.judge([visit])[0]
        return self.guide.steer(visit, judgement)


@dataclass(slots=True)
class _Count:
    """What the refresh has brought so far; whoever keeps a journal is told as well."""

    journal: Journal | None
    so_far: Refreshed = field(default_factory=Refreshed)

    def note(self, drafts: Sequence[Draft], progress: Progress) -> None:
        if self.journal is not None:
            self.journal.note(drafts, progress)
        for draft in drafts:
            if draft.fetched is not None:
                name = _kind(draft)
                self.so_far = replace(self.so_far, **{name: getattr(self.so_far, name) + 1})


def _kind(draft: Draft) -> str:
    outcome = draft.outcome
    page, fate = outcome.page, outcome.fate
    if fate.state is UrlState.MOVED or (page is not None and page.key != outcome.entry.key):
        return "moved"
    if page is not None:
        return "unchanged" if outcome.document is None else "changed"
    if fate.state is UrlState.FETCHED:
        return "failed" if fate.reason else "unchanged"
    return "gone"
