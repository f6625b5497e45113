"""The sieve's memory: which URL keys have which row, and the best rank each was offered at.

A direct-mapped cache in three arrays: fixed size, a newcomer evicts whoever has its slot, and a
whole batch is looked up in a few array operations. It only ever saves a question to the database.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from motherlode.records import UrlState
from motherlode.store.bulk import Bulk
from motherlode.store.schema import urls

Keys = NDArray[np.int64]
Ids = NDArray[np.int64]
Ranks = NDArray[np.float64]

UNKNOWN = 0  # no row has this number
_OPEN = UrlState.OPEN.value
NEVER_AGAIN = np.inf  # the rank of a URL that no longer waits: no offer is better


class SieveMemory:
    """`size` is a power of two; a slot takes 24 bytes."""

    def __init__(self, size: int = 1 << 20) -> None:
        self._mask = np.int64(size - 1)
        self._keys: Keys = np.zeros(size, np.int64)
        self._ids: Ids = np.zeros(size, np.int64)
        self._ranks: Ranks = np.full(size, -np.inf)

    def ids(self, keys: Keys) -> Ids:
        """The rows of these keys, `UNKNOWN` where they are not remembered."""
        slots = keys & self._mask
        return np.where(self._keys[slots] == keys, self._ids[slots], UNKNOWN)

    def learn(self, keys: Keys, ids: Ids, ranks: Ranks) -> None:
        slots = keys & self._mask
        self._keys[slots], self._ids[slots], self._ranks[slots] = keys, ids, ranks

    def improving(self, keys: Keys, ranks: Ranks) -> NDArray[np.bool_]:
        """Which of these offers are better than the best remembered, and than each other.

        Of equal offers within the batch all count; the frontier's key makes them one.
        """
        slots = keys & self._mask
        known = self._keys[slots] == keys
        better = ~known | (ranks > self._ranks[slots])
        chosen = np.flatnonzero(better & known)
        np.maximum.at(self._ranks, slots[chosen], ranks[chosen])
        result: NDArray[np.bool_] = better & (~known | (ranks >= self._ranks[slots]))
        return result

    def rerank(self, keys: Keys, ranks: Ranks) -> None:
        """These URLs wait at other ranks now."""
        slots = keys & self._mask
        known = (self._keys[slots] == keys) & (self._ranks[slots] != NEVER_AGAIN)
        self._ranks[slots[known]] = ranks[known]

    def close(self, keys: Keys) -> None:
        """These URLs no longer wait."""
        slots = keys & self._mask
        known = self._keys[slots] == keys
        self._ranks[slots[known]] = NEVER_AGAIN

    def forget(self) -> None:
        """After a failed transaction nothing that was learned in it is true."""
        self._keys.fill(0)
        self._ids.fill(UNKNOWN)
        self._ranks.fill(-np.inf)


class Sieve:
    """Every URL ever seen, each with one row: the unique index on the key behind the memory."""

    def __init__(self, bulk: Bulk, memory: SieveMemory) -> None:
        self._bulk = bulk
        self.memory = memory

    def ids_of(self, spelled: Mapping[int, str]) -> dict[int, int]:
        """The row of each URL, given by key and spelling; one never seen gets one, open."""
        keys, spellings = np.fromiter(spelled, np.int64, len(spelled)), list(spelled.values())
        return dict(zip(spelled, self.rows_of(keys, spellings.__getitem__).tolist(), strict=True))

    def rows_of(self, keys: Keys, spelled: Callable[[int], str]) -> Ids:
        """The row of each of these keys, some of which may be the same; one never seen gets one,
        open.

        `spelled` is asked for the URL at a place in them, of the few that the memory does not have.
        """
        ids = self.memory.ids(keys)
        missing = np.flatnonzero(ids == UNKNOWN)
        if missing.size:
            wanted = keys[missing].tolist()
            asked = {
                key: spelled(place) for key, place in zip(wanted, missing.tolist(), strict=True)
            }
            found = self._ask(np.fromiter(asked, np.int64, len(asked)), asked)
            known = dict(zip(asked, found, strict=True))
            ids[missing] = [known[key] for key in wanted]
        return ids

    def _ask(self, keys: Keys, spelled: Mapping[int, str]) -> list[int]:
        """The rows of keys that the memory does not have, made where there are none."""
        wanted = keys.tolist()
        known = self._find(wanted)
        fresh = [key for key in wanted if key not in known]
        if fresh:
            # In the order of discovery, which decides ties.
            numbers = self._bulk.numbers(urls, len(fresh))
            rows = [
                (number, key, spelled[key], _OPEN, 0)
                for number, key in zip(numbers, fresh, strict=True)
            ]
            self._bulk.insert_new(urls, ("id", "key", "url", "state", "attempts"), rows)
            known.update({row[1]: (row[0], _OPEN) for row in rows})
            self._mind_others(known, fresh)
        rows_of = [known[key] for key in wanted]
        ids = [number for number, _ in rows_of]
        ranks = [-np.inf if state == _OPEN else NEVER_AGAIN for _, state in rows_of]
        self.memory.learn(keys, np.array(ids, np.int64), np.array(ranks))
        return ids

    def _find(self, keys: list[int]) -> dict[int, tuple[int, int]]:
        rows = self._bulk.find(urls, "key", keys, ("key", "id", "state"))
        return {key: (number, state) for key, number, state in rows}

    def _mind_others(self, known: dict[int, tuple[int, int]], keys: list[int]) -> None:
        """On a shared database another engine may have been first with some of them."""
        if not self._bulk.is_alone:
            known.update(self._find(keys))
