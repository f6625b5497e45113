"""Which follows can be queued: the others come back to a policy that waits for them.

A URL that was fetched, failed or moved takes no more follows, and a page may ask not to follow its
links. Without an answer, a policy would wait for such a page for ever.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from motherlode.policies.policy import FollowWatcher, Moves
from motherlode.records import Follow, Note, Outcome, UrlKey
from motherlode.store import Store
from motherlode.store.tables.pages import settled_keys

# Returns those of the keys whose URLs take no more follows.
FindSettled = Callable[[Sequence[UrlKey]], Collection[UrlKey]]


class QueueableMoves:
    """Moves of a policy, while follows that cannot be queued are replaced by others.

    `is_barred` says which follows the page does not allow.
    """

    def __init__(
        self,
        policy: FollowWatcher,
        moves: Moves,
        is_barred: Callable[[Follow], bool] = lambda _follow: False,
    ) -> None:
        self._policy, self._is_barred = policy, is_barred
        self._unchecked = list(moves.follows)
        self._follows: list[Follow] = []
        self._notes: list[Note] = list(moves.notes)

    def check(self, find_settled: FindSettled) -> Moves:
        """Return moves whose follows can all be queued.

        It can be called again if the database went away meanwhile: no answer is given twice.
        """
        while self._unchecked:
            settled = find_settled([follow.key for follow in self._unchecked])
            unchecked, self._unchecked = self._unchecked, []
            for follow in unchecked:
                if follow.key in settled or self._is_barred(follow):
                    moves = self._policy.not_queued(follow)
                    self._unchecked += moves.follows
                    self._notes += moves.notes
                else:
                    self._follows.append(follow)
        return Moves(self._follows, self._notes)


class SettledUrls:
    """Finds URLs that take no more follows: their outcomes are stored, or decided and unwritten."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unwritten: Counter[UrlKey] = Counter()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Add outcomes that were decided."""
        self._unwritten.update(key for outcome in outcomes for key in _settled_by(outcome))

    def release(self, outcomes: Iterable[Outcome]) -> None:
        """Remove outcomes that were written; the database knows them now."""
        if self._unwritten:
            self._unwritten -= Counter(key for outcome in outcomes for key in _settled_by(outcome))

    def find(self, keys: Sequence[UrlKey]) -> set[UrlKey]:
        """Return those of the keys whose URLs take no more follows."""
        unwritten = {key for key in keys if key in self._unwritten}
        with self._store.reading() as session:
            return unwritten | settled_keys(session, keys)


def _settled_by(outcome: Outcome) -> list[UrlKey]:
    """Return the keys of the URLs that an outcome settles."""
    if outcome.page is not None:
        return [outcome.entry.key, outcome.page.key]
    return [] if outcome.fate.retry_at is not None else [outcome.entry.key]
