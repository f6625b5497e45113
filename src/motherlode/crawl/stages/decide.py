"""The decide stage: the policy judges each page and says which links to follow."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import Control
from motherlode.crawl.decisions import DraftOutcome, FetchedEntry, as_refresh, decide_outcomes
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.queueable_moves import QueueableMoves, SettledUrls
from motherlode.crawl.stages.queues import take_batch
from motherlode.documents.features.spaces import Sample, Surroundings
from motherlode.policies.policy import FollowWatcher, Moves, Policy, Visit
from motherlode.portal import Portal
from motherlode.records import Follow
from motherlode.training.samples import sample_of, surroundings_of

BATCH_PAGES = 16  # small, so that the other stages can run in between


class DecidedBatch(Struct, frozen=True):
    """Fetched pages with their outcomes."""

    pages: Sequence[FetchedEntry]
    outcomes: Sequence[DraftOutcome]


class DecideStage:
    """Decides the outcomes of pages. `is_refresh`: they were stored before.

    `settled` finds the URLs that take no more follows.
    """

    def __init__(
        self,
        portal: Portal,
        policy: Policy,
        workers: ResilientWorkerPool,
        control: Control,
        settled: SettledUrls,
        *,
        is_refresh: bool,
    ) -> None:
        self._settled = settled
        self._portal, self._policy, self._workers = portal, policy, workers
        self._control, self._is_refresh = control, is_refresh
        self._obey = portal.config.robots.page_rules

    async def run(
        self,
        source: asyncio.Queue[FetchedEntry | None],
        output: asyncio.Queue[DecidedBatch | None],
    ) -> None:
        """Decide on batch after batch until no more comes."""
        while pages := await take_batch(source, BATCH_PAGES):
            decide = partial(decide_outcomes, pages, self._policy, self._sample, obey=self._obey)
            outcomes = await self._workers.run_inline(decide)
            if self._is_refresh:
                outcomes = list(map(as_refresh, outcomes))
            elif isinstance(self._policy, FollowWatcher):
                outcomes = await self._queueable(self._policy, outcomes)
            if self._policy.enough():
                self._control.changed.set()
            await output.put(DecidedBatch(pages, outcomes))
            await asyncio.sleep(0)  # putting into a queue with room does not let other tasks run
        await output.put(None)

    async def _queueable(
        self, policy: FollowWatcher, drafts: Sequence[DraftOutcome]
    ) -> list[DraftOutcome]:
        """Return the outcomes with follows that can be queued; the policy replaces the others."""
        self._settled.add(draft.outcome for draft in drafts)
        queueable: list[DraftOutcome] = []
        for draft in drafts:
            outcome = draft.outcome
            if outcome.follows:
                moves = Moves(outcome.follows, outcome.notes)
                checked = QueueableMoves(policy, moves, _is_barred(draft))
                moves = await self._workers.run_inline(partial(checked.check, self._settled.find))
                outcome = replace(outcome, follows=tuple(moves.follows), notes=tuple(moves.notes))
            queueable.append(replace(draft, outcome=outcome))
        return queueable

    def _sample(self, visit: Visit) -> Sample:
        """Return a document in the feature spaces of the policy, as training reads it later.

        Its URL is the one that it is stored at, after redirects.
        """
        spaces, document = self._policy.spaces, visit.document
        if all(space in document.vectors for space in spaces):
            return sample_of(document, spaces, Surroundings(visit.url))
        with self._portal.store.reading() as session:
            surroundings = surroundings_of(session, visit.url, visit.key, spaces)
            return sample_of(document, spaces, surroundings)


def _is_barred(draft: DraftOutcome) -> Callable[[Follow], bool]:
    """Return a function that says which follows the page of a draft does not allow."""
    barred = draft.barred
    return (lambda _follow: False) if barred is None else barred.bars
