"""What a crawl writes: its beginning, batch after batch of what was fetched, its end.

Each is one transaction: a page, all it says and all that it leads to are kept together, or not at all.
"""

from collections.abc import Sequence
from time import time

from msgspec.structs import replace

from motherlode.crawl.decisions import Draft
from motherlode.crawl.fetcher_setup import Books, keep_books
from motherlode.crawl.sitemaps import Maps
from motherlode.policies.policy import Policy
from motherlode.portal import Portal
from motherlode.records import Outcome, RunEnd, RunId
from motherlode.store import frontier, ledger
from motherlode.store.outcomes import Kept, keep


class Keeper:
    """Who writes for one run. Nobody else does while it lasts, but for lessons."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal
        self._run, self._began, self._pages = RunId(0), time(), 0

    def begin(self, policy: Policy, command: str, maps: Maps) -> None:
        """Begin a run, with what the policy begins with."""
        seeds = list(policy.seed())
        with self._portal.batch() as session:
            run = ledger.start_run(session, command, type(policy).__name__, self._began)
            frontier.offer(session, seeds)
            if seeds:
                maps.begin(session, seeds[0])
        self._run = run.id

    def keep(self, drafts: Sequence[Draft], books: Books) -> tuple[Kept, list[Outcome]]:
        """Keep a batch, and what was learned of hosts on the way."""
        pages = self._pages + sum(map(_is_page, drafts))
        with self._portal.batch() as session:
            outcomes = [self._archived(draft) for draft in drafts]
            kept = keep(session, outcomes, self._run)
            keep_books(session, books)
            ledger.advance_run(session, self._run, pages)
        self._pages = pages
        return kept, outcomes

    def end(self, end: RunEnd, books: Books) -> None:
        with self._portal.batch() as session:
            keep_books(session, books)
            ledger.end_run(session, self._run, end, time())

    def _archived(self, draft: Draft) -> Outcome:
        page = draft.outcome.page
        if page is None or draft.exchange is None:
            return draft.outcome
        where = self._portal.archive.append(draft.exchange)
        return replace(draft.outcome, page=replace(page, archived=where))


def _is_page(draft: Draft) -> bool:
    """Whether it is a page that was fetched; documents inside of one are none."""
    return draft.fetched is not None and draft.outcome.page is not None
